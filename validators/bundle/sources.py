"""Where the bytes of stored files come from: a path on disk, or an open file that somebody handed over.

A process that may open no path (`submissions/bundles/cage/`) reads what it was handed. Whoever reads a path asks here.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

_handed: dict[Path, int] = {}


def use_descriptors(files: Mapping[Path, int]) -> None:
    """From now on, read these paths from these open descriptors, whatever lies on disk."""
    _handed.update(files)


def file_status(path: Path, *, follow_links: bool = False) -> os.stat_result:
    """What the system says of a file. Raises OSError where it is not there."""
    if path in _handed:
        return os.fstat(_handed[path])
    return path.stat() if follow_links else path.lstat()


def open_regular(path: Path) -> BinaryIO:
    """Open a file that is still a regular one; a link put in its place is refused, a pipe does not block."""
    if path in _handed:
        return io.BufferedReader(_Positioned(_handed[path]))
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.fdopen(descriptor, "rb")


class _Positioned(io.RawIOBase):
    """A reader with a place of its own in a descriptor that others read as well; closing it closes nothing else."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def readinto(self, target: Any, /) -> int:
        count = os.preadv(self._descriptor, [target], self._place)
        self._place += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        begins = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: os.fstat(self._descriptor).st_size}
        self._place = max(begins[whence] + offset, 0)
        return self._place

    def tell(self) -> int:
        return self._place
