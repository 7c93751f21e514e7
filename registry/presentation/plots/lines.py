"""Values along a scale of numbers: dots, joined where that was asked for, with names at the ends of their lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from registry.presentation.charts.model import (
    AXIS,
    FULL,
    GRID,
    LINE_DASHES,
    SERIES,
    SERIES_LINES,
    TARGET,
    Circle,
    Path,
    Text,
)
from registry.presentation.charts.scales import LinearAxis, LogAxis, Tick, is_wide, leave_room
from registry.presentation.plots.model import COLOURS, DECADES, LINES, Plot, PlotPoint
from registry.presentation.plots.panels import (
    GAP_PX,
    LINE_PX,
    TARGET_PX,
    THIN,
    Drawn,
    PanelPoints,
    axis_note,
    dot_mark,
    limit_line,
    limit_triangle,
    link_marks,
    move_texts,
    place_on_axis,
    range_marks,
    text_px,
    ticks_px,
    title_height,
    title_lines,
    value_axis,
    wrap_text,
)

PLOT_PX, THIN_PLOT_PX = 250, 190
TICKS_PX, FOOT_PX = 56, 40
"""Least room for the numbers of the axis, and the room for those below."""
NAMES_PX = 200
"""Most that names at the ends of lines take."""
EDGE_PX = 20
"""How far a number may reach beyond the end of the axis."""
STRONG = 0.85
"""Letters of strong text are wider than those that are measured, by the inverse of this."""
MOST_LABELS = 24
"""Points of a chart that each have their number."""


def has_scale(plot: Plot) -> bool:
    """Whether the points lie along numbers and are asked to."""
    return plot.is_scale and plot.kind in (LINES, "points")


def panels_of_lines(plot: Plot, panels: Sequence[PanelPoints]) -> list[PanelPoints]:
    """One panel where each series can have a colour of its own, else a panel for each."""
    return [PanelPoints("", plot.points)] if len(plot.series_names) <= COLOURS else list(panels)


def draw_lines(plot: Plot, panels: Sequence[PanelPoints], width: int) -> tuple[list[Drawn], int]:
    """The marks of all panels and their height."""
    thin = width <= THIN
    across = 1 if len(panels) == 1 or thin else min(len(panels), 4)
    each = (width - GAP_PX * (across - 1)) / across
    tall, y = THIN_PLOT_PX if thin else PLOT_PX, 18.0
    marks: list[Drawn] = [Text(0, 11, axis_note(plot))]
    for first in range(0, len(panels), across):
        line = panels[first : first + across]
        head = title_height(line, each) + 8
        for place, panel in enumerate(line):
            left_x = round(place * (each + GAP_PX), 1)
            marks += move_texts(title_lines(panel, each), left_x, y)
            marks += _panel_marks(plot, panel, (left_x, y + head, each, tall))
        y += head + tall + FOOT_PX
    return marks, int(y)


def _panel_marks(plot: Plot, panel: PanelPoints, area: tuple[float, float, float, float]) -> list[Drawn]:
    outer_x, top, width, tall = area
    left_x = outer_x + ticks_px(plot, TICKS_PX)
    names = list(dict.fromkeys(point.series for point in panel.points)) if not panel.title else []
    named = len(names) > 1
    room = min(NAMES_PX, width / 2.8, max(map(text_px, names)) + 14) if named else 24.0
    base = round(top + tall, 1)
    y_axis = value_axis(plot, base, round(top, 1))
    x_axis = _number_axis(plot, left_x + 8, round(outer_x + width - room, 1))
    right = round(outer_x + width - room + 8, 1)
    marks: list[Drawn] = []
    for tick in y_axis.ticks:
        marks += [
            Path(GRID, f"M{left_x} {tick.at}H{right}"),
            Text(left_x - 6, tick.at, tick.text, "end", dy=4),
        ]
    marks.append(Path(AXIS, f"M{left_x} {base}H{right}"))
    marks += [Text(x, base, text, "middle", dy=17) for x, text in _number_ticks(plot, x_axis)]
    title = f"{plot.x_title}, {plot.x_unit}" if plot.x_unit else plot.x_title
    marks.append(Text(right, base, title, "end", dy=33))
    for limit in dict.fromkeys(point.limit for point in panel.points if point.limit is not None):
        limit_y = y_axis.at(limit.value)
        marks += [limit_line(f"M{left_x} {limit_y}H{right}"), limit_triangle(right - 6, limit_y)]
        if not panel.one_limit or not panel.title:
            words = Text(left_x + 4, limit_y - 5, f"{limit.words} {limit.limit_text}", of_limit=True, halo=True)
            marks.append(words)
    taken: list[float] = []
    for place, name in enumerate(names or [panel.title]):
        series = [point for point in panel.points if point.series == name or panel.title]
        colour = place if named else 0
        marks += _series_marks(plot, series, x_axis, y_axis, colour)
        if named:
            marks += _end_name(series, name, x_axis, y_axis, right + 6, taken, room - 14)
    return marks


def _series_marks(
    plot: Plot, series: Sequence[PlotPoint], x_axis: LinearAxis | LogAxis, y_axis: LinearAxis | LogAxis, colour: int
) -> list[Drawn]:
    marks: list[Drawn] = []
    placed = [(x_axis.at(point.x), place_on_axis(y_axis, point.value), point) for point in series]
    trusts = list(dict.fromkeys(point.trust for point in series))
    if plot.kind == LINES:
        for trust in trusts:
            line = sorted((x, y) for x, y, point in placed if point.trust == trust and not point.bound)
            if len(line) > 1:
                path = "M" + "L".join(f"{x} {y}" for x, y in line)
                marks.append(Path(SERIES_LINES[colour], path, dashes=LINE_DASHES[colour]))
    labelled = len(plot.points) <= MOST_LABELS
    for x, y, point in placed:
        own = [
            *range_marks(point, (place_on_axis(y_axis, point.low), place_on_axis(y_axis, point.high)), x, upright=True),
            Circle(TARGET, x, y, TARGET_PX),
            dot_mark(plot, point, x, y, SERIES[colour] if colour else FULL),
        ]
        if labelled:
            sign = "\N{BLACK UP-POINTING TRIANGLE} " if point.is_above else ""
            text = f"{sign}{point.number_text}"
            text_x = round(min(x, x_axis.right + EDGE_PX - text_px(text) / 2), 1)
            own.append(Text(text_x, round(y - 9, 1), text, "middle", strong=True, halo=True))
        marks += link_marks(point, own)
    return marks


def _end_name(
    series: Sequence[PlotPoint], name: str, x_axis: LinearAxis | LogAxis, y_axis: LinearAxis | LogAxis, x: float,
    taken: list[float], room: float,
) -> list[Drawn]:  # fmt: skip
    """The name of a series beside its last point, below names that are there already."""
    last = max(series, key=lambda point: x_axis.at(point.x))
    if x_axis.at(last.x) + room < x_axis.right:
        x = x_axis.at(last.x) + 12
    lines = wrap_text(name, room * STRONG, 4) or [name]
    y = place_on_axis(y_axis, last.value) + 4
    while any(abs(y - other) < LINE_PX for other in taken):
        y += 2
    taken += [y + LINE_PX * number for number in range(len(lines))]
    return [
        Text(round(x, 1), round(y + LINE_PX * number, 1), line, strong=True, halo=True)
        for number, line in enumerate(lines)
    ]


def _number_axis(plot: Plot, start: float, right: float) -> LinearAxis | LogAxis:
    values = sorted({float(point.x) for point in plot.points})
    if is_wide(values, DECADES):
        return LogAxis(values[0], values[-1], start, right, whole_decades=False)
    return LinearAxis(values[0], values[-1], start, right)


def _number_ticks(plot: Plot, axis: LinearAxis | LogAxis) -> list[Tick]:
    """Ticks at the values where these are few and have room, else those of the axis."""
    values = sorted({point.x for point in plot.points})
    ticks = [Tick(axis.at(value), f"{value:,}") for value in values]
    apart = [(text_px(first.text) + text_px(second.text)) / 2 + 6 for first, second in pairwise(ticks)]
    gaps = [second.at - first.at for first, second in pairwise(ticks)]
    if all(gap >= room for gap, room in zip(gaps, apart, strict=True)):
        return ticks
    spaced_ticks: list[Tick] = []
    for tick in ticks:
        if (
            not spaced_ticks
            or tick.at - spaced_ticks[-1].at >= (text_px(tick.text) + text_px(spaced_ticks[-1].text)) / 2 + 6
        ):
            spaced_ticks.append(tick)
    return spaced_ticks if len(spaced_ticks) > 2 else leave_room(axis.ticks)
