"""What the job may use of the node: processors and memory, as its control group limits them."""

import re

from collectors.outputs import cpulist
from collectors.probe_results import Fact
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, number, read_as

STATUS = "/proc/self/status"
GROUPS = "/proc/self/cgroup"
V2 = "/sys/fs/cgroup"
V1_MEMORY = "/sys/fs/cgroup/memory"
# What version 1 says where there is no limit: the largest number of pages, in bytes.
V1_UNLIMITED = 2**62
DEEPEST = 32


class JobLimits(Probe):
    id = "cpu.limits"
    provides = ("cpu.cgroup_limits",)
    roles = ("client",)
    reads = (
        STATUS,
        GROUPS,
        V2 + "/GROUP/memory.max, and of the groups above it",
        V1_MEMORY + "/GROUP/memory.limit_in_bytes, and of the groups above it",
    )

    def read(self, door):
        raw = {"status": door.file(STATUS), "groups": door.file(GROUPS)}
        v1, v2 = own_groups(raw["groups"].text or "")
        raw["v2"] = {path: door.file(path) for path in upwards(V2, v2, "memory.max")}
        raw["v1"] = {path: door.file(path) for path in upwards(V1_MEMORY, v1, "memory.limit_in_bytes")}
        return raw

    def parse(self, raw):
        allowed = read_as(allowed_cpus, raw["status"])
        if allowed.reason is None:
            yield Fact("cpu.cgroup_limits", cpulist.text(allowed.value), allowed.source, "cpus_allowed")
            yield Fact("cpu.cgroup_limits", len(allowed.value), allowed.source, "cpus_allowed_count")
        else:
            yield gap("cpu.cgroup_limits", allowed)
        limits = [
            read_as(memory_limit, limit_input).value for limit_input in [*raw["v2"].values(), *raw["v1"].values()]
        ]
        limits = [limit for limit in limits if limit]
        if limits:
            yield Fact("cpu.cgroup_limits", min(limits), "sysfs", "memory_max_bytes")


def own_groups(text):
    """This process's group in version 1's memory hierarchy and in version 2; None where there is none.

    The paths name users and jobs; they lead to the limits and go nowhere else.
    """
    v1 = v2 = None
    for line in text.splitlines():
        number_of_hierarchy, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number_of_hierarchy == "0" and not controllers:
            v2 = group
        elif "memory" in controllers.split(","):
            v1 = group
    return v1, v2


def upwards(top, group, name):
    """The paths of a limit in a group and in all above it."""
    if group is None or ".." in group.split("/"):
        return []
    parts = [part for part in group.split("/") if part][:DEEPEST]
    return ["/".join([top] + parts[:depth] + [name]) for depth in range(len(parts), -1, -1)]


def allowed_cpus(text):
    """The processors that the process may run on. Raises ValueError for other texts."""
    match = re.search(r"^Cpus_allowed_list:\s*([0-9,-]{1,4096})$", text, re.MULTILINE)
    if not match:
        raise ValueError("no Cpus_allowed_list")
    return cpulist.cpus(match.group(1))


def memory_limit(text):
    """A limit in bytes, or None for no limit. Raises ValueError for other texts."""
    if text.strip() == "max":
        return None
    value = number(text)
    return None if value >= V1_UNLIMITED else value


PROBES = (JobLimits(),)
