"""Official values against archives: does the archived run say what the published record says of it?

Published values are printed with few decimals, so a value agrees when it rounds to the published one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.models import Result
from validators.units import from_canonical

DECIMALS = 2
"""The published record prints phases and scores with two decimals; find, in whole kIOPS for most releases."""

DIGITS = 6
"""Slides and the oldest tools print no more significant digits than this."""


@dataclass(frozen=True, slots=True)
class ListDifference:
    """One value that the archive and the record give differently, in the unit of the record."""

    what: str
    official: float
    archived: float


def value_differences(official: Mapping[str, float], archived: Mapping[str, float]) -> list[ListDifference]:
    """Values (phases, bandwidth, rate, score) that differ by more than rounding; what only one side has is left out."""
    return [
        ListDifference(what, official[what], archived[what])
        for what in official
        if what in archived and not may_be_same(official[what], archived[what], is_whole=what == "find")
    ]


def may_be_same(official: float, archived: float, *, is_whole: bool = False) -> bool:
    """Whether `archived` may have been printed as `official`.

    The step is one hundredth (the record drops trailing zeros) or the last of six digits. Where `is_whole`, numbers may
    also be rounded to one. A full step is allowed rather than half of one, since some published numbers are cut off and
    others are computed from values that were rounded before.
    """
    if not (math.isfinite(official) and math.isfinite(archived)):
        return False
    step = 1.0 if is_whole and official.is_integer() else 10.0**-DECIMALS
    digits = 10.0 ** (math.floor(math.log10(abs(official))) + 1 - DIGITS) if official else 0.0
    return abs(official - archived) <= max(step, digits) * (1 + 1e-9)


def official_values(result: Result) -> dict[str, float]:
    """Phases by name, `bandwidth`, `rate` and `score` that a list prints of a result, in GiB/s and kIOPS.

    Those of a derived result stand beside its own; one that is on no list has none.
    """
    if result.trust == Result.Trust.DERIVED:
        return _values_of_list(result.snapshot.get("list", {}))
    phases = {
        measurement.op: measurement.printed_value
        for measurement in result.measurements.all()
        if measurement.stat == "phase"
    }
    columns = {"bandwidth": result.bandwidth_gib_per_s, "rate": result.rate_kiops, "score": result.score}
    return phases | {what: value for what, value in columns.items() if value is not None}


def _values_of_list(printed_figures: Mapping[str, Any]) -> dict[str, float]:
    columns = {"bandwidth": "bandwidth_gib_per_s", "rate": "rate_kiops", "score": "score"}
    halves = {what: printed_figures[name] for what, name in columns.items() if name in printed_figures}
    return {what: value for what, value in printed_figures.get("phases", {}).items() if value} | halves


def archived_values(run: Mapping[str, Any], score: str = "SCORE") -> dict[str, float]:
    """Phases by name, `bandwidth`, `rate` and `score` of a run of a report, in GiB/s and kIOPS as printed."""
    values = dict(_phase_values(run["measurements"]))
    scored = run["scores"].get(score, {})
    names = {"bandwidth": "bandwidth_gib_per_s", "rate": "rate_kiops", "score": "value"}
    return values | {what: scored[name] for what, name in names.items() if scored.get(name) is not None}


def _phase_values(measurements: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, float]]:
    for measurement in measurements:
        unit = _PUBLISHED.get((measurement["stat"], measurement["quantity"]))
        if unit:
            yield measurement["op"], from_canonical(measurement["value"], unit)


_PUBLISHED = {("phase", "bandwidth"): "GiB/s", ("phase", "rate"): "kIOPS"}
