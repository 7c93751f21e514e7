"""Processors: model, topology, NUMA nodes, and the BIOS settings that show in them."""

import re
from collections import Counter, namedtuple

from collectors.outputs import cpulist, dmidecode, keyvalues, lscpu, numactl
from collectors.probe_results import Fact, Item, Missing, Section
from collectors.probes import Probe
from collectors.probes.input_parsing import Reading, first_read, gap, read_as, switch

CPU = "/sys/devices/system/cpu/"
NODE = "/sys/devices/system/node/"
CPUINFO = "/proc/cpuinfo"
# 2,048 processors with long lists of flags.
CPUINFO_LIMIT_BYTES = 4 * 1024 * 1024
MAX_NODES = 1024
# AMD's BIOS offers 1, 2 and 4; more nodes in a socket come from making each L3 cache one.
MOST_NODES_PER_SOCKET = 4

AGESA = re.compile(r"AGESA\S{0,4}\s+([A-Za-z0-9]{2,20}(?:-[A-Za-z0-9]{2,10})? [0-9][0-9A-Za-z.]{2,20})")

# Of ARM's processors cpuinfo has numbers only, lscpu knows their names; POWER's are called cpu.
MODEL_NAME = re.compile(r"^(?:model name|cpu)\s*:", re.MULTILINE)
# What lscpu calls the fields of cpuinfo.
IN_LSCPU = {"vendor_id": "Vendor ID", "model name": "Model name", "flags": "Flags", "microcode": "Microcode version"}

AMD, INTEL = "AuthenticAMD", "GenuineIntel"

Topology = namedtuple("Topology", "sockets cores threads l3_domains source")
Topology.__doc__ = "How many there are on the whole node; None where not known. `source` is a word of the document."


class Processors(Probe):
    id = "cpu"
    provides = (
        "cpu.model",
        "cpu.sockets_cores",
        "cpu.smt",
        "cpu.cores_per_l3",
        "bios.nps",
        "bios.ccx_as_numa",
        "bios.snc",
        "bios.agesa",
    )
    reads = (
        CPUINFO,
        CPU + "online",
        CPU + "smt/active",
        CPU + "cpu*/topology/{core_siblings_list,thread_siblings_list}",
        CPU + "cpu*/cache/index3/shared_cpu_list",
        NODE + "node*/{cpulist,distance,meminfo}",
        "lscpu -J (where sysfs has no topology, or cpuinfo no name)",
        "numactl -H (where sysfs has no NUMA nodes)",
        "dmidecode -t 11 (AMD: AGESA)",
    )

    def read(self, door):
        raw = {
            "cpuinfo": door.file(CPUINFO, CPUINFO_LIMIT_BYTES),
            "smt": door.file(CPU + "smt/active"),
            "packages": list_files_of_groups(door, "topology/core_siblings_list"),
            "cores": list_files_of_groups(door, "topology/thread_siblings_list"),
            "l3": list_files_of_groups(door, "cache/index3/shared_cpu_list"),
            "nodes": door.files(NODE + "node*/cpulist", at_most=MAX_NODES),
            "distances": door.files(NODE + "node*/distance", at_most=MAX_NODES),
            "node_memory": door.files(NODE + "node*/meminfo", at_most=MAX_NODES),
        }
        if not raw["cores"] or not names_processor(raw["cpuinfo"]):
            raw["lscpu"] = door.command(["lscpu", "-J"])
        if not raw["nodes"]:
            raw["numactl"] = door.command(["numactl", "-H"])
        if AMD in (raw["cpuinfo"].text or ""):
            raw["oem_strings"] = door.command(["dmidecode", "-t", "11"])
        return raw

    def parse(self, raw):
        cpuinfo = read_as(keyvalues.cpuinfo, raw["cpuinfo"])
        lscpu_reading = read_as(lscpu.fields, raw["lscpu"]) if "lscpu" in raw else None
        fields = (lscpu_reading.value or {}) if lscpu_reading else {}
        first = first_processor(cpuinfo.value, fields)
        counts = topology(raw, cpuinfo.value, fields)
        nodes, nodes_gap = numa_nodes(raw, fields)
        with_cpus = sum(1 for node in nodes if node["cpus"])
        per_socket = nodes_per_socket(with_cpus, counts.sockets, None if is_virtual(first) else first.get("vendor_id"))
        smt = smt_active(raw["smt"], counts)
        unread = [reading for reading in (cpuinfo, lscpu_reading) if reading]
        model, source = model_name(first), "procfs" if names_processor(raw["cpuinfo"]) else "command"
        yield Fact("cpu.model", model, source) if model else gap("cpu.model", *unread)
        yield from count_facts(counts, raw["l3"], unread)
        yield Fact("cpu.smt", smt.value, smt.source) if smt.reason is None else gap("cpu.smt", *unread)
        yield from numa_facts(with_cpus, counts, per_socket, first, [nodes_gap] + unread)
        yield from microcode_facts(first, raw.get("oem_strings"), source, unread)
        yield Section("hardware/cpu", cpu_section(first, fields, counts, with_cpus, per_socket, smt.value))
        for node in nodes:
            yield Item("hardware/numa", node)


def list_files_of_groups(door, name):
    """{path: Input} of a list file of one processor per group: those that a list names are not asked again."""
    covered_cpus, inputs_by_path = set(), {}
    for folder in door.names(CPU):
        match = re.fullmatch(r"cpu([0-9]{1,5})", folder)
        if match and int(match.group(1)) not in covered_cpus:
            path = CPU + folder + "/" + name
            file_input = door.file(path)
            siblings = read_as(cpulist.cpus, file_input).value
            if siblings:
                covered_cpus.update(siblings)
                inputs_by_path[path] = file_input
    return inputs_by_path


def names_processor(cpuinfo):
    return bool(MODEL_NAME.search(cpuinfo.text or ""))


def first_processor(processors, fields):
    """The first processor in the words of cpuinfo; what that does not tell, `lscpu` may."""
    processor = {word: fields[name] for word, name in IN_LSCPU.items() if name in fields}
    processor.update((processors or [{}])[0])
    return processor


def groups(inputs_by_path):
    """The different lists of processors in {path: Input}."""
    return {read_as(cpulist.cpus, file_input).value for file_input in inputs_by_path.values()} - {None, ()}


def topology(raw, processors, fields):
    """The Topology from sysfs, else /proc/cpuinfo, else `lscpu`."""
    packages, cores = groups(raw["packages"]), groups(raw["cores"])
    if packages and cores:
        threads = len(set().union(*cores))
        return Topology(len(packages), len(cores), threads, len(groups(raw["l3"])) or None, "sysfs")
    sockets = {processor.get("physical id") for processor in processors or ()}
    if sockets and None not in sockets:
        cores = {(processor["physical id"], processor.get("core id")) for processor in processors}
        return Topology(len(sockets), len(cores), len(processors), None, "procfs")
    return lscpu_topology(fields)


def lscpu_topology(fields):
    sockets = lscpu.number(fields, "Socket(s)", "Cluster(s)")
    per_socket = lscpu.number(fields, "Core(s) per socket", "Core(s) per cluster")
    threads = lscpu.number(fields, "CPU(s)")
    cores = sockets * per_socket if sockets and per_socket else None
    return Topology(sockets, cores, threads, lscpu.instances(fields, "L3", "L3 cache"), "command")


def smt_active(smt_input, counts):
    """Whether two threads share a core, as a Reading."""
    derived = Reading(None, "not_applicable", "", "derived")
    if counts.cores and counts.threads:
        derived = Reading(counts.threads > counts.cores, None, "", "derived")
    return first_read(read_as(switch, smt_input), derived)


def model_name(first):
    """The processor's name in one line, or None."""
    name = " ".join((first.get("model name") or first.get("cpu") or "").split())
    return name if name not in ("", "-") else None


def count_facts(counts, l3, unread):
    """Yield sockets, cores per socket, threads per core and cores per L3, or the gap where they are not known."""
    if counts.sockets and counts.cores and counts.threads:
        yield Fact("cpu.sockets_cores", counts.sockets, counts.source, "sockets")
        yield Fact("cpu.sockets_cores", counts.cores // counts.sockets, counts.source, "cores_per_socket")
        yield Fact("cpu.sockets_cores", counts.threads // counts.cores, counts.source, "threads_per_core")
    else:
        yield gap("cpu.sockets_cores", *unread)
    if not counts.l3_domains:
        yield gap("cpu.cores_per_l3", *(unread if counts.source == "command" else []))
    elif counts.source == "sysfs":
        threads_per_core = max(1, counts.threads // counts.cores)
        for size, domains in sorted(Counter(len(cpus) for cpus in groups(l3)).items()):
            yield Fact("cpu.cores_per_l3", size // threads_per_core, "derived", None, domains)
    else:
        yield Fact("cpu.cores_per_l3", (counts.cores or 0) // counts.l3_domains, "derived", None, counts.l3_domains)


def numa_nodes(raw, fields):
    """The NUMA nodes as objects of the document, and a Reading that says why there is none."""
    bad = Reading(None, "not_applicable", "no NUMA nodes", "sysfs")
    if not raw["nodes"] and "numactl" in raw:
        return nodes_from_commands(raw["numactl"], fields, bad)
    nodes = []
    for path, cpulist_input in sorted(raw["nodes"].items(), key=lambda entry: node_number(entry[0])):
        cpus = read_as(cpulist.cpus, cpulist_input)
        folder = path.rpartition("/")[0]
        if cpus.reason is None:
            memory = raw["node_memory"].get(folder + "/meminfo")
            total = read_as(keyvalues.meminfo, memory).value if memory else None
            nodes.append(
                {
                    "node": "node%d" % node_number(path),
                    "cpus": cpulist.text(cpus.value),
                    "distance": distances(raw["distances"].get(folder + "/distance")),
                    "total_bytes": total["MemTotal"] if total else None,
                }
            )
        else:
            bad = cpus
    return nodes, bad


def nodes_from_commands(numactl_input, fields, none):
    """The same from `numactl -H`, else from `lscpu`, which knows neither memory nor distances."""
    listed = first_read(none, read_as(numactl.nodes, numactl_input))
    if listed.value is None:
        try:
            nodes = sorted(lscpu.numa_nodes(fields).items())
        except ValueError as error:
            return [], listed._replace(reason="parse_error", detail=str(error))
        return [node_entry(numactl.Node(number, cpus, None, None)) for number, cpus in nodes], listed
    return [node_entry(node) for node in listed.value], listed


def node_entry(node):
    return {
        "node": "node%d" % node.number,
        "cpus": cpulist.text(node.cpus),
        "distance": " ".join("%d" % distance for distance in node.distances) if node.distances else None,
        "total_bytes": node.total_bytes,
    }


def node_number(path):
    match = re.search(r"/node([0-9]{1,5})/", path)
    return int(match.group(1)) if match else 0


def distances(distance_input):
    text = (distance_input.text or "").strip() if distance_input else ""
    return " ".join(text.split()) if re.fullmatch(r"[0-9 ]{1,1024}", text) else None


def nodes_per_socket(nodes, sockets, vendor):
    """How many NUMA nodes with processors each socket has; None where that is not known or differs.

    0 is AMD's setting of one node over two sockets. Elsewhere one node over several does not tell how each is divided.
    """
    if not nodes or not sockets:
        return None
    if nodes < sockets:
        return 0 if vendor == AMD else None
    return nodes // sockets if nodes % sockets == 0 else None


def is_virtual(first):
    """Whether a hypervisor made this processor up: its topology says nothing of a BIOS."""
    return "hypervisor" in first.get("flags", "").split()


def is_of(vendor, first):
    """Whether the processor is AMD's or Intel's; None where nothing says whose it is."""
    if "vendor_id" in first:
        return first["vendor_id"] == vendor
    # ARM's and POWER's have no vendor in cpuinfo, but other fields.
    return False if "CPU implementer" in first or "cpu" in first else None


def numa_facts(nodes, counts, per_socket, first, unread):
    """NPS, L3 as NUMA, SNC: settings that show in the number of nodes, as far as they do."""
    one_per_l3 = bool(nodes and counts.l3_domains and nodes == counts.l3_domains and nodes > counts.sockets)
    if is_virtual(first):
        yield Missing("bios.nps", "not_applicable", "the nodes of a virtual machine say nothing of a socket")
    elif per_socket is None and nodes and counts.sockets and nodes < counts.sockets:
        yield Missing("bios.nps", "parse_error", "fewer NUMA nodes than sockets: how a socket is divided does not show")
    elif per_socket is None:
        yield gap("bios.nps", *unread)
    elif one_per_l3 and per_socket > MOST_NODES_PER_SOCKET:
        yield Missing("bios.nps", "permission_denied", "one NUMA node per L3 cache hides it; import the BIOS settings")
    else:
        yield Fact("bios.nps", per_socket, "derived")
    yield ccx_as_numa(nodes, counts, per_socket, first, one_per_l3, unread)
    yield snc(per_socket, first, unread)


def ccx_as_numa(nodes, counts, per_socket, first, one_per_l3, unread):
    """AMD only. As many nodes as L3 caches may also be plain NPS2 or NPS4; then only the BIOS knows."""
    if is_of(AMD, first) is False or is_virtual(first):
        return Missing("bios.ccx_as_numa", "not_applicable", "a setting of AMD processors outside virtual machines")
    if per_socket is None or not counts.l3_domains or not is_of(AMD, first):
        return gap("bios.ccx_as_numa", *unread)
    if one_per_l3 and per_socket <= MOST_NODES_PER_SOCKET:
        detail = "as many NUMA nodes as L3 caches may also be NPS%d; import the BIOS settings" % per_socket
        return Missing("bios.ccx_as_numa", "permission_denied", detail)
    return Fact("bios.ccx_as_numa", one_per_l3, "derived")


def snc(per_socket, first, unread):
    """Intel only: nodes per socket are sub-NUMA clusters."""
    if is_of(INTEL, first) is False or is_virtual(first):
        return Missing("bios.snc", "not_applicable", "a setting of Intel processors outside virtual machines")
    if per_socket is None or not is_of(INTEL, first):
        return gap("bios.snc", *unread)
    return Fact("bios.snc", "SNC%d" % per_socket if per_socket > 1 else "Disabled", "derived")


def microcode_facts(first, oem_strings, source, unread):
    microcode = microcode_of(first)
    yield Fact("bios.agesa", microcode, source, "microcode") if microcode else gap("bios.agesa", *unread)
    if oem_strings is not None:
        agesa = read_as(agesa_version, oem_strings)
        yield (
            Fact("bios.agesa", agesa.value, "command", "agesa")
            if agesa.value
            else gap("bios.agesa", agesa, key="agesa")
        )


def microcode_of(first):
    match = re.fullmatch(r"0x[0-9a-fA-F]{1,16}", first.get("microcode", ""))
    return match.group() if match else None


def agesa_version(text):
    """The AGESA version among the firmware's free strings, which hold much else; None where it is not there."""
    for table in dmidecode.structures(text):
        for line in [*table.strings, *table.fields.values()]:
            match = AGESA.search(line)
            if match:
                return match.group(1)
    return None


def cpu_section(first, fields, counts, nodes, per_socket, smt):
    """The object `hardware/cpu`, frequencies aside."""
    values = {
        "model": model_name(first),
        "sockets": counts.sockets,
        "cores": counts.cores,
        "threads": counts.threads,
        "smt_active": smt,
        "l3_domains": counts.l3_domains,
        "numa_nodes": nodes or None,
        "numa_nodes_per_socket": per_socket,
        "microcode": microcode_of(first),
    }
    architecture = machine(first, fields)
    return dict(values, architecture=architecture) if architecture else values


def machine(first, fields):
    """The architecture's name as `uname -m` has it, or None."""
    if first.get("vendor_id") in (AMD, INTEL):
        return "x86_64" if "lm" in first.get("flags", "").split() else None
    if first.get("CPU architecture") == "8":
        return "aarch64"
    return fields.get("Architecture")


PROBES = (Processors(),)
