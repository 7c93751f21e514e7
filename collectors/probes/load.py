"""How busy and how clean the node is: load, memory in use, drops of the caches, other users' processes as a number."""

import re

from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, input_parsing

LOADAVG = "/proc/loadavg"
MEMINFO = "/proc/meminfo"
VMSTAT = "/proc/vmstat"
MEMORY = {
    "MemFree": "free_bytes",
    "MemAvailable": "available_bytes",
    "Cached": "cached_bytes",
    "Dirty": "dirty_bytes",
    "Writeback": "writeback_bytes",
}
DROPS = ("drop_pagecache", "drop_slab")
# Users below are the system's own; above are the ones without a name.
FIRST_USER, NOBODY = 1000, 65534


def parse_loadavg(text):
    """{load_1min, load_5min, load_15min, running, processes} of /proc/loadavg. Raises ValueError for other texts."""
    match = re.fullmatch(r"(\d+\.\d+) (\d+\.\d+) (\d+\.\d+) (\d+)/(\d+) \d+\s*", text)
    if match is None:
        raise ValueError("not /proc/loadavg")
    loads = dict(zip(("load_1min", "load_5min", "load_15min"), map(float, match.groups()[:3])))
    return dict(loads, running=input_parsing.number(match.group(4)), processes=input_parsing.number(match.group(5)))


def parse_meminfo(text):
    """{free_bytes, dirty_bytes, ...} of /proc/meminfo. Raises ValueError for other texts."""
    kib_by_field = dict(re.findall(r"^(\w+): +(\d{1,15}) kB$", text, re.MULTILINE))
    if "MemFree" not in kib_by_field:
        raise ValueError("not /proc/meminfo")
    return {key: int(kib_by_field[name]) * 1024 for name, key in MEMORY.items() if name in kib_by_field}


def parse_drops(text):
    """{drop_pagecache, drop_slab} of /proc/vmstat: how often the caches were dropped since boot.

    Raises ValueError for other texts.
    """
    counts_by_name = dict(re.findall(r"^(\w+) (\d{1,18})$", text, re.MULTILINE))
    drops = {name: int(counts_by_name[name]) for name in DROPS if name in counts_by_name}
    if not drops:
        raise ValueError("a kernel that does not count drops of its caches")
    return drops


def processes_of_others(door):
    """How many processes belong to people other than the one who runs this; None where no live node is asked."""
    if not door.live:
        return None
    owners = [door.owner("/proc/" + name) for name in door.names("/proc") if name.isdigit()]
    return sum(owner is not None and FIRST_USER <= owner != door.user and owner < NOBODY for owner in owners)


class LoadProbe(Probe):
    id = "load"
    provides = ("node.load_before", "bench.cache_drop", "bench.exclusive")
    reads = (LOADAVG, MEMINFO, VMSTAT, "owners of /proc/*")

    def read(self, door):
        raw = {path: door.file(path) for path in (LOADAVG, MEMINFO, VMSTAT)}
        return dict(raw, others=processes_of_others(door))

    def parse(self, raw):
        load = input_parsing.read_as(parse_loadavg, raw[LOADAVG])
        memory = input_parsing.read_as(parse_meminfo, raw[MEMINFO])
        if load.value is None and memory.value is None:
            yield input_parsing.gap("node.load_before", load, memory)
        for key, value in sorted(dict(load.value or {}, **memory.value or {}).items()):
            yield Fact("node.load_before", value, "procfs", key)
        if raw["others"] is not None:
            yield Fact("node.load_before", raw["others"], "procfs", "processes_of_others")
        drops = input_parsing.read_as(parse_drops, raw[VMSTAT])
        if drops.value is None:
            yield input_parsing.gap("bench.cache_drop", drops)
        for key, value in sorted((drops.value or {}).items()):
            yield Fact("bench.cache_drop", value, "procfs", key)
        yield Missing("bench.exclusive", "not_applicable", "a node cannot see who else uses the storage; ask the site")


PROBES = (LoadProbe(),)
