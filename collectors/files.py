"""Files that we write, complete or not there, and files of others, never more of them than is expected."""

import hashlib
import json
import os
from contextlib import contextmanager

from collectors.errors import UsageError

MIB = 1024 * 1024
ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip")
"""Of archives that a registry reads."""


class TooLarge(ValueError):
    """A file holds more than is read of its kind."""


def read_at_most(path, limit_bytes):
    """The bytes of a file. Raises TooLarge where it holds more than `limit_bytes`, OSError where it cannot be read."""
    with open(path, "rb") as stream:
        content = stream.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise TooLarge("larger than %d bytes" % limit_bytes)
    return content


def is_archive(path):
    return os.path.isfile(path) and path.lower().endswith(ARCHIVE_SUFFIXES)


def measure(stream):
    """Size in bytes and sha256 of an open file, read from its beginning."""
    stream.seek(0)
    digest, size = hashlib.sha256(), 0
    for block in iter(lambda: stream.read(MIB), b""):
        digest.update(block)
        size += len(block)
    stream.seek(0)
    return size, digest.hexdigest()


def unwritable_file(code, named, error, hint):
    """The UsageError that says of a named file that it cannot be written, and why."""
    return UsageError(code, "%s cannot be written: %s." % (named, getattr(error, "strerror", None) or error), hint)


@contextmanager
def written_whole(path):
    """A stream for the bytes of the file `path`, which appears at the end, complete, or not at all.

    Until then it lies beside, for its owner alone. Raises UsageError where it cannot be written, and for a device, a
    pipe or a socket: the file would replace it. With `--out /dev/null`, root would lose the device of the machine.
    """
    import tempfile  # with what it loads, a tenth of the time of a command that writes nothing

    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise unwritable_file("collector.out", path, "it is a device, a pipe or a socket", "Name a file.")
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with tempfile.NamedTemporaryFile(prefix=".highwater-", dir=folder, delete=False) as stream:
            try:
                yield stream
                stream.flush()
                os.replace(stream.name, path)
            except BaseException:
                os.unlink(stream.name)
                raise
    except OSError as error:
        raise unwritable_file("collector.out", path, error, "Write it elsewhere, or make room there.")


def write_whole(path, text):
    """Write a text file (UTF-8) that appears complete or not at all. Raises UsageError where it cannot be written."""
    with written_whole(path) as stream:
        stream.write(text.encode("utf-8"))


def write_json(path, document):
    """Write a document, piece by piece: it appears complete or not at all. Raises UsageError as `written_whole`."""
    with written_whole(path) as stream:
        for text in json.JSONEncoder(indent=1).iterencode(document):
            stream.write(text.encode("ascii"))
        stream.write(b"\n")
