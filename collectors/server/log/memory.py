"""What is remembered of a log between two runs: its name, its keys, and every checkpoint that followed from the first.

One file for each log. A log that later shows another past than the remembered one is found out by it, so a memory that
is damaged is never replaced by itself.
"""

import binascii
import hashlib
import json
import re
from collections import namedtuple

from collectors.server.log import signed_note

MAX_BYTES = 1024 * 1024
MOST_HELD = 1000
"""Checkpoints that are kept; the oldest but the first go when there are more."""

Memory = namedtuple("Memory", "origin keys address since held checkpoint")
Memory.__doc__ = """`held` are (size, root) in the order of size, the last of them that of `checkpoint`, a signed note.

`keys` are lines of verifier keys, `address` is where the log was read, `since` the day of its first checkpoint.
"""


class DamagedMemory(ValueError):
    """A remembered log cannot be read."""


def file_name(origin):
    """The name of a log's file: readable, and another one for every log."""
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", origin)[:60].strip("-.")
    return "%s-%s.json" % (readable or "log", hashlib.sha256(origin.encode("utf-8")).hexdigest()[:12])


def begin_memory(checkpoint, key, address, day):
    """The Memory of a log that is seen for the first time: nothing speaks for it yet but its own word."""
    held = [(checkpoint.size, checkpoint.root)]
    return Memory(checkpoint.origin, [key.text], address, day, held, checkpoint.text)


def extend_memory(memory, checkpoint, key):
    """The Memory with one more checkpoint, which was proven to begin with all others or to be their beginning."""
    held = sorted(set(memory.held) | {(checkpoint.size, checkpoint.root)})
    while len(held) > MOST_HELD:
        del held[1]
    newest = checkpoint.text if checkpoint.size >= memory.held[-1][0] else memory.checkpoint
    keys = memory.keys + [key.text for _ in [0] if key.text not in memory.keys]
    return memory._replace(held=held, checkpoint=newest, keys=keys)


def as_text(memory):
    document = memory._asdict()
    document["held"] = [[size, binascii.hexlify(root).decode("ascii")] for size, root in memory.held]
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def from_text(text):
    """The Memory that a file holds. Raises DamagedMemory where it holds none."""
    try:
        document = json.loads(text)
        held = [(size, binascii.unhexlify(root)) for size, root in document["held"]]
        memory = Memory(**dict(document, held=held))
        checkpoint = signed_note.read_checkpoint(memory.checkpoint)
        keys = [signed_note.read_key(key) for key in memory.keys]
        sizes = [size for size, _ in held]
        fits = sizes == sorted(set(sizes)) and (checkpoint.size, checkpoint.root) == held[-1]
        if not fits or checkpoint.origin != memory.origin or not keys:
            raise ValueError("its parts do not fit together")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise DamagedMemory("It does not hold a remembered log.")
    return memory
