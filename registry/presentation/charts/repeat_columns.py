"""Columns of repeated values under a ceiling: the mean as a column, each repeat as a dot, the water up to the limit."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from registry.presentation import numbers
from registry.presentation.charts.model import (
    AXIS,
    CEILING_LINE,
    FULL,
    HOLLOW,
    WATER,
    Bar,
    Chart,
    Circle,
    Mark,
    Path,
    Text,
    horizontal_grid,
)
from registry.presentation.charts.scales import LinearAxis

WIDE, THIN = 596, 358
HEIGHT, TOP, BOTTOM, LEFT_X = 258, 48, 44, 26


@dataclass(frozen=True, slots=True)
class RepeatColumn:
    """What a column is of in one word and in a few, and its values in the unit of the chart, at least one."""

    name: str
    about: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class CeilingMark:
    """A limit in the unit of the chart, what it is the limit of, and what says so."""

    value: float
    words: str
    source: str


def draw_repeat_columns(columns: Sequence[RepeatColumn], ceiling: CeilingMark, unit: str) -> list[Chart]:
    """The same columns from zero, drawn for wide pages and for phones. None at all without a column."""
    return [
        _draw_columns(columns, ceiling, unit, kind, width)
        for kind, width in (("wide", WIDE), ("thin", THIN))
        if columns
    ]


def _draw_columns(columns: Sequence[RepeatColumn], ceiling: CeilingMark, unit: str, kind: str, width: int) -> Chart:
    most = max(ceiling.value, *(value for column in columns for value in column.values))
    base = HEIGHT - BOTTOM
    axis = LinearAxis(0.0, most, base, TOP - 12)
    run = (width - LEFT_X) / len(columns)
    bar = round(run * 0.78, 1)
    limit_y = axis.at(ceiling.value)
    marks: list[Mark] = horizontal_grid([tick for tick in axis.ticks if tick.at > limit_y + 6], LEFT_X, width)
    for place, column in enumerate(columns):
        marks += _draw_column(column, round(LEFT_X + run * place + (run - bar) / 2, 1), bar, base, axis, ceiling.value)
    marks += [
        Path(AXIS, f"M{LEFT_X} {base}H{width}"),
        Path(CEILING_LINE, f"M{LEFT_X} {limit_y}H{width}", dashed=True),
        Path(CEILING_LINE, "M-7 -11.200h14L0 0z", (width - 12.0, limit_y)),
        Text(LEFT_X, 12, f"{numbers.format_decimal(ceiling.value)} {unit}: {ceiling.words}", strong=True),
        Text(LEFT_X, 27, ceiling.source),
    ]
    words = "; ".join(
        f"{column.name} {column.about}: " + ", ".join(numbers.format_decimal(value) for value in column.values)
        for column in columns
    )
    limit = f"ceiling {numbers.format_decimal(ceiling.value)}, {ceiling.words}"
    return Chart(width, HEIGHT, f"Columns from zero, {unit}: {words}; {limit}", marks, kind, axis.ticks)


def _draw_column(
    column: RepeatColumn, left_x: float, bar: float, base: float, axis: LinearAxis, ceiling: float
) -> list[Mark]:
    """The water up to the limit, the column up to the mean, a dot for each repeat, and the names below."""
    middle, mean, limit_y = round(left_x + bar / 2, 1), statistics.fmean(column.values), axis.at(ceiling)
    top = axis.at(mean)
    apart = bar / (len(column.values) + 1)
    dots: list[Mark] = [
        Circle(HOLLOW, round(left_x + apart * number, 1), axis.at(value), 4)
        for number, value in enumerate(column.values, 1)
        if len(column.values) > 1
    ]
    return [
        Bar(WATER, left_x, limit_y, bar, round(base - limit_y, 1)),
        Bar(FULL, left_x, top, bar, round(base - top, 1)),
        *dots,
        Text(middle, top + 30, numbers.format_decimal(mean), "middle", strong=True, inside=True),
        Text(middle, top + 46, f"{100 * mean / ceiling:.0f}\N{NO-BREAK SPACE}%", "middle", inside=True),
        Text(middle, base + 18, column.name, "middle", strong=True),
        Text(middle, base + 34, column.about, "middle"),
    ]
