"""The vocabulary of axes: what results are asked by most, as data with name, title, unit and where each is read.

A fact that is no axis can be asked for under its own name; it then has no unit. `titles` names the frequent ones.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from validators.units import UNITS

VOCABULARY = Path(__file__).parent.parent / "data" / "axes.json"
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
def _quantity_axes() -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(VOCABULARY.read_text(encoding="utf-8"))
    return document


@cache
def by_name() -> Mapping[str, Axis]:
    rows = _quantity_axes()["axes"]
    return {row["name"]: Axis(**row | {"reads": tuple(row.get("reads", ()))}) for row in rows}


def list_axes() -> list[Axis]:
    """All axes of the vocabulary, in its order."""
    return list(by_name().values())


def find_axis(name: str) -> Axis:
    """The axis of that name; another fact has its title, or is its own title."""
    return by_name().get(name) or Axis(name, _quantity_axes()["titles"].get(name) or _spell_name(name))


def axis_choices(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each name with its title, in the order of titles. Where a title repeats, the name stands behind it."""
    titles = {name: find_axis(name).title for name in sorted(set(names))}
    counts = Counter(titles.values())
    choices = [(name, f"{title} ({name})" if counts[title] > 1 else title) for name, title in titles.items()]
    return sorted(choices, key=lambda choice: choice[1].casefold())


def _spell_name(name: str) -> str:
    """A name in words, a unit at its end in brackets: "shortest_job_s" -> "shortest job (s)"."""
    words, _, unit = name.rpartition("_")
    has_unit = bool(words) and unit in UNITS and unit != "count" and not words.endswith("_per")
    return f"{words.replace('_', ' ')} ({unit})" if has_unit else name.replace("_", " ")
