"""What a number means, by the version of the tool that printed it, and whether two numbers mean the same.

Tools changed what they call `max` or `mean`. Their descriptors say since when (`versions`, schemas/benchmark.1.json);
where a tool's output itself tells what a statistic is over, its parser keeps that as `scope` in the context.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9})*")
_LIMITS = (("ops", "op"), ("quantities", "quantity"), ("stats", "stat"))

Meaning = Mapping[str, Any]
"""An entry of `versions`: from, until, ops, quantities, stats, scope, comparable_with, alike."""


@dataclass(frozen=True, slots=True)
class ComparableValue:
    """One number as it is compared: the measurement, the version of the tool, and the parameters of the run."""

    measurement: Mapping[str, Any]
    version: str
    parameters: Mapping[str, Any]


def version_numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: "4.1.0+dev" -> (4, 1, 0); empty where there are none."""
    match = _VERSION.search(version)
    return tuple(map(int, match[0].split("."))) if match else ()


def meanings_of(entries: Sequence[Meaning], measurement: Mapping[str, Any]) -> list[Meaning]:
    """Those of its operation, quantity and statistic."""
    return [entry for entry in entries if _concerns(entry, measurement)]


def find_meaning(entries: Sequence[Meaning], figure: ComparableValue) -> Meaning | None:
    """The entry that says what a number means; None where none does.

    A version that is not known has the meaning that all versions share, and none where it changed.
    """
    fitting = meanings_of(entries, figure.measurement)
    version = version_numbers(figure.version)
    if not version:
        return fitting[0] if fitting and fitting[0]["comparable_with"] == "all" else None
    return next((entry for entry in fitting if _spans(entry, version)), None)


def incomparable_reason(entries: Sequence[Meaning], this_figure: ComparableValue, other: ComparableValue) -> str:
    """Why two numbers of one operation, quantity and statistic do not mean the same; empty where they do."""
    scopes = [_scope(figure) for figure in (this_figure, other)]
    if all(scopes) and scopes[0] != scopes[1]:
        return f"{scopes[0]}; {scopes[1]}"
    if not meanings_of(entries, this_figure.measurement):
        return ""
    meanings = [find_meaning(entries, figure) for figure in (this_figure, other)]
    if None in meanings:
        return "" if all(scopes) else "versions differ in what it means, and what one of them meant is not known"
    first, second = (entry for entry in meanings if entry is not None)
    for name in first.get("alike", ()):
        values = [figure.parameters.get(name) for figure in (this_figure, other)]
        if None in values:
            return f"it depends on {name}, which is not known of both ({first['scope']})"
        if values[0] != values[1]:
            return f"it depends on {name} ({first['scope']})"
    if all(scopes):
        return ""
    return _between(first, second, this_figure, other)


def _between(first: Meaning, second: Meaning, this_figure: ComparableValue, other: ComparableValue) -> str:
    if "none" in (first["comparable_with"], second["comparable_with"]):
        return str((first if first["comparable_with"] == "none" else second)["scope"])
    if first is not second:
        both_all = first["comparable_with"] == second["comparable_with"] == "all"
        return "" if both_all else f"{this_figure.version}: {first['scope']}; {other.version}: {second['scope']}"
    if first["comparable_with"] == "version" and version_numbers(this_figure.version) != version_numbers(other.version):
        return f"{first['scope']}: only numbers of one version compare"
    return ""


def _scope(figure: ComparableValue) -> str:
    return str(figure.measurement["context"].get("scope", ""))


def _concerns(entry: Meaning, measurement: Mapping[str, Any]) -> bool:
    return all(measurement[name] in entry.get(limit, (measurement[name],)) for limit, name in _LIMITS)


def _spans(entry: Meaning, version: tuple[int, ...]) -> bool:
    return version_numbers(entry.get("from", "0")) <= version and (
        "until" not in entry or version < version_numbers(entry["until"])
    )
