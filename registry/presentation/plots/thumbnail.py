"""The small picture of a study beside its finding: columns, a line or dots in 176 x 124 units, with the ceiling."""

from __future__ import annotations

from collections.abc import Sequence

from registry.presentation import numbers
from registry.presentation.charts.model import (
    AXIS,
    CEILING,
    FULL,
    GRID,
    SERIES_LINES,
    WATER,
    Bar,
    Chart,
    Circle,
    Mark,
    Path,
    Text,
)
from registry.presentation.charts.scales import LinearAxis, LogAxis
from registry.presentation.plots.drawing import describe_plot
from registry.presentation.plots.model import BARS, Plot, PlotPoint
from registry.presentation.plots.panels import (
    MOST_PANELS,
    PanelPoints,
    divide_panels,
    limit_line,
    limit_triangle,
    place_on_axis,
    value_axis,
    wrap_text,
)

WIDTH, HEIGHT = 176, 124
TOP, BASE = 30, 104
MOST_COLUMNS = 8
LETTER = 5.8
"""Width of a letter of 11 px."""
CAPITALS = 0.85
"""Of the room for a name: capitals are wider than the letters that are counted."""
STRONG_LETTER = 6.6
"""Width of a bold digit of 11 px."""
TRIANGLE = 14
"""Room for the sign of a ceiling at the end of its line, and beside it."""


def draw_thumbnail(plot: Plot) -> Chart:
    """Columns of few values from zero, else dots along a scale of numbers, else a line of dots for each series."""
    panels = divide_panels(plot)
    if plot.kind == BARS and len(plot.points) <= MOST_COLUMNS and all(point.value >= 0 for point in plot.points):
        marks = _draw_columns(plot, panels)
    elif plot.is_scale:
        marks = _draw_scale(plot)
    else:
        marks = _draw_dots(plot, panels[:MOST_PANELS])
    return Chart(WIDTH, HEIGHT, describe_plot(plot), marks, "th", is_logarithmic=plot.is_wide)


def _draw_columns(plot: Plot, panels: Sequence[PanelPoints]) -> list[Mark]:
    """Columns side by side, a gap between panels; each ceiling once where columns beside each other share it."""
    axis = value_axis(plot, BASE, TOP)
    gap = 14 if len(panels) > 1 else 0
    run = (WIDTH - gap * (len(panels) - 1)) / len(plot.points)
    marks: list[Mark] = []
    x = 0.0
    for panel in panels:
        start = x
        for point in panel.points:
            marks += _column_marks(point, axis, round(x + run / 2, 1), round(min(run * 0.84, 44), 1))
            name = point.place if panel.title else point.name
            if len(panels) == 1 and LETTER * len(name) <= run:
                marks.append(Text(round(x + run / 2, 1), BASE + 14, name, "middle"))
            x += run
        limit = panel.points[0].limit if panel.one_limit else None
        if limit is not None:
            limit_y = axis.at(limit.value)
            marks += [limit_line(f"M{round(start, 1)} {limit_y}H{round(x, 1)}"), limit_triangle(x - 7, limit_y)]
            if LETTER * len(limit.limit_text) <= x - start - TRIANGLE:
                marks.append(Text(round(start, 1), round(limit_y - 5, 1), limit.limit_text, of_limit=True, halo=True))
        if panel.title and (lines := wrap_text(panel.title, (x - start) * CAPITALS, 1)):
            marks.append(Text(round((start + x) / 2, 1), BASE + 14, lines[0], "middle"))
        x += gap
    return [*marks, Path(AXIS, f"M0 {BASE}H{WIDTH}"), Text(0, 10, plot.unit or "no unit")]


def _column_marks(point: PlotPoint, axis: LinearAxis | LogAxis, middle: float, bar: float) -> list[Mark]:
    left_x, top = round(middle - bar / 2, 1), axis.at(point.value)
    marks: list[Mark] = []
    if point.limit is not None:
        limit_y = axis.at(point.limit.value)
        marks.append(Bar(WATER, left_x, limit_y, bar, round(BASE - limit_y, 1)))
    marks.append(Bar(FULL, left_x, top, bar, round(BASE - top, 1)))
    if point.limit is not None and point.is_above:
        marks.append(Bar(CEILING, left_x, top, bar, round(axis.at(point.limit.value) - top, 1)))
    text = numbers.format_significant(point.value)
    if STRONG_LETTER * len(text) + 2 <= bar:
        inside = BASE - top > 18
        text_y = round(top + 13 if inside else top - 4, 1)
        marks.append(Text(middle, text_y, text, "middle", strong=True, inside=inside))
    return marks


def _draw_scale(plot: Plot) -> list[Mark]:
    """Dots along numbers, a line through those of one series; the first and the last value of the axis are named."""
    axis = value_axis(plot, BASE, TOP)
    values = sorted({float(point.x) for point in plot.points})
    x_axis = LinearAxis(values[0], values[-1], 8, WIDTH - 8)
    marks: list[Mark] = []
    for series in plot.series_names[: len(SERIES_LINES)]:
        line = sorted(
            (x_axis.at(point.x), place_on_axis(axis, point.value)) for point in plot.points if point.series == series
        )
        if plot.kind == "lines" and len(line) > 1:
            marks.append(Path(SERIES_LINES[0], "M" + "L".join(f"{x} {y}" for x, y in line)))
    marks += [Circle(FULL, x_axis.at(point.x), place_on_axis(axis, point.value), 3.5) for point in plot.points]
    highest = max(plot.points, key=lambda point: point.value)
    marks.append(
        Text(x_axis.at(highest.x), round(place_on_axis(axis, highest.value) - 7, 1), highest.number_text,
             "end" if x_axis.at(highest.x) > WIDTH / 2 else "", strong=True, halo=True)
    )  # fmt: skip
    ends = [Text(0, BASE + 14, f"{values[0]:,.6g}"), Text(WIDTH, BASE + 14, f"{values[-1]:,.6g} {plot.x_title}", "end")]
    return [*marks, Path(AXIS, f"M0 {BASE}H{WIDTH}"), *ends, Text(0, 10, plot.unit or "no unit")]


def _draw_dots(plot: Plot, panels: Sequence[PanelPoints]) -> list[Mark]:
    """A line of dots for each series, with the ceiling that its points share."""
    axis = value_axis(plot, 8, WIDTH - 8, 2)
    has_room = LETTER * 2 * max(len(tick.text) for tick in axis.ticks) < WIDTH / 2
    ticks = axis.ticks if len(axis.ticks) < 4 and has_room else [axis.ticks[0], axis.ticks[-1]]
    marks: list[Mark] = [Path(GRID, f"M{tick.at} 18V{BASE}") for tick in ticks]
    marks += [
        Text(tick.at, BASE + 14, tick.text, "middle" if 20 < tick.at < WIDTH - 20 else "" if tick.at < 88 else "end")
        for tick in ticks
    ]
    step = (BASE - 24) / len(panels)
    for place, panel in enumerate(panels):
        y = round(24 + step * (place + 0.5), 1)
        spread = panel.points if len(panels) > 1 else ()
        marks += [Circle(FULL, place_on_axis(axis, point.value), y, 3.5, opacity=0.7) for point in spread]
        if not spread:
            down = (BASE - 30) / max(1, len(panel.points) - 1)
            marks += [
                Circle(FULL, place_on_axis(axis, point.value), round(26 + down * number, 1), 3.5, opacity=0.7)
                for number, point in enumerate(panel.points)
            ]
        for limit in plot.all_limits if not spread else [panel.points[0].limit] if panel.one_limit else []:
            if limit is not None:
                limit_x = place_on_axis(axis, limit.value)
                height = (y - step / 2, y + step / 2)
                marks += [limit_line(f"M{limit_x} {height[0]}V{height[1]}"), limit_triangle(limit_x, height[0])]
    unit = f"{plot.unit or 'no unit'}{', logarithmic' if plot.is_wide else ''}"
    return [*marks, Text(0, 10, unit)]
