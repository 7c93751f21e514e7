"""The parameters of a run as a table: value, where it comes from, and what the described system says beside it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from registry.presentation import numbers
from registry.presentation.measurement_tables import Table
from registry.presentation.words import Cell, Head, capitalize_sentence, format_size, label_fact

LONGEST_WRITTEN = 1e15
"""Numbers from here on are shown with their exponent."""
FLOAT_DIGITS = 6
"""Digits of a number that was computed: 911.2121276855469 is shown as 911.212."""


def build_parameter_table(
    values: Mapping[str, Any], sources: Mapping[str, str] | None = None, described: Mapping[str, Any] | None = None
) -> Table:
    """A row for each parameter of a run or of its system; columns of which nothing is known are left out.

    What holds tables of its own (rates of ranks, sums of jobs) is shown elsewhere.
    """
    sources, described = sources or {}, described or {}
    flat_values = {name: value for name, value in values.items() if not _is_nested(value)}
    heads = [Head("Parameter", n=False), Head("Value", n=False)]
    heads += [Head("From", n=False)] if sources else []
    heads += [Head("Described system", n=False)] if described else []
    rows = []
    for name in sorted({*flat_values, *described}):
        row = [
            _format_moment(flat_values[name])
            if name in flat_values and name.endswith("_timestamp_s")
            else format_size(flat_values[name])
            if name.endswith("_bytes") and type(flat_values.get(name)) is int
            else format_parameter(flat_values.get(name)),
        ]
        row += [sources.get(name, "")] if sources else []
        row += [format_parameter(described.get(name))] if described else []
        title = capitalize_sentence(label_fact(name))
        rows.append([Cell(title, n=False, note=name), *(Cell(words, n=False) for words in row)])
    return Table("Parameters of the run", "", heads, rows)


def _format_moment(seconds: Any) -> str:
    """A Unix time as a moment; what is none as it stands."""
    try:
        return numbers.format_datetime(datetime.fromtimestamp(seconds, UTC))
    except (TypeError, ValueError, OverflowError, OSError):
        return format_parameter(seconds)


def format_parameter(value: Any) -> str:
    """A value as pages write it; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(format_parameter, value))
    if isinstance(value, float) and abs(value) < LONGEST_WRITTEN:
        return numbers.format_digits(value, FLOAT_DIGITS)
    return numbers.format_int(value) if isinstance(value, int) else str(value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(element, (dict, list)) for element in value)
    )
