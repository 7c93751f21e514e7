"""`lspci -nnmmv`: devices of the PCI bus with their names."""

import re
from collections import namedtuple

FIELD = re.compile(r"([A-Za-z]{1,20}):\t(.{0,300})")
SLOT = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")
NAMED = re.compile(r"(.*?) ?\[([0-9a-f]{4})\]")

Device = namedtuple("Device", "kind vendor name")
Device.__doc__ = "One device: four hexadecimal digits of its class, and the names of its vendor and of itself."


def devices(text):
    """{address with domain: Device}. Raises ValueError for other texts."""
    devices_by_address = {}
    for block in text.split("\n\n"):
        fields = dict(match.groups() for match in map(FIELD.fullmatch, block.splitlines()) if match)
        slot = SLOT.fullmatch(fields.get("Slot", ""))
        kind, vendor, name = (NAMED.fullmatch(fields.get(key, "")) for key in ("Class", "Vendor", "Device"))
        if slot and kind and vendor and name:
            devices_by_address[(slot.group(1) or "0000") + ":" + slot.group(2)] = Device(
                kind.group(2), vendor.group(1), name.group(1)
            )
    if not devices_by_address:
        raise ValueError("no device")
    return devices_by_address
