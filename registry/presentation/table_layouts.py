"""Where a measurement stands in a table: four layouts, chosen by what varies.

A row for each operation (IOR, mdtest, MLPerf Storage, many jobs of fio); a row for each step of a sweep with the
operations side by side (obdfilter-survey, IOzone, LNet self-test); a row for each quantity with its statistics side by
side (elbencho); a row for each of many counters (Darshan, Cray MPICH, few jobs of fio).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from registry.presentation.words import (
    SCOPE,
    STATE,
    Cell,
    Head,
    Row,
    context_heading,
    describe_context,
    format_cell,
    format_value,
    label_operation,
    label_quantities,
    shown_unit,
)
from validators.distributions import REPEATS
from validators.quantities import label_statistic

SIDE_BY_SIDE = 12
"""Columns of figures that can be read beside one another."""
FEW = 5
"""Statistics, or operations, that make columns where the quantities are too many."""
FILLED = 0.6
"""Share of cells that must have a figure for operations to stand side by side."""
NUMBERS_OF_TESTS = ("test", "job")
"""Parts of a context by which the tests of a run are numbered."""
_NUMBERED = frozenset({"test", "job", "iter", "phase"})
"""Parts of a context that only count; the only one of its kind is not worth a word."""
_OF_REPEATS = {"iteration", "run", "event"}
"""Statistics of single values, which the title of their table names."""

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Layout:
    """A row for each operation and configuration.

    `keys` are the parts of contexts that vary, `words` those that are no numbers; the flags say what else varies.
    `labels` are those of quantities, by their names and units, `operations` those of operations.
    """

    keys: list[str]
    scoped: bool
    stats: bool
    quantities: bool
    words: frozenset[str]
    about: str
    labels: Mapping[tuple[str, str], str]
    operations: Mapping[str, str]

    @property
    def key_heads(self) -> list[Head]:
        return [replace(context_heading(name), n=name not in self.words) for name in self.keys]

    def config(self, row: Row) -> Key:
        return tuple(row["context"].get(name) for name in self.keys)

    def measure(self, row: Row) -> Key:
        scope = row["context"].get(SCOPE, "") if self.scoped else ""
        return row["quantity"], row["stat"], row["unit"], scope

    def row_key(self, row: Row) -> Key:
        return (row["op"], *self.config(row))

    def column_key(self, row: Row) -> Key:
        return self.measure(row)

    def unit_key(self, row: Row) -> Key:
        """Figures of one unit: those of a quantity, whatever the statistic."""
        return row["quantity"], row["unit"]

    def heads(self, columns: list[Key], units: Mapping[Key, str]) -> list[Head]:
        return [Head("Operation", n=False), *self.key_heads, *self._measures(columns, units)]

    def cells(
        self, key: Key, rows_by_column: Mapping[Key, Row], columns: list[Key], units: Mapping[Key, str]
    ) -> list[Cell]:
        return [*self._key_cells(key), *(self._figure(rows_by_column.get(column), units) for column in columns)]

    def _key_cells(self, key: Key) -> list[Cell]:
        return [Cell(self.operations[key[0]], n=False), *map(format_value, key[1:])]

    def _figure(self, row: Row | None, units: Mapping[Key, str]) -> Cell:
        """A figure; an empty cell is one that the tool does not give."""
        return format_cell(row, units[self.unit_key(row)]) if row else Cell("")

    def _measures(self, columns: list[Key], units: Mapping[Key, str]) -> list[Head]:
        if not self.stats:
            return [Head(self._words(column), shown_unit(units[column[0], column[2]])) for column in columns]
        return [
            Head(
                " ".join(filter(None, [label_statistic(stat), scope])),
                "",
                self.labels[quantity, unit],
                shown_unit(units[quantity, unit]),
            )
            for quantity, stat, unit, scope in columns
        ]

    def _words(self, measure: Key) -> str:
        quantity, stat, unit, scope = measure
        of_stat = label_statistic(stat) if self.stats else ""
        return " ".join(filter(None, [self.labels[quantity, unit], of_stat, f"({scope})" * bool(scope)]))


class _Sweep(Layout):
    """A row for each configuration, the operations side by side."""

    def _key_cells(self, key: Key) -> list[Cell]:
        return [format_value(part) for part in key]

    def row_key(self, row: Row) -> Key:
        return self.config(row)

    def column_key(self, row: Row) -> Key:
        return (row["op"], *self.measure(row))

    def heads(self, columns: list[Key], units: Mapping[Key, str]) -> list[Head]:
        return [*self.key_heads, *(self._under_op(column, units) for column in columns)]

    def _under_op(self, column: Key, units: Mapping[Key, str]) -> Head:
        op, quantity, stat, canonical, _ = column
        unit = shown_unit(units[quantity, canonical])
        if self.stats and not self.quantities:
            return Head(label_statistic(stat), "", f"{self.operations[op]} {self.labels[quantity, canonical]}", unit)
        return Head(self._words(column[1:]), unit, self.operations[op])


class _ByStatistic(Layout):
    """A row for each quantity of an operation, its statistics side by side."""

    def row_key(self, row: Row) -> Key:
        return (row["op"], *self.config(row), row["quantity"], row["unit"])

    def column_key(self, row: Row) -> Key:
        return (row["stat"],)

    def unit_key(self, row: Row) -> Key:
        return self.row_key(row)

    def heads(self, columns: list[Key], units: Mapping[Key, str]) -> list[Head]:
        words = [Head("Operation", n=False), *self.key_heads, Head("Quantity", n=False)]
        return [*words, Head("Unit", n=False), *(Head(label_statistic(stat)) for (stat,) in columns)]

    def cells(
        self, key: Key, rows_by_column: Mapping[Key, Row], columns: list[Key], units: Mapping[Key, str]
    ) -> list[Cell]:
        unit = units[key]
        figures = [self._figure(rows_by_column.get(column), units) for column in columns]
        return [
            *self._key_cells(key[:-2]),
            Cell(self.labels[key[-2], key[-1]], n=False),
            Cell(shown_unit(unit), n=False),
            *figures,
        ]


class _Counters(Layout):
    """A row for each of many quantities, the operations side by side."""

    def row_key(self, row: Row) -> Key:
        return self.measure(row)

    def column_key(self, row: Row) -> Key:
        return (row["op"], *self.config(row))

    def unit_key(self, row: Row) -> Key:
        return self.row_key(row)

    def heads(self, columns: list[Key], units: Mapping[Key, str]) -> list[Head]:
        contexts = [dict(zip(self.keys, column[1:], strict=True)) for column in columns]
        texts = [
            ", ".join(filter(None, [self.operations[column[0]], describe_context(context)]))
            for column, context in zip(columns, contexts, strict=True)
        ]
        return [Head("Quantity", n=False), Head("Unit", n=False), *map(Head, texts)]

    def cells(
        self, key: Key, rows_by_column: Mapping[Key, Row], columns: list[Key], units: Mapping[Key, str]
    ) -> list[Cell]:
        figures = [self._figure(rows_by_column.get(column), units) for column in columns]
        return [Cell(self._words(key), n=False), Cell(shown_unit(units[key]), n=False), *figures]


def choose_layout(measurements: Sequence[Row]) -> Layout:
    """The layout: by how many operations, configurations, quantities and statistics there are."""
    shared = _shared_context([row["context"] for row in measurements])
    names = dict.fromkeys(name for row in measurements for name in row["context"])
    varying = [name for name in names if name not in {*shared, SCOPE, STATE} and not _is_counted(name, measurements)]
    keys = sorted(varying, key=lambda name: (name in REPEATS, name not in NUMBERS_OF_TESTS, name))
    stats, quantities = {row["stat"] for row in measurements}, {row["quantity"] for row in measurements}
    scoped, about = SCOPE in names and SCOPE not in shared, _shared_text(shared, stats, measurements)
    words = frozenset(name for row in measurements for name, value in row["context"].items() if isinstance(value, str))
    labels = label_quantities(measurements)
    operations = {row["op"]: label_operation(row) for row in measurements}
    fields = (keys, scoped, len(stats) > 1, len(quantities) > 1, words, about, labels, operations)
    plain = Layout(*fields)
    columns = {plain.column_key(row) for row in measurements}
    configs, ops = {plain.config(row) for row in measurements}, {row["op"] for row in measurements}
    side_by_side = {(row["op"], *plain.measure(row)) for row in measurements}
    is_full = len(measurements) >= FILLED * len(configs) * len(side_by_side)
    if len(configs) > len(ops) and len(side_by_side) <= SIDE_BY_SIDE and is_full:
        return _Sweep(*fields)
    if len(columns) < SIDE_BY_SIDE:
        return plain
    if len(stats) <= FEW:
        return _ByStatistic(*fields)
    across = {plain.row_key(row) for row in measurements}
    return _Counters(*fields) if len(across) < len(columns) else plain


def _is_counted(name: str, measurements: Sequence[Row]) -> bool:
    """Whether a part of contexts only counts the operations, as the phases of elbencho do when each comes once."""
    pairs = {(row["op"], row["context"].get(name)) for row in measurements}
    return name == "phase" and len(pairs) == len({op for op, _ in pairs})


def _shared_context(contexts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is the same in all contexts, but for what is wrong with single figures."""
    first = contexts[0]
    return {
        name: value
        for name, value in first.items()
        if name != STATE and all(name in context and context[name] == value for context in contexts)
    }


def _shared_text(shared: Mapping[str, Any], stats: set[str], measurements: Sequence[Row]) -> str:
    """What holds for all figures of a table, in words."""
    context = {name: value for name, value in shared.items() if name not in _NUMBERED}
    is_shared = len(stats) == 1 and len(measurements) > 1 and not stats & _OF_REPEATS
    only = label_statistic(next(iter(stats))) if is_shared else ""
    return ", ".join(filter(None, [only, describe_context(context)]))
