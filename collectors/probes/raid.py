"""Redundant arrays that the node itself makes of drives: software RAID and ZFS. Those of a controller are not told."""

from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, md, sysfs, zfs

PROVIDES = ("raid.layout", "raid.drives_per_target", "raid.chunk", "raid.state")


class Raid(Probe):
    """One instance is one array or pool, which is what a target of a parallel file system lies on."""

    id = "raid"
    provides = PROVIDES
    privilege = "root"
    reads = md.READS + zfs.READS

    def applies(self, door):
        return door.exists("/proc/mdstat") or zfs.is_here(door)

    def read(self, door):
        raw = md.read(door)
        raw.update(zfs.read(door))
        return raw

    def parse(self, raw):
        arrays, broken = [], None
        for kind in (md, zfs):
            kind_arrays, error = arrays_of(kind, raw)
            arrays, broken = arrays + kind_arrays, broken or error
        facts = [fact for array in arrays for fact in array_facts(array)]
        for fact in facts:
            yield fact
        fact_ids = {fact.id for fact in facts}
        for name in PROVIDES:
            if name not in fact_ids:
                yield gap(name, arrays, raw, broken)


def arrays_of(kind, raw):
    """The arrays of md or zfs, and what is wrong with the text that should list them."""
    try:
        return kind.arrays(raw), None
    except ValueError as error:
        return [], str(error)


def gap(name, arrays, raw, broken):
    if broken:
        return Missing(name, "parse_error", broken)
    if arrays:
        return Missing(name, "not_applicable", "no array tells it")
    answers = [raw[key] for key in ("mdstat", "zpool") if key in raw]
    return sysfs.missing(name, answers, "not_applicable")


def array_facts(array):
    for key, value in sorted(array.layout.items()):
        yield Fact("raid.layout", value, "procfs", key)
    if array.drives:
        yield Fact("raid.drives_per_target", array.drives, "procfs")
    if array.chunk_bytes:
        yield Fact("raid.chunk", array.chunk_bytes, "procfs")
    if array.state:
        yield Fact("raid.state", array.state, "procfs")


PROBES = (Raid(),)
