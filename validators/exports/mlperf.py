"""The system description of MLPerf Storage: networks, types of nodes, benchmark hosts, the storage system.

Units are those of the names, whatever the explanations beside the published form say: capacity_MiB are MiB (2^20),
frequencies GHz, bit rates Gb/s. A type of node is described once, however many there are.
Source: the schema of system descriptions in the results of MLPerf Storage v1.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from validators.exports import Conversion, Supplement
from validators.system import facts, sections
from validators.system.facts import Document

GIB, MIB, GIGA = 2**30, 2**20, 10**9
_NETWORK_TYPES = {"infiniband": "InfiniBand", "ethernet": "Ethernet", "roce": "Ethernet"}
_RDMA = ("infiniband", "roce", "slingshot", "omnipath", "efa")
_MEMORY_CLASSES = ("DDR3", "DDR4", "DDR5")
_INTERFACES = {"nvme": "NVMe", "sata": "SATA", "sas": "SAS", "usb": "USB", "pcie": "PCIe"}
_SOLUTIONS = {"nfs": "NAS - NFS", "local": "DAS - local file system"}
_SOLUTION = "Other - parallel file system, {}"
_SERVERS = ("oss", "mds", "mgs", "nsd", "storage")
_COMPONENTS = {
    "client": "Client of the storage system",
    "oss": "Serves data",
    "mds": "Serves metadata",
    "mgs": "Holds the configuration",
    "nsd": "Serves disks",
    "storage": "Serves storage",
}
"""The roles of software, and what each does."""
_DEMANDED_OF_STORAGE = (
    *("vendor_name", "solution_name", "model_name", "version", "software_defined", "hyperconverged", "solution_type"),
    *("client_mount_options", "usable_capacity_GiB", "raw_capacity_GiB", "software_components"),
)


def export(document: Document, supplement: Supplement) -> Conversion:
    """The description, and the demanded places that nothing tells, as `storage_system/vendor_name`."""
    subjects = sections.subjects(document)
    networks = list(_networks(document))
    nodes = [_node(subject) for subject in subjects]
    storage = _storage_system(document)
    described = {
        "networks": networks,
        "nodes": nodes,
        "benchmark_hosts": list(_hosts(subjects)),
        "storage_system": storage,
    }
    missing = [f"storage_system/{name}" for name in _DEMANDED_OF_STORAGE if name not in storage]
    for index, node in enumerate(nodes):
        missing += [f"nodes/{index}/{place}" for place in _missing_of_node(node)]
    return Conversion(described, missing)


def _missing_of_node(node: Mapping[str, Any]) -> Iterator[str]:
    if "vendor_and_model_name" not in node["CPU"]:
        yield "CPU/vendor_and_model_name"
    if "capacity_MiB" not in node["DRAM"]:
        yield "DRAM/capacity_MiB"


def _networks(document: Document) -> Iterator[dict[str, Any]]:
    """Each kind and rate of link once; those without a rate are not known well enough."""
    names = set()
    for node_class in document["node_classes"]:
        for nic in node_class.get("network", []):
            if nic.get("rate_bit_s") and _network_name(nic) not in names:
                names.add(_network_name(nic))
                yield {
                    "network_name": _network_name(nic),
                    "network_type": _NETWORK_TYPES.get(nic["kind"], "Other"),
                    "bitrate": nic["rate_bit_s"] / GIGA,
                    "protocols": _protocols(nic),
                }


def _network_name(nic: Mapping[str, Any]) -> str:
    return f"{nic['kind']} {nic['rate_bit_s'] / GIGA:g} Gb/s"


def _protocols(nic: Mapping[str, Any]) -> list[str]:
    return ["RDMA"] if nic["kind"] in _RDMA else []


def _node(subject: sections.Subject) -> dict[str, Any]:
    node_class = subject.nodes
    cpu, memory = node_class["hardware"]["cpu"], node_class["hardware"]["memory"]
    named = {
        "node_model_name": node_class["hardware"].get("product"),
        "node_vendor_name": node_class["hardware"].get("vendor"),
    }
    return {
        "node_type_name": subject.name,
        **{name: value for name, value in named.items() if value},
        "config_options": list(_unlike_default(subject)),
        "CPU": _without_none(
            vendor_and_model_name=cpu.get("model"),
            socket_count=cpu.get("sockets"),
            cores_per_socket=_per_part(cpu.get("cores"), cpu.get("sockets")),
            threads_per_socket=_per_part(cpu.get("threads"), cpu.get("sockets")),
            base_frequency=_giga(cpu.get("base_hz")),
            boost_frequency=_giga(cpu.get("max_hz")),
        ),
        "DRAM": _without_none(
            capacity_MiB=memory["total_bytes"] / MIB if memory.get("total_bytes") else None,
            **{"class": memory.get("type") if memory.get("type") in _MEMORY_CLASSES else None},
        ),
        "accelerators": [
            {"vendor_and_model": item["model"], "count_of_this_type": item["count"]}
            for item in node_class["hardware"].get("accelerators", [])
        ],
        "nic_ports": [
            {
                "network_name": _network_name(nic),
                "bitrate": nic["rate_bit_s"] / GIGA,
                "count_of_this_type": nic.get("count", 1),
                "protocols": _protocols(nic),
            }
            for nic in node_class.get("network", [])
            if nic.get("rate_bit_s")
        ],
        "drives": list(_drives(node_class)),
    }


def _unlike_default(subject: sections.Subject) -> Iterator[str]:
    """Parameters that somebody set: those that are not the default of their release."""
    for section in subject.sections:
        for row in section.rows:
            for value in row.seen:
                if value.differs:
                    yield f"{row.name} = {value.text}"


def _drives(node_class: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Drives of a GiB and more; what is smaller is no drive that stores data."""
    for group in node_class.get("block", []):
        if (group.get("bytes") or 0) >= GIB:
            kind = {True: "HDD", False: "SSD"}.get(group.get("rotational"), "Other")
            drive = {"drive_type": kind, "capacity_GiB": group["bytes"] / GIB, "count_of_this_type": group["count"]}
            interface = _INTERFACES.get(group.get("transport") or "")
            yield drive | ({"interface": interface} if interface else {})


def _hosts(subjects: list[sections.Subject]) -> Iterator[dict[str, Any]]:
    """One for each client, under a number instead of its name."""
    number = 0
    for subject in subjects:
        if facts.CLIENT in subject.nodes["role"]:
            for _ in range(min(int(subject.nodes["count"]), HOSTS_AT_MOST - number)):
                number += 1
                instances = [{"mapping_type": "native"}]
                yield {
                    "node_name": f"client {number}",
                    "node_type_name": subject.name,
                    "benchmark_instances": instances,
                }


HOSTS_AT_MOST = 20_000
"""Of a description that says it has more, the first ones stand for all."""


def _storage_system(document: Document) -> dict[str, Any]:
    systems = document.get("storage_systems", [])
    system = max(systems, key=lambda candidate: candidate.get("usable_bytes", 0), default=None)
    if system is None:
        return {}
    kind = system["type"]
    versions = facts.values(document, "lustre.version") if kind == "lustre" else []
    options = [
        option
        for node_class in facts.classes(document, facts.CLIENT)
        for mount in node_class.get("mounts", [])
        if facts.type_of_mount(mount) == kind
        for option in mount["options"]
    ]
    return _without_none(
        vendor_name=system.get("vendor"),
        solution_name=system.get("software"),
        model_name=system.get("model"),
        version=system.get("version") or (str(versions[0]) if versions else None),
        hyperconverged=_hyperconverged(document),
        solution_type=_SOLUTIONS.get(kind, _SOLUTION.format(kind)),
        client_mount_options=list(dict.fromkeys(options)),
        usable_capacity_GiB=_giant(system.get("usable_bytes")),
        raw_capacity_GiB=_giant(system.get("raw_bytes")),
        software_components=list(_components(document)),
    )


def _hyperconverged(document: Document) -> str | None:
    """Whether clients are servers too; None where no server is described."""
    servers = [node_class for node_class in document["node_classes"] if set(node_class["role"]) & set(_SERVERS)]
    return ("yes" if any(facts.CLIENT in server["role"] for server in servers) else "no") if servers else None


def _components(document: Document) -> Iterator[dict[str, Any]]:
    """The roles that are described, with the types of nodes that have them; clients and servers talk to each other."""
    subjects = sections.subjects(document)
    roles = [role for role in _COMPONENTS if any(role in subject.nodes["role"] for subject in subjects)]
    for role in roles:
        others = [other for other in roles if (other == facts.CLIENT) != (role == facts.CLIENT)]
        yield {
            "component_name": role,
            "description": _COMPONENTS[role],
            "runnable_node_type_name": [subject.name for subject in subjects if role in subject.nodes["role"]],
            "connecting_components": others,
        }


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _per_part(total: int | None, parts: int | None) -> int | None:
    return total // parts if total and parts else None


def _giga(hertz: int | None) -> float | None:
    """GHz, where it is a whole processor's frequency: the form takes none below 1."""
    return hertz / GIGA if hertz and hertz >= GIGA else None


def _giant(count: int | None) -> float | None:
    return count / GIB if count and count >= GIB else None
