"""Compressed files as streams: gzip, bzip2, xz, and zstd where Python or the module `zstandard` knows it.

Nothing is unpacked further than it is read, and no window of more than MOST_MEMORY is accepted.
"""

from __future__ import annotations

import bz2
import importlib
import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any, cast

from validators.bundle.gunzip import CHUNK, Members, gunzip

MOST_MEMORY = 128 * 1024 * 1024
_WINDOW_BITS = 27
SUFFIXES = {"gzip": (".gz",), "bzip2": (".bz2", ".bz"), "xz": (".xz",), "zstd": (".zst", ".zstd")}
_BEGINNINGS = {"gzip": (b"\x1f\x8b",), "xz": (b"\xfd7zXZ\0",), "zstd": (b"\x28\xb5\x2f\xfd",)}
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
"""What follows `BZh` and a digit: a block, or the end of an empty file. `BZh9` alone may begin a text."""


class UnknownCompression(Exception):
    """What this Python has no reader for."""


def kind_of(head: bytes) -> str:
    """gzip, bzip2, xz or zstd by the first bytes, else ''."""
    for kind, beginnings in _BEGINNINGS.items():
        if head.startswith(beginnings):
            return kind
    return "bzip2" if head.startswith(b"BZh") and head[4:10] in _BZIP2_BLOCKS else ""


def open_compressed(kind: str, file: IO[bytes]) -> io.BufferedReader:
    """The content of a compressed file, of all its streams in a row.

    Reading raises EOFError where it ends too early and zlib.error where it is damaged. Raises UnknownCompression.
    """
    if kind == "gzip":
        return gunzip(file)
    if kind == "bzip2":
        return io.BufferedReader(_Unpacked(file, bz2.BZ2Decompressor, b"BZh"), 4 * CHUNK)
    if kind == "xz":
        return io.BufferedReader(_Unpacked(file, _new_xz, _BEGINNINGS["xz"][0]), 4 * CHUNK)
    return _zstd(file)


def rest_of(unpacked: io.BufferedReader) -> Callable[[int], bytes]:
    """Reads packed bytes behind the content of `open_compressed`, once that was read to its end; at most so many."""
    raw: Any = unpacked.raw
    read_after: Callable[[int], bytes] = raw.read_after
    return read_after


def unclaimed_of(unpacked: io.BufferedReader) -> bytes:
    """What the headers of `open_compressed` hold that belongs to no file, once its content was read to its end."""
    raw: Any = unpacked.raw
    unclaimed: bytes = raw.unclaimed
    return unclaimed


def name_without_suffix(name: str, kind: str) -> str:
    """ior.txt.gz -> ior.txt; a name that has no such ending stays as it is."""
    for suffix in SUFFIXES[kind]:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def _new_xz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)


def _zstd(file: IO[bytes]) -> io.BufferedReader:
    """By the standard library of Python 3.14, or by the module `zstandard`."""
    try:
        zstd: Any = importlib.import_module("compression.zstd")
    except ImportError:
        zstd = None
    if zstd is not None:
        options = {zstd.DecompressionParameter.window_log_max: _WINDOW_BITS}
        opening = lambda: zstd.ZstdDecompressor(options=options)  # noqa: E731
        return io.BufferedReader(_Unpacked(file, opening, _BEGINNINGS["zstd"][0]), 4 * CHUNK)
    try:
        zstandard: Any = importlib.import_module("zstandard")
    except ImportError as error:
        raise UnknownCompression from error
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << _WINDOW_BITS)
    stream = unpacker.stream_reader(file, read_across_frames=True)
    return io.BufferedReader(cast(io.RawIOBase, _Foreign(stream, zstandard.ZstdError)), 4 * CHUNK)


class _Unpacked(Members):
    """Streams of an unpacker of the standard library but zlib's."""

    def readinto(self, target: Any, /) -> int:
        try:
            return super().readinto(target)
        except (OSError, lzma.LZMAError, ValueError) as error:
            raise zlib.error(str(error)) from error

    def _next(self, size: int) -> bytes:
        packed = b""
        while not self._unpacker.eof or (packed := self._next_member()):
            if self._unpacker.needs_input and not packed:
                packed = self._file.read(CHUNK)
                if not packed:
                    raise EOFError("it ends before its end")
            content: bytes = self._unpacker.decompress(packed, size)
            packed = b""
            if content:
                return content
        return b""


class _Foreign(io.RawIOBase):
    """A stream of a module whose errors are its own."""

    unclaimed = b""

    def __init__(self, stream: Any, error: type[Exception]) -> None:
        self._stream = stream
        self._error = error

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any, /) -> int:
        try:
            content = self._stream.read(len(target))
        except self._error as error:
            raise zlib.error(str(error)) from error
        target[: len(content)] = content
        return len(content)

    def read_after(self, size: int) -> bytes:
        """b"": the module does not say where its last stream ended."""
        return b""
