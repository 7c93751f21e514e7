"""The gzip reader: what gzip reads is read alike; what is cut, damaged or made of a million members ends soon."""

from __future__ import annotations

import gzip
import io
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validators.bundle.gunzip import MEMBERS, gunzip

TEXT = b"ior-easy-write 89.282156 GiB/s\n" * 40_000
NOISE = random.Random(1).randbytes(300_000)


def read(packed: bytes) -> bytes:
    return gunzip(io.BytesIO(packed)).read()


@pytest.mark.parametrize("content", [b"", b"x", TEXT, NOISE, TEXT + NOISE])
def test_a_gzip_is_read(content: bytes) -> None:
    assert read(gzip.compress(content)) == content


def test_a_gzip_is_read_in_pieces_of_any_size() -> None:
    stream = gunzip(io.BytesIO(gzip.compress(TEXT)))
    assert b"".join(iter(lambda: stream.read(513), b"")) == TEXT


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=10))
def test_members_in_a_row_are_one_content(parts: list[bytes]) -> None:
    packed = b"".join(map(gzip.compress, parts))
    assert read(packed) == b"".join(parts) == gzip.decompress(packed)


@pytest.mark.parametrize("after", [bytes(512), b"\x1f", b"junk after the end"])
def test_bytes_after_the_last_member_are_ignored(after: bytes) -> None:
    assert read(gzip.compress(TEXT) + after) == TEXT


@pytest.mark.parametrize("kept", [2, 9, 100, -8, -1])
def test_a_truncated_gzip_is_an_error(kept: int) -> None:
    with pytest.raises(EOFError):
        read(gzip.compress(NOISE)[:kept])


@pytest.mark.parametrize("position", [0, 3, -1, -5])
def test_a_damaged_gzip_header_or_checksum_is_an_error(position: int) -> None:
    packed = bytearray(gzip.compress(NOISE))
    packed[position] ^= 0xFF
    with pytest.raises(zlib.error):
        read(bytes(packed))


def test_a_flood_of_empty_members_is_refused() -> None:
    with pytest.raises(zlib.error):
        read(gzip.compress(b"") * (MEMBERS + 1))


def test_as_many_members_as_block_wise_compressors_write_are_read() -> None:
    assert read(gzip.compress(b"x") * MEMBERS) == b"x" * MEMBERS


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=2000))
def test_any_bytes_are_read_or_a_known_error(content: bytes) -> None:
    try:
        assert read(b"\x1f\x8b" + content) == gzip.decompress(b"\x1f\x8b" + content)
    except (EOFError, zlib.error):
        with pytest.raises((EOFError, zlib.error, gzip.BadGzipFile)):
            gzip.decompress(b"\x1f\x8b" + content)
