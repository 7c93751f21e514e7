"""Archives byte by byte: writing a tar whose bytes depend on names and contents alone, listing what others made.

The headers are written here because those of `tarfile` differ between Python 3.8 and 3.9 for the same file.
"""

import contextlib
import errno
import gzip
import os
import stat
import struct
import tarfile
import zipfile
import zlib

from collectors.errors import BundleError

BLOCK = 512
# POSIX.1-2017 pax, "ustar Interchange Format": name mode uid gid size mtime checksum type link magic+version
# user group major minor prefix, padded to one block.
USTAR = struct.Struct("100s8s8s8s12s12s8s1s100s8s32s32s8s8s155s12x")
CHECKSUM = slice(148, 156)
LONGEST_NAME = 100
REGULAR, EXTENDED = b"0", b"x"
# 1980-01-01 00:00 UTC, the oldest time that every archive format and tool takes without a warning.
FIXED_MTIME = 315532800
# gzip's header tells the level; Python before 3.9 always wrote the byte of level 9, later versions do so for 9 only.
GZIP_LEVEL = 9
GZIP_MAGIC = b"\x1f\x8b"


def write(members, target):
    """Write members (name, size, open()) as .tar.gz to an open file, with fixed times, owners and modes.

    The tar inside is the same on every machine and Python. The compressed bytes depend on zlib: the same zlib gives
    the same archive, another version or build of it may not.
    """
    with gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=target, mtime=0) as packed:
        for member in members:
            add_member(packed, member)
        packed.write(bytes(2 * BLOCK))


def add_member(packed, member):
    with open_member(member) as source:
        packed.write(header(member.name.encode("utf-8"), member.size))
        copy_exactly(source, packed, member)


@contextlib.contextmanager
def open_member(member):
    """The open file of a member. Raises BundleError `bundle.pack` for what the system refuses while it is read."""
    try:
        with member.open() as source:
            yield source
    except OSError as error:
        raise BundleError(
            "bundle.pack",
            f"{member.name} cannot be packed: {error.strerror}",
            "Make it readable for you, and see that the temporary folder (TMPDIR) has room.",
        )


def copy_exactly(source, packed, member):
    """Copy the size that was listed. Raises BundleError if the file has another size by now."""
    remaining_bytes = member.size
    while remaining_bytes:
        block = source.read(min(remaining_bytes, 1024 * 1024))
        if not block:
            raise changed_error(member)
        packed.write(block)
        remaining_bytes -= len(block)
    if source.read(1):
        raise changed_error(member)
    packed.write(padding(member.size))


def changed_error(member):
    return BundleError(
        "bundle.changed",
        f"{member.name} changed while it was read.",
        "Wait until the benchmark has finished, then try again.",
    )


def open_regular(path):
    """Open a file that is still the regular file that was listed, never through a link put there since.

    Raises OSError for anything else.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no longer a regular file")
    return os.fdopen(descriptor, "rb")


def header(name, size):
    """The header blocks of one regular file; a name (bytes, UTF-8) that does not fit goes before in a pax record."""
    if len(name) <= LONGEST_NAME and all(byte < 0x80 for byte in name):
        return ustar(name, size, REGULAR)
    record = pax_record(b"path", name)
    return ustar(b"pax", len(record), EXTENDED) + record + padding(len(record)) + ustar(b"see-pax", size, REGULAR)


def ustar(name, size, kind):
    fields = [name, b"0000644", b"0000000", b"0000000", b"%011o" % size, b"%011o" % FIXED_MTIME, b" " * 8, kind]
    block = bytearray(USTAR.pack(*fields, b"", b"ustar\x0000", b"", b"", b"0000000", b"0000000", b""))
    block[CHECKSUM] = b"%06o\0 " % sum(block)
    return bytes(block)


def pax_record(key, value):
    """`LENGTH key=value` and a line end, where LENGTH counts the whole record and so itself."""
    rest = len(key) + len(value) + 3
    length = rest
    while length != rest + len(str(length)):
        length = rest + len(str(length))
    return b"%d %s=%s\n" % (length, key, value)


def padding(size):
    return bytes(-size % BLOCK)


def entries(path):
    """Yield (name, size in bytes) of every entry of an archive that is not a folder, walking it to its end.

    Raises BundleError `bundle.corrupt` for what does not open.
    """
    with readable(path):
        yield from zip_entries(path) if zipfile.is_zipfile(path) else tar_entries(path)


@contextlib.contextmanager
def readable(path):
    """Turn what is wrong with an archive that is read inside into one error.

    Raises BundleError `bundle.corrupt` where the archive does not open.
    """
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        raise BundleError(
            "bundle.corrupt",
            f"{path} does not open as an archive: {error or type(error).__name__}",
            "Pack the result folder again, or give the folder itself.",
        )


def tar_entries(path):
    with open_tar(path) as opened_tar:
        for entry in opened_tar:
            if not entry.isdir():
                yield entry.name, entry.size


def tar_files(path):
    """Yield (name, open file) of the regular files of a .tar or .tar.gz, and read it to its end, where its sum is."""
    with open_tar(path) as opened_tar:
        for entry in opened_tar:
            if entry.isreg():
                yield entry.name, opened_tar.extractfile(entry)
        while opened_tar.fileobj.read(BLOCK * 1024):
            pass


def open_tar(path):
    with open(path, "rb") as stream:
        packed = stream.read(2) == GZIP_MAGIC
    return tarfile.open(path, "r:gz" if packed else "r:")


def zip_entries(path):
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.filename.endswith("/"):
                yield entry.filename, entry.file_size


def unsafe_names(listed):
    """Yield (code, name) of names that no archive of results has: absolute, or leading out of their folder."""
    for name, _size in listed:
        parts = name.replace("\\", "/").split("/")
        if ".." in parts:
            yield "bundle.path-traversal", name
        elif not parts[0] or name[1:3] == ":\\":
            yield "bundle.absolute-path", name
