"""What the benchmark left behind, file by file, before anything is taken out of it: archives are opened on the way.

A member of an archive gets the name that the registry gives it too: `outer.zip/member`.
"""

import gzip
import re
import tarfile
import tempfile
import zipfile
import zlib

from collectors.bundle import archive, archive_limits
from collectors.bundle.spool import blocks

try:
    import bz2
    import lzma
except ImportError:  # a Python that was built without them
    bz2 = lzma = None

ZIP_MAGIC = b"PK\x03\x04"
OPENER_BY_MAGIC = {b"\x1f\x8b": gzip.open}
if lzma is not None:
    OPENER_BY_MAGIC.update({b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open})
ARCHIVE_MAGIC = (ZIP_MAGIC, *OPENER_BY_MAGIC)
PACKED_SUFFIX = re.compile(r"\.(?:gz|bz2|xz)$", re.IGNORECASE)
TAR_MAGIC = slice(257, 262)
MAX_DEPTH = 4
BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    OSError if lzma is None else lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)


class ResultFiles:
    """Puts results on a stage: `files` are staged, `left_out` (name, reason) are not.

    `as_written` are the files as they lie in the folder; `packed_by_name` has those that were packed alone, by the
    names of what is in them.
    """

    def __init__(self, stage):
        self.stage = stage
        self.files = []
        self.as_written = []
        self.packed_by_name = {}
        self.left_out = []
        self.size = 0

    def take(self, members):
        """Stage the members of a listing; raises BundleError if one changes, or there are more than the limits."""
        for member in members:
            self.add(member.name, content(member), depth=0)

    def add(self, name, pieces, depth):
        file = self.stage.add(name, self.counted(pieces))
        if not depth:
            self.as_written.append(file)
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
        count_before = len(self.files)
        try:
            with tempfile.TemporaryFile(prefix="highwater-") as copy:
                with file.open() as stream:
                    for piece in blocks(stream):
                        copy.write(piece)
                copy.seek(0)
                if is_packed_file(copy):
                    with unpacked(copy) as opened:
                        name = PACKED_SUFFIX.sub("", file.name)
                        self.add(name, blocks(opened), depth + 1)
                        self.packed_by_name.setdefault(name, file)
                else:
                    for name, opened in members(copy):
                        if is_inside(name):
                            self.add(file.name + "/" + normalise_name(name), blocks(opened), depth + 1)
            self.left_out.append((file.name, "archive"))
        except BROKEN as error:
            if getattr(error, "errno", None) is not None:
                raise  # the temporary folder is full
            del self.files[count_before:]
            self.files.append(file)


def content(member):
    """The bytes of a file of a known size, in pieces; raises BundleError where they cannot be read or changed."""
    remaining_bytes = member.size
    with archive.open_member(member) as stream:
        for piece in blocks(stream):
            remaining_bytes -= len(piece)
            if remaining_bytes < 0:
                raise archive.changed_error(member)
            yield piece
    if remaining_bytes:
        raise archive.changed_error(member)


def is_archive(file):
    with file.open() as stream:
        head = stream.read(512)
    return head.startswith(ARCHIVE_MAGIC) or head[TAR_MAGIC] == b"ustar"


def unpacked(stream):
    """The open file that a gzip, bzip2 or xz holds; None of anything else."""
    stream.seek(0)
    head = stream.read(6)
    stream.seek(0)
    return next((opener(stream) for magic, opener in OPENER_BY_MAGIC.items() if head.startswith(magic)), None)


def is_packed_file(stream):
    """Is it one file that was packed alone, and no archive? Raises one of BROKEN."""
    opened = unpacked(stream)
    return opened is not None and opened.read(512)[TAR_MAGIC] != b"ustar"


def members(stream):
    """Yield (name, open file) of the regular files of a zip or tar, packed or not; raises one of BROKEN."""
    stream.seek(0)
    if stream.read(4) == ZIP_MAGIC:
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


def normalise_name(name):
    return "/".join(part for part in name.split("/") if part not in ("", "."))
