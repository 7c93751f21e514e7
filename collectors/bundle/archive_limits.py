"""A result folder becomes one archive, always the same bytes for the same files."""

import os
import tempfile
from collections import namedtuple

from collectors import files
from collectors.bundle import archive
from collectors.errors import BundleError, NothingCollected, UsageError

MIB = files.MIB
# The server's limits, told here before anything is sent.
MAX_PACKED_BYTES = 64 * MIB
MAX_UNPACKED_BYTES = 1024 * MIB
MAX_FILES = 2000
# Above this many unpacked bytes the server takes more than 100:1 for a bomb.
RATIO_COUNTS_FROM_BYTES = 32 * MIB
MAX_RATIO = 100

FOREIGN_SUFFIXES = (".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".7z", ".rar")

MOST_NAMES = 5


class ArchiveMember(namedtuple("ArchiveMember", "name path size")):
    """One file to pack: its name in the archive (POSIX), its path here, its size in bytes."""

    def open(self):
        return archive.open_regular(self.path)


Listing = namedtuple("Listing", "members empty_folders")
Listing.__doc__ = "What a folder holds: members in the order they are packed, and the folders that hold nothing."


class PackedBundle:
    """An archive ready to send: an open file, its name, size in bytes and sha256 (hexadecimal)."""

    def __init__(self, stream, filename):
        self.stream = stream
        self.filename = filename
        self.size, self.sha256 = files.measure(stream)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.stream.close()


def open_for_sending(path, note):
    """The Bundle of PATH: an archive as it is, a folder or a single file packed into an unnamed temporary file.

    `note` takes one line for the user. An unnamed file disappears with the process, however it ends.
    Raises UsageError, BundleError or NothingCollected.
    """
    require_supported_kind(path)
    if files.is_archive(path):
        return open_archive(path, note)
    listing = scan(path)
    for line in remarks(listing):
        note(line)
    stream = tempfile.TemporaryFile(prefix="highwater-")
    try:
        write(listing.members, stream)
        return PackedBundle(stream, archive_stem(path) + ".tar.gz")
    except BaseException:
        stream.close()
        raise


def open_as_it_is(path, note):
    """The Bundle of PATH where one file may stand on its own: it is sent unpacked.

    Raises NothingCollected for an empty file, BundleError for an unreadable one, else as open_for_sending.
    """
    require_supported_kind(path)
    if os.path.isdir(path) or files.is_archive(path):
        return open_for_sending(path, note)
    try:
        ready = PackedBundle(archive.open_regular(path), os.path.basename(path))
    except OSError as error:
        raise unreadable(path, error)
    if not ready.size:
        ready.stream.close()
        raise NothingCollected("bundle.empty", f"{path} is an empty file.")
    require_packed_size(ready.size)
    return ready


def open_archive(path, note):
    """The Bundle of an archive that exists already; its limits are checked, its content is the server's to judge.

    Raises NothingCollected for an empty file, BundleError for one that is unreadable or above a limit.
    """
    try:
        stream = open(path, "rb")
    except OSError as error:
        raise unreadable(path, error)
    try:
        size = os.fstat(stream.fileno()).st_size
        if size == 0:
            raise NothingCollected("bundle.empty", f"{path} is an empty file.", "Pack the result folder again.")
        require_packed_size(size)
        try:
            require_limits(archive.entries(path))
        except BundleError as error:
            if error.code != "bundle.corrupt":
                raise
            note(f"warning: {error.message}; sending it as it is, the server says more")
        return PackedBundle(stream, os.path.basename(path))
    except BaseException:
        stream.close()
        raise


def pack_to(members, out):
    """Write members to the file `out`, which appears complete or not at all; return (size, sha256)."""
    with files.written_whole(out) as stream:
        write(members, stream)
        size_and_sha256 = files.measure(stream)
        os.chmod(stream.name, 0o644 & ~current_umask())
    return size_and_sha256


def current_umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def require_supported_kind(path):
    """Raise UsageError unless PATH is a folder, a regular file, or an archive of a kind that the server opens."""
    if not os.path.exists(path):
        raise UsageError("collector.path", f"{path} does not exist.", "Give a result folder or an archive of one.")
    if not os.path.isdir(path) and not os.path.isfile(path):
        raise UsageError("collector.path", f"{path} is neither a folder nor a file.")
    if os.path.isfile(path) and path.lower().endswith(FOREIGN_SUFFIXES):
        raise UsageError(
            "collector.path",
            f"{path} is an archive of a kind that the server does not open.",
            "Give the folder itself, or one of: " + " ".join(files.ARCHIVE_SUFFIXES),
        )


def archive_stem(path):
    """The folder's own name, which stays the first part of every name in the archive.

    What no registry takes in a name is `_` in it: how the folder above the results is called is no matter.
    """
    name = printable_name(os.path.basename(os.path.realpath(path)))
    return "".join(c if c.isprintable() and c != "\\" else "_" for c in name) or "results"


def scan(path):
    """List the regular files under a folder (or the one file), sorted by name.

    Raises BundleError for links, devices and other things that do not travel, names that are not UTF-8, and more
    files or bytes than the server takes; NothingCollected if no file is there.
    """
    if os.path.isfile(path):
        listing = Listing([ArchiveMember(archive_stem(path), os.path.realpath(path), os.path.getsize(path))], [])
    else:
        listing = scan_folder(os.path.realpath(path), archive_stem(path))
    if not listing.members:
        raise NothingCollected("bundle.empty", f"{path} holds no file.", "Give the folder that the benchmark wrote to.")
    require_limits((member.name, member.size) for member in listing.members)
    return listing


def scan_folder(root, stem):
    """List the files and empty folders below `root`, named below `stem`.

    Raises BundleError where there is what does not travel, or more than MAX_FILES files.
    """
    members, empty_folders, refused = [], [], []
    pending = [(root, stem)]
    while pending:
        folder, prefix = pending.pop()
        entries = entries_of(folder)
        if not entries:
            empty_folders.append(prefix)
        for entry in entries:
            name = prefix + "/" + printable_name(entry.name)
            reason = reason_to_refuse(entry)
            if reason:
                refused.append(f"{name} ({reason})")
            elif entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, name))
            else:
                members.append(ArchiveMember(name, entry.path, entry.stat(follow_symlinks=False).st_size))
        require_file_count(len(members))
    if refused:
        raise refused_entries(sorted(refused))
    return Listing(sorted(members, key=by_name), sorted(empty_folders))


def by_name(member):
    return member.name.encode("utf-8")


def entries_of(folder):
    """List a folder. Raises BundleError where it cannot be read."""
    try:
        return list(os.scandir(folder))
    except OSError as error:
        raise unreadable(folder, error)


def printable_name(name):
    """A file name as UTF-8 text whatever the locale; bytes that are not UTF-8 show as \\xNN."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def reason_to_refuse(entry):
    """Why a directory entry cannot travel, or an empty text."""
    try:
        name = os.fsencode(entry.name).decode("utf-8")
    except UnicodeDecodeError:
        return "name is not UTF-8"
    if not name.isprintable():
        return "name has control characters"
    if entry.is_symlink():
        return "symbolic link"
    if not entry.is_dir(follow_symlinks=False) and not entry.is_file(follow_symlinks=False):
        return "neither file nor folder"
    return ""


def refused_entries(refused):
    names = ", ".join(refused[:MOST_NAMES])
    more = len(refused) - MOST_NAMES
    return BundleError(
        "bundle.not-regular",
        "Only regular files and folders can be packed; in the way: "
        + names
        + (f" and {more} more" if more > 0 else ""),
        "Replace each link by the file it points to, rename or remove the others, then try again.",
    )


def unreadable(path, error):
    reason = getattr(error, "strerror", None) or error
    return BundleError("bundle.unreadable", f"{path} cannot be read: {reason}", "Make it readable for you first.")


def require_file_count(count):
    """Raises BundleError for more than MAX_FILES files."""
    if count > MAX_FILES:
        raise BundleError(
            "bundle.too-many-files",
            f"More than {MAX_FILES:,} files.",
            "Give the folder of one run, without the benchmark's own source and data files.",
        )


def require_unpacked_size(size):
    """Check a size in bytes. Raises BundleError if it is above MAX_UNPACKED_BYTES."""
    if size > MAX_UNPACKED_BYTES:
        raise BundleError(
            "bundle.unpacked-too-large",
            f"More than {MAX_UNPACKED_BYTES // MIB:,} MiB of files.",
            "Give the results only, without the data files that the benchmark wrote.",
        )


def require_packed_size(size):
    """Check a size in bytes. Raises BundleError if it is above MAX_PACKED_BYTES."""
    if size > MAX_PACKED_BYTES:
        raise BundleError(
            "bundle.too-large",
            f"The archive is larger than {MAX_PACKED_BYTES // MIB} MiB.",
            "Leave out what is not a result: data files, core dumps, the benchmark's source.",
        )


def require_ratio(unpacked, packed):
    """Check two sizes in bytes. Raises BundleError where the server would take the archive for a bomb."""
    if unpacked > RATIO_COUNTS_FROM_BYTES and unpacked > MAX_RATIO * packed:
        raise BundleError(
            "bundle.bomb",
            f"{unpacked // MIB} MiB pack to less than 1/{MAX_RATIO} of that, which the server takes for a bomb.",
            "Leave out large files that hold almost nothing but repetition.",
        )


def require_limits(entries):
    """Raise BundleError as soon as (name, size) pairs exceed the number of files or of bytes unpacked."""
    size = 0
    for count, (_name, entry_size) in enumerate(entries, 1):
        size += entry_size
        require_file_count(count)
        require_unpacked_size(size)


def remarks(listing):
    """Lines on what of the folder is not in the archive; nothing is left out unsaid."""
    if listing.empty_folders:
        yield (
            "not packed, because empty: "
            + ", ".join(listing.empty_folders[:MOST_NAMES])
            + (
                f" and {len(listing.empty_folders) - MOST_NAMES} more folders"
                if len(listing.empty_folders) > MOST_NAMES
                else ""
            )
        )


def write(members, target):
    """Write members as .tar.gz to an open file; raises BundleError beyond the limits, or if a file changes."""
    archive.write(check_packed_size(members, target), target)
    require_packed_size(target.tell())
    require_ratio(sum(member.size for member in members), target.tell())


def check_packed_size(members, target):
    """Pass members on while what they became is within the limit."""
    for member in members:
        require_packed_size(target.tell())
        yield member
