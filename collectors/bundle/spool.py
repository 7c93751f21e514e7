"""Files on their way into a bag, one behind the other in an unnamed temporary file, which goes with the process."""

import hashlib
import tempfile
from collections import namedtuple

BLOCK_BYTES = 1024 * 1024


class SpooledFile(namedtuple("SpooledFile", "name size sha256 offset stage")):
    """One file: its name in the bag (POSIX), size in bytes, sha256 (hexadecimal), and where in which stage it lies."""

    def open(self):
        """A reader of this file alone; one at a time."""
        return FileSlice(self.stage.stream, self.offset, self.size)

    def renamed(self, name):
        return self._replace(name=name)


class Spool:
    """Takes files and gives each a place. Use it in `with`."""

    def __init__(self):
        self.stream = tempfile.TemporaryFile(prefix="highwater-")
        self.end = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.stream.close()

    def add(self, name, content):
        """Append a file from pieces of bytes, which may come from another stage."""
        digest, begun = hashlib.sha256(), self.end
        for block in content:
            self.stream.seek(self.end)
            self.stream.write(block)
            digest.update(block)
            self.end += len(block)
        return SpooledFile(name, self.end - begun, digest.hexdigest(), begun, self)


class FileSlice:
    """A slice of an open file that reads like a file; `with` leaves the file itself open."""

    def __init__(self, stream, offset, size):
        self.stream = stream
        self.position = offset
        self.end = offset + size

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        pass

    def read(self, size=-1):
        remaining_bytes = self.end - self.position
        return self._take(self.stream.read, remaining_bytes if size < 0 else min(size, remaining_bytes))

    def readline(self, limit=-1):
        remaining_bytes = self.end - self.position
        return self._take(self.stream.readline, remaining_bytes if limit < 0 else min(limit, remaining_bytes))

    def _take(self, read, size):
        if not size:
            return b""
        self.stream.seek(self.position)
        taken = read(size)
        self.position += len(taken)
        return taken


def blocks(stream):
    """The content of an open file in pieces."""
    return iter(lambda: stream.read(BLOCK_BYTES), b"")
