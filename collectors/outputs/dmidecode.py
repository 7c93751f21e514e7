"""`dmidecode`: the firmware's tables."""

import re
from collections import namedtuple

from collectors.outputs import quantity

HANDLE = re.compile(r"Handle 0x[0-9A-Fa-f]{1,8}, DMI type (\d{1,3}), \d+ bytes")
# Some recordings have the tab as backslash and t.
FIELD = re.compile(r"(?:\t|\\t)([^\t\\:][^:]{0,60}):(?: (.*))?")
ABSENT = ("", "unknown", "none", "not specified", "not provided", "unspecified", "other", "no module installed")

Structure = namedtuple("Structure", "kind title fields strings")
Structure.__doc__ = """One table: DMI type, title, {field: value} of its first level, and its other lines."""

Dimm = namedtuple("Dimm", "size_bytes type speed_mt_s rank")
Dimm.__doc__ = "One populated memory slot; None stands for what the firmware does not tell. Never a serial number."


def structures(text):
    """The Structures of a listing, in order. Raises ValueError where there is none, or none with a field."""
    tables = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in block.splitlines() if line.strip()]
        start = next((number for number, line in enumerate(lines) if HANDLE.fullmatch(line.strip())), None)
        if start is not None:
            tables.append(structure(lines[start:]))
    if not any(table.fields for table in tables):
        raise ValueError("no DMI table")
    return tables


def structure(lines):
    """The Structure of one block of lines, the first of which names its type."""
    kind = int(HANDLE.fullmatch(lines[0].strip()).group(1))
    title = lines[1].strip() if len(lines) > 1 else ""
    fields, strings = {}, []
    for line in lines[2:]:
        match = FIELD.fullmatch(line)
        if match:
            fields.setdefault(match.group(1), (match.group(2) or "").strip())
        else:
            strings.append(line.strip())
    return Structure(kind, title, fields, strings)


def stated_value(value):
    """A field's value, or None for the many ways in which firmware says nothing."""
    return None if value is None or value.strip().lower().rstrip(".") in ABSENT else value.strip()


def dimms(tables):
    """The Dimms of the populated slots (type 17). Raises ValueError where the tables list no slot at all."""
    slots = [table.fields for table in tables if table.kind == 17]
    if not slots:
        raise ValueError("no memory slot in the tables")
    return [dimm(fields) for fields in slots if stated_value(fields.get("Size"))]


def dimm(fields):
    speed = stated_value(fields.get("Configured Memory Speed")) or stated_value(fields.get("Configured Clock Speed"))
    match = re.match(r"(\d{1,6}) (?:MT/s|MHz)", speed or stated_value(fields.get("Speed")) or "")
    rank = stated_value(fields.get("Rank"))
    return Dimm(
        quantity.size_bytes(fields["Size"]),
        stated_value(fields.get("Type")),
        int(match.group(1)) if match else None,
        int(rank) if rank and re.fullmatch(r"\d{1,2}", rank) else None,
    )
