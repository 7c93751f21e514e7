"""Read the members of a zip as streams, and say which of its bytes belong to none of them.

The standard library reads the directory and checks each header. It stops at the end of what a member declares, and
says nothing of bytes behind that, of comments, of extra fields and of what lies between two members.
Format: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO, NamedTuple

from validators.bundle.tar import CHUNK, Unclaimed

_LOCAL, _FIELD = struct.Struct("<26xHH"), struct.Struct("<HH")
_HAS_DESCRIPTOR = 0x08
_DESCRIPTORS = tuple(struct.Struct(form) for form in ("<4sLLL", "<4sLQQ", "<LLL", "<LQQ"))
_DESCRIPTOR_MARK = b"PK\x07\x08"
_END, _END64, _LOCATOR64 = 22, 56, 20
_EXTRA_BYTES = {0x0001: 32, 0x000A: 32, 0x5455: 13, 0x5855: 12, 0x7855: 4, 0x7875: 24, 0xCAFE: 0}
"""Fields that tools write (sizes beyond 4 GiB, times, owners, the mark of a jar), and the most bytes of each."""


class EndRecord(NamedTuple):
    """The record that a zip is read from."""

    place: int
    entries: int
    directory_bytes: int


class Range(NamedTuple):
    """Bytes of a file from `begin` to before `end`."""

    begin: int
    end: int


class ZipMember:
    """The content of one member. Once it was read to its end, `needed_ranges` are the bytes of the file that it takes.

    Opening raises what ZipFile.open does. `read` raises EOFError where the member ends too early, zlib.error and
    BadZipFile where it is damaged or its size or checksum is not as declared.
    """

    def __init__(self, file: BinaryIO | IO[bytes], archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        archive.open(info).close()
        self.info = info
        self._file = file
        file.seek(info.header_offset)
        name_bytes, extra_bytes = _LOCAL.unpack(file.read(_LOCAL.size))
        file.seek(name_bytes, 1)
        self.extra = file.read(extra_bytes)
        self._place = self._begin = info.header_offset + _LOCAL.size + name_bytes + extra_bytes
        self._left = info.compress_size
        self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS) if info.compress_type == zipfile.ZIP_DEFLATED else None
        self._size = self._checksum = self._unused = 0

    @property
    def needed_ranges(self) -> list[Range]:
        declared_end = self._begin + self.info.compress_size
        descriptor = Range(declared_end, declared_end + self._descriptor_bytes(declared_end))
        return [Range(self.info.header_offset, self._place - self._unused), descriptor]

    def read(self, size: int = CHUNK, /) -> bytes:
        """Up to `size` bytes of the content; b"" at its end.

        Raises BadZipFile where size or checksum are not as declared.
        """
        content = self._next_packed(size) if self._unpacker is None else self._next_unpacked(self._unpacker, size)
        self._size += len(content)
        self._checksum = zlib.crc32(content, self._checksum)
        if not content and (self._size, self._checksum) != (self.info.file_size, self.info.CRC):
            raise zipfile.BadZipFile("a member is not what the directory says")
        return content

    def _next_unpacked(self, unpacker: zlib._Decompress, size: int) -> bytes:
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail or self._next_packed(CHUNK)
            content = unpacker.decompress(packed, size)
            if content:
                return content
            if not packed:
                raise EOFError("the zip ends inside a member")
        self._unused = len(unpacker.unused_data)
        return b""

    def _next_packed(self, size: int) -> bytes:
        self._file.seek(self._place)
        packed = self._file.read(min(size, self._left))
        if self._left and not packed:
            raise EOFError("the zip ends inside a member")
        self._place += len(packed)
        self._left -= len(packed)
        return packed

    def _descriptor_bytes(self, begin: int) -> int:
        """Length of the sizes and checksum behind the content, which writers of streams repeat there."""
        if not self.info.flag_bits & _HAS_DESCRIPTOR:
            return 0
        self._file.seek(begin)
        written = self._file.read(_DESCRIPTORS[1].size)
        values = (self.info.CRC, self.info.compress_size, self.info.file_size)
        for form in _DESCRIPTORS:
            marked = (_DESCRIPTOR_MARK, *values) if form.format.startswith("<4s") else values
            if max(values) < 1 << 32 and written.startswith(form.pack(*marked)):
                return form.size
        return 0


def end_record(file: BinaryIO | IO[bytes]) -> EndRecord | None:
    """The record by which ZipFile goes; None where there is none."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # nothing public finds it without reading the directory
    if end is None:
        return None
    place, entries, size = (
        end[getattr(zipfile, name)] for name in ("_ECD_LOCATION", "_ECD_ENTRIES_TOTAL", "_ECD_SIZE")
    )
    return EndRecord(place, entries, size)


def read_members(
    file: BinaryIO | IO[bytes], archive: zipfile.ZipFile, end: EndRecord, unclaimed: Unclaimed
) -> Iterator[ZipMember]:
    """The members in the order of the directory; each is to be read to its end before the next is asked for.

    `unclaimed` is called with what belongs to none of them: it may be empty, or zeros.
    """
    ranges = _directory_ranges(file, archive, end)
    for info in archive.infolist():
        member = ZipMember(file, archive, info)
        yield member
        ranges += member.needed_ranges
        unclaimed("comments", io.BytesIO(info.comment).read)
        unclaimed("extra fields", io.BytesIO(_unknown_extra(info.extra)).read)
        unclaimed("extra fields", io.BytesIO(_unknown_extra(member.extra)).read)
    comment_begin = end.place + _END
    ranges.append(Range(comment_begin, comment_begin + len(archive.comment)))
    unclaimed("comments", io.BytesIO(archive.comment).read)
    for gap in _find_gaps(ranges, file.seek(0, os.SEEK_END)):
        unclaimed("between files" if gap.begin < end.place else "after the end", _range_reader(file, gap))


def _range_reader(file: BinaryIO | IO[bytes], part: Range) -> Callable[[int], bytes]:
    """What reads a range of a file, piece by piece."""
    place = part.begin

    def read_piece(size: int) -> bytes:
        nonlocal place
        file.seek(place)
        content = file.read(min(size, part.end - place))
        place += len(content)
        return content

    return read_piece


def _unknown_extra(extra: bytes) -> bytes:
    """What extra fields hold beside what tools write there."""
    unknown = []
    while len(extra) >= _FIELD.size:
        kind, size = _FIELD.unpack_from(extra)
        field, extra = extra[_FIELD.size :][:size], extra[_FIELD.size + size :]
        if len(field) > _EXTRA_BYTES.get(kind, -1):
            unknown.append(field)
    return b"\n".join(part for part in [*unknown, extra] if any(part))


def _directory_ranges(file: BinaryIO | IO[bytes], archive: zipfile.ZipFile, end: EndRecord) -> list[Range]:
    """Where the directory stands, and the records of its end."""
    ranges = [Range(archive.start_dir, archive.start_dir + end.directory_bytes), Range(end.place, end.place + _END)]
    before = max(end.place - _LOCATOR64 - _END64, 0)
    file.seek(before)
    records = file.read(end.place - before)
    if records.startswith(b"PK\x06\x06") and records[_END64:].startswith(b"PK\x06\x07"):
        ranges.append(Range(before, end.place))
    return ranges


def _find_gaps(ranges: list[Range], size: int) -> Iterator[Range]:
    """What of a file of `size` bytes lies in none of the ranges."""
    end = 0
    for claimed in [*sorted(ranges), Range(size, size)]:
        if claimed.begin > end:
            yield Range(end, claimed.begin)
        end = max(end, claimed.end)
