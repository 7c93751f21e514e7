"""Names of nodes written short: `nid[001-003,15],login1` is nid001 nid002 nid003 nid15 login1."""

import itertools
import re

from collectors.errors import UsageError

MAX_NODES = 100000
# A name goes onto command lines: it begins with no dash, and holds nothing that a shell reads.
NAME = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}$")
ITEM = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
RANGE = re.compile(r"^([0-9]{1,18})(?:-([0-9]{1,18}))?$")
HINT = "Write names and ranges such as nid[001-010,15],login1."


def expand_names(text):
    """The names that an expression stands for, each once, in its order.

    Raises UsageError `collector.nodes` for what is no such expression, and for more than 100,000 names.
    """
    text = text.strip()
    if ",".join(ITEM.findall(text)) != text or not text:
        raise UsageError("collector.nodes", "%s names no nodes." % (shorten_text(text) or "Nothing"), HINT)
    names = {}
    for item in ITEM.findall(text):
        for name in names_of(item.strip()):
            if not NAME.match(name):
                raise UsageError("collector.nodes", "%s is not the name of a node." % shorten_text(name), HINT)
            names[name] = True
            if len(names) > MAX_NODES:
                raise too_many()
    return list(names)


def names_of(item):
    """The names of one item: its ranges multiplied out, the last one running fastest.

    Raises UsageError for more than MAX_NODES names.
    """
    pieces = BRACKETS.split(item)
    choices = [range_of(piece) if number % 2 else [piece] for number, piece in enumerate(pieces)]
    size = 1
    for choice in choices:
        size *= len(choice)
    if size > MAX_NODES:
        raise too_many()
    return ("".join(parts) for parts in itertools.product(*choices))


def range_of(text):
    """The numbers of `001-010,15` as they are written, zeros in front kept.

    Raises UsageError for what is no range, runs backwards, or has more than MAX_NODES numbers.
    """
    numbers = []
    for part in text.split(","):
        match = RANGE.match(part.strip())
        if not match:
            raise UsageError("collector.nodes", "[%s] is no range of numbers." % shorten_text(text), HINT)
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) < int(first):
            raise UsageError("collector.nodes", "[%s] runs backwards." % shorten_text(text), HINT)
        if int(last) - int(first) + len(numbers) >= MAX_NODES:
            raise too_many()
        numbers += ["%0*d" % (len(first), number) for number in range(int(first), int(last) + 1)]
    return numbers


def too_many():
    return UsageError("collector.nodes", "That is more than %d nodes." % MAX_NODES, "Check the ranges.")


def shorten_text(text):
    return text if len(text) <= 60 else text[:57] + "..."
