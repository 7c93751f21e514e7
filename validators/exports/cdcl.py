"""The system description of IO500 (CDCL): a tree of typed nodes with attributes, `system-information.json`.

Its form knows choices and patterns, which are facts of it and are kept to: a value that is not a choice is left out.
Values are texts, quantities a pair of number and unit. Servers are counted as servers, never as targets.
Source: the schema of IO500's submission system, and docs of its attributes at https://io500.org.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from validators.exports import Conversion, Supplement
from validators.system import facts
from validators.system.facts import Document

Node = dict[str, Any]

_DISTRIBUTIONS = {
    "rhel": "RedHat",
    "rocky": "RockyLinux",
    "almalinux": "AlmaLinux",
    "centos": "CentOS",
    "sles": "SUSE Enterprise",
    "sle_hpc": "SUSE Enterprise",
    "opensuse-leap": "SUSE Community",
    "ubuntu": "Ubuntu",
}
_ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "ARM64", "ppc64le": "Power", "riscv64": "RISC-V"}
_ZEN = {"1": "Zen", "2": "Zen2", "3": "Zen3", "4": "Zen4", "5": "Zen5"}
"""The generation of an EPYC processor stands in the last digit of its number."""
_NETWORKS = {
    "infiniband": "Infiniband",
    "slingshot": "Slingshot",
    "omnipath": "Omni-Path",
    "ethernet": "Ethernet",
    "roce": "Ethernet",
}
_WITH_RDMA = ("infiniband", "slingshot", "omnipath", "roce")
_SPEEDS_GBIT = (1, 4, 10, 25, 32, 50, 100, 200, 400, 800)
_MEMORY_TYPES = ("DDR3", "DDR4", "DDR5", "HBM")
_ACCESS = {
    "kernel_mount": "mount",
    "fuse": "mount",
    "interception": "syscall interception",
    "linked_library": "library linked to IO500",
    "other": "other",
}
_USAGE = {"production": "production", "research": "research/test", "test": "research/test"}
_FILE_SYSTEMS = {
    "lustre": "Lustre",
    "gpfs": "SpectrumScale",
    "beegfs": "BeeGFS",
    "nfs": "NAS",
    "daos": "DAOS",
    "weka": "WekaIO",
    "ceph": "Ceph",
}
_SERVERS_OF = {
    "lustre": (("OSS", "oss"), ("MDS", "mds")),
    "daos": (("Servers", "storage"),),
    "weka": (("Servers", "storage"),),
    "nfs": (("Servers", "storage"),),
}
"""Children with servers, by type of storage system: (what the form calls them, role of the nodes)."""
_SERVER_ROLES = ("oss", "mds", "mgs", "nsd", "storage")
_BACKENDS = {"ldiskfs": "LDISKFS", "zfs": "ZFS"}
_MODEL = re.compile(r"[^\-+a-zA-Z_ 0-9]+")
_MEDIA = {True: "HDD", False: "SSD"}

DEMANDED: Mapping[str, tuple[str, ...]] = {
    "Site": ("abbreviation", "institution", "nationality"),
    "IO500": (
        *("exclusive_cluster_usage", "number_clientNodes", "procsPerNode", "number_serverNodes", "storage type"),
        *("storage net capacity", "clients network bandwidth", "servers network bandwidth", "type of filesystem"),
    ),
    "Supercomputer": ("name", "total nodes", "total cores", "memory capacity"),
    "Nodes": ("name", "vendor", "count", "distribution", "distribution version", "kernel version"),
    "Processor": (
        *("sockets", "model", "architecture", "microarchitecture", "cores per socket", "threads per core"),
        "frequency",
    ),
    "Memory": ("net capacity",),
    "Interconnect": ("model", "type", "speed", "features", "vendor", "links"),
    "StorageSystem": (
        *("name", "model", "usage", "overlapping_compute_storage", "overlapping_metadata_dataServers", "vendor"),
        *("type", "software", "frameworks", "client storage access", "client mount options", "version"),
        *("net capacity", "Servers"),
    ),
    "OSS": ("name", "count", "distribution", "distribution version", "kernel version"),
    "MDS": ("name", "count", "distribution", "distribution version", "kernel version"),
    "StorageMedia": ("type", "count", "interface", "file system", "vendor", "net capacity"),
}
"""What the form demands of each type of node that is made here."""


def export(document: Document, supplement: Supplement) -> Conversion:
    """The tree, and the demanded attributes that nothing tells, as `Site/StorageSystem/vendor`."""
    site = document.get("site", {})
    attributes = {
        "abbreviation": _name(site.get("abbreviation")),
        "institution": _name(site.get("institution") or supplement.institution),
        "nationality": site.get("country"),
        "webpage": site.get("webpage"),
    }
    storage = [_storage_system(system, document) for system in document.get("storage_systems", [])]
    root = _node("Site", attributes, [_io500(document, supplement), _supercomputer(document), *storage])
    graph: dict[str, Any] = {"Network": {"pos": {}, "edges": []}, "Building": {"pos": {}, "edges": []}}
    return Conversion({"DATA": root, "GRAPH": graph}, list(dict.fromkeys(_missing(root, ""))))


def _node(kind: str, attributes: Mapping[str, Any], children: Iterable[Node] = ()) -> Node:
    """Attributes without a value are left out; numbers become texts."""
    nonempty = {name: value for name, value in attributes.items() if value not in (None, "", [])}
    written = {name: value if isinstance(value, list) else str(value) for name, value in nonempty.items()}
    return {"type": kind, "att": written, "childs": list(children)}


def _missing(node: Node, path: str) -> Iterator[str]:
    here = f"{path}/{node['type']}".lstrip("/")
    yield from (f"{here}/{name}" for name in DEMANDED.get(node["type"], ()) if name not in node["att"])
    for child in node["childs"]:
        yield from _missing(child, here)


def _io500(document: Document, supplement: Supplement) -> Node:
    exclusive = document.get("system", {}).get("exclusive_during_run")
    described = facts.client_nodes(document)
    types = [_FILE_SYSTEMS[kind] for kind in facts.filesystem_types(document) if kind in _FILE_SYSTEMS]
    job = document.get("job", {})
    attributes = {
        "exclusive_cluster_usage": None if exclusive is None else ("yes" if exclusive else "no"),
        "version": supplement.tool_version,
        "number_clientNodes": supplement.client_nodes or job.get("nodes") or described,
        "procsPerNode": supplement.procs_per_node or job.get("ranks_per_node"),
        "number_serverNodes": _servers(document),
        "storage type": _media(document),
        "storage net capacity": _bytes(facts.usable_bytes(document), "TiB"),
        "clients network bandwidth": _bandwidth(facts.classes(document, facts.CLIENT)),
        "servers network bandwidth": _bandwidth(_server_classes(document)),
        "type of filesystem": types[0] if types else None,
        "note": _targets(document),
    }
    return _node("IO500", attributes)


def _server_classes(document: Document) -> list[Mapping[str, Any]]:
    return [node_class for node_class in document["node_classes"] if set(node_class["role"]) & set(_SERVER_ROLES)]


def _servers(document: Document) -> int | None:
    """Servers that are described; a node of two roles is one server."""
    return sum(int(node_class["count"]) for node_class in _server_classes(document)) or None


def _targets(document: Document) -> str:
    """Targets have no attribute of their own in the form."""
    counts = [
        f"{int(system[name])} {word}"
        for system in document.get("storage_systems", [])
        for name, word in (("metadata_targets", "metadata targets"), ("data_targets", "data targets"))
        if system.get(name)
    ]
    return ", ".join(counts)


def _media(document: Document) -> str | None:
    """SSD, HDD or both, of the data targets or of the drives that servers have."""
    targets = [target for system in document.get("storage_systems", []) for target in system.get("targets", [])]
    kinds = {
        "HDD" if target["media"] == "hdd" else "SSD"
        for target in targets
        if target.get("media") in ("hdd", "ssd", "nvme")
    }
    drives = [group for node_class in _server_classes(document) for group in node_class.get("block", [])]
    kinds = kinds or {_MEDIA[group["rotational"]] for group in drives if group.get("rotational") is not None}
    return "HDD/SSD" if len(kinds) == 2 else next(iter(kinds), None)


def _bandwidth(classes: Iterable[Mapping[str, Any]]) -> list[str] | None:
    """The rates of all links of these nodes together, in GB/s; None as soon as one is not known."""
    links = [(node_class, nic) for node_class in classes for nic in node_class.get("network", [])]
    if not links or any(not nic.get("rate_bit_s") for _, nic in links):
        return None
    total = sum(node_class["count"] * nic.get("count", 1) * nic["rate_bit_s"] for node_class, nic in links)
    return [f"{total / 8e9:g}", "GB/s"]


def _supercomputer(document: Document) -> Node:
    clients = facts.classes(document, facts.CLIENT)
    cores = [client["hardware"]["cpu"].get("cores") for client in clients]
    memory = [client["hardware"]["memory"].get("total_bytes") for client in clients]
    attributes = {
        "name": _name(document.get("system", {}).get("name")),
        "total nodes": facts.client_nodes(document),
        "total cores": _total(clients, cores),
        "memory capacity": _bytes(_total(clients, memory), "TiB"),
    }
    return _node("Supercomputer", attributes, [_nodes("Nodes", client) for client in clients])


def _total(classes: list[Mapping[str, Any]], each: list[int | None]) -> int | None:
    if not classes or any(value is None for value in each):
        return None
    return sum(int(node_class["count"]) * int(value or 0) for node_class, value in zip(classes, each, strict=True))


def _nodes(kind: str, node_class: Mapping[str, Any], media: Iterable[Node] = ()) -> Node:
    """Client nodes and servers have the same attributes."""
    attributes = {
        "name": _name(node_class.get("name") or node_class["role"][0]),
        "model": _model(node_class["hardware"].get("product")),
        "vendor": node_class["hardware"].get("vendor"),
        "count": int(node_class["count"]),
        "distribution": _DISTRIBUTIONS.get(
            node_class["os"].get("id") or "", "other" if node_class["os"].get("id") else None
        ),
        "distribution version": node_class["os"].get("version"),
        "kernel version": node_class["os"].get("kernel"),
    }
    children = [_processor(node_class["hardware"]["cpu"]), _memory(node_class["hardware"]["memory"]), *media]
    return _node(kind, attributes, children + [_interconnect(nic) for nic in node_class.get("network", [])])


def _processor(cpu: Mapping[str, Any]) -> Node:
    sockets, cores, threads = (cpu.get(name) for name in ("sockets", "cores", "threads"))
    model = cpu.get("model") or ""
    attributes = {
        "sockets": sockets,
        "model": _model(model),
        "architecture": _ARCHITECTURES.get(cpu.get("architecture", ""), "other" if cpu.get("architecture") else None),
        "vendor": next(
            (vendor for vendor in ("AMD", "Intel", "Fujitsu", "ARM") if vendor.lower() in model.lower()), None
        ),
        "microarchitecture": _microarchitecture(cpu),
        "cores per socket": cores // sockets if sockets and cores else None,
        "threads per core": threads // cores if cores and threads else None,
        "frequency": [f"{cpu['base_hz'] / 1e9:g}", "GHz"] if cpu.get("base_hz") else None,
    }
    return _node("Processor", attributes)


def _microarchitecture(cpu: Mapping[str, Any]) -> str | None:
    name = str(cpu.get("microarchitecture") or "")
    if name in _ZEN.values():
        return name
    epyc = re.search(r"EPYC [79]\w\w([1-5])", cpu.get("model") or "")
    return _ZEN[epyc[1]] if epyc else None


def _memory(memory: Mapping[str, Any]) -> Node:
    kind = memory.get("type")
    attributes = {
        "type": kind if kind in _MEMORY_TYPES else None,
        "net capacity": _bytes(memory.get("total_bytes"), "GiB"),
    }
    return _node("Memory", attributes)


def _interconnect(nic: Mapping[str, Any]) -> Node:
    gbit = (nic.get("rate_bit_s") or 0) / 1e9
    attributes = {
        "model": _model(nic.get("model")),
        "type": _NETWORKS.get(nic["kind"]),
        "speed": f"{gbit:g} Gbit" if gbit in _SPEEDS_GBIT else None,
        "features": "RDMA" if nic["kind"] in _WITH_RDMA else None,
        "links": nic.get("count", 1),
    }
    return _node("Interconnect", attributes)


def _storage_system(system: Mapping[str, Any], document: Document) -> Node:
    kind = system["type"]
    mounts = [
        " ".join(mount["options"])
        for node_class in facts.classes(document, facts.CLIENT)
        for mount in node_class.get("mounts", [])
        if facts.type_of_mount(mount) == kind
    ]
    described = _server_classes(document)
    attributes = {
        "name": _name(system["name"]),
        "model": _model(system.get("model")),
        "usage": _USAGE.get(document.get("system", {}).get("usage", "")),
        "overlapping_compute_storage": _overlap(described, facts.CLIENT),
        "overlapping_metadata_dataServers": _overlap(facts.classes(document, "oss"), "mds"),
        "vendor": system.get("vendor"),
        "type": "file system" if kind in _FILE_SYSTEMS and kind != "nfs" else None,
        "software": system.get("software"),
        "client storage access": _ACCESS.get(system.get("access", "")),
        "client mount options": mounts[0] if mounts else None,
        "version": system.get("version") or (_lustre_version(document) if kind == "lustre" else None),
        "net capacity": _bytes(system.get("usable_bytes"), "TiB"),
        "raw capacity": _bytes(system.get("raw_bytes"), "TiB"),
        "Servers": _servers(document),
    }
    software = [_software(kind, system, document)] if kind in _FILE_SYSTEMS else []
    return _node("StorageSystem", attributes, software)


def _overlap(classes: list[Mapping[str, Any]], role: str) -> str | None:
    """Whether nodes of these classes also have that role; None where no such node is described."""
    return ("yes" if any(role in node_class["role"] for node_class in classes) else "no") if classes else None


def _software(kind: str, system: Mapping[str, Any], document: Document) -> Node:
    children = [
        _nodes(name, node_class, _storage_media(node_class))
        for name, role in _SERVERS_OF.get(kind, ())
        for node_class in facts.classes(document, role)
    ]
    attributes: dict[str, Any] = {}
    if kind == "lustre":
        backends = facts.values(document, "lustre.server.backend")
        attributes = {
            "version": _lustre_version(document),
            "backend": _BACKENDS.get(str(backends[0]).removeprefix("osd-"), "Other") if backends else None,
            "features": "DNE1" if (system.get("metadata_targets") or 0) > 1 else None,
        }
    return _node(_FILE_SYSTEMS[kind], attributes, children)


def _lustre_version(document: Document) -> str | None:
    return next((str(value) for value in facts.values(document, "lustre.version")), None)


def _storage_media(node_class: Mapping[str, Any]) -> Iterator[Node]:
    backends = [
        str(row["value"])
        for parameter in node_class.get("parameters", [])
        if parameter["id"] == "lustre.server.backend"
        for row in parameter["values"]
    ]
    for group in node_class.get("block", []):
        attributes = {
            "model": _model(group.get("model")),
            "type": _MEDIA.get(group.get("rotational")) if group.get("rotational") is not None else None,
            "count": int(group["count"]),
            "interface": "NVMe" if group.get("transport") == "nvme" else None,
            "file system": _BACKENDS.get(backends[0].removeprefix("osd-"), "other") if backends else None,
            "net capacity": _bytes(group.get("bytes"), "TB"),
        }
        yield _node("StorageMedia", attributes)


# Texts as the form takes them


def _name(text: str | None) -> str | None:
    """Letters first, then letters, digits, space, underscore and hyphen; None where too little remains."""
    cleaned = re.sub(r"[^a-zA-Z0-9_ \-]+", " ", text or "").lstrip("0123456789_ -")
    cleaned = " ".join(cleaned.split())
    return cleaned if len(cleaned) > 1 else None


def _model(text: str | None) -> str | None:
    return " ".join(_MODEL.sub(" ", text or "").split()) or None


_FACTORS = {"GiB": 2**30, "TiB": 2**40, "TB": 10**12}


def _bytes(count: int | None, unit: str) -> list[str] | None:
    return [f"{count / _FACTORS[unit]:.6g}", unit] if count else None
