"""The measurements of a run of any tool as one table: a row for each operation, a column for each quantity.

The unit stands in the head of a column and fits its largest value. Binary prefixes stay binary and decimal ones
decimal, as the tool printed them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.views import numerals
from validators.units import UNITS

ROWS_SHOWN = 100
_DECIMAL_TIME = ("s", "ms", "us", "ns")
_LADDERS = {
    "B/s": (("TiB/s", "GiB/s", "MiB/s", "KiB/s", "B/s"), ("TB/s", "GB/s", "MB/s", "kB/s", "B/s")),
    "B": (("TiB", "GiB", "MiB", "KiB", "B"), ("TB", "GB", "MB", "kB", "B")),
    "s": (_DECIMAL_TIME, _DECIMAL_TIME),
    "ops/s": (("kIOPS", "ops/s"), ("kIOPS", "ops/s")),
}
"""Units from large to small: with binary and with decimal prefixes."""

Row = Mapping[str, Any]


def table(measured: Sequence[Row]) -> dict[str, Any]:
    """{"columns": [{"quantity", "stat", "unit"}], "rows": [{"op", "of", "cells"}], "more"}; a cell is written out.

    `measured` are measurements as a report or the record has them; `more` counts the rows that are not shown.
    """
    columns = list(dict.fromkeys((row["quantity"], row["stat"], row["unit"]) for row in measured))
    units = {column: fitting_unit([row for row in measured if _column(row) == column]) for column in columns}
    cells: dict[tuple[str, str], dict[tuple[str, str, str], str]] = {}
    for row in measured:
        key = (row["op"], of(row["context"]))
        cells.setdefault(key, {})[_column(row)] = written(row["value"], units[_column(row)])
    rows = [
        {"op": op, "of": context, "cells": [found.get(column, "") for column in columns]}
        for (op, context), found in list(cells.items())[:ROWS_SHOWN]
    ]
    heads = [
        {"quantity": quantity.replace("_", " "), "stat": stat, "unit": units[quantity, stat, unit]}
        for quantity, stat, unit in columns
    ]
    return {"columns": heads, "rows": rows, "more": max(0, len(cells) - ROWS_SHOWN)}


def of(context: Mapping[str, Any]) -> str:
    """What tells a measurement from its neighbours, in words: {"job": 0} -> "job 0"."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in context.items())


def written(value: float, unit: str) -> str:
    """A canonical value in a unit, with as many digits as are read: whole numbers whole."""
    scaled = value / UNITS[unit].factor
    return (
        numerals.whole(int(scaled)) if scaled == int(scaled) and abs(scaled) < 1e15 else numerals.significant(scaled, 4)
    )


def _column(row: Row) -> tuple[str, str, str]:
    return row["quantity"], row["stat"], row["unit"]


def fitting_unit(rows: Sequence[Row]) -> str:
    """The largest unit in which the largest value is at least 1."""
    canonical = rows[0]["unit"]
    if canonical not in _LADDERS:
        return str(canonical)
    binary, decimal = _LADDERS[canonical]
    ladder = decimal if any(row["printed_unit"] in decimal[:-1] for row in rows) else binary
    largest = max(abs(row["value"]) for row in rows)
    return next((unit for unit in ladder if largest >= UNITS[unit].factor), ladder[-1])
