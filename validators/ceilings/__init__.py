"""Ceilings: what the parts of a storage system can deliver at most, layer by layer.

From the drives up: drives, the PCIe lanes of their slots, parity and spares, controllers, network, and the ports of the
clients. Each ceiling is a product of factors, so that a reader sees what it rests on; a layer of which a factor is not
known has no ceiling. Plain values in, plain values out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from validators.hardware import Figure, assumption

READ, WRITE = "read", "write"
BANDWIDTH, IOPS = "bandwidth", "iops"
SMALL_B = 4096
"""Size of the operations that datasheets count."""

LAYERS = {
    "drives": "drives",
    "slots": "PCIe of the slots",
    "parity": "parity and spares",
    "controllers": "controllers",
    "network": "network",
    "clients": "ports of the clients",
}
"""The layers from below, and what they are called."""

_TRANSFERS_PER_S = {1: 2.5e9, 2: 5e9, 3: 8e9, 4: 16e9, 5: 32e9}
_CODED = {1: 8 / 10, 2: 8 / 10}
"""Share of the bits on a PCIe lane that is data; from generation 3 on 128 of 130."""


@dataclass(frozen=True, slots=True)
class Raid:
    """Blocks of one stripe. Of mirrors each copy but the first is a parity block."""

    data: int
    parity: int
    source: str
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Rates:
    """What one drive delivers, in B/s and ops/s, by its datasheet."""

    read: Figure | None = None
    write: Figure | None = None
    read_iops: Figure | None = None
    write_iops: Figure | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a storage system is made of; None is not known.

    `slot` is what one controller gets from one slot at most, in B/s, `slot_observed` the same as seen; `paths` are
    controllers that serve each drive at once; `memory` and `ports` are B/s of one server, `clients` of all clients.
    """

    drives: Figure | None = None
    rates: Rates = Rates()
    slot: Figure | None = None
    slot_observed: Figure | None = None
    paths: Figure | None = None
    raid: Raid | None = None
    servers: Figure | None = None
    memory: Figure | None = None
    ports: Figure | None = None
    clients: Figure | None = None

    def of_one_drive(self) -> Parts:
        return replace(self, drives=Figure(1, "count", "of one drive"))

    def of_one_server(self) -> Parts:
        return replace(self, servers=Figure(1, "count", "of one server"))


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that one layer delivers: the product of its factors, each (what it is, figure), in `unit`.

    `of` is the layer that parity takes its share of; `observed` what was seen at most, where a document says so.
    """

    layer: str
    factors: tuple[tuple[str, Figure], ...]
    unit: str
    of: str = ""
    observed: float | None = None

    @property
    def value(self) -> float:
        return math.prod(figure.value for _, figure in self.factors)

    @property
    def estimated(self) -> bool:
        return any(figure.estimated for _, figure in self.factors)

    @property
    def words(self) -> str:
        """ "drives", or "drives, less parity"."""
        return f"{LAYERS[self.of]}, less {self.layer}" if self.of else LAYERS[self.layer]


def pcie_lane(generation: int) -> float:
    """B/s of one PCIe lane in one direction, without the overhead of packets: generation 5 -> 3.94e9.

    Source: PCI Express base specification, transfers per second and line code of each generation.
    """
    return _TRANSFERS_PER_S[generation] * _CODED.get(generation, 128 / 130) / 8


def raid_of(text: str, source: str) -> Raid | None:
    """The stripe that a text names: "GridRAID 8+2", "draid2:9d:12c:1s", "RAID-10"; None where it names none."""
    if plus := re.search(r"\b(\d{1,3})\s?\+\s?(\d{1,2})\b", text):
        return Raid(int(plus[1]), int(plus[2]), source) if int(plus[1]) else None
    if draid := re.search(r"\bdraid(\d):(\d{1,3})d\b", text, re.IGNORECASE):
        return Raid(int(draid[2]), int(draid[1]), source) if int(draid[2]) else None
    if re.search(r"\braid[ -]?(10|1)\b|\bmirror", text, re.IGNORECASE):
        return Raid(1, 1, source)
    return Raid(1, 0, source) if re.search(r"\braid[ -]?0\b|\bnone\b", text, re.IGNORECASE) else None


def ceilings(parts: Parts, direction: str, kind: str, layers: Iterable[str] = LAYERS) -> list[Ceiling]:
    """The ceilings of these layers that are known, from below. `direction` is read or write, `kind` bandwidth or iops.

    Bandwidth is in B/s, operations of 4 KiB in ops/s.
    """
    devices = [ceiling for ceiling in (_drives(parts, direction, kind), _slots(parts, kind)) if ceiling]
    candidates = [
        *devices,
        _parity(parts.raid, direction, kind, lowest(devices)) if devices else None,
        _product("controllers", kind, ("servers", parts.servers), ("memory of each", _halved(parts.memory))),
        _product("network", kind, ("servers", parts.servers), ("ports of each", parts.ports)),
        _product("clients", kind, ("ports of all clients", parts.clients)),
    ]
    return [ceiling for ceiling in candidates if ceiling and ceiling.layer in set(layers)]


def lowest(candidates: Sequence[Ceiling]) -> Ceiling:
    """The ceiling that limits; of equal ones that of the layer nearest to the drives. ValueError: there is none."""
    return min(candidates, key=lambda ceiling: ceiling.value)


def percent(value: float, ceiling: Ceiling) -> float:
    """A measured value in % of a ceiling, both in canonical units."""
    return 100 * value / ceiling.value


def _product(layer: str, kind: str, *factors: tuple[str, Figure | None]) -> Ceiling | None:
    """The ceiling of a bandwidth in each layer that moves bytes; in operations it is that of 4 KiB each."""
    described_factors = tuple((name, figure) for name, figure in factors if figure is not None)
    if len(described_factors) < len(factors):
        return None
    if kind == BANDWIDTH:
        return Ceiling(layer, described_factors, "B/s")
    return Ceiling(layer, (*described_factors, ("operations in each byte", _per_operation())), "ops/s")


def _per_operation() -> Figure:
    return Figure(1 / SMALL_B, "count", assumption("small-io"))


def _halved(memory: Figure | None) -> Figure | None:
    """Of the memory's bandwidth half is left for data that goes through it."""
    if memory is None:
        return None
    return Figure(memory.value / 2, memory.unit, f"{memory.source}. {assumption('memory-twice')}", estimated=True)


def _drives(parts: Parts, direction: str, kind: str) -> Ceiling | None:
    rate = getattr(parts.rates, direction if kind == BANDWIDTH else f"{direction}_iops")
    if parts.drives is None or rate is None:
        return None
    return Ceiling("drives", (("drives", parts.drives), ("rate of each drive", rate)), rate.unit)


def _slots(parts: Parts, kind: str) -> Ceiling | None:
    factors = ("slots in use", parts.drives), ("controllers of each", parts.paths), ("PCIe link", parts.slot)
    ceiling = _product("slots", kind, *factors)
    if ceiling is None or parts.slot is None or parts.slot_observed is None:
        return ceiling
    return replace(ceiling, observed=ceiling.value * parts.slot_observed.value / parts.slot.value)


def _parity(raid: Raid | None, direction: str, kind: str, device: Ceiling) -> Ceiling | None:
    """What the drives, or their slots, leave for data: distributed spares work, so that only parity takes a share."""
    if raid is None:
        return None
    if direction == READ:
        share, source = 1.0, "reads need no parity; a distributed spare is read like all drives"
    elif kind == BANDWIDTH:
        share, source = raid.data / (raid.data + raid.parity), f"{raid.data}+{raid.parity}: {raid.source}"
    else:
        share, source = 1 / (1 + raid.parity), f"{raid.data}+{raid.parity}: {raid.source}. {assumption('small-write')}"
    figure = Figure(share, "count", source, raid.estimated or (kind == IOPS and direction == WRITE))
    return Ceiling("parity", (*device.factors, ("share for data", figure)), device.unit, device.layer)
