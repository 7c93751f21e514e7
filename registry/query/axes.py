"""The vocabulary of axes: what results are asked by most, as data with name, title, unit and where each is read.

A fact that has no entry here can be asked for under its own name; it then has no title and no unit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

VOCABULARY = Path(__file__).parent / "data" / "axes.json"
MEANING_FIELDS = ("op", "quantity", "stat", "tool", "mode")
"""What tells measurements of different meaning apart; never mixed in one value."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. `reads` are names of facts, the first that a result has counts; `unit` is that of their values."""

    name: str
    title: str
    unit: str = ""
    reads: tuple[str, ...] = ()


@cache
def by_name() -> Mapping[str, Axis]:
    rows = json.loads(VOCABULARY.read_text(encoding="utf-8"))["axes"]
    return {row["name"]: Axis(**row | {"reads": tuple(row.get("reads", ()))}) for row in rows}


def list_axes() -> list[Axis]:
    """All axes of the vocabulary, in its order."""
    return list(by_name().values())


def find_axis(name: str) -> Axis:
    """The axis of that name; a fact without an entry is its own title."""
    return by_name().get(name) or Axis(name, name.replace("_", " "))
