"""Read a gzip as a stream: of several members in a row, but not of a million empty ones."""

from __future__ import annotations

import io
import struct
import zlib
from abc import abstractmethod
from collections.abc import Callable
from typing import IO, Any

CHUNK = 64 * 1024
MEMBERS = 20_000
"""Members of one gzip: block-wise compressors write one for 64 KiB, so 16,384 hold the largest bundle."""
_MAGIC = b"\x1f\x8b"
_WITH_HEADER = 16 + zlib.MAX_WBITS
_HEADER = struct.Struct("<2sBBLBB")
_HAS_EXTRA, _HAS_NAME, _HAS_COMMENT = 4, 8, 16
_NAME_BYTES = 255
_BLOCK_SIZE = b"BC\x02\x00"
"""How the extra field begins in which bgzip says how long a member is: 6 bytes in all."""
_HEADER_BYTES = 128 * 1024
_UNCLAIMED_BYTES = 1024 * 1024


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
        self.unclaimed = b""
        """What the headers hold beside the name of the file, of the members that were read."""

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
        self._header: bytes | None = b""

    def _next(self, size: int) -> bytes:
        packed = b""
        while not self._unpacker.eof or (packed := self._next_member()):
            packed = packed or self._unpacker.unconsumed_tail or self._file.read(CHUNK)
            if not packed:
                raise EOFError("the gzip ends before its end")
            self._look_at_header(packed)
            content: bytes = self._unpacker.decompress(packed, size)
            packed = b""
            if content:
                return content
        return b""

    def _next_member(self) -> bytes:
        self._header = b""
        return super()._next_member()

    def _look_at_header(self, packed: bytes) -> None:
        """Keep what the header of a member holds; it may come in pieces."""
        if self._header is None:
            return
        self._header += packed
        fields = _unclaimed_fields(self._header)
        if fields is None and len(self._header) > _HEADER_BYTES:
            raise zlib.error("a header is too long")
        if fields is not None:
            self._header = None
            self.unclaimed += fields + b"\n" * bool(fields)
        if len(self.unclaimed) > _UNCLAIMED_BYTES:
            raise zlib.error("too much stands in headers")


def _unclaimed_fields(header: bytes) -> bytes | None:
    """Extra field and comment of the header that bytes begin with (RFC 1952, 2.3); None where they end inside it."""
    if len(header) < _HEADER.size:
        return None
    flags = _HEADER.unpack_from(header)[2]
    place = _HEADER.size
    fields = []
    if flags & _HAS_EXTRA:
        begin = place + 2
        place = begin + int.from_bytes(header[place:begin], "little")
        extra = header[begin:place]
        if not (len(extra) == len(_BLOCK_SIZE) + 2 and extra.startswith(_BLOCK_SIZE)):
            fields.append(extra)
    for flag, most in ((_HAS_NAME, _NAME_BYTES), (_HAS_COMMENT, 0)):
        if flags & flag:
            text, _, rest = header[place:].partition(b"\0")
            place = len(header) - len(rest)
            if len(text) > most:
                fields.append(text)
            if not header[:place].endswith(b"\0"):
                return None
    return None if place > len(header) else b"\n".join(field for field in fields if any(field))
