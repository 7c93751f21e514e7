"""Slingshot adapters (Cassini, driver cxi); read by network.py."""

import re

from collectors.node.node_access import Input
from collectors.outputs import cxi_stat
from collectors.probe_results import Fact, Missing
from collectors.probes import command_answers, infiniband, sysfs
from collectors.probes.nic import Nic

CLASS = "/sys/class/cxi"
NAME = re.compile(r"cxi(\d{1,4})")
RATE = re.compile(r"[A-Za-z]{0,2}_?(\d{1,4})G")
PCIE = re.compile(r"(\d{1,2}(?:\.\d)? GT/s) x(\d{1,2})")

# Where Cassini 1 has it, then Cassini 2; sysfs comes before what cxi_stat prints.
PLACES = {
    "description": ("device/fru/description",),
    "firmware": ("fw_version", "device/uc/qspi_blob_version"),
    "link_layer_retry": ("device/port/link_layer_retry", "device/port/0/llr/state"),
    "loopback": ("device/port/loopback", "device/port/0/link/config/loopback"),
    "media": ("device/port/media", "device/port/0/media/type"),
    "link_mtu": ("device/properties/hpc_mtu",),
    "speed": ("device/port/speed", "device/port/0/link/speed"),
    "state": ("device/port/link", "device/port/0/link/state"),
}
# Extended speed mode: a rate beyond what the PCIe standard of the slot knows, told apart from the standard's file.
EXTENDED_SPEED = "device/properties/current_esm_link_speed"
FILES = (
    [place for places in PLACES.values() for place in places]
    + [EXTENDED_SPEED, "device/numa_node"]
    + ["device/" + name for name in sysfs.PCIE_FILES]
)
SETTINGS = ("speed", "link_layer_retry", "loopback", "media", "link_mtu")

READS = (
    CLASS + "/*/{%s}" % ",".join(FILES),
    "/sys/class/net/hsn*/{mtu,speed,operstate}",
    "cxi_stat (where sysfs does not tell)",
)


def adapter_names(door):
    return [name for name in door.names(CLASS) if NAME.fullmatch(name)]


def interfaces(door, name):
    """The network interfaces of an adapter; where sysfs does not link them, hsn0 is cxi0."""
    linked = [entry for entry in door.names(CLASS + "/%s/device/net" % name) if infiniband.INTERFACE.fullmatch(entry)]
    twin = "hsn" + NAME.fullmatch(name).group(1)
    return linked or ([twin] if door.exists("/sys/class/net/" + twin) else [])


def read(door):
    """{"cxi/ADAPTER": {attribute: Input}}, and cxi_stat where sysfs leaves something open."""
    raw = {}
    for name in adapter_names(door):
        inputs = sysfs.attributes(door, CLASS + "/" + name, FILES)
        inputs["interfaces"] = Input("\n".join(interfaces(door, name)), None, "", "sysfs")
        for interface in interfaces(door, name)[:1]:
            inputs_by_file = sysfs.attributes(door, "/sys/class/net/" + interface, ("mtu", "speed", "operstate"))
            inputs.update(("net/" + file, value) for file, value in inputs_by_file.items())
        raw["cxi/" + name] = inputs
    if any(first_text(inputs, field) is None for inputs in raw.values() for field in PLACES):
        raw["cxi_stat"] = door.command(["cxi_stat"])
    return raw


def first_text(inputs, field):
    return next((line for line in (sysfs.text(inputs, place) for place in PLACES[field]) if line), None)


def adapters(raw):
    """(inputs, {field: (text, source)}) of every adapter."""
    listed = command_answers.read(raw.get("cxi_stat"), cxi_stat.devices, {})
    for key, inputs in raw.items():
        if key.startswith("cxi/"):
            fields = {field: (line, "command") for field, line in listed.get(key[4:], {}).items()}
            fields.update(
                (field, (first_text(inputs, field), "sysfs")) for field in PLACES if first_text(inputs, field)
            )
            yield inputs, fields


def nics(raw):
    return [nic_of(inputs, fields) for inputs, fields in adapters(raw)]


def nic_of(inputs, fields):
    """Return the Nic of a Slingshot adapter; its rate in bit/s is left out while the link is not up."""
    state = value(fields, "state") or sysfs.text(inputs, "net/operstate")
    rate = rate_bit_s(value(fields, "speed")) or megabits(sysfs.count(inputs, "net/speed"))
    return Nic(
        kind="slingshot",
        model=value(fields, "description"),
        board=None,
        firmware=value(fields, "firmware"),
        rates_bit_s=(rate,) if rate and state == "up" else (),
        state=state,
        ports_active=None if state is None else int(state == "up"),
        mtu=sysfs.count(inputs, "net/mtu"),
        pcie=link(inputs, value(fields, "pcie")),
        numa_node=sysfs.count(inputs, "device/numa_node"),
        inputs=inputs,
    )


def value(fields, field):
    return fields[field][0] if field in fields else None


def rate_bit_s(line):
    """Bits per second of `BS_200G` or `ck400G`: the letters name modulation and lanes."""
    match = RATE.fullmatch(line or "")
    return int(match.group(1)) * 10**9 if match else None


def megabits(mbit_s):
    return mbit_s * 10**6 if mbit_s else None


def link(inputs, pcie_text):
    """The PCIe link; where the extended speed mode is on, its speed is the true one."""
    pcie_link = sysfs.pcie(inputs, "device/")
    extended = sysfs.speed(inputs, EXTENDED_SPEED)
    if pcie_link is None:
        match = PCIE.fullmatch(pcie_text or "")
        pcie_link = {"current_speed": match.group(1), "current_width": int(match.group(2))} if match else None
    elif extended:
        pcie_link["current_speed"] = extended
    return pcie_link


def number_or_text(line):
    return int(line) if re.fullmatch(r"\d{1,9}", line) else line


def settings(raw):
    """Return the facts of each adapter's settings, or one Missing that says why there are none."""
    facts = [
        Fact("nic.cxi", number_or_text(fields[field][0]), fields[field][1], field)
        for _inputs, fields in adapters(raw)
        for field in SETTINGS
        if field in fields
    ]
    if facts:
        return facts
    inputs = [inputs for inputs, _fields in adapters(raw)]
    if not inputs:
        return [Missing("nic.cxi", "not_applicable", "no Slingshot adapter")]
    places = [place for field in SETTINGS for place in PLACES[field]]
    unread_inputs = [adapter_inputs[place] for adapter_inputs in inputs for place in places] + [raw["cxi_stat"]]
    return [sysfs.missing("nic.cxi", unread_inputs)]
