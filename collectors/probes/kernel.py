"""Kernel tunables that decide how much is cached and when it is written."""

from collectors.outputs import sysctl
from collectors.probe_results import Fact
from collectors.probes import Probe
from collectors.probes.input_parsing import first_read, gap, number, read_as, switch

VM_KEYS = (
    "dirty_ratio",
    "dirty_background_ratio",
    "dirty_bytes",
    "dirty_background_bytes",
    "dirty_expire_centisecs",
    "dirty_writeback_centisecs",
    "swappiness",
    "zone_reclaim_mode",
    "vfs_cache_pressure",
    "min_free_kbytes",
    "overcommit_memory",
    "nr_hugepages",
)
VM = "/proc/sys/vm/"
NUMA_BALANCING = "/proc/sys/kernel/numa_balancing"


class KernelTunables(Probe):
    id = "kernel.tunables"
    provides = ("vm.sysctl", "kernel.numa_balancing")
    reads = tuple(VM + key for key in VM_KEYS) + (NUMA_BALANCING, "sysctl -a (where /proc/sys is not readable)")

    def read(self, door):
        raw = {"vm": {key: door.file(VM + key) for key in VM_KEYS}, "numa_balancing": door.file(NUMA_BALANCING)}
        if all(file_input.text is None for file_input in raw["vm"].values()):
            raw["sysctl"] = door.command(["sysctl", "-a"])
        return raw

    def parse(self, raw):
        all_tunables = read_as(sysctl.tunables, raw["sysctl"]) if "sysctl" in raw else None
        values_by_name = (all_tunables.value if all_tunables else None) or {}
        facts = []
        for key, file_input in raw["vm"].items():
            name = "vm." + key
            reading = from_either(number, file_input, values_by_name.get(name))
            if reading.reason is None:
                facts.append(Fact("vm.sysctl", reading.value, reading.source, name))
        yield from facts or [gap("vm.sysctl", *raw["vm"].values(), *([all_tunables] if all_tunables else []))]
        balancing = from_either(numa_balancing, raw["numa_balancing"], values_by_name.get("kernel.numa_balancing"))
        if balancing.reason is None:
            yield Fact("kernel.numa_balancing", balancing.value, balancing.source)
        else:
            yield gap("kernel.numa_balancing", balancing)


def numa_balancing(text):
    """Whether pages move between NUMA nodes; 2, memory tiering alone, moves none for balance."""
    return False if text.strip() == "2" else switch(text)


def from_either(reader, file_input, command_text):
    """The Reading of a file, or of what `sysctl -a` printed for it."""
    from_file = read_as(reader, file_input)
    if command_text is None:
        return from_file
    return first_read(from_file, read_as(reader, file_input._replace(text=command_text, reason=None, source="command")))


PROBES = (KernelTunables(),)
