"""How the interrupts of the network adapters are spread over the processors."""

import re

from collectors.node.node_access import Input
from collectors.outputs import cpulist
from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, cxi, ethernet, infiniband, sysfs

NUMBER = re.compile(r"\d{1,6}")
SOCKET = re.compile(r"irqbalance(\d{1,7})\.sock")
# Four adapters with a vector for each of 256 processors.
MAX_VECTORS = 1024


class Interrupts(Probe):
    """While irqbalance moves them, where they are at the moment says nothing: then only how many there are is told."""

    id = "interrupts"
    provides = ("nic.irq_affinity",)
    reads = (
        "/sys/class/{infiniband,cxi,net}/*/device/msi_irqs",
        "/sys/class/net/*/type",
        "/proc/irq/*/smp_affinity_list",
        "/run/irqbalance",
        "/proc/*/comm of irqbalance",
    )

    def applies(self, door):
        return bool(vectors(door))

    def read(self, door):
        raw = {"irq/" + number: door.file("/proc/irq/%s/smp_affinity_list" % number) for number in vectors(door)}
        raw["irqbalance"] = Input("yes" if irqbalance_runs(door) else "no", None, "", "procfs")
        return raw

    def parse(self, raw):
        running = raw["irqbalance"].text == "yes"
        answers = [answer for key, answer in raw.items() if key.startswith("irq/")]
        yield Fact("nic.irq_affinity", running, "procfs", "irqbalance")
        yield Fact("nic.irq_affinity", len(answers), "sysfs", "vectors")
        if not running:
            for piece in spread([answer.text for answer in answers if answer.text is not None]):
                yield piece


def spread(lists):
    """How many processors serve the interrupts, and how many at most serve one."""
    try:
        served = [cpulist.cpus(text) for text in lists]
    except ValueError as error:
        yield Missing("nic.irq_affinity", "parse_error", str(error), "cpus")
        return
    if served:
        yield Fact("nic.irq_affinity", len({cpu for cpus in served for cpu in cpus}), "procfs", "cpus")
        yield Fact("nic.irq_affinity", max(len(cpus) for cpus in served), "procfs", "cpus_per_vector")


def vectors(door):
    """Numbers of the interrupts of all network adapters; the kinds of one adapter share theirs."""
    folders = [kind.CLASS + "/" + name for kind in (infiniband, cxi, ethernet) for name in kind.adapter_names(door)]
    numbers = {number for folder in folders for number in door.names(folder + "/device/msi_irqs")}
    return sorted((number for number in numbers if NUMBER.fullmatch(number)), key=int)[:MAX_VECTORS]


def irqbalance_runs(door):
    """Its socket has the number of its process, and may outlive it."""
    for match in filter(None, map(SOCKET.fullmatch, door.names("/run/irqbalance"))):
        if sysfs.text(sysfs.attributes(door, "/proc/" + match.group(1), ("comm",)), "comm") == "irqbalance":
            return True
    return False


PROBES = (Interrupts(),)
