"""Read a gzip as a stream: of several members in a row, but not of a million empty ones."""

from __future__ import annotations

import io
import zlib
from abc import abstractmethod
from collections.abc import Callable
from typing import IO, Any

CHUNK = 64 * 1024
MEMBERS = 20_000
"""Members of one gzip: block-wise compressors write one for 64 KiB, so 16,384 hold the largest bundle."""
_MAGIC = b"\x1f\x8b"
_WITH_HEADER = 16 + zlib.MAX_WBITS


def gunzip(file: IO[bytes]) -> io.BufferedReader:
    """The content of a gzip, of all its members, verified by their checksums where they are read to the end.

    What follows the last member is not unpacked, as gzip does; `raw.read_after` has it. Reading raises EOFError where
    the gzip ends too early, and zlib.error where it is damaged or has more than MEMBERS members.
    """
    return io.BufferedReader(_Gzip(file), 4 * CHUNK)


class Members(io.RawIOBase):
    """Packed members that stand in a row, each read by an unpacker of its own."""

    def __init__(self, file: IO[bytes], new_unpacker: Callable[[], Any], magic: bytes) -> None:
        self._file = file
        self._new_unpacker = new_unpacker
        self._magic = magic
        self._members = 1
        self._unpacker = new_unpacker()
        self._after: bytes | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any, /) -> int:
        content = self._next(len(target))
        target[: len(content)] = content
        return len(content)

    def read_after(self, size: int) -> bytes:
        """Up to `size` packed bytes that follow the last member, once that was read; b"" at the end of the file."""
        content, self._after = (self._after or b"")[:size], (self._after or b"")[size:]
        return content or self._file.read(size)

    @abstractmethod
    def _next(self, size: int) -> bytes:
        """Up to `size` bytes of the content; b"" at the end of the last member."""

    def _next_member(self) -> bytes:
        """Begin with the member after this one; its first packed bytes, b"" where there is none."""
        if self._after is not None:
            return b""
        packed: bytes = self._unpacker.unused_data
        if len(packed) < len(self._magic):
            packed += self._file.read(CHUNK)
        if not packed.startswith(self._magic):
            self._after = packed
            return b""
        self._members += 1
        if self._members > MEMBERS:
            raise zlib.error("too many members in one file")
        self._unpacker = self._new_unpacker()
        return packed


class _Gzip(Members):
    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, lambda: zlib.decompressobj(_WITH_HEADER), _MAGIC)

    def _next(self, size: int) -> bytes:
        packed = b""
        while not self._unpacker.eof or (packed := self._next_member()):
            packed = packed or self._unpacker.unconsumed_tail or self._file.read(CHUNK)
            if not packed:
                raise EOFError("the gzip ends before its end")
            content: bytes = self._unpacker.decompress(packed, size)
            packed = b""
            if content:
                return content
        return b""
