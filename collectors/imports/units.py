"""What is imported together: a unit is one output with the files that belong to it; bundles hold many units."""

import bz2
import fnmatch
import gzip
import hashlib
import io
import lzma
import os
import zlib
from collections import namedtuple

from collectors import files
from collectors.bundle import benchmark_detection
from collectors.scrubbing.credentials import secrets, without_keys

HEAD_BYTES = 1024 * 1024
MOST_UNITS = 500
# Below the registry's limit of 2,000, which also counts what lies in archives.
MOST_FILES = 1900
MOST_BYTES = 256 * 1024 * 1024
# What is packed already stays as large as it is, and grows once it is opened.
PACKED_WEIGHT = 6
LARGEST_FILE = 32 * 1024 * 1024
OPENERS = ((b"\x1f\x8b", ".gz", gzip.open), (b"BZh", ".bz2", bz2.open), (b"\xfd7zXZ\x00", ".xz", lzma.open))

Unit = namedtuple("Unit", "name tool members digest")
Unit.__doc__ = "One output: its name in the tree, its tool, the ArchiveMembers that it consists of, their digest."
LeftOut = namedtuple("LeftOut", "path reason")
Doubled = namedtuple("Doubled", "path same_as")
Outputs = namedtuple("Outputs", "units left_out")
Outputs.__doc__ = "The Units that there are to send, in order; and what is not sent, as LeftOut."


def head_of(member, limit_bytes=HEAD_BYTES):
    """The first bytes of a file, unpacked where it is a single file that is packed; b"" where it does not unpack."""
    with member.open() as stream:
        head = stream.read(limit_bytes)
        for magic, _suffix, opener in OPENERS:
            if head.startswith(magic):
                stream.seek(0)
                try:
                    with opener(stream) as unpacked:
                        return unpacked.read(limit_bytes)
                except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
                    return b""
        return head


def strip_packing_suffix(name):
    """The name of a file without what says that it is packed."""
    for _magic, suffix, _opener in OPENERS:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


class Recognition:
    """The tools by their descriptors: which one wrote a file, and which folders are one output as a whole."""

    def __init__(self):
        benchmarks = sorted(benchmark_detection.load_benchmarks(), key=lambda tool: not tool.is_composite)
        self.entries = [(benchmark.tool, entry) for benchmark in benchmarks for entry in benchmark.entries]

    def tool_of(self, name, head):
        """(tool, whether its folder is one output) of a file; (None, False) for what no tool is known to write."""
        if name.lower().endswith(files.ARCHIVE_SUFFIXES):
            return "archive", False
        for tool, entry in self.entries:
            if benchmark_detection.has_known_content(entry, strip_packing_suffix(name), head):
                # What always has the same name has a folder for each run.
                return tool, bool(entry.get("needed")) and "*" not in os.path.basename(entry["pattern"])
        return None, False

    def is_companion(self, name, tool):
        """Whether a file of another content belongs to the outputs of a tool beside it."""
        return any(
            tool == other
            and "contains" not in entry
            and fnmatch.fnmatchcase(os.path.basename(name), read_pattern_name(entry))
            for other, entry in self.entries
        )


def read_pattern_name(entry):
    return os.path.basename(entry["pattern"])


def make_unit(name, tool, members):
    """A Unit with its digest: of an output in one file that of its bytes, whatever lies beside; of a folder that of
    all of its files and their names below it.
    """
    if members[0].name == name:
        return Unit(name, tool, members, digest_of(members[0]))
    text = "".join("%s %s\n" % (digest_of(member), member.name[len(name) :]) for member in members)
    return Unit(name, tool, members, hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest())


def digest_of(member):
    digest = hashlib.sha256()
    with member.open() as stream:
        for block in iter(lambda: stream.read(1024 * 1024), b""):
            digest.update(block)
    return digest.hexdigest()


def has_secret(member):
    """Whether a text holds what looks like a key, a token or a password: the registry would refuse its bundle."""
    if member.name.lower().endswith(files.ARCHIVE_SUFFIXES):
        return False
    counts = {"secret": 0}
    lines = io.BytesIO(head_of(member, LARGEST_FILE))
    for line in without_keys((raw.decode("utf-8", "replace").rstrip("\n") for raw in lines), counts):
        if counts["secret"] or secrets(line[:8192], None)[1]:
            return True
    return False


def separate_doubles(units, sent):
    """(units to send, Doubled, units that were sent before): of several alike the first counts."""
    first, fresh, doubled, sent_before = {}, [], [], []
    for unit in units:
        if unit.digest in first:
            doubled.append(Doubled(unit.name, first[unit.digest]))
            continue
        first[unit.digest] = unit.name
        (sent_before if unit.digest in sent else fresh).append(unit)
    return fresh, doubled, sent_before


def split_into_bundles(units, most_units=MOST_UNITS):
    """Yield lists of units, in order, each within what the registry takes at once."""
    current, files, weight = [], 0, 0
    for unit in units:
        more_files, more_weight = len(unit.members), sum(map(weigh_member, unit.members))
        if current and (
            len(current) >= most_units or files + more_files > MOST_FILES or weight + more_weight > MOST_BYTES
        ):
            yield current
            current, files, weight = [], 0, 0
        current.append(unit)
        files, weight = files + more_files, weight + more_weight
    if current:
        yield current


def weigh_member(member):
    packed = member.name.lower().endswith(files.ARCHIVE_SUFFIXES + tuple(suffix for _m, suffix, _o in OPENERS))
    return member.size * (PACKED_WEIGHT if packed else 1)
