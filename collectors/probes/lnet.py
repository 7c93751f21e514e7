"""LNet, the network of Lustre: drivers, networks as types and counts, health, CPU partitions. No address leaves."""

import re
from collections import Counter

from collectors.probe_results import Fact, Missing
from collectors.probes import Probe
from collectors.probes.input_parsing import gap, read_as
from collectors.probes.lustre_parameters import fact_of_input, first_readable, number

MODULES = "/sys/module/"
DRIVERS = ("ko2iblnd", "ksocklnd", "kfilnd", "kgnilnd", "kefalnd")
LNET_PARAMETERS = MODULES + "lnet/parameters/"
TABLES = ("/proc/sys/lnet/cpu_partition_table", "/sys/kernel/debug/lnet/cpu_partition_table")
ROUTES = ("/proc/sys/lnet/routes", "/sys/kernel/debug/lnet/routes")
PARTITION_TABLE = "lnet.cpu_partition_table"
MAX_PARTITIONS = 256

# Threads that exist once or more per CPU partition: ptlrpcd_03_01, kiblnd_sd_03_00, socknal_sd03_01, ll_ost_io03_001.
PARTITION_THREADS = (
    re.compile(r"^ptlrpcd_(\d{2,3})_\d{2,3}$"),
    re.compile(r"^(?:kiblnd|socknal)_sd_?(\d{2,3})_\d{2,3}$"),
    re.compile(r"^(?:ll_ost|mdt)(?:_[a-z]+)?(\d{2,3})_\d{3,4}$"),
)
CONFIGURED_NET = re.compile(r"(?:^|,)\s*([a-z]+\d*[a-z]*\d*)\s*(?:\(([^()]*)\))?\s*(?=,|$)")
NET_TYPE = re.compile(r"^(o2ib|tcp|kfi|gni|efa|ptl4|lo)\d*$")


class LnetModule(Probe):
    """What the module parameters tell: configuration, health policy, CPU partitions asked for."""

    id = "lnet.module"
    provides = (
        "lnet.lnd",
        "lnet.health_sensitivity",
        "lnet.transaction_timeout",
        "libcfs.cpu_npartitions",
        "libcfs.cpu_pattern",
        "lnet.selftest",
    )
    reads = (
        MODULES + "{%s}" % ",".join(DRIVERS),
        LNET_PARAMETERS + "{lnet_health_sensitivity,lnet_transaction_timeout}",
        # These two belong to libcfs up to 2.14 and again after 2.17, to lnet in between.
        MODULES + "{lnet,libcfs}/parameters/{cpu_npartitions,cpu_pattern}",
    )

    def applies(self, door):
        return is_lnet(door)

    def read(self, door):
        raw = {
            name: door.file(LNET_PARAMETERS + "lnet_" + name) for name in ("health_sensitivity", "transaction_timeout")
        }
        for name in ("cpu_npartitions", "cpu_pattern"):
            module_inputs = [door.file(MODULES + module + "/parameters/" + name) for module in ("lnet", "libcfs")]
            raw[name] = next(
                (module_input for module_input in module_inputs if module_input.text is not None), module_inputs[0]
            )
        raw["drivers"] = [name for name in DRIVERS if door.exists(MODULES + name)]
        return raw

    def parse(self, raw):
        yield from (Fact("lnet.lnd", name, "module") for name in raw["drivers"])
        if not raw["drivers"]:
            yield Missing("lnet.lnd", "not_applicable", "no network driver is loaded")
        yield fact_of_input("lnet.health_sensitivity", raw["health_sensitivity"], number)
        yield fact_of_input("lnet.transaction_timeout", raw["transaction_timeout"], number)
        yield fact_of_input("libcfs.cpu_npartitions", raw["cpu_npartitions"], number)
        yield fact_of_input("libcfs.cpu_pattern", raw["cpu_pattern"], pattern)
        yield Missing("lnet.selftest", "disabled", "a benchmark of its own, which an administrator runs")


def is_lnet(door):
    return any(door.exists(MODULES + name) for name in ("lnet", "libcfs"))


def pattern(text):
    """The CPU pattern, which is made of numbers, brackets and the letters N and C; none where it is empty.

    Raises ValueError for anything else.
    """
    if not re.match(r"^[NnCc0-9\[\](),:/ \t\n-]*$", text):
        raise ValueError("no CPU pattern")
    return " ".join(text.split())[:500] or "none"


class DriverParameters(Probe):
    """The credits and threads of one network driver, from its module's parameters."""

    def __init__(self, driver, names):
        self.id = driver
        self.folder = MODULES + driver + "/parameters/"
        self.names = names
        self.provides = tuple(driver + "." + name for name in names)
        self.reads = tuple(self.folder + name for name in names)

    def applies(self, door):
        return door.exists(MODULES + self.id)

    def read(self, door):
        return {name: door.file(self.folder + name) for name in self.names}

    def parse(self, raw):
        return [fact_of_input(self.id + "." + name, raw[name], number) for name in self.names]


class SlingshotParameters(Probe):
    """All parameters of kfilnd, as one map."""

    id = "kfilnd"
    provides = ("kfilnd.params",)
    reads = (MODULES + "kfilnd/parameters/*",)

    def applies(self, door):
        return door.exists(MODULES + self.id)

    def read(self, door):
        return door.files(self.reads[0], limit=256, at_most=64)

    def parse(self, raw):
        for path in sorted(raw):
            name = path.rpartition("/")[2]
            if re.match(r"^[a-z0-9_]{1,60}$", name):
                yield fact_of_input(self.provides[0], raw[path], scalar, name)


def scalar(text):
    """A module parameter: a number, Y or N, or one word. Raises ValueError for anything else."""
    if re.match(r"^\s*-?\d", text):
        return number(text)
    if not re.match(r"^\s*[A-Za-z][A-Za-z0-9_-]{0,60}\s*$", text):
        raise ValueError("not one word")
    return {"Y": True, "N": False}.get(text.strip(), text.strip())


class LnetNetworks(Probe):
    """The networks as they are up now, by `lnetctl`; as configured, where that is told to root alone."""

    id = "lnet.networks"
    provides = ("lnet.networks", "lnet.multirail", "lnet.ni_status", "lnet.dev_cpt", "lnet.routers")
    privilege = "root"
    reads = (
        "lnetctl net show -v 4",
        LNET_PARAMETERS + "networks",
        *ROUTES,
        "lnetctl route show",
    )

    def applies(self, door):
        return is_lnet(door)

    def read(self, door):
        raw = {
            "show": door.command(["lnetctl", "net", "show", "-v", "4"]),
            "configured": door.file(LNET_PARAMETERS + "networks"),
            "routes": first_readable(door, ROUTES),
        }
        if raw["routes"].text is None:
            raw["route_show"] = door.command(["lnetctl", "route", "show"])
        return raw

    def parse(self, raw):
        yield from network_facts(raw["show"], raw["configured"])
        yield router_fact(raw["routes"], raw.get("route_show"))


def network_facts(show, configured):
    """Yield the networks, their interfaces' state and CPT; without an answer what is configured, and the gaps."""
    reading = read_as(net_show, recognise_refusal(show))
    if reading.reason:
        yield from networks_configured(configured, reading)
        yield from (gap(name, reading) for name in ("lnet.ni_status", "lnet.dev_cpt"))
        return
    interfaces = reading.value
    counts = Counter(interface["net"] for interface in interfaces)
    yield from count_facts(counts, Counter(kind_of(interface["net"]) for interface in interfaces), "command")
    for interface in interfaces:
        if "status" in interface:
            yield Fact("lnet.ni_status", interface["status"], "command", "status")
        if "health" in interface:
            yield Fact("lnet.ni_status", interface["health"], "command", "health")
        if "dev_cpt" in interface:
            yield Fact("lnet.dev_cpt", interface["dev_cpt"], "command")


def count_facts(by_net, by_kind, source):
    """Interfaces by type of network, and the most that one network has."""
    for kind in sorted(by_kind):
        yield Fact("lnet.networks", by_kind[kind], source, kind)
    yield Fact("lnet.multirail", max(by_net.values()), source)


def networks_configured(parameter_input, refusal):
    """Networks and rails from the module's parameter, `o2ib(ib0,ib1),tcp(eth0)`: what was asked for at the start."""
    nets = Counter()
    for net, interfaces in CONFIGURED_NET.findall((parameter_input.text or "").strip()):
        if NET_TYPE.match(net):
            # CPU partitions may follow an interface: ib0[0,1].
            nets[net] += len(re.sub(r"\[[^\]]*\]", "", interfaces).split(","))
    if not nets:
        yield from (gap(name, refusal) for name in ("lnet.networks", "lnet.multirail"))
        return
    kinds = Counter()
    for net, interfaces in nets.items():
        kinds[kind_of(net)] += interfaces
    yield from count_facts(nets, kinds, parameter_input.source)


def recognise_refusal(show):
    """The Input of lnetctl, which tells some refusals in its output."""
    text = (show.text or "").lower()
    if "net type" not in text and ("permission denied" in text or re.search(r"errno:\s*-(?:1|13)\b", text)):
        return show._replace(text=None, reason="permission_denied", detail="lnetctl is for root here")
    if "net type" not in text and "network is down" in text:
        return show._replace(text=None, reason="not_applicable", detail="no network is configured")
    return show


def kind_of(net):
    matched = NET_TYPE.match(net)
    return matched.group(1) if matched else "other"


def net_show(text):
    """The interfaces of `lnetctl net show` without the loopback: dicts of net, status, health, dev_cpt.

    Raises ValueError where there is none. Nothing of an address but the type of its network is kept.
    """
    interfaces, net = [], None
    for line in text.splitlines():
        field = re.match(r"^\s*(?:-\s+)?([a-z][a-z ]{0,30}):\s*(\S{0,64})", line)
        if not field:
            continue
        name, value = field.groups()
        if name == "net type":
            net = value
        elif name == "nid" and net:
            interfaces.append({"net": net})
        elif interfaces:
            note_field(interfaces[-1], name, value)
    interfaces = [interface for interface in interfaces if interface["net"] != "lo"]
    if not interfaces:
        raise ValueError("no network interface")
    return interfaces


def note_field(interface, name, value):
    """Keep a field of the interface if it is one of ours; only the first of each counts."""
    if name == "status" and value in ("up", "down"):
        interface.setdefault("status", value)
    elif name == "health value" and value.isdigit():
        interface.setdefault("health", number(value))
    elif name == "dev cpt" and re.match(r"^-?\d{1,4}$", value):
        interface.setdefault("dev_cpt", int(value))


def router_fact(routes, show):
    """How many different routers the routes name."""
    readings = [read_as(routers, routes)] + ([read_as(gateways, recognise_refusal(show))] if show else [])
    sound_readings = [reading for reading in readings if reading.reason is None]
    if sound_readings:
        return Fact("lnet.routers", len(sound_readings[0].value), sound_readings[0].source)
    return gap("lnet.routers", *readings)


def routers(text):
    """The routers of lnet's table of routes: the last word of each line below `net hops priority state router`.

    Raises ValueError for other texts.
    """
    lines = [line.split() for line in text.splitlines()]
    if not any(words[:1] == ["Routing"] or words[-1:] == ["router"] for words in lines):
        raise ValueError("no table of routes")
    return {words[-1] for words in lines if len(words) >= 4 and "@" in words[-1]}


def gateways(text):
    """The routers of `lnetctl route show`; an empty answer means that there is no route.

    Raises ValueError for other texts.
    """
    if text.strip() and not re.search(r"^\s*-?\s*(?:route|net|gateway)\b", text, re.MULTILINE):
        raise ValueError("no routes")
    return set(re.findall(r"^\s*-?\s*gateway:\s*(\S+)\s*$", text, re.MULTILINE))


class CpuPartitions(Probe):
    """The CPU partitions in effect: lnet's table, or for users their number from the names of kernel threads."""

    id = "lnet.cpu_partitions"
    provides = (PARTITION_TABLE,)
    privilege = "root"
    reads = (*TABLES, "lctl get_param -n cpu_partition_table", "/proc/*/comm")
    cost = "moderate"

    def applies(self, door):
        return is_lnet(door)

    def read(self, door):
        raw = {"table": first_readable(door, TABLES)}
        if raw["table"].text is None:
            raw["comm"] = door.files("/proc/*/comm", limit=64)
            if partitions_of_threads(raw["comm"]) == 0:
                raw["listed"] = door.command(["lctl", "get_param", "-n", "cpu_partition_table"])
        return raw

    def parse(self, raw):
        readings = [read_as(partition_table, raw[name]) for name in ("table", "listed") if name in raw]
        for reading in readings:
            if reading.reason is None:
                return partition_facts(reading.value, reading.source)
        count = partitions_of_threads(raw.get("comm", {}))
        return [Fact(PARTITION_TABLE, count, "derived", "partitions") if count else gap(PARTITION_TABLE, *readings)]


def partition_facts(table, source):
    """The number of partitions, and the CPUs of each."""
    yield Fact(PARTITION_TABLE, len(table), source, "partitions")
    for partition in sorted(table):
        yield Fact(PARTITION_TABLE, table[partition], source, "cpus_of_%d" % partition)


def partition_table(text):
    """lnet's table, `0 : 0 1 2 3`, as {partition: "0-3"}; some write ranges of CPUs.

    Raises ValueError if there is none.
    """
    table = {}
    for line in text.splitlines():
        matched = re.match(r"^\s*(?:cpu_partition_table=\s*)?(\d{1,4})\s*:\s*([\d\s,-]+)$", line)
        if matched and len(table) < MAX_PARTITIONS:
            table[int(matched.group(1))] = ranges(cpus(matched.group(2)))
        elif line.strip() not in ("", "cpu_partition_table="):
            raise ValueError("no table of CPU partitions")
    if not table:
        raise ValueError("an empty table of CPU partitions")
    return table


def cpus(text):
    """The CPU numbers of `0 1 2 48-53`, sorted. Raises ValueError for other texts."""
    numbers = set()
    for word in re.split(r"[\s,]+", text.strip()):
        if not re.match(r"^\d{1,5}(?:-\d{1,5})?$", word):
            raise ValueError("no list of CPUs")
        begin, _, end = word.partition("-")
        numbers.update(range(int(begin), int(end or begin) + 1))
    return sorted(numbers)


def ranges(numbers):
    """Sorted numbers in short: 0-5,48-53."""
    told_ranges, begin = [], None
    for index, value in enumerate(numbers):
        begin = value if begin is None else begin
        if index + 1 == len(numbers) or numbers[index + 1] != value + 1:
            told_ranges.append(str(begin) if begin == value else "%d-%d" % (begin, value))
            begin = None
    return ",".join(told_ranges)


def partitions_of_threads(comm):
    """One more than the highest partition that any kernel thread names; 0 where there is no such thread."""
    highest = -1
    for comm_input in comm.values():
        for shape in PARTITION_THREADS:
            matched = shape.match((comm_input.text or "").strip())
            if matched:
                highest = max(highest, int(matched.group(1)))
    return highest + 1


PROBES = (
    LnetModule(),
    DriverParameters(
        "ko2iblnd",
        ("peer_credits", "credits", "concurrent_sends", "map_on_demand", "ntx", "nscheds", "conns_per_peer"),
    ),
    DriverParameters("ksocklnd", ("conns_per_peer", "nscheds")),
    SlingshotParameters(),
    LnetNetworks(),
    CpuPartitions(),
)
