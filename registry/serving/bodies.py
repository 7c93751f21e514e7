"""Bodies of requests, kept while they arrive: of a known length, or in chunks."""

from __future__ import annotations

import tempfile
from contextlib import suppress

from gunicorn.http.errors import InvalidChunkSize

IN_MEMORY_BYTES = 64 * 1024
CHUNK_LINE_BYTES = 4096
# Sizes and trailers of a body in chunks may be this much more than a quarter of it: tiny chunks are work without bytes.
FRAMING_BYTES = 64 * 1024


class Body:
    """What has arrived of a body: its first 64 KiB in memory, all of a larger one in a temporary file."""

    def __init__(self, length: int) -> None:
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115
        self.size = 0
        self.length: int | None = length

    @property
    def complete(self) -> bool:
        return self.size == self.length

    def take(self, data: bytearray) -> None:
        """Move what belongs to the body out of `data`. Raises OSError when the disk is full."""
        self._keep(data, min(len(data), (self.length or 0) - self.size))

    def close(self) -> None:
        with suppress(OSError):  # what could not be written is tried again
            self.file.close()

    def _keep(self, data: bytearray, size: int) -> None:
        self.file.write(data[:size])
        self.size += size
        del data[:size]


class ChunkedBody(Body):
    """A body that comes in chunks (RFC 9112 section 7.1); its length is known at its end. Trailers are dropped."""

    def __init__(self) -> None:
        super().__init__(0)
        self.length = None
        self._chunk: int | None = None  # bytes that are missing of this chunk; None before the line with its size
        self._last = False  # the last chunk was there: trailers follow
        self._framing = 0

    def take(self, data: bytearray) -> None:
        """Move what belongs to the body out of `data`. Raises InvalidChunkSize, OSError when the disk is full."""
        while not self.complete:
            if self._chunk:
                if not data:
                    return
                size = min(len(data), self._chunk)
                self._keep(data, size)
                self._chunk -= size
            elif self._chunk == 0:
                if len(data) < 2:
                    return
                if data[:2] != b"\r\n":
                    raise InvalidChunkSize(bytes(data[:2]))
                del data[:2]
                self._chunk = None
            elif (line := self._line(data)) is None:
                return
            elif not self._last:
                self._begin(line)
            elif not line:
                self.length = self.size
            elif b":" not in line.lstrip(b" \t:"):
                raise InvalidChunkSize(line[:32])

    def _line(self, data: bytearray) -> bytes | None:
        end = data.find(b"\n", 0, CHUNK_LINE_BYTES)
        if end < 0:
            if len(data) >= CHUNK_LINE_BYTES:
                raise InvalidChunkSize(bytes(data[:32]))
            return None
        line = bytes(data[: end + 1])
        if not line.endswith(b"\r\n") or b"\r" in line[:-2]:
            raise InvalidChunkSize(line[:32])
        del data[: end + 1]
        self._framing += len(line) + 2
        if self._framing > FRAMING_BYTES + self.size // 4:
            raise InvalidChunkSize(b"more framing than body")
        return line[:-2]

    def _begin(self, line: bytes) -> None:
        digits = line.partition(b";")[0].rstrip(b" \t") if b";" in line else line
        if not 1 <= len(digits) <= 16 or digits.strip(b"0123456789abcdefABCDEF"):
            raise InvalidChunkSize(line[:32])
        size = int(digits, 16)
        self._last, self._chunk = size == 0, size or None


class NoBody:
    """The input of a request that is answered from its head alone."""

    def read(self, *_: object) -> bytes:
        """Raises OSError always: the request was refused before its body was read."""
        raise OSError("the request was refused before its body was read")

    readline = readlines = __iter__ = read
