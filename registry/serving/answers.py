"""Answers, kept while a thread writes them and until the client has taken them."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from registry.serving.bodies import IN_MEMORY_BYTES


class Piece(Protocol):
    def read(self, size: int) -> bytes: ...

    def close(self) -> None: ...


class NoRoom(Exception):
    """What the application wrote could not be kept."""


class Written:
    """Bytes that the application wrote, in memory or in a temporary file."""

    def __init__(self) -> None:
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115
        self.written = self.taken = 0

    def write(self, data: bytes) -> None:
        """Raises NoRoom when the disk is full."""
        try:
            self.file.seek(self.written)
            self.file.write(data)
            self.file.flush()
        except OSError as error:
            raise NoRoom(str(error)) from error
        self.written += len(data)

    def read(self, size: int) -> bytes:
        self.file.seek(self.taken)
        data = self.file.read(size)
        self.taken += len(data)
        return data

    def close(self) -> None:
        with suppress(OSError):  # what could not be written is tried again
            self.file.close()


class FromFile:
    """A part of an open file, read where it lies; the caller may close its own handle."""

    def __init__(self, file: Any, offset: int, count: int) -> None:
        self.descriptor, self.offset, self.end = os.dup(file.fileno()), offset, offset + count

    def read(self, size: int) -> bytes:
        """Raises OSError where the file became shorter: its length has been announced."""
        data = os.pread(self.descriptor, min(size, self.end - self.offset), self.offset)
        if not data and self.offset < self.end:
            raise OSError(errno.EIO, "a file became shorter while it was sent")
        self.offset += len(data)
        return data

    def close(self) -> None:
        os.close(self.descriptor)


class Answer:
    """What a thread writes and the loop sends. To gunicorn's Response it is the socket; writing to it never waits."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._pieces: list[Piece] = []
        self._begin = begin
        self._ahead = 0
        self.begun = False  # bytes of it may have left
        self.whole = False
        self.gone = False  # the client hung up
        self.no_room = False  # it could not be kept: the disk is full

    def sendall(self, data: bytes) -> None:
        """Raises BrokenPipeError when nobody takes it any more, NoRoom when it can't be kept."""
        with self._lock:
            if self.gone:
                raise BrokenPipeError(errno.EPIPE, "the client hung up")
            last = self._pieces[-1] if self._pieces else None
            if not isinstance(last, Written):
                last = Written()
                self._pieces.append(last)
            last.write(data)
            self._ahead += len(data)
            # A long answer leaves while it is being made; a short one once it is whole, so that it can be another yet.
            if self._ahead <= IN_MEMORY_BYTES:
                return
            self._ahead, self.begun = 0, True
        self._begin()

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> None:
        size = os.fstat(file.fileno()).st_size - offset if count is None else count
        with self._lock:
            self._pieces.append(FromFile(file, offset, size))

    def read(self, size: int) -> bytes:
        """The next bytes to send; none where the application has not written more."""
        with self._lock:
            while self._pieces:
                if data := self._pieces[0].read(size):
                    return data
                if len(self._pieces) == 1 and not self.whole:
                    break
                self._pieces.pop(0).close()
            return b""

    def forget(self) -> None:
        """Drop what was written; only what has not begun to leave."""
        with self._lock:
            for piece in self._pieces:
                piece.close()
            self._pieces = []
            self._ahead = 0

    def gettimeout(self) -> float:
        """As gunicorn asks of a socket before it writes an error: this one never blocks."""
        return 0.0
