"""The parts of a storage system as a system document (schema system.1) describes them, for the ceilings of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from validators import hardware
from validators.ceilings import Parts, Raid, Rates, pcie_lane, raid_of
from validators.hardware import Figure
from validators.system import facts
from validators.system.facts import Document

SOURCE = "the description of the system"
_GENERATION = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5}
"""Of PCIe, by the GT/s that a link reports."""

Link = tuple[int, int]
"""Generation and lanes."""


def of_document(document: Document) -> Parts:
    """What is described of servers, drives and clients; None where the description says nothing."""
    servers = facts.classes(document, facts.OSS)
    target = _data_target(document)
    drive = hardware.named("drives", str(target.get("drive_model", "")))
    count = _counted(target.get("count", 0) * target.get("drives_per_target", 0))
    links = [_link(group) for server in servers for group in server.get("block", []) if drive and _is_of(group, drive)]
    distinct_links = sorted({link for link in links if link}, key=_speed)
    return Parts(
        drives=count,
        rates=rates_of(drive, distinct_links[-1] if distinct_links else None),
        slot=slot_of(*distinct_links[-1], SOURCE) if distinct_links else None,
        paths=_paths(servers, drive, count),
        raid=_raid(target),
        servers=_counted(sum(server["count"] for server in servers)),
        memory=_memory(servers),
        ports=_ports_of_each(servers),
        clients=_described(sum(map(_ports, facts.classes(document, facts.CLIENT))), "B/s"),
    )


def rates_of(drive: hardware.Entry | None, link: Link | None = None) -> Rates:
    """What a drive of the catalogue delivers on a link; on one that it has no figures for, what it does at best."""
    if drive is None:
        return Rates()
    rows = drive["rates"]
    row = next((row for row in rows if (row.get("generation"), row.get("lanes")) == link), rows[0] if rows else None)
    figures = (hardware.figure(row, name) for name in ("read", "write", "read_iops", "write_iops"))
    return Rates(*(figure and replace(figure, source=f"{drive['model']}: {figure.source}") for figure in figures))


def slot_of(generation: int, lanes: float, source: str) -> Figure:
    """What the PCIe lanes between one controller and one slot carry in one direction, in B/s."""
    return Figure(lanes * pcie_lane(generation), "B/s", f"{lanes:g} lanes of PCIe generation {generation}, {source}")


def memory_of(cpu: hardware.Entry | None, sockets: int = 1) -> Figure | None:
    """The bandwidth of the memory of a server, in B/s."""
    channels, channel = (hardware.figure(cpu, name) for name in ("memory_channels", "memory_channel"))
    if channels is None or channel is None:
        return None
    return Figure(sockets * channels.value * channel.value, "B/s", f"{channels.source}; {channel.source}")


_OF_NODES = {"drives_per_target": "raid.drives_per_target", "drive_model": "drive.model"}
"""What servers tell of their targets, by what the registry of parameters calls it."""


def _data_target(document: Document) -> Mapping[str, Any]:
    """The data targets of the only kind that the storage systems have; empty where there are several kinds.

    What is not described of them is what all servers tell.
    """
    targets = [
        target
        for system in document.get("storage_systems", [])
        for target in system.get("targets", [])
        if target.get("kind") == "data"
    ]
    if len(targets) != 1:
        return {}
    values_by_name = {name: facts.values(document, parameter, facts.OSS) for name, parameter in _OF_NODES.items()}
    return {**{name: values[0] for name, values in values_by_name.items() if len(values) == 1}, **targets[0]}


def _raid(target: Mapping[str, Any]) -> Raid | None:
    return raid_of(str(target.get("raid", "")), SOURCE)


def _described(value: float, unit: str) -> Figure | None:
    return Figure(value, unit, SOURCE) if value else None


def _counted(value: float) -> Figure | None:
    return _described(value, "count")


def _is_of(group: Mapping[str, Any], drive: hardware.Entry) -> bool:
    return hardware.named("drives", str(group.get("model") or "")) is drive


def _link(group: Mapping[str, Any]) -> Link | None:
    """The PCIe link of a group of drives, as it runs."""
    pcie = group.get("pcie", {})
    speed = re.match(r"[0-9]{1,2}(\.[0-9])?", str(pcie.get("current_speed") or ""))
    generation = _GENERATION.get(speed[0].removesuffix(".0")) if speed else None
    return (generation, pcie["current_width"]) if generation and pcie.get("current_width") else None


def _speed(link: Link) -> float:
    return pcie_lane(link[0]) * link[1]


def _paths(servers: Sequence[Mapping[str, Any]], drive: hardware.Entry | None, count: Figure | None) -> Figure | None:
    """How many servers see each drive: those of a pair both do."""
    if drive is None or count is None:
        return None
    groups = [
        (server["count"], group["count"])
        for server in servers
        for group in server.get("block", [])
        if _is_of(group, drive)
    ]
    return _counted(max(1.0, sum(nodes * drives for nodes, drives in groups) / count.value) if groups else 0)


def _memory(servers: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Of the servers with most bandwidth, where the catalogue knows all of their processors."""
    figures = []
    for server in servers:
        cpu = server["hardware"].get("cpu", {})
        cpu_entry = hardware.named("cpus", str(cpu.get("model") or ""))
        figures.append(memory_of(cpu_entry, cpu.get("sockets") or 1))
    known_all = [figure for figure in figures if figure]
    return max(known_all, key=lambda figure: figure.value) if known_all and len(known_all) == len(figures) else None


def _ports_of_each(servers: Sequence[Mapping[str, Any]]) -> Figure | None:
    """The mean of the servers, so that their number times it is what all of them have."""
    nodes = sum(server["count"] for server in servers)
    return _described(sum(map(_ports, servers)) / nodes, "B/s") if nodes and all(map(_ports, servers)) else None


def _ports(node_class: Mapping[str, Any]) -> float:
    """B/s of all network ports of a class of nodes; 0 where the rate of one is not known."""
    rates = list(_rates_of_ports(node_class))
    return node_class["count"] * sum(rates) / 8 if all(rates) else 0.0


def _rates_of_ports(node_class: Mapping[str, Any]) -> Iterator[float]:
    """bit/s of each group of adapters; 0 where neither the node nor the catalogue tells."""
    for nic in node_class.get("network", []):
        rate_figure = hardware.figure(hardware.named("nics", str(nic.get("model") or "")), "rate")
        rate = nic.get("rate_bit_s") or (8 * rate_figure.value if rate_figure else 0)
        yield nic["count"] * max(1, nic.get("ports_active") or 1) * rate
