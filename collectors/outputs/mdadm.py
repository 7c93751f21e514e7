"""`mdadm --detail DEVICE`: one software RAID array."""

import re
from collections import namedtuple

from collectors.outputs import quantity

FIELD = re.compile(r"^ *([A-Z][A-Za-z ]{1,40}?) : (.{0,200})$", re.MULTILINE)
COUNT = re.compile(r"\d{1,5}")

Detail = namedtuple("Detail", "level drives spares chunk_bytes state")
Detail.__doc__ = (
    "Kind of array, drives it should have, spares, chunk in bytes, state as printed; None where not printed."
)


def detail(text):
    """The Detail of the array; its name, UUID and drives are not kept. Raises ValueError for other texts."""
    fields = {name: value.strip() for name, value in FIELD.findall(text)}
    if "Raid Level" not in fields:
        raise ValueError("no RAID level")
    chunk = fields.get("Chunk Size")
    return Detail(
        level=fields["Raid Level"],
        drives=count(fields.get("Raid Devices")),
        spares=count(fields.get("Spare Devices")),
        chunk_bytes=quantity.size_bytes(chunk) if chunk else None,
        state=fields.get("State"),
    )


def count(text):
    return int(text) if text and COUNT.fullmatch(text) else None
