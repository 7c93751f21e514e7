"""Reading a system document from a file: one that collect, fold or run wrote, or the one in a bundle."""

import json
import os
import tarfile
import zipfile

from collectors.document import schema
from collectors.errors import BundleError, UsageError

# The server's limit for a document.
MAX_BYTES = 4 * 1024 * 1024
NAME = "data/system.json"
MOST_MEMBERS = 10000


def load(path):
    """The document of a file or bundle. Raises UsageError where there is none, BundleError where it is not valid."""
    document = parse_document(content(path), path)
    for pointer, message in schema.errors(document, at_most=1):
        raise BundleError("system.schema", "%s is no system document: %s %s" % (path, pointer or "/", message))
    return document


def failed_run(document):
    """What to say of a document whose command failed; empty for any other, and for None."""
    ran = (document or {}).get("run") or {}
    if ran.get("exit_status", 0) == 0:
        return ""
    return "this describes a run that failed: %s ended with status %d" % (ran.get("command"), ran["exit_status"])


def writable(path):
    """The path of a document that a verb changes: `path`, or system.json in that folder.

    Raises UsageError for a bundle, which is not changed.
    """
    path = os.path.join(path, "system.json") if os.path.isdir(path) else path
    if os.path.isfile(path) and (tarfile.is_tarfile(path) or zipfile.is_zipfile(path)):
        raise UsageError(
            "collector.path", path + " is a bundle, which is not changed.", "Change the document, pack again."
        )
    return path


def parse_document(data, path):
    """Read JSON. Raises BundleError for anything else."""
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BundleError("system.unreadable", path + " holds no JSON.", "Give a file that collect or run has written.")


def content(path):
    """The bytes of the document: the file's own, or of data/system.json in a .tar.gz, .tar or .zip.

    Raises UsageError where it cannot be read or holds no document, BundleError where that is too large.
    """
    try:
        if os.path.isdir(path):
            path = os.path.join(path, "system.json")
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                name = next((name for name in archive.namelist()[:MOST_MEMBERS] if is_document(name)), None)
                return read_bounded(archive.open(name), path) if name else raise_no_document(path)
        if tarfile.is_tarfile(path):
            return from_tar(path)
        with open(path, "rb") as stream:
            return read_bounded(stream, path)
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, getattr(error, "strerror", None) or error))


def from_tar(path):
    with tarfile.open(path) as archive:
        for number, member in enumerate(archive):
            if member.isreg() and is_document(member.name):
                return read_bounded(archive.extractfile(member), path)
            if number > MOST_MEMBERS:
                break
    return raise_no_document(path)


def is_document(name):
    return name == NAME or name.endswith("/" + NAME) and name.count("/") == 2


def raise_no_document(path):
    """Raises UsageError for a file without a system document."""
    raise UsageError("collector.path", path + " holds no system document.", "Make it with `pack --system FILE`.")


def read_bounded(stream, path):
    """Read a stream to its end. Raises BundleError for more than MAX_BYTES bytes."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BundleError("system.too-large", "%s: the document is larger than 4 MiB." % path)
    return data
