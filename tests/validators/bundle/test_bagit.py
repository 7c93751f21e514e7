"""Bags: what the manifest promises is compared with what is there."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.make_io500 import make_run
from validators.bundle import open_bundle
from validators.bundle.bagit import verify
from validators.checks import check

PAYLOAD = {"data/results/result.txt": b"[run]\n", "data/100% done.txt": b"done\n"}


def listing(payload: dict[str, bytes]) -> bytes:
    lines = [f"{hashlib.sha256(content).hexdigest()}  {path.replace('%', '%25')}" for path, content in payload.items()]
    return "\n".join(lines).encode() + b"\n"


def bag(payload: dict[str, bytes], **changed: bytes | None) -> dict[str, bytes]:
    """The files of a bag; `changed` replaces the manifest (manifest=...), or leaves it out (manifest=None)."""
    manifest = changed.get("manifest", listing(payload))
    files = {"bagit.txt": b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", **payload}
    return files if manifest is None else {**files, "manifest-sha256.txt": manifest}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def codes(path: Path) -> list[str]:
    with open_bundle(path) as bundle:
        return [finding.code for finding in verify(bundle)]


def test_a_complete_bag_has_no_finding(tmp_path: Path) -> None:
    assert codes(write(tmp_path, bag(PAYLOAD))) == []


def test_a_bag_in_the_only_folder_of_an_archive_is_verified(tmp_path: Path) -> None:
    files = bag(PAYLOAD)
    files["data/results/result.txt"] = b"edited"
    path = tmp_path / "bag.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"run-1/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    assert codes(path) == ["bundle.manifest-mismatch"]


def test_a_mismatch_shows_both_checksums(tmp_path: Path) -> None:
    files = bag({"data/a": b"packed"})
    write(tmp_path, {**files, "data/a": b"edited"})
    with open_bundle(tmp_path) as bundle:
        (finding,) = verify(bundle)
    assert finding.where == "data/a"
    assert finding.expected == hashlib.sha256(b"packed").hexdigest()
    assert finding.actual == hashlib.sha256(b"edited").hexdigest()


def test_a_file_of_several_pieces_is_verified(tmp_path: Path) -> None:
    large = b"0123456789abcdef" * 70_000
    assert codes(write(tmp_path, bag({"data/large": large}))) == []
    write(tmp_path, {"data/large": large[:-1] + b"x"})
    assert codes(tmp_path) == ["bundle.manifest-mismatch"]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({**bag(PAYLOAD), "data/added.txt": b""}, "bundle.manifest-extra-file"),
        (bag(PAYLOAD, manifest=listing({**PAYLOAD, "data/lost": b""})), "bundle.manifest-missing-file"),
        (bag(PAYLOAD, manifest=listing({**PAYLOAD, "../../etc/passwd": b""})), "bundle.manifest-missing-file"),
        (bag(PAYLOAD, manifest=listing(PAYLOAD) + b"not a checksum  data/a\n"), "bundle.manifest-line"),
        (bag(PAYLOAD, manifest=listing(PAYLOAD) + b"\xff\xfe\x00\n" * 50), "bundle.manifest-line"),
        (bag(PAYLOAD, manifest=None), "bundle.manifest-missing"),
    ],
)
def test_an_incomplete_bag_is_reported(tmp_path: Path, files: dict[str, bytes], code: str) -> None:
    assert codes(write(tmp_path, files)) == [code]


def test_members_of_an_archive_in_the_payload_need_no_line(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("inside.txt", "x")
    assert codes(write(tmp_path, bag({"data/inner.zip": inner.getvalue()}))) == []


def test_files_of_desktops_are_not_read_and_not_missing(tmp_path: Path) -> None:
    assert codes(write(tmp_path, bag({**PAYLOAD, "data/results/._result.txt": b"fork"}))) == []


def test_a_manifest_of_windows_is_read(tmp_path: Path) -> None:
    assert codes(write(tmp_path, bag(PAYLOAD, manifest=listing(PAYLOAD).replace(b"\n", b"\r\n")))) == []


def test_many_missing_files_make_a_few_findings(tmp_path: Path) -> None:
    listed = {f"data/lost-{number}": b"" for number in range(500)}
    assert codes(write(tmp_path, bag({}, manifest=listing(listed)))) == ["bundle.manifest-missing-file"] * 20


def test_a_folder_that_is_no_bag_has_no_finding(tmp_path: Path) -> None:
    assert codes(write(tmp_path, PAYLOAD)) == []


def test_a_run_in_a_bag_is_checked_with_its_checksums(tmp_path: Path) -> None:
    payload = {f"data/{name}": content for name, content in make_run().items()}
    write(tmp_path, bag(payload))
    assert check(tmp_path).status == "valid"
    write(tmp_path, {"data/added.txt": b"later"})
    report = check(tmp_path)
    assert (report.status, [finding.code for finding in report.findings]) == ("invalid", ["bundle.manifest-extra-file"])


def tagged(payload: dict[str, bytes]) -> dict[str, bytes]:
    """A bag whose tag files are listed too."""
    files = bag(payload)
    tags = {name: content for name, content in files.items() if "/" not in name}
    return {**files, "tagmanifest-sha256.txt": listing(tags)}


def test_a_bag_with_a_tag_manifest_has_no_finding(tmp_path: Path) -> None:
    assert codes(write(tmp_path, tagged(PAYLOAD))) == []


@pytest.mark.parametrize("name", [*PAYLOAD, "bagit.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"])
def test_any_single_bit_that_flips_in_any_file_is_found(tmp_path: Path, name: str) -> None:
    files = tagged(PAYLOAD)
    write(tmp_path, files)
    unseen = []
    for position in range(len(files[name]) * 8):
        flipped = bytearray(files[name])
        flipped[position // 8] ^= 1 << position % 8
        write(tmp_path, {name: bytes(flipped)})
        unseen += [] if codes(tmp_path) else [position]
    assert unseen == []
