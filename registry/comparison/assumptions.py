"""What may be assumed of a number that was not repeated: how far one run of its class moves.

Plain values in, plain values out. The classes, with their source and over how many runs, are data/assumptions.json,
which tools/make_assumptions.py computes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from registry.comparison.uncertainty import Assumption

FILE = Path(__file__).parent / "data" / "assumptions.json"
STATISTICS = ("phase", "max", "mean", "")
"""Of a number that stands for a run; of the slowest rank, say, nothing is assumed. Scores have none."""


@dataclass(frozen=True, slots=True)
class AssumedClass:
    """A class of numbers, how one run of it may move, and what that is known from."""

    name: str
    title: str
    assumption: Assumption
    median_deviation_percent: float
    """The sample deviation of half of the sets is smaller."""
    sets: int
    runs: int
    source: str


@cache
def assumed_classes() -> Mapping[str, AssumedClass]:
    """By name the classes of which something is assumed."""
    return {
        entry["class"]: AssumedClass(
            entry["class"],
            entry["title"],
            Assumption(entry["scale_percent"] / 100, entry["degrees"]),
            entry["median_deviation_percent"],
            entry["sets"],
            entry["runs"],
            entry["source"],
        )
        for entry in _read_entries()
        if "degrees" in entry
    }


def describe_class(name: str) -> dict[str, Any]:
    """A class as answers say it: what is assumed of it, and what that is known from."""
    assumed_class = assumed_classes()[name]
    return {
        "name": name,
        "title": assumed_class.title,
        "scale_percent": round(100 * assumed_class.assumption.scale, 4),
        "degrees": assumed_class.assumption.degrees,
        "sets": assumed_class.sets,
        "runs": assumed_class.runs,
        "source": assumed_class.source,
    }


def find_class(tool: str, op: str, quantity: str, stat: str = "") -> AssumedClass | None:
    """The class of a measurement, or of a score where `quantity` is empty; None where nothing may be assumed of it."""
    for entry in _read_entries():
        for numbers in entry["of"]:
            if tool in numbers["tools"] and _is_meant(numbers, op, quantity, stat):
                return assumed_classes()[entry["class"]]
    return None


def _is_meant(numbers: Mapping[str, Any], op: str, quantity: str, stat: str) -> bool:
    if not quantity:
        return op in numbers.get("columns", ())
    is_run = stat in STATISTICS and op not in numbers.get("except", ())
    return is_run and quantity in numbers.get("quantities", ())


def class_of_row(tool: str, row: Mapping[str, Any]) -> AssumedClass | None:
    """The class of a measurement as in the API; of what is printed as about, above or below, nothing is assumed."""
    if row["context"].get("qualifier"):
        return None
    return find_class(tool, row["op"], row["quantity"], row["stat"])


@cache
def _read_entries() -> Sequence[Mapping[str, Any]]:
    loaded: Sequence[Mapping[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["classes"]
    return loaded
