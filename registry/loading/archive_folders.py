"""Local copies of the published IO500 archives: where each lies, what it is called, and to which release it belongs.

Two forms are known: a checkout of the published repository, whose folders are
INSTITUTION/SYSTEM/FILE SYSTEM/YEAR/submission-NUMBER, and a folder with index.csv, files.csv and
submissions/submission-NUMBER.tar.gz. Symbolic links are never followed.
"""

from __future__ import annotations

import bisect
import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

REPOSITORY = "https://github.com/IO500/submission-data/tree/master/"
INDEX, FILES, SUBMISSIONS = "index.csv", "files.csv", "submissions"
MOST_FOLDERS, MOST_DEPTH, MOST_INDEX_BYTES, LONGEST_NAME = 20_000, 8, 32 * 2**20, 120
_FOLDER = re.compile(r"submission-(\d{1,6})")
_ARCHIVE = re.compile(r"submission-(\d{1,6})\.(tar\.gz|tgz|tar|zip)")
_PLACE = re.compile(r"(?P<institution>[^/]+)/(?P<system>[^/]+)/(?P<filesystem>.+)/(?P<year>(19|20)\d\d)")
_DAY = re.compile(r"((?:19|20)\d\d)[.-](\d\d)[.-]\d\d")


class FolderError(Exception):
    """The folder is no copy of the archives, or two of its archives have one number."""


@dataclass(frozen=True, slots=True)
class ArchivePlace:
    """One archive. `folder` is its path in the published repository, whose parts are the names of what was measured.

    `left_out` are its files of which this copy has a part or nothing.
    """

    number: int
    path: Path
    institution: str
    system: str
    filesystem_type: str
    year: str
    left_out: frozenset[str] = field(default_factory=frozenset)

    @property
    def published_folder(self) -> str:
        return f"{self.institution}/{self.system}/{self.filesystem_type}/{self.year}/submission-{self.number}"

    @property
    def published_address(self) -> str:
        """Where the archive is published."""
        return REPOSITORY + quote(self.published_folder)


def find_archives(folder: Path) -> list[ArchivePlace]:
    """The archives of one local copy, in order of their numbers.

    Raises FolderError for a folder that is no such copy, is a symbolic link, has two archives of one number or a name
    that no published one has; OSError where it cannot be read.
    """
    if folder.is_symlink() or not folder.is_dir():
        raise FolderError(f"{folder} is not a folder")
    indexed = (folder / INDEX).is_file() and (folder / SUBMISSIONS).is_dir()
    places = list(_indexed_archives(folder) if indexed else _repository_archives(folder))
    if not places:
        raise FolderError(
            f"{folder} has no archive: neither folders INSTITUTION/SYSTEM/FILE SYSTEM/YEAR/submission-NUMBER nor "
            f"{INDEX} with {SUBMISSIONS}/submission-NUMBER.tar.gz"
        )
    by_number: dict[int, ArchivePlace] = {}
    for place in places:
        if place.number in by_number:
            raise FolderError(f"{place.path} and {by_number[place.number].path} have one number")
        by_number[place.number] = place
    return [by_number[number] for number in sorted(by_number)]


def _repository_archives(root: Path) -> Iterator[ArchivePlace]:
    """Folders of a checkout. The walk ends at each submission: what lies in it is the affair of the reader."""
    folders, open_folders = 0, [root]
    while open_folders:
        current = open_folders.pop()
        for path in sorted(current.iterdir(), reverse=True):
            if path.is_symlink() or not path.is_dir() or path.name == ".git":
                continue
            folders += 1
            if folders > MOST_FOLDERS or len(path.relative_to(root).parts) > MOST_DEPTH:
                raise FolderError(f"{root} has more folders than a copy of the archives")
            if match := _FOLDER.fullmatch(path.name):
                yield _named_place(int(match[1]), path, current.relative_to(root).as_posix())
            else:
                open_folders.append(path)


def _named_place(number: int, path: Path, place: str) -> ArchivePlace:
    """The names in the middle may hold a slash of their own; the first folder and the year never do."""
    match = _PLACE.fullmatch(place)
    if match is None:
        raise FolderError(f"{path} does not lie in INSTITUTION/SYSTEM/FILE SYSTEM/YEAR")
    return _checked_place(number, path, match.groupdict())


def _indexed_archives(root: Path) -> Iterator[ArchivePlace]:
    table = _read_table(root / INDEX, ("id", "institution", "system", "filesystem", "year"))
    names = {row["id"]: row for row in table}
    if twice := [number for number, rows in Counter(row["id"] for row in table).items() if rows > 1]:
        raise FolderError(f"{root / INDEX} has {twice[0][:LONGEST_NAME]!r} twice")
    left_out: dict[str, set[str]] = defaultdict(set)
    if (root / FILES).is_file():
        for row in _read_table(root / FILES, ("id", "path", "action")):
            if row["action"] != "kept":
                left_out[row["id"]].add(row["path"])
    for path in sorted((root / SUBMISSIONS).iterdir()):
        match = _ARCHIVE.fullmatch(path.name)
        if match is None or path.is_symlink() or not path.is_file():
            continue
        if match[1] not in names:
            raise FolderError(f"{path.name} is not in {INDEX}")
        yield _checked_place(int(match[1]), path, names[match[1]], frozenset(left_out[match[1]]))


def _read_table(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    if path.is_symlink() or path.stat().st_size > MOST_INDEX_BYTES:
        raise FolderError(f"{path} is no table of archives")
    try:
        with path.open(encoding="utf-8-sig", newline="") as table:
            rows = list(csv.DictReader(table))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FolderError(f"{path} is no table of archives") from error
    if rows and not all(isinstance(rows[0].get(column), str) for column in columns):
        raise FolderError(f"{path} lacks one of the columns {', '.join(columns)}")
    return [row for row in rows if all(isinstance(row.get(column), str) for column in columns)]


def _checked_place(
    number: int, path: Path, names: Mapping[str, str], left_out: frozenset[str] = frozenset()
) -> ArchivePlace:
    institution, system, filesystem = (names[column] for column in ("institution", "system", "filesystem"))
    texts = institution, system, filesystem
    if not all(text.strip() and len(text) <= LONGEST_NAME and text.isprintable() for text in texts):
        raise FolderError(f"The names of {path.name} are empty, too long or not printable")
    if not re.fullmatch(r"(19|20)\d\d", names["year"]):
        raise FolderError(f"The year of {path.name} is no year")
    return ArchivePlace(number, path, institution, system, filesystem, names["year"], left_out)


def infer_release(
    number: int, row: Mapping[str, Any], releases: Mapping[int, str], months: Mapping[str, str]
) -> tuple[str, str]:
    """The release that an archive was submitted for, and how that is known; two empty texts where it is not.

    `releases` are those of submissions by number, `months` of releases as 2023-11. Numbers are handed out in order:
    between two submissions of one release is none of another. Between two releases, and after the last number, the day
    of the run decides.
    """
    numbers = sorted(releases)
    position = bisect.bisect(numbers, number)
    if position == 0:
        return "", ""
    before, after = releases[numbers[position - 1]], releases[numbers[position]] if position < len(numbers) else ""
    if before == after:
        return before, "The submissions numbered before and after it are of this release."
    last = months[after] if after else max(months.values())
    day = _DAY.search(row.get("started") or "") or _DAY.search(row.get("run") or "")
    run_month = f"{day[1]}-{day[2]}" if day else last + "-"
    possible = sorted(
        (month, slug) for slug, month in months.items() if max(months[before], run_month) <= month <= last
    )
    if not possible:
        return "", ""
    return possible[0][1], "Its number lies between two releases; this is the first that was held after its run."
