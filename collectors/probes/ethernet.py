"""Ethernet adapters; read by network.py. Those of RoCE and Slingshot are told by their own modules."""

import re

from collectors.node.node_access import Input
from collectors.outputs import ethtool, ip, lspci
from collectors.probes import command_answers, cxi, infiniband, sysfs
from collectors.probes.nic import Nic

CLASS = "/sys/class/net"
NOT_HARDWARE = re.compile(r"(lo|bond|br|docker|dummy|ifb|team|tun|tap|veth|virbr|vlan|vxlan|wg|cni|cali|flannel|ib)\d*")
ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
HEXADECIMAL = re.compile(r"0x([0-9a-f]{4})")
MAX_ADAPTERS = 64
MAX_COMMANDS = 8
# Drivers that do not know a speed say -1, some of them without a sign.
UNKNOWN_SPEED_16_BIT = 65535
MAX_SPEED = 10 * 10**6
# Linux ARPHRD: 1 is Ethernet, 32 InfiniBand.
ETHERNET = "1"
FILES = ("operstate", "carrier", "speed", "mtu", "type", "device/vendor", "device/device", "device/numa_node") + tuple(
    "device/" + name for name in sysfs.PCIE_FILES
)

READS = (
    CLASS + "/*/{%s}" % ",".join(FILES),
    "ethtool -i INTERFACE",
    "lspci -nnmmv",
    "ip -j link (where there is no /sys/class/net)",
)


def adapter_names(door):
    names = [
        name for name in door.names(CLASS) if infiniband.INTERFACE.fullmatch(name) and not NOT_HARDWARE.fullmatch(name)
    ]
    others = {interface for name in cxi.adapter_names(door) for interface in cxi.interfaces(door, name)}
    return [name for name in names if name not in others and is_ethernet(door, name)][:MAX_ADAPTERS]


def is_ethernet(door, name):
    """Hardware of its own: no virtual device, and none that an adapter of another kind brings along."""
    folder = CLASS + "/" + name
    if (door.link(folder) or "").startswith("/sys/devices/virtual/") or sysfs.is_virtual_function(door, folder):
        return False
    if set(door.names(folder + "/device/infiniband")) & set(infiniband.adapter_names(door)):
        return False
    kind = door.file(folder + "/type", sysfs.ATTRIBUTE_LIMIT_BYTES)
    return kind.text is None or kind.text.strip() == ETHERNET


def is_hidden(door):
    """Whether sysfs says nothing of any network interface; every node has one, if but the loopback."""
    return not door.names(CLASS)


def read(door):
    """{"ethernet/INTERFACE": {attribute: Input}}, and what commands add."""
    if is_hidden(door):
        return {"ip link": door.command(["ip", "-j", "link"])}
    raw = {"ethernet/" + name: read_adapter(door, name) for name in adapter_names(door)}
    for key in list(raw)[:MAX_COMMANDS]:
        interface = key.partition("/")[2]
        raw["ethtool -i/" + interface] = door.command(["ethtool", "-i", interface])
    if any(key.startswith("ethernet/") and inputs["address"].text for key, inputs in raw.items()):
        raw["lspci"] = door.command(["lspci", "-nnmmv"])
    return raw


def read_adapter(door, name):
    folder = CLASS + "/" + name
    inputs = sysfs.attributes(door, folder, FILES)
    address = (door.link(folder + "/device") or "").rpartition("/")[2]
    inputs["address"] = Input(address if ADDRESS.fullmatch(address) else "", None, "", "sysfs")
    inputs["driver"] = Input((door.link(folder + "/device/driver") or "").rpartition("/")[2], None, "", "sysfs")
    return inputs


def nics(raw):
    if "ip link" in raw:
        links = command_answers.read(raw["ip link"], ip.links, {})
        return [nic_of_link(link) for name, link in sorted(links.items()) if is_adapter(name, link)][:MAX_ADAPTERS]
    named = command_answers.read(raw.get("lspci"), lspci.devices, {})
    return [
        nic_of(inputs, command_answers.read(raw.get("ethtool -i/" + key.partition("/")[2]), ethtool.driver, {}), named)
        for key, inputs in raw.items()
        if key.startswith("ethernet/")
    ]


def is_adapter(name, link):
    return link.kind == "ether" and not NOT_HARDWARE.fullmatch(name)


def nic_of_link(link):
    """An interface as `ip` shows it: without model and rate."""
    active = None if link.state is None else int(link.state == "up")
    return Nic("ethernet", None, None, None, (), link.state, active, link.mtu, None, None, {})


def nic_of(inputs, driver, named):
    """Return the Nic of an Ethernet interface; its rate in bit/s is left out while it is not up."""
    state = sysfs.text(inputs, "operstate")
    # A virtual machine's adapter does not know its state; that it has a carrier is as good.
    up = state == "up" or (state == "unknown" and sysfs.count(inputs, "carrier") == 1)
    speed = sysfs.count(inputs, "speed")
    rate = cxi.megabits(speed) if speed != UNKNOWN_SPEED_16_BIT and (speed or 0) <= MAX_SPEED else None
    return Nic(
        kind="ethernet",
        model=model_of(inputs, driver, named),
        board=None,
        firmware=driver.get("firmware-version"),
        rates_bit_s=(rate,) if up and rate else (),
        state=state,
        ports_active=None if state is None else int(up),
        mtu=sysfs.count(inputs, "mtu"),
        pcie=sysfs.pcie(inputs, "device/"),
        numa_node=sysfs.count(inputs, "device/numa_node"),
        inputs=inputs,
    )


def model_of(inputs, driver, named):
    """The name in the PCI database, else the numbers that stand for it, else the driver."""
    device = named.get(inputs["address"].text)
    if device:
        return device.vendor + " " + device.name
    numbers = [HEXADECIMAL.fullmatch(sysfs.text(inputs, "device/" + which) or "") for which in ("vendor", "device")]
    if inputs["address"].text and all(numbers):
        return "PCI " + ":".join(number.group(1) for number in numbers)
    return sysfs.text(inputs, "driver") or driver.get("driver")
