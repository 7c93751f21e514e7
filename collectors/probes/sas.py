"""SAS: host adapters, their driver, links and drive enclosures."""

import re

from collectors.outputs import modinfo
from collectors.probe_results import Fact, Missing
from collectors.probes import Probe, command_answers, sysfs

HOST = re.compile(r"host\d{1,4}")
PHY = re.compile(r"phy-[0-9:]{1,30}")
RATE = re.compile(r"(\d{1,2}(?:\.\d)?) Gbit")
# The driver counts itself among the hosts it serves; the newest first.
DRIVERS = ("mpi3mr", "mpt3sas", "mpt2sas", "smartpqi", "megaraid_sas", "hpsa", "aacraid", "pm80xx", "isci")
HOST_FILES = ("proc_name", "board_name", "version_fw", "version_bios")
ENCLOSURE_FILES = ("device/vendor", "device/model", "device/rev", "components")
MAX_PHYS = 2048
MAX_ENCLOSURES = 256


class Sas(Probe):
    id = "sas"
    provides = ("sas.hba", "sas.driver", "sas.max_sgl_entries", "sas.link_rate", "enclosure.config")
    reads = (
        "/sys/class/scsi_host/host*/{%s}" % ",".join(HOST_FILES),
        "/sys/class/sas_phy/*/negotiated_linkrate",
        "/sys/class/enclosure/*/{%s}" % ",".join(ENCLOSURE_FILES),
        "/sys/module/{%s}/version" % ",".join(DRIVERS),
        "/sys/module/{%s}/parameters/max_sgl_entries" % ",".join(DRIVERS),
        "modinfo DRIVER (where the module does not tell its version)",
    )

    def applies(self, door):
        return bool(door.names("/sys/class/sas_host") or door.names("/sys/class/enclosure") or drivers(door))

    def read(self, door):
        raw = {}
        for name in door.names("/sys/class/scsi_host"):
            if HOST.fullmatch(name):
                raw["host/" + name] = sysfs.attributes(door, "/sys/class/scsi_host/" + name, HOST_FILES)
        for name in [name for name in door.names("/sys/class/sas_phy") if PHY.fullmatch(name)][:MAX_PHYS]:
            raw["phy/" + name] = sysfs.attributes(door, "/sys/class/sas_phy/" + name, ("negotiated_linkrate",))
        # The name of an enclosure is its address in the world: counted, not kept.
        for number, name in enumerate(door.names("/sys/class/enclosure")[:MAX_ENCLOSURES]):
            raw["enclosure/%d" % number] = sysfs.attributes(door, "/sys/class/enclosure/" + name, ENCLOSURE_FILES)
        for name in drivers(door):
            files = ("version", "parameters/max_sgl_entries")
            raw["driver/" + name] = sysfs.attributes(door, "/sys/module/" + name, files)
            if sysfs.text(raw["driver/" + name], "version") is None:
                raw["driver/" + name]["modinfo"] = door.command(["modinfo", name])
        return raw

    def parse(self, raw):
        readers = (host_adapters, driver_versions, scatter_gather, link_rates, enclosures)
        for name, reader in zip(self.provides, readers):
            facts = reader(raw)
            for piece in facts or [gap(name, raw)]:
                yield piece


def drivers(door):
    return [name for name in DRIVERS if door.exists("/sys/module/" + name)]


def of_kind(raw, kind):
    return [(key.partition("/")[2], inputs) for key, inputs in raw.items() if key.startswith(kind + "/")]


def host_adapters(raw):
    """Hosts of other buses have no board name."""
    keys = (("board", "board_name"), ("firmware", "version_fw"), ("bios", "version_bios"))
    return [
        Fact("sas.hba", sysfs.text(inputs, file), "sysfs", key)
        for _name, inputs in of_kind(raw, "host")
        if sysfs.text(inputs, "board_name")
        for key, file in keys
        if sysfs.text(inputs, file)
    ]


def driver_versions(raw):
    versions = [
        (name, sysfs.text(inputs, "version") or command_answers.read(inputs.get("modinfo"), modinfo.version, None))
        for name, inputs in of_kind(raw, "driver")
    ]
    return [Fact("sas.driver", name + " " + version, "module") for name, version in versions if version]


def scatter_gather(raw):
    counts = [sysfs.count(inputs, "parameters/max_sgl_entries") for _name, inputs in of_kind(raw, "driver")]
    return [Fact("sas.max_sgl_entries", value, "module") for value in counts if value is not None]


def link_rates(raw):
    """One for each phy that has a link; the others say that they have none."""
    lines = [sysfs.text(inputs, "negotiated_linkrate") or "" for _name, inputs in of_kind(raw, "phy")]
    rates = [float(match.group(1)) for match in map(RATE.fullmatch, lines) if match]
    return [Fact("sas.link_rate", int(rate) if rate == int(rate) else rate, "sysfs") for rate in rates]


def enclosures(raw):
    return [Fact("enclosure.config", line, "sysfs") for line in map(enclosure_text, of_kind(raw, "enclosure")) if line]


def enclosure_text(enclosure):
    """`HPE D3710 2.40, 25 slots`"""
    inputs = enclosure[1]
    words = [sysfs.text(inputs, "device/" + file) for file in ("vendor", "model", "rev")]
    slots = sysfs.count(inputs, "components")
    name = " ".join(word for word in words if word)
    return name + (", %d slots" % slots if slots else "") if name else None


def gap(name, raw):
    kinds = {
        "sas.hba": "host",
        "sas.driver": "driver",
        "sas.max_sgl_entries": "driver",
        "sas.link_rate": "phy",
        "enclosure.config": "enclosure",
    }
    inputs = [device_input for _name, inputs in of_kind(raw, kinds[name]) for device_input in inputs.values()]
    return (
        sysfs.missing(name, inputs, "not_applicable") if inputs else Missing(name, "not_applicable", "no such device")
    )


PROBES = (Sas(),)
