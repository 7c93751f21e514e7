"""All numbers of many results as one table: a row for each result, a column for each number.

A column is one number of one meaning: OPERATION.QUANTITY.STATISTIC, and what else tells two numbers of one result
apart, as in `write.bandwidth.mean[osts=4]`. Two numbers of other units never share one. Where results of one column
were measured under conditions that differ, the table says so in `varies`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = dict[str, Any]
Metric = tuple[str, str]
"""OPERATION.QUANTITY.STATISTIC, and the canonical unit."""
QUALIFIER = "qualifier"
"""Part of a context that says what the source does of a number: about, below, above."""


def widen_rows(results: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[Row], dict[str, str], dict[str, Row]]:
    """Columns of numbers, rows with them, unit by column, and by column the parts of contexts in which rows differ.

    A column `NAME qualifier` stands beside those of which some number is qualified.
    """
    results = list(results)
    parts = _telling_parts(results)
    ambiguous = _metrics_of_several_units(results)
    units: dict[str, str] = {}
    contexts: dict[str, dict[str, set[str]]] = {}
    qualified: set[str] = set()
    rows = []
    for result in results:
        row = {name: value for name, value in result.items() if name != "measurements"}
        for measurement in result["measurements"]:
            column = _free_column(_column_of(measurement, parts, ambiguous), row)
            row[column], units[column] = measurement["value"], measurement["unit"]
            context = measurement["context"]
            if QUALIFIER in context:
                row[qualifier_column(column)] = context[QUALIFIER]
                qualified.add(column)
            for name, value in context.items():
                contexts.setdefault(column, {}).setdefault(name, set()).add(_written(value))
        rows.append(row)
    columns = [name for column in units for name in _with_qualifier(column, column in qualified)]
    varies = {column: _varying_parts(by_name) for column, by_name in contexts.items()}
    return columns, rows, units, {column: parts for column, parts in varies.items() if parts}


def qualifier_column(column: str) -> str:
    """The name of the column that says how the numbers of another are to be read."""
    return f"{column} {QUALIFIER}"


def _with_qualifier(column: str, is_qualified: bool) -> list[str]:
    return [column, qualifier_column(column)] if is_qualified else [column]


def _varying_parts(by_name: Mapping[str, set[str]]) -> Row:
    return {name: sorted(values) for name, values in by_name.items() if len(values) > 1 and name != QUALIFIER}


def metric_of(measurement: Mapping[str, Any]) -> Metric:
    """OPERATION.QUANTITY.STATISTIC and unit of a measurement."""
    return ".".join(measurement[part] for part in ("op", "quantity", "stat")), measurement["unit"]


def _telling_parts(results: Iterable[Mapping[str, Any]]) -> dict[Metric, list[str]]:
    """By metric the parts of contexts in which two numbers of one result differ."""
    parts: dict[Metric, dict[str, None]] = {}
    for result in results:
        contexts: dict[Metric, list[Mapping[str, Any]]] = {}
        for measurement in result["measurements"]:
            contexts.setdefault(metric_of(measurement), []).append(measurement["context"])
        for metric, several in contexts.items():
            parts.setdefault(metric, {}).update(dict.fromkeys(_differing_names(several)))
    return {metric: sorted(names) for metric, names in parts.items()}


def _differing_names(contexts: Sequence[Mapping[str, Any]]) -> list[str]:
    names = {name for context in contexts for name in context} - {QUALIFIER}
    return [name for name in names if len({_written(context.get(name)) for context in contexts}) > 1]


def _metrics_of_several_units(results: Iterable[Mapping[str, Any]]) -> set[str]:
    units: dict[str, set[str]] = {}
    for result in results:
        for measurement in result["measurements"]:
            name, unit = metric_of(measurement)
            units.setdefault(name, set()).add(unit)
    return {name for name, several in units.items() if len(several) > 1}


def _column_of(measurement: Mapping[str, Any], parts: Mapping[Metric, list[str]], ambiguous: set[str]) -> str:
    name, unit = metric_of(measurement)
    context = measurement["context"]
    told_apart = [f"{part}={_written(context[part])}" for part in parts[name, unit] if part in context]
    tags = [*told_apart, *([unit or "no unit"] if name in ambiguous else [])]
    return f"{name}[{', '.join(tags)}]" if tags else name


def _free_column(column: str, row: Mapping[str, Any]) -> str:
    """The column, or the next one with a number: of two numbers that nothing tells apart, none is lost."""
    name, number = column, 1
    while name in row:
        number += 1
        name = f"{column}#{number}"
    return name


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
