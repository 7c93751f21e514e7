"""What rules, pages and exports ask of a system document (schema system.1). Missing is None or empty, never 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from validators.times import parse_time

Document = Mapping[str, Any]

CLIENT, OSS, MDS = "client", "oss", "mds"
SEVERITIES = ("invalidating", "warning", "info")

_TYPE_OF_MOUNT = {
    "lustre": "lustre",
    "gpfs": "gpfs",
    "mmfs": "gpfs",
    "beegfs": "beegfs",
    "beegfs_nodev": "beegfs",
    "fuse.daos": "daos",
    "dfuse": "daos",
    "fuse.dfuse": "daos",
    "wekafs": "weka",
    "ceph": "ceph",
    "fuse.ceph": "ceph",
    "nfs": "nfs",
    "nfs4": "nfs",
}
"""The type of storage system that a mount shows; local and virtual file systems tell nothing of it."""


def summary(document: Document) -> dict[str, Any]:
    """The document in short: collector, nodes by role, and how much of each kind it holds."""
    collector = document["collector"]
    return {
        "schema_version": document["schema_version"],
        "collector": f"{collector['name']} {collector['version']}",
        "redaction_profile": collector["redaction_profile"],
        "nodes": nodes_by_role(document),
        "parameters": len({parameter["id"] for _, parameter in parameters(document)}),
        "missing": len({row["id"] for node_class in document["node_classes"] for row in node_class.get("missing", [])}),
        "outliers": sum(len(node_class.get("outliers", [])) for node_class in document["node_classes"]),
        "drift": drift(document),
    }


def classes(document: Document, role: str) -> list[Mapping[str, Any]]:
    return [node_class for node_class in document["node_classes"] if role in node_class["role"]]


def nodes_by_role(document: Document) -> dict[str, int]:
    """How many nodes are described of each role, by role."""
    nodes: Counter[str] = Counter()
    for node_class in document["node_classes"]:
        for role in set(node_class["role"]):
            nodes[role] += node_class["count"]
    return dict(sorted(nodes.items()))


def client_nodes(document: Document) -> int | None:
    """How many clients are described, outliers too."""
    return nodes_by_role(document).get(CLIENT)


def wrapped_count(document: Document, name: str) -> int | None:
    """The nodes or tasks of the wrapped command by its launcher's options, or as it had none; None where only the job
    says how many it had."""
    run = document.get("run", {})
    return run.get(name) if run.get(f"{name}_from") in ("command line", "no launcher") else None


def is_started_alone(document: Document) -> bool:
    """Whether the wrapped command was started on one node without a launcher."""
    return bool(document.get("run", {}).get("nodes_from") == "no launcher")


def drift(document: Document) -> dict[str, int] | None:
    """How many differences between before and after, by severity; None where it was not captured twice."""
    if not {"pre", "post"} <= {capture["phase"] for capture in document["captures"]}:
        return None
    counts = Counter(row["severity"] for row in document.get("drift", []))
    return {severity: counts[severity] for severity in SEVERITIES}


def parameters(document: Document, role: str | None = None) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """(node class, parameter) of every parameter, of one role if told."""
    for node_class in document["node_classes"]:
        if role is None or role in node_class["role"]:
            for parameter in node_class.get("parameters", []):
                yield node_class, parameter


def values(document: Document, parameter_id: str, role: str | None = None, key: str | None = None) -> list[Any]:
    """The distinct values that a parameter has, of a map those under one key, most instances first."""
    tallies: dict[str, list[Any]] = {}
    for node_class, parameter in parameters(document, role):
        if parameter["id"] == parameter_id and key in (None, parameter.get("key")):
            for row in parameter["values"]:
                tally = tallies.setdefault(repr(row["value"]), [row["value"], 0])
                tally[1] += row["instances"] * node_class["count"]
    return [value for value, _ in sorted(tallies.values(), key=lambda tally: -tally[1])]


def lustre_release(node_class: Mapping[str, Any]) -> str:
    """The release of Lustre that most nodes of a class run, "" where it is not known."""
    for parameter in node_class.get("parameters", []):
        if parameter["id"] == "lustre.version":
            return str(max(parameter["values"], key=lambda row: row["instances"], default={"value": ""})["value"] or "")
    return ""


def filesystem_types(document: Document) -> list[str]:
    """The types of storage systems that are declared, or that the clients mount, each once."""
    declared = [system["type"] for system in document.get("storage_systems", [])]
    mounted = [
        type_of_mount(mount) for node_class in classes(document, CLIENT) for mount in node_class.get("mounts", [])
    ]
    return list(dict.fromkeys([*declared, *filter(None, mounted)]))


def type_of_mount(mount: Mapping[str, Any]) -> str:
    """The type of storage system that a mount shows, "" for a local or virtual file system."""
    return _TYPE_OF_MOUNT.get(mount["type"], "")


def usable_bytes(document: Document) -> int | None:
    """The capacity of the largest storage system; a run writes to one."""
    return max((system["usable_bytes"] for system in document.get("storage_systems", []) if "usable_bytes" in system),
               default=None)  # fmt: skip


def capture_time(document: Document, phase: str) -> datetime | None:
    """When the captures of a phase began."""
    times = (moment(capture["started"]) for capture in document["captures"] if capture["phase"] == phase)
    return min((time for time in times if time), default=None)


def moment(text: object) -> datetime | None:
    """An RFC 3339 time; None for what is none. A time without zone counts as UTC."""
    try:
        time = parse_time(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def failed_nodes(document: Document) -> Iterable[Mapping[str, Any]]:
    return [row for capture in document["captures"] for row in capture.get("nodes_failed", [])]
