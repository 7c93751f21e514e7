"""Adapters that speak InfiniBand verbs: InfiniBand, RoCE, Omni-Path, EFA; read by network.py."""

import re

from collectors.node.node_access import Input
from collectors.outputs import ethtool, ibstat, ip
from collectors.probe_results import Fact, Missing
from collectors.probes import command_answers, sysfs
from collectors.probes.nic import Nic

CLASS = "/sys/class/infiniband"
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
# What the kernel allows, less what a command line could take for an option or a path.
INTERFACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}")
SOFT = re.compile(r"rxe|siw")
PORT = re.compile(r"[0-9]{1,2}")
RATE = re.compile(r"([0-9]{1,5}(?:\.[0-9])?)(?: Gb/sec.*)?")
# Behind one adapter there may be hundreds of interfaces of virtual functions; the first are its own.
MAX_INTERFACES = 4
IPOIB = re.compile(r"ib\d{1,3}")
STATE = re.compile(r"\d: ([A-Za-z_]{1,20})")

# ConnectX-3 and before: what each port was set to be.
PORT_TYPES = ("device/mlx4_port1", "device/mlx4_port2")
ADAPTER_FILES = (
    ("hca_type", "board_id", "fw_ver", "node_type", "device/numa_node")
    + PORT_TYPES
    + tuple("device/" + name for name in sysfs.PCIE_FILES)
)
PORT_LAYERS = {"ib": "InfiniBand", "auto (ib)": "InfiniBand", "eth": "Ethernet", "auto (eth)": "Ethernet"}
PORT_FILES = ("state", "rate", "link_layer")
# Errors, discards, and time spent waiting; traffic is not a matter of configuration.
COUNTERS = (
    "symbol_error link_error_recovery link_downed port_rcv_errors port_rcv_remote_physical_errors "
    "port_rcv_switch_relay_errors port_xmit_discards port_xmit_constraint_errors port_rcv_constraint_errors "
    "local_link_integrity_errors excessive_buffer_overrun_errors VL15_dropped port_xmit_wait"
).split()
ROCE_FILES = ("qos/trust",) + tuple(
    "ecn/%s/enable/%d" % (side, priority) for side in ("roce_np", "roce_rp") for priority in range(8)
)

READS = (
    CLASS + "/*/{%s}" % ",".join(ADAPTER_FILES),
    CLASS + "/*/ports/*/{%s}" % ",".join(PORT_FILES),
    CLASS + "/*/ports/*/counters/{%s}" % ",".join(COUNTERS),
    "/sys/class/net/*/{mtu,qos/trust,ecn/*/enable/*} of RoCE",
    "ibstat (where sysfs does not tell)",
    "rdma -j link (where ibstat does not tell)",
    "ethtool -a INTERFACE (of RoCE)",
)


def adapter_names(door):
    """Adapters of hardware; soft RoCE (rxe) and soft iWARP (siw) run on a network adapter that is told as such."""
    names = [name for name in door.names(CLASS) if NAME.fullmatch(name) and not SOFT.match(name)]
    names = [name for name in names if not sysfs.is_virtual_function(door, CLASS + "/" + name)]
    return [name for name in names if not (door.link(CLASS + "/" + name) or "").startswith("/sys/devices/virtual/")]


def read(door):
    """{"infiniband/ADAPTER": {attribute: Input}}, and what commands add."""
    names = adapter_names(door)
    raw = {"infiniband/" + name: read_adapter(door, name, len(names) == 1) for name in names}
    if any(not is_complete(inputs) for inputs in raw.values()):
        raw["ibstat"] = door.command(["ibstat"])
        if raw["ibstat"].text is None:
            raw["rdma link"] = door.command(["rdma", "-j", "link"])
    for inputs in list(raw.values()):
        if names and isinstance(inputs, dict) and kind(inputs) == "roce":
            for interface in inputs["interfaces"].text.split():
                raw["ethtool -a/" + interface] = door.command(["ethtool", "-a", interface])
    return raw


def read_adapter(door, name, alone):
    """Read the files of an adapter, its ports and its interfaces: Inputs by their path below the adapter.

    With `alone`, the only adapter of the node, IPoIB interfaces count as its own where it names none.
    """
    folder = CLASS + "/" + name
    inputs = sysfs.attributes(door, folder, ADAPTER_FILES)
    inputs["driver"] = Input((door.link(folder + "/device/driver") or "").rpartition("/")[2], None, "", "sysfs")
    for port in door.names(folder + "/ports"):
        if PORT.fullmatch(port):
            files = ["ports/%s/%s" % (port, file) for file in PORT_FILES]
            files += ["ports/%s/counters/%s" % (port, counter) for counter in COUNTERS]
            inputs.update(sysfs.attributes(door, folder, files))
    interfaces = [entry for entry in door.names(folder + "/device/net") if INTERFACE.fullmatch(entry)]
    if not interfaces and alone:
        interfaces = [entry for entry in door.names("/sys/class/net") if IPOIB.fullmatch(entry)]
    interfaces = interfaces[:MAX_INTERFACES]
    inputs["interfaces"] = Input("\n".join(interfaces), None, "", "sysfs")
    for interface in interfaces:
        for file, file_input in sysfs.attributes(door, "/sys/class/net/" + interface, ("mtu",)).items():
            inputs["net/%s/%s" % (interface, file)] = file_input
        if kind(inputs) == "roce":
            for file, file_input in sysfs.attributes(door, "/sys/class/net/" + interface, ROCE_FILES).items():
                inputs["net/%s/%s" % (interface, file)] = file_input
    return inputs


def ports(inputs):
    return sorted({int(name.split("/")[1]) for name in inputs if name.startswith("ports/")})


def is_complete(inputs):
    return all(state(inputs, port) for port in ports(inputs)) and sysfs.text(inputs, "hca_type") is not None


def state(inputs, port):
    """active, down, init, ...; None where it cannot be read."""
    match = STATE.fullmatch(sysfs.text(inputs, "ports/%d/state" % port) or "")
    return match.group(1).lower() if match else None


def rate_bit_s(line):
    match = RATE.fullmatch(line or "")
    return int(float(match.group(1)) * 10**9) if match else None


def adapters(raw):
    """(name, inputs) of every adapter."""
    return [(key.partition("/")[2], inputs) for key, inputs in raw.items() if key.startswith("infiniband/")]


def nics(raw):
    listed = command_answers.read(raw.get("ibstat"), ibstat.adapters, {})
    linked = command_answers.read(raw.get("rdma link"), ip.rdma_states, {})
    return [nic_of(name, inputs, listed.get(name), linked) for name, inputs in adapters(raw)]


def nic_of(name, inputs, listed, linked):
    """A port that is not active reports a rate too, of a link that is not there: only active ports count."""
    states, rates = [], []
    for port in ports(inputs):
        listed_port = listed.ports.get(port) if listed else None
        now = (
            state(inputs, port)
            or (listed_port and listed_port.state and listed_port.state.lower())
            or linked.get((name, port))
        )
        states.append(now)
        if now == "active":
            line = sysfs.text(inputs, "ports/%d/rate" % port) or (listed_port and listed_port.rate)
            rates.append(rate_bit_s(line))
    mtus = [sysfs.count(inputs, name) for name in sorted(inputs) if name.endswith("/mtu")]
    return Nic(
        kind=kind(inputs),
        model=sysfs.text(inputs, "hca_type") or (listed and listed.type) or sysfs.text(inputs, "driver"),
        board=sysfs.text(inputs, "board_id"),
        firmware=sysfs.text(inputs, "fw_ver") or (listed and listed.firmware),
        rates_bit_s=tuple(rate for rate in rates if rate),
        state="active" if "active" in states else next((port_state for port_state in states if port_state), None),
        ports_active=states.count("active") if any(states) else None,
        mtu=next((mtu for mtu in mtus if mtu), None),
        pcie=sysfs.pcie(inputs, "device/"),
        numa_node=sysfs.count(inputs, "device/numa_node"),
        inputs=inputs,
    )


def kind(inputs):
    driver = sysfs.text(inputs, "driver") or ""
    if driver == "hfi1":
        return "omnipath"
    if driver == "efa":
        return "efa"
    layers = [sysfs.text(inputs, "ports/%d/link_layer" % port) for port in ports(inputs)]
    layers += [PORT_LAYERS.get(sysfs.text(inputs, file)) for file in PORT_TYPES if not any(layers)]
    if "Ethernet" in layers and "InfiniBand" not in layers:
        return "other" if (sysfs.text(inputs, "node_type") or "").endswith("RNIC") else "roce"
    return "infiniband"


def link_errors(raw):
    """Counters of every port; they only grow, so two captures tell what happened between them."""
    inputs = [inputs for _name, inputs in adapters(raw)]
    facts = [
        Fact("nic.link_errors", value, "sysfs", counter)
        for adapter_inputs in inputs
        for port in ports(adapter_inputs)
        for counter in COUNTERS
        for value in [sysfs.count(adapter_inputs, "ports/%d/counters/%s" % (port, counter))]
        if value is not None
    ]
    if facts:
        return facts
    read = [
        counter_input
        for adapter_inputs in inputs
        for name, counter_input in adapter_inputs.items()
        if "/counters/" in name
    ]
    if not read:
        return [Missing("nic.link_errors", "not_applicable", "no InfiniBand port")]
    return [sysfs.missing("nic.link_errors", read)]


def roce(raw):
    """Flow control and congestion control of RoCE interfaces, as far as they are told without the vendor's tools."""
    on_ethernet = [inputs for _name, inputs in adapters(raw) if kind(inputs) == "roce"]
    if not on_ethernet:
        return [Missing("nic.roce", "not_applicable", "no RoCE port")]
    facts = [fact for inputs in on_ethernet for fact in congestion_control(inputs)]
    for key, answer in raw.items():
        if key.startswith("ethtool -a/"):
            facts += flow_control(answer)
    return facts or [Missing("nic.roce", "disabled", "PFC and ECN are told by mlnx_qos, which is not run")]


def congestion_control(inputs):
    for interface in inputs["interfaces"].text.split():
        trust = sysfs.text(inputs, "net/%s/qos/trust" % interface)
        if trust in ("pcp", "dscp", "both"):
            yield Fact("nic.roce", trust, "sysfs", "trust")
        for side in ("roce_np", "roce_rp"):
            names = ["net/%s/ecn/%s/enable/%d" % (interface, side, priority) for priority in range(8)]
            enabled = [sysfs.count(inputs, name) for name in names]
            if any(value is not None for value in enabled):
                priorities = ",".join(str(number) for number, value in enumerate(enabled) if value)
                yield Fact("nic.roce", priorities or "none", "sysfs", "ecn_priorities_" + side[-2:])


def flow_control(answer):
    paused = command_answers.read(answer, ethtool.pause, {})
    return [Fact("nic.roce", "on" if on else "off", "command", "pause_" + way) for way, on in sorted(paused.items())]
