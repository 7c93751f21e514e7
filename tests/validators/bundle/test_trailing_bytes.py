"""Bytes behind the end of an archive: a reader of the file may find another run there, so they are named."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path

import pytest

from tests.validators.bundle.test_open_bundle import tar_of, zip_of
from tests.validators.bundle.test_secret_scan import BODY
from validators.bundle import open_bundle
from validators.checks import check
from validators.findings import Finding

TAR = tar_of({"results/ior.txt": b"one"}, "w")
ANOTHER = tar_of({"results/ior.txt": b"another"}, "w")
JUNK = b"junk" * 300


def open_bytes(tmp_path: Path, content: bytes, name: str = "run.tar") -> tuple[dict[str, bytes], list[Finding], bytes]:
    """Files, findings, and what no reader gets."""
    (tmp_path / name).write_bytes(content)
    with open_bundle(tmp_path / name) as bundle:
        unread = b"".join(piece for _, entry in bundle.unread for piece in bundle.pieces(entry))
        return {path: bundle.read(path) for path in bundle.files}, bundle.findings, unread


HIDDEN = {
    "behind a tar": (TAR + JUNK, JUNK),
    "a tar behind a tar": (TAR + ANOTHER, ANOTHER),
    "a zip behind a tar": (TAR + zip_of({"results/ior.txt": b"another"}), zip_of({"results/ior.txt": b"another"})),
    "one byte": (TAR + b"x", b"x"),
    "behind padding": (TAR + bytes(1_000_000) + b"x", b"x"),
    "inside a gzip": (gzip.compress(TAR + JUNK), JUNK),
    "in a second member": (gzip.compress(TAR) + gzip.compress(ANOTHER), ANOTHER),
    "behind a gzip": (gzip.compress(TAR) + JUNK, JUNK),
    "one byte behind a gzip": (gzip.compress(TAR) + b"\x1f", b"\x1f"),
    "behind a bzip2": (bz2.compress(TAR) + JUNK, JUNK),
    "behind an xz": (lzma.compress(TAR) + JUNK, JUNK),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_bytes_behind_the_end_are_named_and_searchable(tmp_path: Path, name: str) -> None:
    content, hidden = HIDDEN[name]
    files, findings, unread = open_bytes(tmp_path, content)
    assert files == {"results/ior.txt": b"one"}
    assert [(finding.code, finding.level, finding.where) for finding in findings] == [
        ("bundle.trailing-bytes", "warning", "")
    ]
    assert findings[0].message.startswith(f"{len(hidden)} bytes follow the end")
    assert unread == hidden


def test_bytes_behind_both_ends_are_named_twice(tmp_path: Path) -> None:
    _, findings, unread = open_bytes(tmp_path, gzip.compress(TAR + b"inner") + b"outer")
    assert [finding.code for finding in findings] == ["bundle.trailing-bytes"] * 2
    assert unread == b"innerouter"


@pytest.mark.parametrize(
    "content",
    [
        TAR,
        TAR[:-1024],
        TAR + bytes(70_000),
        gzip.compress(TAR) + bytes(512),
        gzip.compress(TAR[:600]) + gzip.compress(TAR[600:]),
        bz2.compress(TAR),
        lzma.compress(TAR),
    ],
    ids=["tar", "without-an-end", "padded", "padded-gzip", "two-members", "bzip2", "xz"],
)
def test_padding_is_not_named(tmp_path: Path, content: bytes) -> None:
    files, findings, unread = open_bytes(tmp_path, content)
    assert (files, findings, unread) == ({"results/ior.txt": b"one"}, [], b"")


def test_bytes_behind_a_compressed_file_are_named(tmp_path: Path) -> None:
    files, findings, unread = open_bytes(tmp_path, gzip.compress(b"text") + JUNK, "ior.txt.gz")
    assert (files, unread) == ({"ior.txt": b"text"}, JUNK)
    assert [finding.code for finding in findings] == ["bundle.trailing-bytes"]


def test_an_archive_inside_is_named_by_its_path(tmp_path: Path) -> None:
    _, findings, unread = open_bytes(tmp_path, tar_of({"results/raw.tar": TAR + JUNK}))
    assert [(finding.code, finding.where) for finding in findings] == [("bundle.trailing-bytes", "results/raw.tar")]
    assert unread == JUNK


def test_a_bomb_behind_the_end_is_refused(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = packer.compress(TAR) + b"".join(packer.compress(bytes(1 << 24)) for _ in range(200)) + packer.flush()
    (tmp_path / "run.tgz").write_bytes(bomb)
    with pytest.raises(Exception, match="unpacks to more than") as refused, open_bundle(tmp_path / "run.tgz"):
        pass
    assert refused.value.finding.code == "bundle.bomb"  # type: ignore[attr-defined]


@pytest.mark.parametrize("inside", [False, True])
def test_a_key_behind_the_end_is_found(tmp_path: Path, inside: bool) -> None:
    key = f"export X=ghp_{BODY}\n".encode()
    packed = gzip.compress(TAR + key) if inside else gzip.compress(TAR) + key
    (tmp_path / "run.tgz").write_bytes(packed)
    report = check(tmp_path / "run.tgz")
    assert (report.status, [finding.code for finding in report.findings]) == ("unreadable", ["bundle.secret"])
