"""Network adapters of every kind: model, firmware, rate, PCIe link, NUMA node; and what no host can tell of the fabric."""

from collectors.facts import Fact, Item, Missing
from collectors.probes import Probe, cxi, ethernet, infiniband, sysfs
from collectors.probes.nic import group_of

KINDS = (infiniband, cxi, ethernet)
GIGA = 10**9


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
        "fabric.topology",
        "fabric.switches",
    )
    reads = infiniband.READS + cxi.READS + ethernet.READS

    def applies(self, door):
        return any(kind.adapter_names(door) for kind in KINDS)

    def read(self, door):
        raw = {}
        for kind in KINDS:
            raw.update(kind.read(door))
        return raw

    def parse(self, raw):
        nics = [nic for kind in KINDS for nic in kind.nics(raw)]
        for nic in nics:
            yield Item("network", group_of(nic))
        for piece in facts(nics):
            yield piece
        for piece in infiniband.link_errors(raw) + infiniband.roce(raw) + cxi.settings(raw):
            yield piece
        yield Missing("fabric.topology", "disabled", "known to the fabric's manager; the questionnaire asks")
        yield Missing("fabric.switches", "disabled", "known to the fabric's manager; the questionnaire asks")


def facts(nics):
    """One fact for each adapter, or for each active port in the case of rates; else the reason."""
    rates = [rate for nic in nics for rate in nic.rates_bit_s]
    values = (
        ("nic.model", [model_text(nic) for nic in nics], ("hca_type", "fw_version", "driver")),
        ("nic.rate", [gigabits(rate) for rate in rates], ("state", "rate", "speed", "operstate")),
        ("nic.pcie_link", [nic.pcie and sysfs.link_text(nic.pcie) for nic in nics], sysfs.PCIE_FILES),
        ("nic.numa_node", [nic.numa_node for nic in nics], ("numa_node",)),
        ("nic.mtu", [nic.mtu for nic in nics], ("mtu",)),
    )
    for name, found, files in values:
        known = [value for value in found if value is not None]
        for value in known:
            yield Fact(name, value, "sysfs")
        if not known:
            yield reason(name, nics, files)
    if any(nic.ports_active is not None for nic in nics):
        yield Fact("nic.injection", injection(nics), "derived")
    else:
        yield reason("nic.injection", nics, ("state", "operstate"))


def injection(nics):
    """Active ports as fast as the fastest: a node's slower ones are for its administration."""
    rates = [rate for nic in nics for rate in nic.rates_bit_s]
    return rates.count(max(rates)) if rates else sum(nic.ports_active or 0 for nic in nics)


def model_text(nic):
    if nic.model and nic.firmware:
        return "%s, firmware %s" % (nic.model, nic.firmware)
    return nic.model


def gigabits(rate_bit_s):
    """2.5 stays a fraction, 100 becomes a whole number."""
    return rate_bit_s // GIGA if rate_bit_s % GIGA == 0 else rate_bit_s / float(GIGA)


def reason(name, nics, files):
    """Why none of the adapters told: files of these names were not there, not readable, or said nothing of use."""
    inputs = [found for nic in nics for path, found in nic.inputs.items() if path.rpartition("/")[2] in files]
    # A port that is down has no rate, and an adapter of a virtual machine says -1.
    no_rate = any(nic.ports_active == 0 or sysfs.number(nic.inputs, "speed") == -1 for nic in nics)
    return sysfs.missing(name, inputs, "not_applicable" if no_rate else "parse_error")


PROBES = (Network(),)
