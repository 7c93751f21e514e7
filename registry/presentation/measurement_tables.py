"""The measurements of a run of any tool as tables, laid out by what varies in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from registry.presentation.table_layouts import NUMBERS_OF_TESTS, Key, choose_layout
from registry.presentation.words import Cell, Head, Row, Scale
from validators.distributions import is_repeat, repetition_kind

ROWS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Table:
    """`about` is what holds for all rows; the first cell of a row is its head; `more` rows are not shown."""

    title: str
    about: str = ""
    heads: list[Head] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    more: int = 0

    @property
    def groups(self) -> list[tuple[str, str, int]]:
        """Heads of several columns: text, unit and how many columns; empty where there is none."""
        if not any(head.over for head in self.heads):
            return []
        runs = groupby(self.heads, key=lambda head: (head.over, head.over_unit))
        return [(text, unit, len(list(columns))) for (text, unit), columns in runs]


def build_tables(
    measurements: Sequence[Row], context_by_number: Mapping[Any, Mapping[str, Any]] | None = None
) -> list[Table]:
    """Summaries first, then what was measured one by one; a table without rows is left out.

    `measurements` are rows as a report or the record has them. `context_by_number` has, by the number of a test or
    job, what stands beside its summaries.
    """
    single = [row for row in measurements if is_repeat(row["context"], row["stat"])]
    summaries = [
        _add_context(row, context_by_number or {}) for row in measurements if not is_repeat(row["context"], row["stat"])
    ]
    titled = ((summaries, "Results"), (single, repeats_over(single)))
    return [build_table(rows, title) for rows, title in titled if rows]


def _add_context(row: Row, context_by_number: Mapping[Any, Mapping[str, Any]]) -> Row:
    number = next((row["context"][name] for name in NUMBERS_OF_TESTS if name in row["context"]), None)
    return {**row, "context": {**row["context"], **context_by_number[number]}} if number in context_by_number else row


def repeats_over(single: Sequence[Row]) -> str:
    """What repeated measurements are: Iterations, Runs, Samples, Events."""
    names = {repetition_kind(row["context"], row["stat"]).capitalize() for row in single}
    return " and ".join(sorted(names))


def build_table(measurements: Sequence[Row], title: str = "") -> Table:
    """One table of measurements, in the layout that what varies in them asks for."""
    if not measurements:
        return Table(title)
    place = choose_layout(measurements)
    scales: dict[Key, Scale] = {}
    for row in measurements:
        scales.setdefault(place.unit_key(row), Scale(row["unit"])).add(row)
    cells: dict[Key, dict[Key, Row]] = {}
    columns: dict[Key, None] = {}
    for row in measurements:
        cells.setdefault(place.row_key(row), {})[place.column_key(row)] = row
        columns.setdefault(place.column_key(row))
    units = {key: scale.unit for key, scale in scales.items()}
    heads = place.heads(list(columns), units)
    rows = [
        place.cells(key, rows_by_column, list(columns), units)
        for key, rows_by_column in list(cells.items())[:ROWS_SHOWN]
    ]
    return Table(title, place.about, heads, rows, max(0, len(cells) - ROWS_SHOWN))
