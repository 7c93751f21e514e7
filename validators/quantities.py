"""What reported names mean: the closed table of quantities, statistics and parts of contexts (quantities.json).

Tools call one thing by several names (`iops`, `ops_rate`) and several things by one (`rate`). What is reported keeps
its name; the table says which canonical quantity it is, by tool and, where that does not tell, by statistic, operation
or unit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")
HIGHER, LOWER, NONE = "higher", "lower", "none"

Row = Mapping[str, Any]
"""A measurement as a report or the record has it: op, quantity, stat, printed_unit, ..."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A canonical quantity in its canonical unit. `better` is higher, lower or none; a headline leads a run's page."""

    name: str
    dimension: str
    unit: str
    better: str
    label: str
    meaning: str
    headline: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A reported name that is a canonical quantity: of these tools, operations, statistics, printed units, or of all.

    A `window` is the part of a measurement that it is of; without one, it is of the whole.
    """

    name: str
    quantity: Quantity
    tools: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    stats: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    window: str = ""
    label: str = ""
    better: str = ""

    def fits_row(self, tool: str, row: Row) -> bool:
        """Whether a measurement of this name is meant."""
        return (
            (not self.tools or tool in self.tools)
            and (not self.ops or any(fnmatchcase(row["op"], pattern) for pattern in self.ops))
            and (not self.stats or row["stat"] in self.stats)
            and (not self.units or row.get("printed_unit") in self.units)
        )


@dataclass(frozen=True, slots=True)
class Statistic:
    """What a reported statistic is: a function, and what it runs over. `pattern` stands for many names."""

    function: str
    over: str
    label: str
    name: str = ""
    pattern: re.Pattern[str] | None = None
    tools: tuple[str, ...] = ()

    def read_label(self, name: str) -> str:
        """The label of a name of this statistic; where it has no place for the name, as it is."""
        match = self.pattern.fullmatch(name) if self.pattern else None
        return self.label.format(match[match.re.groups].replace("_", " ") if match else "")

    def has_name(self, name: str) -> bool:
        return bool(self.pattern.fullmatch(name)) if self.pattern else name == self.name


@dataclass(frozen=True, slots=True)
class ContextPart:
    """A part of contexts. One that says what a value is worth is no `configuration`."""

    label: str
    configuration: bool = True


@cache
def load_table() -> dict[str, Any]:
    """The table as its file has it."""
    table: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


@cache
def canonical_quantities() -> Mapping[str, Quantity]:
    """Every canonical quantity by name, in the order of the table."""
    rows = ({name: value for name, value in row.items() if name != "reported"} for row in load_table()["quantities"])
    return {row["name"]: Quantity(**row) for row in rows}


@cache
def places_by_name() -> Mapping[str, tuple[Place, ...]]:
    """By reported name what it may be; of several places that fit a measurement, the first counts.

    Canonical names are valid in every tool: after all others they stand for themselves.
    """
    places: dict[str, list[Place]] = {}
    for row in load_table()["quantities"]:
        for reported in row["reported"]:
            fields: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in reported.items()}
            fields["quantity"] = canonical_quantities()[row["name"]]
            places.setdefault(reported["name"], []).append(Place(**fields))
    for name, quantity in canonical_quantities().items():
        places.setdefault(name, []).append(Place(name, quantity))
    return {name: tuple(several) for name, several in places.items()}


def find_place(tool: str, row: Row) -> Place | None:
    """What a measurement of a tool is; None where the table does not say."""
    return next((place for place in places_by_name().get(row["quantity"], ()) if place.fits_row(tool, row)), None)


def canonical_name(tool: str, row: Row) -> str:
    """The canonical quantity of a measurement; empty where the table does not say."""
    place = find_place(tool, row)
    return place.quantity.name if place else ""


# Selecting


@cache
def is_reported(name: str) -> bool:
    """Whether tools report under this name already: it then finds what is reported under it, and nothing else."""
    return any(row["name"] == name for quantity in load_table()["quantities"] for row in quantity["reported"])


@cache
def tools_by_canonical(reported: str) -> Mapping[str, frozenset[str]]:
    """By canonical name that finds measurements of a reported one: the tools that mean it; empty for all tools.

    Names that tools report under find those alone, and no part of a measurement is found by the name of the whole.
    """
    tools: dict[str, frozenset[str]] = {}
    for place in places_by_name().get(reported, ()):
        name = place.quantity.name
        if not place.window and not is_reported(name):
            tools[name] = tools.get(name, frozenset()) | frozenset(place.tools)
    return tools


# Direction, labels


@cache
def better_of(name: str, unit: str) -> str:
    """Which direction is better of a reported name; of one that is not in the table, by its canonical unit."""
    if places := places_by_name().get(name):
        return places[0].better or places[0].quantity.better
    return LOWER if _is_lower_unit(unit) else HIGHER


def lower_is_better(name: str, unit: str) -> bool:
    """The same, as a truth; `name` is empty for a score or a formula."""
    return better_of(name, unit) == LOWER


@cache
def _is_lower_unit(unit: str) -> bool:
    """Whether everything that is measured in a canonical unit and has a direction is better lower: seconds."""
    directions = {quantity.better for quantity in canonical_quantities().values() if quantity.unit == unit}
    return directions - {NONE} == {LOWER}


@cache
def is_headline(name: str) -> bool:
    """Whether a reported name leads the page of a run, and is worth a plot."""
    return any(place.quantity.headline and not place.window for place in places_by_name().get(name, ()))


def label_of(row: Row, tool: str = "") -> str:
    """What a measurement is of, as people say it. Where a name means several things and no tool is given, the name."""
    places = places_by_name().get(row["quantity"], ())
    place = next((place for place in places if place.fits_row(tool, row)), None) if tool else None
    labels = {place.label or place.quantity.label for place in ([place] if place else places)}
    return labels.pop() if len(labels) == 1 else str(row["quantity"]).replace("_", " ")


@cache
def label_statistic(name: str) -> str:
    """A statistic of any tool as people say it; its name where the table does not say."""
    statistic = next((statistic for statistic in list_statistics() if statistic.has_name(name)), None)
    return statistic.read_label(name) if statistic else name.replace("_", " ")


@cache
def list_statistics() -> tuple[Statistic, ...]:
    """All statistics; of several that fit, the first counts."""
    return tuple(
        Statistic(
            **row
            | {"tools": tuple(row.get("tools", ()))}
            | {"pattern": row.get("pattern") and re.compile(row["pattern"])}
        )
        for row in load_table()["statistics"]
    )


@cache
def find_statistic(name: str, tool: str = "") -> Statistic | None:
    """What a reported statistic is; None where the table does not say. Without a tool, those of one tool are none."""
    of_tool = (statistic for statistic in list_statistics() if not statistic.tools or tool in statistic.tools)
    return next((statistic for statistic in of_tool if statistic.has_name(name)), None)


@cache
def context_parts() -> Mapping[str, ContextPart]:
    """What contexts may hold, by name."""
    return {name: ContextPart(**row) for name, row in load_table()["contexts"].items()}


def without_place(tool: str, rows: Iterable[Row]) -> list[str]:
    """What the table does not say of measurements of a tool: their quantities, statistics and parts of contexts."""
    missing: dict[str, None] = {}
    for row in rows:
        place = find_place(tool, row)
        if place is None:
            missing[f"quantity {row['quantity']} ({row['op']}, {row['stat']}, {row['printed_unit']})"] = None
        elif row["unit"] != place.quantity.unit:
            missing[f"unit {row['unit']} of {row['quantity']}"] = None
        if find_statistic(row["stat"], tool) is None:
            missing[f"statistic {row['stat']}"] = None
        missing |= {f"context {name}": None for name in row["context"] if name not in context_parts()}
    return list(missing)
