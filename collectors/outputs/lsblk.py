"""`lsblk -J -O -b`: what udev knows of block devices."""

from collections import namedtuple

from collectors.outputs import jsontext

Device = namedtuple("Device", "vendor model firmware transport")
Device.__doc__ = "One device; None where it has none. Serial numbers, WWNs, labels and mount points are not kept."


def devices(text):
    """{name: Device} of the devices at the top of the tree. Raises ValueError for other texts."""
    tree = jsontext.document(text)
    listing = tree.get("blockdevices") if isinstance(tree, dict) else None
    if not isinstance(listing, list):
        raise ValueError("no list of block devices")
    return {
        entry["name"]: Device(*(word(entry.get(name)) for name in ("vendor", "model", "rev", "tran")))
        for entry in listing
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    }


def word(value):
    return " ".join(value.split())[:120] or None if isinstance(value, str) and value.isprintable() else None
