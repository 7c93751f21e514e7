"""The chart of a study: from rows of registry/studies/table.py to the model of registry/presentation/charts/plot.py.

What is not known is not drawn, and every point says in words what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from registry.presentation.charts.scales import is_wide
from registry.presentation.numbers import format_digits
from registry.presentation.plots.model import (
    ASSUMED,
    BARS,
    BOX,
    COLOURS,
    DECADES,
    FEWEST_FOR_A_LINE,
    FIGURE,
    HEAT,
    LINES,
    MEASUREMENTS,
    MOST_BARS,
    NOT_REPEATED,
    POINTS,
    RADAR,
    REPEATED,
    SEVERAL,
    Limit,
    Plot,
    PlotPoint,
)
from registry.presentation.words import label_place
from registry.query.facts.axes import find_axis
from registry.query.values import qualified_values
from registry.studies.table import FIGURES, Row, is_assumed, is_not_repeated, lower_is_better

FEWEST_FOR_A_BOX = 5
FEWEST_SPOKES = 3


def make_plot(
    title: str,
    axes: Sequence[str],
    unit: str,
    rows: Sequence[Row],
    kind: str = "auto",
    limits: Sequence[Limit | None] = (),
) -> Plot | None:
    """Bars, lines, points, box, heat map or radar of rows whose first axis is x. None where nothing can be drawn.

    `unit` is what the values are in, with what they are divided by; `limits` are the ceilings of the rows, in the same
    unit, one for each row or none at all. `auto` draws lines where x is a number with at least three values, boxes
    where most points are of five or more measurements, points where values differ a hundredfold, else bars.
    """
    placed = list(zip(rows, limits or [None] * len(rows), strict=True))
    drawn = [(row, limit) for row, limit in placed if row["value"] is not None and row[axes[0]] is not None]
    if not drawn or len({row["unit"] for row, _ in drawn}) > 1:
        return None
    drawn_rows = [row for row, _ in drawn]
    told_apart_by = [name for name in axes[1:] if len({row[name] for row in drawn_rows}) > 1]
    points = [_plot_point(row, axes[0], told_apart_by, unit, limit) for row, limit in drawn]
    kind = _drawable_kind(_fitting_kind(axes, drawn_rows) if kind == "auto" else kind, points)
    reaches = kind not in (HEAT, RADAR)
    x = find_axis(axes[0])
    better = ", less is better" if unit and lower_is_better(unit) else ""
    return Plot(
        title,
        unit,
        f"{unit or 'no unit'}{better}",
        kind,
        points,
        x_title=x.title,
        x_unit=x.unit,
        about=_trust_text(points),
        repeats="; ".join(_legend_of_lines(points, has_lines=reaches)),
        is_mixed=len({point.trust for point in points}) > 1,
    )


def plot_measurements(
    title: str, axes: Sequence[str], unit: str, rows: Sequence[Row], limits: Sequence[Limit | None] = ()
) -> Plot | None:
    """Every measurement as a point of its own that leads to its result; no bar, no line, no median."""
    plot = make_plot(title, axes, unit, rows, POINTS, limits)
    if plot is None:
        return None
    return replace(plot, about=f"{plot.about}; each point is one measurement", drawn=MEASUREMENTS)


def _drawable_kind(kind: str, points: Sequence[PlotPoint]) -> str:
    """The kind asked for, else what can show so many points."""
    if kind in (BARS, BOX) and len(points) > MOST_BARS:
        return POINTS
    if kind != RADAR:
        return kind
    if len({point.place for point in points}) < FEWEST_SPOKES:
        return BARS
    return HEAT if len({point.series for point in points}) > COLOURS else kind


def _legend_of_lines(points: Sequence[PlotPoint], *, has_lines: bool) -> list[str]:
    """What lines mean, and that what has none was not repeated."""
    kinds = {point.spread for point in points}
    lines = {
        REPEATED: "solid line with ends: 95 % range by repeats",
        SEVERAL: "dashed line: lowest to highest of several",
        ASSUMED: "dotted line, diamond: not repeated, 95 % range assumed",
    }
    phrases = [words for kind, words in lines.items() if has_lines and kind in kinds]
    if NOT_REPEATED in kinds:
        phrases.append(NOT_REPEATED if kinds == {NOT_REPEATED} else f"diamond, or bar without a line: {NOT_REPEATED}")
    return phrases


def _trust_text(points: Sequence[PlotPoint]) -> str:
    """The one level of trust of all points, or what their fills mean."""
    levels = {point.trust for point in points}
    meaning = "full: verified, two thirds: derived, one third: imported, light: reported"
    fills = levels.pop() if len(levels) == 1 else meaning
    return f"{fills}, dashed: a bound, not a measured value" if any(point.bound for point in points) else fills


def _fitting_kind(axes: Sequence[str], rows: Sequence[Row]) -> str:
    if len(axes) > 1 or not _is_scale(rows, axes[0]):
        many = sum(row["count"] >= FEWEST_FOR_A_BOX for row in rows)
        if 2 * many > len(rows):
            return BOX
    if _is_scale(rows, axes[0]):
        return LINES
    return POINTS if is_wide([row["value"] for row in rows], DECADES) else BARS


def _is_scale(rows: Sequence[Row], name: str) -> bool:
    values = {row[name] for row in rows}
    return len(values) >= FEWEST_FOR_A_LINE and not any(isinstance(value, str) for value in values)


def _plot_point(row: Row, x: str, told_apart_by: Sequence[str], unit: str, limit: Limit | None) -> PlotPoint:
    series = series_text = ", ".join(_axis_value_text(name, row[name]) for name in told_apart_by if row[name] != "")
    if told_apart_by and not series_text:
        series = f"{find_axis(told_apart_by[0]).title} not stated"
    figures = {name: row["value"] if row[name] is None else row[name] for name in FIGURES}
    qualifier = row.get("qualifier") or ""
    if row.get("interval_low") is not None:
        figures |= {"low": row["interval_low"], "high": row["interval_high"]}
    place = _axis_value_text(x, row[x])
    value = qualified_values.in_words(qualifier, f"{format_digits(row['value'], 6)} {unit}".strip())
    kind, reach = _point_reach(row)
    if row.get("among"):
        reach = f"{row['label'] or row['result']}, one of {row['among']:,} measurements"
    return PlotPoint(
        x=row[x],
        place=place,
        series=series,
        name=f"{place} {series_text}".strip(),
        **figures,
        spread=kind,
        trust=row["trust"],
        words=f"{place}{', ' + series if series else ''}: {', '.join(filter(None, (value, row['trust'], reach)))}",
        number_text=_point_number(row, qualifier),
        bound=qualifier.startswith((qualified_values.BELOW, qualified_values.ABOVE)),
        address=f"/results/{quote(str(row['result']), safe='')}/" if row.get("result") else "",
        limit=limit,
    )


def _point_reach(row: Row) -> tuple[str, str]:
    """What a point is, and in words how far it reaches and by what."""
    if row.get("among"):
        return FIGURE, ""
    if row["count"] > 1:
        if row.get("low") is None:
            return FIGURE, f"median of {row['count']:,} measurements"
        ends = f"{format_digits(row['low'])} to {format_digits(row['high'])}"
        return SEVERAL, f"median of {row['count']:,} measurements, lowest to highest {ends}"
    if is_not_repeated(row):
        return NOT_REPEATED, f"not repeated{_rounding_words(row)}"
    if row.get("interval_low") is None:
        return FIGURE, ""
    ends = f"{format_digits(row['interval_low'])} to {format_digits(row['interval_high'])}"
    if is_assumed(row):
        return ASSUMED, f"not repeated, assumed 95 % range {ends}"
    return REPEATED, f"95 % range {ends} by {row['interval_runs']} runs"


def _rounding_words(row: Row) -> str:
    """ ", printed digits 83.25 to 83.35" where they are known."""
    if row.get("rounding_low") is None:
        return ""
    return f", printed digits {format_digits(row['rounding_low'], 7)} to {format_digits(row['rounding_high'], 7)}"


def _point_number(row: Row, qualifier: str) -> str:
    """The number of a point in short: "< 200", "~ 8"."""
    sign = {
        qualified_values.BELOW: "<",
        qualified_values.ABOVE: "\N{GREATER-THAN OR EQUAL TO}",
        qualified_values.ABOUT: "~",
    }
    return f"{sign.get(qualifier.partition(' ')[0], '')} {format_digits(row['value'])}".strip()


def _axis_value_text(name: str, value: Any) -> str:
    """ "write", but "cpt 8" and "direct I/O: true", which say nothing alone."""
    bare = isinstance(value, str) and value not in ("true", "false")
    return label_place(name, value) if bare else f"{find_axis(name).title} {_axis_text(value)}"


def _axis_text(value: Any) -> str:
    return "\N{EM DASH}" if value is None else f"{value:,}" if isinstance(value, int | float) else str(value)
