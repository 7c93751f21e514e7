"""Where the node's time comes from: the clock that the kernel reads, and the time zone."""

import re

from collectors.probe_results import Fact
from collectors.probes import Probe, input_parsing

SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
ZONE_LINK = "/etc/localtime"
ZONES = "/usr/share/zoneinfo/"


def parse_source(text):
    """The clock in use (`tsc`). Raises ValueError for other texts."""
    name = text.strip()
    if not re.fullmatch(r"[a-z0-9_-]{1,40}", name):
        raise ValueError("not the name of a clock")
    return name


def zone_of(target):
    """The time zone to which /etc/localtime leads (`Etc/UTC`), or None."""
    name = target[len(ZONES) :] if target and target.startswith(ZONES) else ""
    return name if re.fullmatch(r"[A-Za-z0-9_+/-]{1,40}", name) else None


class ClockProbe(Probe):
    id = "clock"
    provides = ("node.time",)
    reads = (SOURCE, ZONE_LINK)

    def read(self, door):
        return {"source": door.file(SOURCE), "zone": door.link(ZONE_LINK)}

    def parse(self, raw):
        source = input_parsing.read_as(parse_source, raw["source"])
        zone = zone_of(raw["zone"])
        if source.value is None:
            yield input_parsing.gap("node.time", source, key="clocksource" if zone else None)
        else:
            yield Fact("node.time", source.value, source.source, "clocksource")
        if zone is not None:
            yield Fact("node.time", zone, "file", "timezone")


PROBES = (ClockProbe(),)
