"""What nodes say, side by side: every fact under a readable pointer, and where two of them differ.

A pointer (RFC 6901) names what it is about, never a position: `/network/mlx5_0/rate_bit_s`,
`/parameters/lustre.client.osc.max_rpcs_in_flight`, `/parameters/vm.sysctl/vm.dirty_ratio`. Identity (members, names of
file systems) and volatile parameters have no pointer: they differ between any two nodes, and say nothing about them.
"""

import hashlib
import re
from collections import namedtuple

from collectors.document.canonical_json import canonical

COUNTED = ("network", "block", "mounts")
SECTIONS = ("hardware", "os") + COUNTED
DOCUMENT_SECTIONS = ("job", "layouts", "storage_systems", "fabric")

# What an element of a list is called by: the first of these that it has.
NAMED_BY = ("device", "node", "model", "phase", "pattern", "type", "kind")
# Who, not what: pseudonyms differ between sites, and between two bundles of one.
IDENTITY = ("filesystem", "name", "server_classes")

# Identical nodes differ a little here: firmware and kernel keep back what they need, and caches are sized by the rest.
NEARLY_EQUAL = re.compile("^/hardware/.*/total_bytes$|^/parameters/(mem.total|lustre.client.llite.max_cached_mb)$")
NEARLY_EQUAL_SHARE = 0.005

# The parameters that a section tells too. One cause is one difference, so the section speaks where it does.
POINTER_BY_PARAMETER = {
    "bios.nps": "/hardware/cpu/numa_nodes_per_socket",
    "bios.version": "/hardware/bios/version",
    "block.read_ahead_kb": "/block/",
    "block.scheduler": "/block/",
    "block.max_sectors_kb": "/block/",
    "block.nr_requests": "/block/",
    "block.write_cache": "/block/",
    "cpu.boost": "/hardware/cpu/boost",
    "cpu.governor": "/hardware/cpu/governor",
    "cpu.cores_per_l3": "/hardware/cpu/l3_domains",
    "cpu.l3_domains": "/hardware/cpu/l3_domains",
    "cpu.max_freq": "/hardware/cpu/max_hz",
    "cpu.mitigations": "/os/mitigations",
    "cpu.model": "/hardware/cpu/model",
    "cpu.smt": "/hardware/cpu/smt_active",
    "cpu.sockets_cores": "/hardware/cpu/cores",
    "drive.capacity": "/block/",
    "drive.count": "/block/",
    "drive.firmware": "/block/",
    "drive.model": "/block/",
    "drive.pcie_link": "/block/",
    "gpu.model": "/hardware/accelerators",
    "kernel.cmdline": "/os/cmdline",
    "kernel.version": "/os/kernel",
    "lustre.client.mount_options": "/mounts/lustre",
    "lustre.packages": "/os/packages",
    "mem.total": "/hardware/memory/total_bytes",
    "nfs.mount": "/mounts/nfs",
    "nic.model": "/network/",
    "nic.mtu": "/network/",
    "nic.numa_node": "/network/",
    "nic.pcie_link": "/network/",
    "nic.rate": "/network/",
    "ofed.version": "/os/rdma_stack",
    "os.distribution": "/os/id",
}

# What the schema takes: a value as text, and a name so that the longest pointer fits.
LONGEST_TEXT = 1024
LONGEST_NAME = 120

Class = namedtuple("Class", "class_id role count facts")
Class.__doc__ = "A node class of a document: its facts by pointer, its roles in order, how many nodes it has."

Difference = namedtuple("Difference", "pointer before after")
Difference.__doc__ = "A pointer and its two values: text, number or boolean; None where there is none."


def node_facts(node_class, volatile=frozenset()):
    """{pointer: value} of one node class; `volatile` are the ids of parameters that are left out."""
    values_by_pointer = {}
    for name in SECTIONS:
        values_by_pointer.update(section_facts(name, node_class.get(name)))
    left_out = volatile | repeated_parameters(values_by_pointer)
    add_parameters(
        [entry for entry in node_class.get("parameters", ()) if entry["id"] not in left_out], values_by_pointer
    )
    return values_by_pointer


def section_facts(name, value):
    """{pointer: value} of one section of a node class; nothing where it is none of SECTIONS."""
    values_by_pointer = {}
    if name in COUNTED:
        value = [dict({"count": 1}, **item) for item in value or ()]
    if name in SECTIONS:
        walk(value, "/" + name, values_by_pointer)
    return values_by_pointer


def repeated_parameters(pointers):
    """The ids of the parameters that say once more what one of the pointers of sections says."""
    return {
        name for name, start in POINTER_BY_PARAMETER.items() if any(pointer.startswith(start) for pointer in pointers)
    }


def document_facts(document):
    """{pointer: value} of what a document says of the job and the storage, beside its nodes."""
    values_by_pointer = {}
    for name in DOCUMENT_SECTIONS:
        walk(document.get(name), "/" + name, values_by_pointer)
    return values_by_pointer


def walk(value, pointer, values_by_pointer):
    """Add the leaves below a value; None says nothing and is left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in IDENTITY:
                walk(inner, pointer + "/" + token(key), values_by_pointer)
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        walk_elements([inner for inner in value if isinstance(inner, dict)], pointer, values_by_pointer)
    elif isinstance(value, list):
        for name, inner in options(value).items():
            values_by_pointer[pointer + "/" + token(name)] = inner
    elif value is not None:
        values_by_pointer[pointer] = value


def walk_elements(elements, pointer, values_by_pointer):
    """Each element below its name. Those that are counted share theirs, others of one name are `name`, `name#2`."""
    by_name = {}
    for element in elements:
        keys, name = name_element(element)
        rest = {key: value for key, value in element.items() if key not in keys}
        by_name.setdefault(name, []).append(rest)
    for name, alike in by_name.items():
        if all(isinstance(element.get("count"), int) for element in alike):
            walk_counted(alike, pointer + "/" + token(name), values_by_pointer)
        else:
            for number, element in enumerate(alike, 1):
                walk(
                    element, pointer + "/" + token(name if number == 1 else "%s#%d" % (name, number)), values_by_pointer
                )


def walk_counted(alike, pointer, values_by_pointer):
    """The leaves of what has one name, each with how many have which value: one port of four that is slow is one."""
    leaves = []
    for element in alike:
        leaves.append({})
        walk({key: value for key, value in element.items() if key != "count"}, "", leaves[-1])
    values_by_pointer[pointer + "/count"] = sum(element["count"] for element in alike)
    for leaf in sorted({leaf for pointers in leaves for leaf in pointers}):
        counted = {}
        for element, element_leaves in zip(alike, leaves):
            value = element_leaves.get(leaf)
            entry = counted.setdefault((isinstance(value, bool), value), {"value": value, "instances": 0})
            entry["instances"] += element["count"]
        values_by_pointer[pointer + leaf] = format_counted_values(list(counted.values()))


def name_element(element):
    """The keys that name an element of a list, and the name."""
    for key in NAMED_BY:
        if isinstance(element.get(key), str):
            keys = [key, "firmware"] if key == "model" and isinstance(element.get("firmware"), str) else [key]
            return keys, " ".join(element[key] for key in keys)[:LONGEST_NAME]
    if isinstance(element.get("bytes"), int):
        return ["bytes"], "%d bytes" % element["bytes"]
    return [], "part"


def options(words):
    """`rw` and `vers=4.2` as {"rw": true, "vers": "4.2"}; what comes again is joined to the first."""
    values_by_option = {}
    for word in words:
        name, equals, value = str(word).partition("=")
        value = value if equals else True
        values_by_option[name] = value if name not in values_by_option else "%s,%s" % (values_by_option[name], value)
    return values_by_option


def add_parameters(parameters, values_by_pointer):
    """One pointer for what a parameter's instances say; how many there are is told once for a group.

    A group is what an id has before its last dot: when a target goes, `lustre.client.osc` has one instance less, and
    that is one difference and not one for each of its tunables.
    """
    groups = {}
    for fact in parameters:
        pointer = parameter_pointer(fact)
        values_by_pointer[pointer] = format_counted_values(fact["values"])
        total = sum(value["instances"] for value in fact["values"])
        groups.setdefault(fact["id"].rpartition(".")[0], []).append((pointer, total))
    for group, totals in groups.items():
        most = max(total for _pointer, total in totals)
        values_by_pointer["/parameters/%s/instances" % token(group)] = most
        values_by_pointer.update((pointer + "/instances", total) for pointer, total in totals if 1 < total < most)


def parameter_pointer(fact):
    return "/parameters/" + token(fact["id"]) + ("/" + token(fact["key"]) if "key" in fact else "")


def format_counted_values(values):
    """The value where all instances agree, else each with its number, the most frequent first: `1 x6, 0 x1`."""
    if len(values) == 1:
        return values[0]["value"]
    ordered = sorted(values, key=lambda value: (-value["instances"], canonical(value["value"])))
    return ", ".join("%s x%d" % (format_value(value["value"]), value["instances"]) for value in ordered)


def format_value(value):
    """A value as text: booleans as JSON writes them, nothing as a dash, no more than a line holds."""
    if value is None:
        return "-"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."


def limit_length(value):
    """A value as a document may hold it: texts cut to what the schema takes."""
    return value[:LONGEST_TEXT] if isinstance(value, str) else value


def parameter_of(pointer):
    """The id of the parameter that a pointer is about, or None."""
    words = pointer.split("/")
    return words[2] if words[1] == "parameters" else None


def token(name):
    return name.replace("~", "~0").replace("/", "~1")


def section(pointer):
    """The first word of a pointer: hardware, os, network, ..."""
    return pointer.split("/", 2)[1]


def differences(before, after):
    """The Differences of two sets of facts, by pointer. What one side does not have at all is one: its count."""
    all_differences = [
        Difference(pointer, before.get(pointer), after.get(pointer))
        for pointer in sorted(set(before) | set(after))
        if not is_same_value(pointer, before.get(pointer), after.get(pointer))
    ]
    absent_prefixes = tuple(
        difference.pointer[: -len("count")] for difference in all_differences if is_whole(difference)
    )
    return (
        [
            difference
            for difference in all_differences
            if is_whole(difference) or not difference.pointer.startswith(absent_prefixes)
        ]
        if absent_prefixes
        else all_differences
    )


def is_whole(difference):
    """Whether it is an adapter, a kind of drive or a mount that only one side has."""
    counted = section(difference.pointer) in COUNTED and difference.pointer.endswith("/count")
    return counted and None in (difference.before, difference.after)


def is_same_value(pointer, before, after):
    if isinstance(before, bool) != isinstance(after, bool):
        return False
    if isinstance(before, (int, float)) and isinstance(after, (int, float)) and NEARLY_EQUAL.match(pointer):
        return abs(before - after) <= NEARLY_EQUAL_SHARE * max(abs(before), abs(after))
    return before == after


def distance(before, after):
    """On how many pointers two sets of facts differ, nearly equal ones included; quick, for choosing the nearest."""
    return len({pointer for pointer, _value in before.items() ^ after.items()})


def classes(document, volatile):
    """The Classes of a document, in its order."""
    return [
        Class(
            node_class["class_id"],
            tuple(sorted(node_class["role"])),
            node_class["count"],
            node_facts(node_class, volatile),
        )
        for node_class in document["node_classes"]
    ]


def pair_classes(first, second):
    """[(Class, Class)] of two lists of Classes: the nearest of one role together, None beside those left over."""
    near = [
        (distance(node_class.facts, other.facts), number, position)
        for number, node_class in enumerate(first)
        for position, other in enumerate(second)
        if node_class.role == other.role
    ]
    partner, taken = {}, set()
    for _distance, number, position in sorted(near):
        if number not in partner and position not in taken:
            partner[number] = position
            taken.add(position)
    pairs = [
        (node_class, second[partner[number]] if number in partner else None) for number, node_class in enumerate(first)
    ]
    return pairs + [(None, other) for position, other in enumerate(second) if position not in taken]


def volatile_of(registry):
    """The ids of the parameters that differ from moment to moment."""
    return frozenset(name for name, entry in registry.items() if entry["volatile"])


def class_id(facts):
    """16 hexadecimal digits: the same for nodes that say the same."""
    return hashlib.sha256(canonical(facts).encode("ascii")).hexdigest()[:16]


def class_id_of(node_class, registry):
    """The class_id of a node class as it stands; `registry`: rows of the parameter registry by id."""
    return class_id(node_facts(node_class, volatile_of(registry)))
