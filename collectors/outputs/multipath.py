"""`multipath -ll`: devices with several paths, and how these are."""

import re
from collections import namedtuple

# What stands before the device is a name, a WWID in brackets, or both, and either may hold blanks.
MAP = re.compile(r"(?![ |`\\+-])(?:[^|]{0,255} )?dm-\d{1,5}(?: .{0,80})?")
# A path is a SCSI address, a device, its numbers, and the states that the kernel and the checker give it.
PATH = re.compile(r"[ |`\\_+-]*\d+:\d+:\d+:\d+ +\S+ +\d+:\d+ +(.*)")

Map = namedtuple("Map", "active failed")
Map.__doc__ = "One device: paths that work and paths that do not."


def maps(text):
    """The Maps, in order of the output; names, serial numbers and debugging lines are not kept.

    Raises ValueError for other texts.
    """
    multipath_maps = []
    for line in text.splitlines():
        path = PATH.fullmatch(line)
        if path and multipath_maps:
            works = re.search(r"\bactive\b.*\bready\b", path.group(1)) is not None
            multipath_maps[-1] = Map(multipath_maps[-1].active + works, multipath_maps[-1].failed + (not works))
        elif MAP.fullmatch(line):
            multipath_maps.append(Map(0, 0))
    if text.strip() and not multipath_maps:
        raise ValueError("no multipath device")
    return tuple(multipath_maps)
