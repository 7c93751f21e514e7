"""Stored files as answers: whole, a part that was asked for, or unpacked on the way."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from django.core.files import File

PIECE = 1 << 16
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.IGNORECASE)


class Part(NamedTuple):
    """Bytes of a file from `first` to `last`, both of them in it."""

    first: int
    last: int

    @property
    def byte_count(self) -> int:
        return self.last - self.first + 1


class NoSuchPart(Exception):
    """The file has none of the bytes that were asked for."""


def find_part(range_header: str, size: int) -> Part | None:
    """The part that a Range header asks for; None where it asks for several or in no known way: the whole is sent.

    Raises NoSuchPart where the file has none of its bytes.
    """
    match = _RANGE.fullmatch(range_header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:  # so many from the end
        count = min(int(last), size)
        if not count:
            raise NoSuchPart
        return Part(size - count, size - 1)
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise NoSuchPart
    return Part(int(first), min(int(last), size - 1) if last else size - 1)


class FilePart:
    """The bytes of a part of a file; closing it closes the file."""

    def __init__(self, file: File[bytes], part: Part) -> None:
        self._file, self._part = file, part

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(self._part.first)
        remaining = self._part.byte_count
        while remaining and (piece := self._file.read(min(PIECE, remaining))):
            remaining -= len(piece)
            yield piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class UnpackedFile(FilePart):
    """What a compressed file has; closing it closes the file."""

    def __init__(self, file: File[bytes]) -> None:
        super().__init__(file, Part(0, file.size - 1))
        self._unpacked: IO[bytes] = gzip.GzipFile(fileobj=file, mode="rb")  # type: ignore[assignment]  # it is one

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self._unpacked.read(PIECE), b"")
