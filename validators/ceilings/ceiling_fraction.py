"""Efficiency: the measurements of a run in % of the ceilings that they can't pass.

Which layers the data of a tool crosses, and what its statistics are over, its descriptor says (`crosses`, schema
benchmark.1). A measurement that no known ceiling holds for is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from validators.ceilings import BANDWIDTH, IOPS, READ, SMALL_B, WRITE, Ceiling, Parts, ceilings, lowest, percent

Crossing = Mapping[str, Any]
"""`layers`; `stats`: what each is over; `only_with`, `not_with`: values of contexts and parameters."""

_DIRECTIONS = (("write", WRITE), ("receive", WRITE), ("read", READ), ("send", READ))
_KINDS = {"bandwidth": BANDWIDTH, "iops": IOPS, "ops_rate": IOPS}
_OF_A_DRIVE = ("drives", "slots")
_ROUNDING = 1e-6
"""Of products of floating numbers, in %."""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """One measurement and its ceilings, from below, at least one; `over` is system, server or drive."""

    measurement: Mapping[str, Any]
    direction: str
    over: str
    ceilings: Sequence[Ceiling]

    @property
    def limit(self) -> Ceiling:
        """The lowest ceiling."""
        return lowest(self.ceilings)

    @property
    def qualifier(self) -> str:
        """About, below or above, where the source of the number says so; it holds of every share, too."""
        return str(self.measurement["context"].get("qualifier", ""))

    def percent(self, ceiling: Ceiling) -> float:
        return percent(self.measurement["value"], ceiling)

    @property
    def above(self) -> list[Ceiling]:
        """The ceilings that it is above, which no system can be: something measured or described is not as it seems.

        None of a number that is only said to be below something.
        """
        if self.qualifier == "below":
            return []
        return [ceiling for ceiling in self.ceilings if self.percent(ceiling) > 100 + _ROUNDING]


def efficiencies(
    crossing: Crossing | None, measurements: Iterable[Mapping[str, Any]], parameters: Mapping[str, Any], parts: Parts
) -> list[Efficiency]:
    """Of the measurements of one run, in their order; `measurements` as a report or the record has them."""
    if crossing is None:
        return []
    return [
        efficiency
        for row in measurements
        for efficiency in _efficiencies_of(crossing, row, {**parameters, **row["context"]}, parts)
    ]


def direction_of(op: str) -> str:
    """Whether an operation reads or writes, by its name; empty where it tells neither."""
    return next((direction for word, direction in _DIRECTIONS if word in op), "")


def measures(crossing: Crossing, row: Mapping[str, Any], parameters: Mapping[str, Any], kind: str) -> bool:
    """Whether a measurement is the bandwidth, or the rate of 4 KiB operations, of the whole system."""
    conditions = {**parameters, **row["context"]}
    return (
        crossing["stats"].get(row["stat"]) == "system"
        and _kind(row, conditions) == kind
        and _concerns(crossing, conditions)
    )


def _kind(row: Mapping[str, Any], conditions: Mapping[str, Any]) -> str:
    """Bandwidth or operations of 4 KiB; empty for what is neither."""
    kind = _KINDS.get(row["quantity"], "")
    return "" if kind == IOPS and conditions.get("transfer_size_bytes") != SMALL_B else kind


def _efficiencies_of(
    crossing: Crossing, row: Mapping[str, Any], conditions: Mapping[str, Any], parts: Parts
) -> Iterator[Efficiency]:
    over, kind, direction = crossing["stats"].get(row["stat"]), _kind(row, conditions), direction_of(row["op"])
    if not over or not kind or not direction or not _concerns(crossing, conditions):
        return
    layers = tuple(layer for layer in crossing["layers"] if over != "drive" or layer in _OF_A_DRIVE)
    if limits := _cached_ceilings(parts, over, direction, kind, layers):
        yield Efficiency(row, direction, over, limits)


@lru_cache(maxsize=256)
def _cached_ceilings(
    parts: Parts, over: str, direction: str, kind: str, layers: tuple[str, ...]
) -> tuple[Ceiling, ...]:
    """The ceilings of a system, of one server or of one drive: the same for all measurements of a sweep."""
    subject_parts = {"drive": parts.of_one_drive, "server": parts.of_one_server}.get(over, lambda: parts)()
    return tuple(ceilings(subject_parts, direction, kind, layers))


def _concerns(crossing: Crossing, conditions: Mapping[str, Any]) -> bool:
    only, never = crossing.get("only_with", {}), crossing.get("not_with", {})
    return all(conditions.get(name) in values for name, values in only.items()) and not any(
        conditions.get(name) in values for name, values in never.items()
    )
