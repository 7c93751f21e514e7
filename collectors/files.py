"""Files that we write: complete or not there."""

import os
import tempfile

from collectors.errors import UsageError


def write_whole(path, text):
    """Write a text file (UTF-8) that appears complete or not at all. Raises UsageError where it cannot be written."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix=".highwater-", dir=folder, delete=False
        ) as stream:
            try:
                stream.write(text)
                stream.flush()
                os.replace(stream.name, path)
            except BaseException:
                os.unlink(stream.name)
                raise
    except OSError as error:
        raise UsageError(
            "collector.out",
            "%s cannot be written: %s" % (path, error.strerror or error),
            "Write it elsewhere, or make room there.",
        )
