"""When unused blocks were last told to the drives: systemd leaves a stamp each time its timer has run fstrim."""

import time

from collectors.probe_results import Fact, Missing
from collectors.probes import Probe

STAMP = "/var/lib/systemd/timers/stamp-fstrim.timer"


def day(seconds):
    """Return the day in UTC, as 2026-11-21, of seconds since 1970. Raises ValueError for what no calendar has."""
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(seconds))
    except (OverflowError, OSError):
        raise ValueError("not a time")


class TrimProbe(Probe):
    id = "trim"
    provides = ("drive.last_trim",)
    roles = ("oss", "mds")
    reads = ("time of " + STAMP,)

    def read(self, door):
        return {"modified": door.modified(STAMP)}

    def parse(self, raw):
        if raw["modified"] is None:
            yield Missing("drive.last_trim", "not_applicable", "no timer of systemd has run fstrim; ask the site")
        else:
            yield Fact("drive.last_trim", day(raw["modified"]), "file")


PROBES = (TrimProbe(),)
