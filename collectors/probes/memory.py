"""Memory: how much, of what modules, in what pages."""

import re

from collectors.outputs import dmidecode, keyvalues
from collectors.probe_results import Fact, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as

MEMINFO = "/proc/meminfo"
THP = "/sys/kernel/mm/transparent_hugepage/"
EDAC = "/sys/devices/system/edac/mc/*/*/"
MAX_DIMMS = 1024
EDAC_TYPE = re.compile(r"(?:Registered-|Unbuffered-|Load-reduced-)?((?:LP)?DDR\d?)[A-Za-z0-9 -]{0,20}", re.IGNORECASE)


class Memory(Probe):
    id = "memory"
    provides = ("mem.total", "mem.hugepages")
    reads = (MEMINFO, THP + "{enabled,defrag}")

    def read(self, door):
        return {
            "meminfo": door.file(MEMINFO),
            "enabled": door.file(THP + "enabled"),
            "defrag": door.file(THP + "defrag"),
        }

    def parse(self, raw):
        meminfo = read_as(keyvalues.meminfo, raw["meminfo"])
        if meminfo.reason is None:
            total = meminfo.value["MemTotal"]
            yield Fact("mem.total", total // 1024, "procfs")
            yield Section("hardware/memory", {"total_bytes": total, "swap_bytes": meminfo.value.get("SwapTotal")})
        else:
            yield gap("mem.total", meminfo)
        pages = list(huge_pages(raw, meminfo.value or {}))
        yield from pages or [gap("mem.hugepages", meminfo, raw["enabled"])]


def huge_pages(raw, fields):
    """Facts of transparent and of reserved huge pages."""
    for key in ("enabled", "defrag"):
        chosen = read_as(chosen_word, raw[key])
        if chosen.reason is None:
            yield Fact("mem.hugepages", chosen.value, "sysfs", "transparent_hugepage." + key)
    for key, field in (("hugepages_total", "HugePages_Total"), ("hugepage_size_bytes", "Hugepagesize")):
        if field in fields:
            # One count in the recorded world carries a stray `kB`; a count of pages is not a size.
            yield Fact("mem.hugepages", fields[field], "procfs", key)


def chosen_word(text):
    """The word in brackets of `always [madvise] never`. Raises ValueError for other texts."""
    match = re.search(r"\[([a-z+]{1,30})\]", text)
    if not match:
        raise ValueError("no word in brackets")
    return match.group(1)


class Dimms(Probe):
    id = "memory.dimms"
    provides = ("mem.dimms",)
    privilege = "root"
    reads = ("dmidecode -t memory", EDAC + "{dimm_mem_type,size}")

    def read(self, door):
        raw = {"dmidecode": door.command(["dmidecode", "-t", "memory"])}
        if raw["dmidecode"].text is None:
            raw["types"] = door.files(EDAC + "dimm_mem_type", at_most=MAX_DIMMS)
            raw["sizes"] = door.files(EDAC + "size", at_most=MAX_DIMMS)
        return raw

    def parse(self, raw):
        listed = read_as(lambda text: dmidecode.dimms(dmidecode.structures(text)), raw["dmidecode"])
        source, dimms = "command", listed.value
        if not dimms:
            source, dimms = "sysfs", edac_dimms(raw.get("types", {}), raw.get("sizes", {}))
        if not dimms:
            yield gap("mem.dimms", listed)
            return
        for dimm in dimms:
            yield Fact("mem.dimms", describe_module(dimm), source, "module")
        yield Section("hardware/memory", population(dimms))


def edac_dimms(types, sizes):
    """The Dimms that the kernel's error counters know: size in MiB and type, no speed."""
    dimms = []
    for path, type_input in sorted(types.items()):
        size = sizes.get(path.rpartition("/")[0] + "/size")
        match = EDAC_TYPE.fullmatch((type_input.text or "").strip())
        if match and size is not None and re.fullmatch(r"[0-9]{1,9}", (size.text or "").strip()) and int(size.text):
            dimms.append(dmidecode.Dimm(int(size.text) * 1024**2, match.group(1).upper(), None, None))
    return dimms


def describe_module(dimm):
    """A module in a few words: `16 GiB DDR4-3200, 2 ranks`."""
    kind = dimm.type or "unknown type"
    speed = "-%d" % dimm.speed_mt_s if dimm.speed_mt_s else ""
    ranks = ", %d rank%s" % (dimm.rank, "" if dimm.rank == 1 else "s") if dimm.rank else ""
    return "%g GiB %s%s%s" % (dimm.size_bytes / 1024.0**3, kind, speed, ranks)


def population(dimms):
    """What all modules have in common; None where they differ."""
    return {
        "dimms": len(dimms),
        "type": common_value(dimm.type for dimm in dimms),
        "speed_mt_s": common_value(dimm.speed_mt_s for dimm in dimms),
        "dimm_bytes": common_value(dimm.size_bytes for dimm in dimms),
    }


def common_value(values):
    kinds = set(values)
    return kinds.pop() if len(kinds) == 1 else None


PROBES = (Memory(), Dimms())
