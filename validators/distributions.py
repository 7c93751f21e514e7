"""Values that repeat: iterations, runs, samples and events of one test; ranks, targets and epochs under one number.

Each stays as a summary with quantiles, and one by one in their order while they are few; never with names of hosts.
The deviation is always that of a sample (n - 1), whatever the tool prints beside it.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from validators.measurements import Measurement
from validators.units import to_canonical

PARTS = 20
"""A distribution keeps the ends of this many parts of equal size: 21 quantiles from 0 to 100 %."""
MOST_MEMBERS = 512
"""Values that are kept one by one; of more there are quantiles only."""
MOST_KEPT = 400
MOST_MEMBERS_IN_ALL = 20_000
"""Bounds of one run: what comes later is left out, or loses its members."""

_LARGEST = 1e60
"""Above everything that was ever measured, in any unit; below what overflows when values are summed up."""

REPEATS = {"iter": "iterations", "run": "runs", "sample": "samples"}
"""What the last part of a context counts, by its name."""
_EVENT = "event"

Distribution = dict[str, Any]


def summed(
    op: str,
    quantity: str,
    stat: str,
    over: str,
    values: Sequence[float | None],
    unit: str,
    context: Mapping[str, Any] | None = None,
) -> list[Distribution]:
    """The distribution of values given in `unit`, all its figures in the canonical one.

    `values` are in order of rank, target, epoch or time: the place of a member is its number. None is the value of a
    part that gave none; it keeps its place among the members and counts for nothing else.
    An empty list for no value at all, or for one that nothing reaches. Raises UnitError for an unknown unit.
    """
    factor, canonical = to_canonical(1.0, unit)
    placed = [None if value is None else float(value) * factor for value in values]
    scaled = [value for value in placed if value is not None]
    if not scaled or not all(abs(value) < _LARGEST for value in scaled):
        return []
    return [
        {
            "op": op,
            "quantity": quantity,
            "stat": stat,
            "over": over,
            "context": dict(context or {}),
            "unit": canonical,
            "printed_unit": unit,
            "count": len(scaled),
            "min": min(scaled),
            "mean": statistics.fmean(scaled),
            "max": max(scaled),
            "deviation": statistics.stdev(scaled) if len(scaled) > 1 else None,
            "quantiles": quantiles(scaled),
            "members": placed if len(placed) <= MOST_MEMBERS else None,
        }
    ]


def quantiles(values: Sequence[float]) -> list[float]:
    """The 21 values at 0, 5, ... 100 % of at least one, interpolated between neighbours."""
    if len(values) == 1:
        return [values[0]] * (PARTS + 1)
    inner = statistics.quantiles(values, n=PARTS, method="inclusive")
    return [min(values), *inner, max(values)]


def repeated(measurements: Iterable[Measurement]) -> list[Distribution]:
    """What was measured more than once under the same conditions: iterations, runs, samples, events."""
    groups: dict[tuple[str, ...], list[Measurement]] = {}
    for measurement in measurements:
        if what := repetition_kind(measurement.context, measurement.stat):
            context = {name: value for name, value in measurement.context.items() if name not in _index(what)}
            key = (
                measurement.op,
                measurement.quantity,
                measurement.stat,
                what,
                measurement.printed_unit,
                repr(context),
            )
            groups.setdefault(key, []).append(measurement)
    return [
        distribution
        for key, members in groups.items()
        if len(members) > 1
        for distribution in _of_group(key[3], members)
    ]


def limit_distributions(distributions: Iterable[Distribution]) -> list[Distribution]:
    """The first distributions of a run, with members as long as there is room for them."""
    room, bounded = MOST_MEMBERS_IN_ALL, []
    for distribution in list(distributions)[:MOST_KEPT]:
        members = distribution["members"]
        room -= len(members or ())
        bounded.append(distribution if room >= 0 else distribution | {"members": None})
    return bounded


def is_repeat(context: Mapping[str, Any], stat: str) -> bool:
    """Whether a measurement is one of several under the same conditions, and no summary of them."""
    return bool(repetition_kind(context, stat))


def repetition_kind(context: Mapping[str, Any], stat: str) -> str:
    """What a measurement is one of: iterations, runs, samples or events; empty where it stands alone."""
    if stat == _EVENT:
        return "events"
    return next((what for name, what in REPEATS.items() if name in context), "")


def _index(what: str) -> set[str]:
    return {"file"} if what == "events" else {name for name, kind in REPEATS.items() if kind == what}


def _of_group(what: str, members: list[Measurement]) -> list[Distribution]:
    first = members[0]
    context = {name: value for name, value in first.context.items() if name not in _index(what)}
    values = [member.printed_value for member in members]
    return summed(first.op, first.quantity, first.stat, what, values, first.printed_unit, context)
