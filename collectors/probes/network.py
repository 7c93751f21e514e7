"""Network adapters of every kind: model, firmware, rate, PCIe link, NUMA node."""

from collectors.probe_results import Fact, Item
from collectors.probes import Probe, cxi, ethernet, infiniband, sysfs
from collectors.probes.nic import group_of

KINDS = (infiniband, cxi, ethernet)
GIGA = 10**9
# The files that would have told.
FILES = (
    ("nic.model", ("hca_type", "fw_version", "driver")),
    ("nic.rate", ("state", "rate", "speed", "operstate")),
    ("nic.pcie_link", sysfs.PCIE_FILES),
    ("nic.numa_node", ("numa_node",)),
    ("nic.mtu", ("mtu",)),
)
# Where the kernel's answer may be that there is none: no NUMA (-1), a link that is gone, a driver without a name.
MAY_BE_NONE = ("nic.model", "nic.pcie_link", "nic.numa_node")


class Network(Probe):
    """A port that is not active has no rate, whatever its files say."""

    id = "network"
    provides = (
        "nic.model",
        "nic.rate",
        "nic.injection",
        "nic.pcie_link",
        "nic.numa_node",
        "nic.mtu",
        "nic.link_errors",
        "nic.roce",
        "nic.cxi",
    )
    reads = infiniband.READS + cxi.READS + ethernet.READS

    def applies(self, door):
        return ethernet.is_hidden(door) or any(kind.adapter_names(door) for kind in KINDS)

    def read(self, door):
        raw = {}
        for kind in KINDS:
            raw.update(kind.read(door))
        return raw

    def parse(self, raw):
        nics = [nic for kind in KINDS for nic in kind.nics(raw)]
        if not nics:
            for name in self.provides:
                yield sysfs.missing(name, [raw["ip link"]] if "ip link" in raw else [])
            return
        for nic in nics:
            yield Item("network", group_of(nic))
        for piece in facts(nics):
            yield piece
        for piece in infiniband.link_errors(raw) + infiniband.roce(raw) + cxi.settings(raw):
            yield piece


def facts(nics):
    """What each adapter tells, and the reason of what none tells."""
    nic_facts = [
        Fact(name, value, "sysfs", key) for nic in nics for name, key, value in nic_values(nic) if value is not None
    ]
    fact_ids = {fact.id for fact in nic_facts}
    nic_facts += [missing_reason(name, nics, files) for name, files in FILES if name not in fact_ids]
    if any(nic.ports_active is not None for nic in nics):
        return nic_facts + [Fact("nic.injection", injection(nics), "derived")]
    return nic_facts + [missing_reason("nic.injection", nics, ("state", "operstate"))]


def nic_values(nic):
    """(id, key of a map, value) of one adapter."""
    yield "nic.model", "model", nic.model
    yield "nic.model", "board", nic.board
    yield "nic.model", "firmware", nic.firmware
    for rate_bit_s in nic.rates_bit_s:
        yield "nic.rate", None, gigabits(rate_bit_s)
    for key, value in sysfs.link_values(nic.pcie):
        yield "nic.pcie_link", key, value
    yield "nic.numa_node", None, nic.numa_node
    yield "nic.mtu", None, nic.mtu


def injection(nics):
    """Active ports as fast as the fastest: a node's slower ones are for its administration."""
    rates = [rate for nic in nics for rate in nic.rates_bit_s]
    return rates.count(max(rates)) if rates else sum(nic.ports_active or 0 for nic in nics)


def gigabits(rate_bit_s):
    """2.5 stays a fraction, 100 becomes a whole number."""
    return rate_bit_s // GIGA if rate_bit_s % GIGA == 0 else rate_bit_s / float(GIGA)


def missing_reason(name, nics, files):
    """Why none of the adapters told: files of these names were not there, not readable, or said nothing of use."""
    inputs = [file_input for nic in nics for path, file_input in nic.inputs.items() if path.rpartition("/")[2] in files]
    # A port that is down has no rate, and an adapter of a virtual machine says -1.
    no_rate = any(nic.ports_active == 0 or sysfs.number(nic.inputs, "speed") == -1 for nic in nics)
    none = name in MAY_BE_NONE or (name == "nic.rate" and no_rate)
    return sysfs.missing(name, inputs, "not_applicable" if none else "parse_error")


PROBES = (Network(),)
