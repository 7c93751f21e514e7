"""Where local copies of the archives lie, what is refused of another folder, and which release a number tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.loading import archive_folders
from registry.loading.archive_folders import FolderError, find_archives, infer_release

RELEASES = {10: "SC19", 20: "SC19", 30: "ISC20", 40: "SC20"}
MONTHS = {"SC19": "2019-11", "ISC20": "2020-06", "SC20": "2020-11"}


def make_submission(root: Path, place: str) -> Path:
    folder = root / place
    folder.mkdir(parents=True)
    (folder / "result_summary.txt").write_text("", encoding="utf-8")
    return folder


def make_indexed(root: Path, index: str, names: tuple[str, ...]) -> Path:
    (root / "submissions").mkdir(parents=True)
    (root / "index.csv").write_text(index, encoding="utf-8")
    for name in names:
        (root / "submissions" / name).write_bytes(b"")
    return root


def test_a_checkout_gives_releases_and_submissions(tmp_path: Path) -> None:
    make_submission(tmp_path, "Site (One)/Alpha/Fast FS/2020/submission-7")
    make_submission(tmp_path, "Site (One)/Alpha/work / fs2/2020/submission-3")
    (tmp_path / ".git").mkdir()
    third, seventh = find_archives(tmp_path)
    assert (third.number, third.institution, third.system, third.filesystem_type) == (
        3,
        "Site (One)",
        "Alpha",
        "work / fs2",
    )
    assert (seventh.number, seventh.year, seventh.left_out) == (7, "2020", frozenset())
    base = "https://github.com/IO500/submission-data/tree/master"
    assert seventh.published_address == f"{base}/Site%20%28One%29/Alpha/Fast%20FS/2020/submission-7"


def test_an_indexed_folder_lists_missing_submissions(tmp_path: Path) -> None:
    index = "id,institution,system,filesystem,year\n7,Site,Alpha,FS,2020\n"
    make_indexed(tmp_path, index, ("submission-7.tar.gz", "notes.txt"))
    files = "id,path,action\n7,a.csv,kept\n7,b.csv,thinned-to-40-of-99-lines\n7,c.csv,skipped-over-2MB\n"
    (tmp_path / "files.csv").write_text(files, encoding="utf-8")
    (place,) = find_archives(tmp_path)
    assert place.left_out == {"b.csv", "c.csv"}
    assert place.published_folder == "Site/Alpha/FS/2020/submission-7"


@pytest.mark.parametrize(
    "place", ["submission-7", "2020/submission-7", "A/B/C/1820/submission-7", "A/B/2020/submission-7"]
)
def test_an_indexed_path_outside_the_folder_is_refused(tmp_path: Path, place: str) -> None:
    make_submission(tmp_path, place)
    with pytest.raises(FolderError, match="does not lie in INSTITUTION/SYSTEM/FILE SYSTEM/YEAR"):
        find_archives(tmp_path)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(FolderError, match="has no archive"):
        find_archives(tmp_path)
    with pytest.raises(FolderError, match="is not a folder"):
        find_archives(tmp_path / "absent")
    (tmp_path / "link").symlink_to(tmp_path / "photos")
    with pytest.raises(FolderError, match="is not a folder"):
        find_archives(tmp_path / "link")


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    make_submission(outside, "A/B/C/2020/submission-1")
    make_submission(root, "D/E/F/2020/submission-2")
    (root / "A").symlink_to(outside / "A")
    (root / "D/E/F/2020/submission-3").symlink_to(outside / "A/B/C/2020/submission-1")
    assert [place.number for place in find_archives(root)] == [2]


def test_two_archives_of_one_number_are_refused(tmp_path: Path) -> None:
    make_submission(tmp_path, "A/B/C/2020/submission-1")
    make_submission(tmp_path, "A/B/C/2021/submission-1")
    with pytest.raises(FolderError, match="have one number"):
        find_archives(tmp_path)


def test_too_many_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_submission(tmp_path, "A/B/C/2020/submission-1")
    monkeypatch.setattr(archive_folders, "MOST_FOLDERS", 3)
    with pytest.raises(FolderError, match="more folders"):
        find_archives(tmp_path)
    deep = tmp_path / "deep"
    make_submission(deep, "/".join("abcdefghij"))
    with pytest.raises(FolderError, match="more folders"):
        find_archives(deep)


@pytest.mark.parametrize("name", [" ", "x" * 121, "a\u202eb"])
def test_names_with_unprintable_characters_are_refused(tmp_path: Path, name: str) -> None:
    index = f"id,institution,system,filesystem,year\n7,{name},Alpha,FS,2020\n"
    make_indexed(tmp_path, index, ("submission-7.tar.gz",))
    with pytest.raises(FolderError, match="empty, too long or not printable"):
        find_archives(tmp_path)


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        ("id,institution\n7,Site\n", "lacks one of the columns"),
        ("id,institution,system,filesystem,year\n8,Site,Alpha,FS,2020\n", "is not in index.csv"),
        ("id,institution,system,filesystem,year\n7,Site,Alpha,FS,MMXX\n", "is no year"),
        ("id,institution,system,filesystem,year\n7,Site\n", "lacks one of the columns"),
        ("", "is not in index.csv"),
        ("id,institution,system,filesystem,year\n7,One,A,FS,2020\n7,Two,B,FS,2020\n", "has '7' twice"),
    ],
)
def test_a_broken_index_is_refused(tmp_path: Path, index: str, reason: str) -> None:
    make_indexed(tmp_path, index, ("submission-7.tar.gz",))
    with pytest.raises(FolderError, match=reason):
        find_archives(tmp_path)


def test_an_index_of_a_spreadsheet_is_read(tmp_path: Path) -> None:
    """Spreadsheets write a mark before the first column."""
    make_indexed(
        tmp_path, "\ufeffid,institution,system,filesystem,year\r\n7,Site,A,FS,2020\r\n", ("submission-7.tar.gz",)
    )
    assert [place.institution for place in find_archives(tmp_path)] == ["Site"]


def test_an_index_that_is_no_text_is_refused(tmp_path: Path) -> None:
    make_indexed(tmp_path, "", ())
    (tmp_path / "index.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FolderError, match="is no table"):
        find_archives(tmp_path)


@pytest.mark.parametrize(
    ("number", "run", "release"),
    [
        (15, {}, "SC19"),
        (25, {"started": "2019-09-30T10:00:00"}, "SC19"),
        (25, {"started": "2020-01-30T10:00:00"}, "ISC20"),
        (25, {"run": "results/2020.06.01-10.00.00"}, "ISC20"),
        (25, {}, ""),
        (25, {"started": "2020-07-01T10:00:00"}, ""),
        (41, {"started": "2020-10-01T10:00:00"}, "SC20"),
        (41, {"started": "2021-10-01T10:00:00"}, ""),
        (5, {"started": "2019-01-01T10:00:00"}, ""),
    ],
)
def test_the_release_of_an_archive_follows_from_number_and_date(number: int, run: dict[str, str], release: str) -> None:
    slug, reason = infer_release(number, run, RELEASES, MONTHS)
    assert slug == release
    assert bool(reason) == bool(release)
