"""What several runs of one archive measured, with how far their values vary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.comparison import repeats
from registry.comparison.spreads import NO_CONTEXT
from registry.models import Result
from registry.presentation import numbers
from registry.presentation.measurement_tables import ROWS_SHOWN, Table
from registry.presentation.words import (
    Cell,
    Head,
    best_unit,
    describe_context,
    format_in_unit,
    number_named,
    shown_unit,
)
from registry.query.public_record import Row

MOST_VALUES = 20
"""Runs whose values stand in a row; the API has those of all."""
LEADING = 3
LEADING_UNITS = ("B/s", "ops/s", "")
"""Rates and scores: how far times, shares and counts vary stands in the table only."""
FEW = 12
"""Rows that are shown without asking."""


def repeats_context(result: Result, measured: Sequence[Row]) -> dict[str, Any] | None:
    """`runs`, the deviations that lead, and the `table`, for the page of a result; None where it ran once."""
    rows = [row for row in repeats.repeat_summary(result, measured) if any(row["values"])]
    if not rows:
        return None
    heads = [Head("Number", n=False), Head("deviation", "%"), Head("Runs in their order", n=False)]
    known = [row for row in rows if row["deviation_percent"] is not None and row["unit"] in LEADING_UNITS]
    return {
        "runs": rows[0]["runs"],
        "leading": "; ".join(f"{_name(row)} = {_percent(row)}{numbers.NO_BREAK}%" for row in known[:LEADING]),
        "open": len(rows) <= FEW,
        "table": Table("", "", heads, [_cells(row) for row in rows[:ROWS_SHOWN]], max(0, len(rows) - ROWS_SHOWN)),
    }


def _cells(row: Row) -> list[Cell]:
    unit = best_unit([{"value": value, "printed_unit": row["printed_unit"]} for value in row["values"]], row["unit"])
    values = [format_in_unit(value, unit) for value in row["values"][:MOST_VALUES]]
    more = ["\N{HORIZONTAL ELLIPSIS}"] if row["runs"] > MOST_VALUES else []
    text = f"{'; '.join([*values, *more])} {shown_unit(unit)}".strip()
    return [Cell(_name(row), n=False), Cell(_percent(row) or numbers.MISSING), Cell(text, n=False)]


def _name(row: Row) -> str:
    context = describe_context({name: value for name, value in row["context"].items() if name not in NO_CONTEXT})
    return ", ".join(filter(None, [number_named(row), context]))


def _percent(row: Row) -> str:
    return numbers.format_significant(row["deviation_percent"])
