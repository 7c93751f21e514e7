"""Bytes of an archive that belong to none of its files: they are named, and searched for keys."""

from __future__ import annotations

import gzip
import io
import shutil
import struct
import subprocess
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from tests.validators.bundle.test_open_bundle import zip_of
from tests.validators.bundle.test_secret_scan import BODY
from tests.validators.bundle.test_tar import extended, header_of, tar_of
from tests.validators.bundle.test_trailing_bytes import open_bytes
from validators.bundle import BundleError
from validators.checks import check

FILES = {"results/ior.txt": b"one\n" * 40}
HIDDEN = f"export X=ghp_{BODY}\n".encode()
EXTRA = struct.pack("<HH", 0x4242, len(HIDDEN)) + HIDDEN
END = b"PK\x05\x06"
DEFLATED = zlib.compress(FILES["results/ior.txt"], wbits=-15)


def zip_with(comment: bytes = b"", file_comment: bytes = b"", extra: bytes = b"", folder: bytes = b"") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        if folder:
            archive.writestr(zipfile.ZipInfo("results/"), folder)
        member = zipfile.ZipInfo("results/ior.txt")
        member.comment, member.extra = file_comment, extra
        archive.writestr(member, FILES["results/ior.txt"])
        archive.comment = comment
    return packed.getvalue()


def zip_around(hidden: bytes, place: str) -> bytes:
    """A zip that holds bytes before its directory or behind its end."""
    packed = zip_of(FILES)
    directory, end = packed.index(b"PK\x01\x02"), packed.index(END)
    if place == "after":
        return packed + hidden
    moved = struct.pack("<L", directory + len(hidden))
    return packed[:directory] + hidden + packed[directory : end + 16] + moved + packed[end + 20 :]


def zip_with_stream(deflated: bytes) -> bytes:
    """A zip whose member holds this as its packed content."""
    packed = bytearray(zip_of({"results/ior.txt": deflated}, zipfile.ZIP_STORED))
    content = FILES["results/ior.txt"]
    for signature, method, checksum, size in ((b"PK\x03\x04", 8, 14, 22), (b"PK\x01\x02", 10, 16, 24)):
        begin = packed.index(signature)
        packed[begin + method : begin + method + 2] = struct.pack("<H", zipfile.ZIP_DEFLATED)
        packed[begin + checksum : begin + checksum + 4] = struct.pack("<L", zlib.crc32(content))
        packed[begin + size : begin + size + 4] = struct.pack("<L", len(content))
    return bytes(packed)


def tar_padded_with(hidden: bytes) -> bytes:
    packed = tar_of(FILES, tarfile.USTAR_FORMAT)
    begin = 512 + len(FILES["results/ior.txt"])
    return packed[:begin] + hidden + packed[begin + len(hidden) :]


def tar_after(header: bytes) -> bytes:
    return header + tar_of(FILES)


def record(key: bytes, value: bytes) -> bytes:
    body = b" " + key + b"=" + value + b"\n"
    length = next(length for length in range(len(body), 10_000) if length == len(body) + len(str(length)))
    return str(length).encode() + body


def gzip_of(content: bytes, flags: int = 0, fields: bytes = b"") -> bytes:
    packed = gzip.compress(content, mtime=0)
    return packed[:3] + bytes([flags]) + packed[4:10] + fields + packed[10:]


def gzip_with(flags: int, fields: bytes) -> bytes:
    return gzip_of(tar_of(FILES), flags, fields)


ARCHIVES = {
    "comment of a zip": zip_with(comment=HIDDEN),
    "comment of a file": zip_with(file_comment=HIDDEN),
    "extra field": zip_with(extra=EXTRA),
    "a long extra field of a known kind": zip_with(extra=struct.pack("<HH", 0x5455, len(HIDDEN)) + HIDDEN),
    "content of a folder": zip_with(folder=HIDDEN),
    "before the directory": zip_around(HIDDEN, "before"),
    "a file that the directory lacks": zip_around(zip_of({"results/other.txt": HIDDEN}, 0)[:-85], "before"),
    "after the end of a zip": zip_around(HIDDEN, "after"),
    "after the stream of a member": zip_with_stream(DEFLATED + HIDDEN),
    "padding of a tar": tar_padded_with(HIDDEN),
    "pax record": tar_after(extended(b"x", record(b"comment", HIDDEN))),
    "pax record for all": tar_after(extended(b"g", record(b"comment", HIDDEN))),
    "a path for all": tar_after(extended(b"g", record(b"path", HIDDEN))),
    "a pax record that is replaced": tar_after(
        extended(b"x", record(b"path", HIDDEN) + record(b"path", b"results/ior.txt"))
    ),
    "a pax time": tar_after(extended(b"x", record(b"mtime", HIDDEN))),
    "damaged pax records for all": tar_after(extended(b"g", HIDDEN)),
    "behind pax records": tar_after(extended(b"x", record(b"uid", b"1") + b"\0" + HIDDEN)),
    "behind a long name": tar_after(extended(b"L", b"results/ior.txt\0" + HIDDEN)),
    "behind a long target": tar_after(extended(b"K", b"target\0" + HIDDEN)),
    "label": tar_after(extended(b"V", HIDDEN)),
    "target of a plain file": tar_after(header_of("empty", linkname=HIDDEN.decode()).tobuf()),
    "behind a name": tar_after(header_of("empty\0" + HIDDEN.decode()).tobuf()),
    "extra field of a gzip": gzip_with(4, struct.pack("<H", len(HIDDEN)) + HIDDEN),
    "comment of a gzip": gzip_with(16, HIDDEN + b"\0"),
    "comment behind the name of a gzip": gzip_with(24, b"run.tar\0" + HIDDEN + b"\0"),
    "comment of the second member": gzip_of(tar_of(FILES)[:600]) + gzip_of(tar_of(FILES)[600:], 16, HIDDEN + b"\0"),
}


@pytest.mark.parametrize("place", ARCHIVES)
def test_bytes_of_no_file_are_named_and_searchable(tmp_path: Path, place: str) -> None:
    files, findings, unread = open_bytes(tmp_path, ARCHIVES[place])
    assert files["results/ior.txt"] == FILES["results/ior.txt"]
    assert [(finding.code, finding.level, finding.where) for finding in findings] == [
        ("bundle.unclaimed-bytes", "warning", "")
    ]
    assert BODY.encode() in unread


@pytest.mark.parametrize("place", ARCHIVES)
def test_a_key_in_bytes_of_no_file_is_found(tmp_path: Path, place: str) -> None:
    (tmp_path / "run").write_bytes(ARCHIVES[place])
    assert "bundle.secret" in [finding.code for finding in check(tmp_path / "run").findings]


def streamed_zip() -> bytes:
    """As it is written to a pipe: sizes follow the content."""

    class Pipe(io.RawIOBase):
        content = b""

        def writable(self) -> bool:
            return True

        def write(self, piece: object, /) -> int:
            self.content += bytes(piece)  # type: ignore[call-overload]
            return len(bytes(piece))  # type: ignore[call-overload]

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return pipe.content


def large_zip() -> bytes:
    """With the fields of zips beyond 4 GiB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("results")
        with archive.open("results/ior.txt", "w", force_zip64=True) as member:
            member.write(FILES["results/ior.txt"])
    return packed.getvalue()


def block_gzip() -> bytes:
    """As bgzip writes it: each member says how long it is."""
    return gzip_with(4, struct.pack("<H", 6) + b"BC\x02\0\xff\x01")


@pytest.mark.parametrize(
    "packed",
    [
        zip_of(FILES),
        zip_of(FILES, zipfile.ZIP_STORED),
        streamed_zip(),
        large_zip(),
        zip_around(bytes(4096), "before"),
        zip_with(extra=struct.pack("<HH", 0x4242, 8) + bytes(8)),
        gzip_with(8, b"run.tar\0"),
        block_gzip(),
        *(tar_of(FILES, form, uname="root", mtime=1.5) for form in (tarfile.USTAR_FORMAT, tarfile.PAX_FORMAT)),
        tar_of({"n" * 300: b"", **FILES}, tarfile.GNU_FORMAT),
        tar_after(extended(b"x", record(b"SCHILY.xattr.com.apple.provenance", b"\x01\x02\0\x1f" + b"x" * 7))),
    ],
)
def test_fields_of_common_tools_are_not_named(tmp_path: Path, packed: bytes) -> None:
    files, findings, _ = open_bytes(tmp_path, packed)
    assert files["results/ior.txt"] == FILES["results/ior.txt"]
    assert findings == []


PACKERS = {
    "zip": ["zip", "-qr", "run", "results"],
    "gnu": ["tar", "--format=gnu", "-czf", "run", "results"],
    "pax": ["tar", "--format=pax", "-czf", "run", "results"],
    "v7": ["tar", "--format=v7", "-cf", "run", "results"],
    "bsdtar": ["bsdtar", "-czf", "run", "results"],
    "bsdtar as zip": ["bsdtar", "--format=zip", "-cf", "run", "results"],
}


@pytest.mark.parametrize("packer", PACKERS)
def test_archives_of_common_packers_are_not_named(tmp_path: Path, packer: str) -> None:
    command = PACKERS[packer]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "ior.txt").write_bytes(b"one")
    (tmp_path / "results" / "target").symlink_to("ior.txt")
    subprocess.run(command, cwd=tmp_path, check=True)
    path = tmp_path / ("run" if (tmp_path / "run").exists() else "run.zip")
    files, findings, _ = open_bytes(tmp_path, path.read_bytes(), "copy")
    assert files["results/ior.txt"] == b"one"
    assert {finding.code for finding in findings} <= {"bundle.link"}


def test_an_archive_inside_is_named_by_its_path(tmp_path: Path) -> None:
    _, findings, _ = open_bytes(tmp_path, zip_of({"results/raw.zip": zip_with(comment=b"a note")}))
    assert [(finding.code, finding.where) for finding in findings] == [("bundle.unclaimed-bytes", "results/raw.zip")]
    assert findings[0].message.startswith("6 bytes of the archive belong to no file: comments (6).")


@pytest.mark.parametrize("field", [(14, 16), (22, 24)], ids=["checksum", "size"])
def test_a_member_that_is_not_what_its_header_says_is_damaged(tmp_path: Path, field: tuple[int, int]) -> None:
    packed = bytearray(zip_of(FILES))
    for signature, place in zip((b"PK\x03\x04", b"PK\x01\x02"), field, strict=True):
        begin = packed.index(signature) + place
        packed[begin : begin + 4] = struct.pack("<L", 20)
    with pytest.raises(BundleError) as refused:
        open_bytes(tmp_path, bytes(packed))
    assert refused.value.finding.code == "bundle.corrupt"
