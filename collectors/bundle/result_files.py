"""What the benchmark left behind, file by file, before anything is taken out of it: archives are opened on the way.

A member of an archive gets the name that the registry gives it too: `outer.zip/member`.
"""

import tarfile
import tempfile
import zipfile
import zlib

from collectors.bundle import archive, archive_limits
from collectors.bundle.spool import blocks

ARCHIVE_MAGIC = (b"PK\x03\x04", b"\x1f\x8b")
TAR_MAGIC = slice(257, 262)
MAX_DEPTH = 4
BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, NotImplementedError)


class Originals:
    """Puts results on a stage: `files` are staged, `left_out` (name, reason) are not."""

    def __init__(self, stage):
        self.stage = stage
        self.files = []
        self.left_out = []
        self.size = 0

    def take(self, members):
        """Stage the members of a listing; raises BundleError if one changes, or there are more than the limits."""
        for member in members:
            self.add(member.name, content(member), depth=0)

    def add(self, name, pieces, depth):
        file = self.stage.add(name, self.counted(pieces))
        if is_archive(file) and depth < MAX_DEPTH:
            self.open(file, depth)
        else:
            self.files.append(file)
            archive_limits.require_file_count(len(self.files))

    def counted(self, pieces):
        for piece in pieces:
            self.size += len(piece)
            archive_limits.require_unpacked_size(self.size)
            yield piece

    def open(self, file, depth):
        """The files of an archive take its place; one that does not open, or that is no archive, stays what it is."""
        known = len(self.files)
        try:
            with tempfile.TemporaryFile(prefix="highwater-") as copy:
                with file.open() as stream:
                    for piece in blocks(stream):
                        copy.write(piece)
                copy.seek(0)
                for name, opened in members(copy):
                    if is_inside(name):
                        self.add(file.name + "/" + plain(name), blocks(opened), depth + 1)
            self.left_out.append((file.name, "archive"))
        except BROKEN:
            del self.files[known:]
            self.files.append(file)


def content(member):
    """The bytes of a file of a known size, in pieces; raises BundleError where they cannot be read or changed."""
    left = member.size
    with archive.opened(member) as stream:
        for piece in blocks(stream):
            left -= len(piece)
            if left < 0:
                raise archive.changed(member)
            yield piece
    if left:
        raise archive.changed(member)


def is_archive(file):
    with file.open() as stream:
        head = stream.read(512)
    return head.startswith(ARCHIVE_MAGIC) or head[TAR_MAGIC] == b"ustar"


def members(stream):
    """Yield (name, open file) of the regular files of a zip, tar or tar.gz; raises one of BROKEN."""
    if stream.read(4) == ARCHIVE_MAGIC[0]:
        with zipfile.ZipFile(stream) as opened:
            for entry in opened.infolist():
                if not entry.filename.endswith("/"):
                    with opened.open(entry) as member:
                        yield entry.filename, member
        return
    stream.seek(0)
    with tarfile.open(fileobj=stream, mode="r:*") as opened:
        for entry in opened:
            if entry.isreg():
                yield entry.name, opened.extractfile(entry)


def is_inside(name):
    return not any(True for _problem in archive.unsafe_names([(name, 0)]))


def plain(name):
    return "/".join(part for part in name.split("/") if part not in ("", "."))
