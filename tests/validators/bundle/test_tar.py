"""The tar reader: what the standard library and GNU tar write is read alike; what is hostile ends soon."""

from __future__ import annotations

import contextlib
import gzip
import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validators.bundle import tar

FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def header_of(name: str = "a.txt", size: int = 0, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.type = size, kind
    for field, value in more.items():
        setattr(header, field, value)
    return header


def tar_of(members: dict[str, bytes], form: int = tarfile.PAX_FORMAT, **more: object) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for name, content in members.items():
            archive.addfile(header_of(name, len(content), **more), io.BytesIO(content))
    return packed.getvalue()


def extended(kind: bytes, content: bytes) -> bytes:
    """An extended header with any content."""
    return header_of("extended", len(content), kind).tobuf() + content + bytes(-len(content) % 512)


def read(packed: bytes) -> dict[str, bytes]:
    return {member.name: b"".join(iter(member.read, b"")) for member in tar.members(io.BytesIO(packed))}


# What tools write


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["a", "results/G:/2023, run (1)+.txt", "d" * 90 + "/" + "f" * 90])
def test_members_of_every_format_are_read(form: int, name: str) -> None:
    members = {name: b"x" * 1000, "last.txt": b"", "./dot": b"y" * 512}
    assert read(tar_of(members, form)) == members


@pytest.mark.parametrize("form", FORMATS[1:])
def test_names_longer_than_a_header_and_of_any_script_are_read(form: int) -> None:
    members = {"n" * 400: b"1", "Ergebnis/größe/結果.txt": b"2"}
    assert read(tar_of(members, form)) == members


@settings(max_examples=100, deadline=None)
@given(
    members=st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=150).filter(
            lambda name: name.strip("./ ")
        ),
        st.binary(max_size=1500),
        max_size=6,
    ),
    form=st.sampled_from(FORMATS[1:]),
)
def test_archives_of_the_standard_library_are_read(members: dict[str, bytes], form: int) -> None:
    assert read(tar_of(members, form)) == members


def test_a_size_beyond_octal_digits_is_read() -> None:
    huge = header_of("huge", 2**40).tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(EOFError):
        read(huge + b"only this")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (tarfile.SYMTYPE, "link"),
        (tarfile.LNKTYPE, "link"),
        (tarfile.CHRTYPE, "device"),
        (tarfile.BLKTYPE, "device"),
        (tarfile.FIFOTYPE, "device"),
        (tarfile.DIRTYPE, "folder"),
        (tarfile.CONTTYPE, "file"),
        (tarfile.AREGTYPE, "file"),
    ],
)
def test_each_kind_of_member_is_recognised(kind: bytes, expected: str) -> None:
    packed = header_of("a", kind=kind).tobuf() + tar_of({"b": b"after"})
    assert [(member.name.rstrip("/"), member.kind) for member in tar.members(io.BytesIO(packed))] == [
        ("a", expected),
        ("b", "file"),
    ]


def test_a_member_that_is_not_read_is_passed_over() -> None:
    names = [member.name for member in tar.members(io.BytesIO(tar_of({"a": b"x" * 700_000, "b": b"y"})))]
    assert names == ["a", "b"]


@pytest.mark.skipif(shutil.which("tar") is None, reason="there is no tar command here")
@pytest.mark.parametrize("form", ["v7", "oldgnu", "gnu", "ustar", "pax"])
def test_archives_of_the_tar_command_are_read(tmp_path: Path, form: str) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "result.txt").write_bytes(b"score\n" * 500)
    packed = subprocess.run(
        ["tar", f"--format={form}", "-cf", "-", "results"], cwd=tmp_path, capture_output=True, check=True
    )
    assert read(packed.stdout) == {"results/": b"", "results/result.txt": b"score\n" * 500}


def test_the_published_archives_are_read_as_the_standard_library_reads_them(shared: Path) -> None:
    for path in sorted((shared / "data" / "io500" / "submissions").glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            expected = [(member.name, member.size) for member in archive]
        with gzip.open(path) as stream:
            member_sizes = [(member.name, sum(map(len, iter(member.read, b"")))) for member in tar.members(stream)]
        assert member_sizes == expected, path.name


# What is hostile or damaged


SPARSE = {
    "0.0": {"GNU.sparse.size": "9000000000000000", "GNU.sparse.offset": "0", "GNU.sparse.numbytes": "0"},
    "0.1": {"GNU.sparse.map": "0,0", "GNU.sparse.size": "9000000000000000"},
    "1.0": {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9000000000000000"},
}


@pytest.mark.parametrize("version", sorted(SPARSE))
def test_sparse_files_are_not_expanded(version: str) -> None:
    """A few hundred bytes that stand for petabytes of zeros."""
    with pytest.raises(tar.TarError):
        read(tar_of({"holes": b"1\n0\n0\n".ljust(512, b"\0")}, pax_headers=SPARSE[version]))


def test_sparse_files_of_the_old_format_are_not_read() -> None:
    with pytest.raises(tar.TarError):
        read(header_of("holes", kind=tarfile.GNUTYPE_SPARSE).tobuf() + bytes(1024))


@pytest.mark.parametrize(
    "records",
    [
        b"0" * 65_000,
        b"1 " * 32_000,
        b"9" * 5_000 + b" path=a\n",
        b"-5 path=a\n",
        b"30 path=short\n",
        b"3 a\n",
        b"path=a\n",
        b"16 size=1e300000\n",
        b"12 size=-100\n",
    ],
)
def test_wrong_pax_records_are_refused_at_once(records: bytes) -> None:
    """65,000 digits keep a search with a regular expression busy for seconds, a thousand such headers for an hour."""
    packed = extended(tarfile.XHDTYPE, records) + tar_of({"a": b""})
    for _ in range(1000):
        with pytest.raises(tar.TarError):
            read(packed)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_long_extended_header_is_refused_before_it_is_read(kind: bytes) -> None:
    with pytest.raises(tar.TarError):
        read(header_of("extended", 100_000, kind).tobuf() + bytes(512))


def test_extended_headers_without_end_are_refused() -> None:
    with pytest.raises(tar.TarError):
        read(extended(tarfile.GNUTYPE_LONGNAME, b"name") * 9 + tar_of({"a": b""}))


def test_a_changed_header_is_refused() -> None:
    packed = bytearray(tar_of({"a": b"", "b": b""}, tarfile.USTAR_FORMAT))
    packed[512] ^= 1
    with pytest.raises(tar.TarError):
        read(bytes(packed))


@pytest.mark.parametrize("field", [b"\xff" * 12, b"-0000000001\0", b"99999999999\0", b"not a number"])
def test_a_size_that_is_no_number_is_refused(field: bytes) -> None:
    header = bytearray(header_of().tobuf())
    header[124:136] = field
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(tar.TarError):
        read(bytes(header) + bytes(1024))


@pytest.mark.parametrize("kept", [100, 511, 513, 1000])
def test_a_truncated_tar_is_an_error(kept: int) -> None:
    with pytest.raises(EOFError):
        read(tar_of({"a": b"x" * 5000}, tarfile.USTAR_FORMAT)[:kept])


@settings(max_examples=500, deadline=None)
@given(edits=st.lists(st.tuples(st.integers(0, 4095), st.integers(0, 255)), min_size=1, max_size=6), fix=st.booleans())
def test_changed_bytes_give_members_or_a_known_error(edits: list[tuple[int, int]], fix: bool) -> None:
    packed = bytearray(tar_of({"long" * 40: b"x" * 600, "b": b"y"}))
    for position, value in edits:
        packed[position % len(packed)] = value
    for block in range(0, len(packed), 512) if fix else ():
        if packed[block + 257 : block + 262] == b"ustar":
            packed[block + 148 : block + 156] = b" " * 8
            packed[block + 148 : block + 156] = b"%06o\0 " % sum(packed[block : block + 512])
    with contextlib.suppress(tar.TarError, EOFError):
        assert sum(map(len, read(bytes(packed)).values())) <= len(packed)
