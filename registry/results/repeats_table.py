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


def repeats_context(result: Result, measurements: Sequence[Row]) -> dict[str, Any] | None:
    """`runs`, the deviations that lead, and the `table`, for the page of a result; None where it ran once."""
    rows = [row for row in repeats.repeat_summary(result, measurements) if any(row["values"])]
    if not rows:
        return None
    heads = [Head("Number", n=False), Head("deviation", "%"), Head("Runs in their order", n=False)]
    leading_rows = [row for row in rows if row["deviation_percent"] is not None and row["unit"] in LEADING_UNITS]
    return {
        "runs": rows[0]["runs"],
        "leading": "; ".join(
            f"{_row_name(row)} = {_format_percent(row)}{numbers.NO_BREAK}%" for row in leading_rows[:LEADING]
        ),
        "open": len(rows) <= FEW,
        "table": Table(
            "", "", heads, [_repeat_cells(row) for row in rows[:ROWS_SHOWN]], max(0, len(rows) - ROWS_SHOWN)
        ),
    }


def _repeat_cells(row: Row) -> list[Cell]:
    unit = best_unit([{"value": value, "printed_unit": row["printed_unit"]} for value in row["values"]], row["unit"])
    values = [format_in_unit(value, unit) for value in row["values"][:MOST_VALUES]]
    more = ["\N{HORIZONTAL ELLIPSIS}"] if row["runs"] > MOST_VALUES else []
    text = f"{'; '.join([*values, *more])} {shown_unit(unit)}".strip()
    return [Cell(_row_name(row), n=False), Cell(_format_percent(row) or numbers.MISSING), Cell(text, n=False)]


def _row_name(row: Row) -> str:
    context = describe_context({name: value for name, value in row["context"].items() if name not in NO_CONTEXT})
    return ", ".join(filter(None, [number_named(row), context]))


def _format_percent(row: Row) -> str:
    return numbers.format_significant(row["deviation_percent"])
