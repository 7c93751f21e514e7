"""/proc/mdstat: the kernel's software RAID arrays."""

import re
from collections import namedtuple

KIB = 1024

ARRAY = re.compile(r"(md\S{0,60}) : (active|inactive|broken)((?: \([a-z-]{1,30}\))*)((?: \S+)*) *")
MEMBER = re.compile(r"\S+\[\d{1,5}\]((?:\([A-Z]\))*)")
WORD = re.compile(r"[A-Za-z0-9_+-]{1,40}")
CHUNK = re.compile(r"\b(\d{1,9})[kK] chunks?\b")
ALGORITHM = re.compile(r"\balgorithm (\d{1,6})\b")
LEVEL = re.compile(r"\blevel (\d{1,3})\b")
DRIVES = re.compile(r"\[(\d{1,5})/(\d{1,5})\]")
ACTIVITY = re.compile(r"\b(resync|recovery|reshape|check|repair)\s*=\s*(?:\d|DELAYED|PENDING|REMOTE)")

Array = namedtuple(
    "Array", "name active container personality level algorithm drives working spares chunk_bytes activity"
)
Array.__doc__ = """One array, or a `container` of drives that a firmware makes arrays in. `personality` is the kernel's
name of the kind (raid6, raid10, a vendor's own) or None; `level` and `algorithm` as printed behind it; `drives` it
should have, `working` it has; None where not printed."""


def arrays(text):
    """The Arrays of the file, in its order; none is (). Raises ValueError where it is no such file."""
    blocks = split(text)
    if not blocks and "Personalities" not in text:
        raise ValueError("neither personalities nor an array")
    return tuple(array(match, details) for match, details in blocks)


def split(text):
    """[(match of the line that names an array, text of the lines below it)]"""
    blocks = []
    for line in text.splitlines():
        match = ARRAY.fullmatch(line)
        if match:
            blocks.append((match, []))
        elif blocks and line.startswith(" "):
            blocks[-1][1].append(line)
    return [(match, "\n".join(details)) for match, details in blocks]


def array(match, details):
    """Return the Array of one entry of /proc/mdstat and the lines below it."""
    words = match.group(4).split()
    kinds = [word for word in words if WORD.fullmatch(word)]
    members = [member for member in map(MEMBER.fullmatch, words) if member]
    drives = DRIVES.search(details)
    activity = ACTIVITY.search(details)
    return Array(
        name=match.group(1),
        active=match.group(2) == "active",
        container="super external:" in details and not kinds,
        personality=kinds[0] if kinds else None,
        level=number(LEVEL, details),
        algorithm=number(ALGORITHM, details),
        # Without redundancy there is nothing to count down from: the drives are those that are listed.
        drives=int(drives.group(1)) if drives else count_used(members) if match.group(2) == "active" else None,
        working=int(drives.group(2)) if drives else None,
        spares=sum("(S)" in member.group(1) for member in members),
        chunk_bytes=chunk_bytes(details),
        activity=activity.group(1) if activity else None,
    )


def count_used(members):
    """How many drives are neither spare nor failed; None where none is listed."""
    return sum(not member.group(1) for member in members) or None


def chunk_bytes(details):
    kib = number(CHUNK, details)
    return kib * KIB if kib else None


def number(pattern, details):
    match = pattern.search(details)
    return int(match.group(1)) if match else None
