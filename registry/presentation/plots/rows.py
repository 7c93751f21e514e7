"""Rows: a name at the left_x, in panels side by side that share names and axis; bars, dots or boxes along the value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from registry.presentation.charts.model import (
    AXIS,
    BOUND,
    CEILING,
    EDGE,
    FULL,
    GRID,
    TARGET,
    WATER,
    Bar,
    Mark,
    Path,
    Text,
)
from registry.presentation.charts.scales import LinearAxis, LogAxis, leave_room
from registry.presentation.plots.model import BARS, BOX, Plot, PlotPoint
from registry.presentation.plots.panels import (
    GAP_PX,
    LINE_PX,
    PLAIN_OPACITY,
    TARGET_PX,
    THIN,
    Drawn,
    PanelPoints,
    axis_note,
    balance_lines,
    dot_mark,
    limit_line,
    limit_triangle,
    link_marks,
    move_texts,
    opacity_of,
    place_on_axis,
    range_marks,
    text_px,
    title_height,
    title_lines,
    value_axis,
    wrap_text,
)

ROW_PX, CLOSE_ROW_PX, BAR_PX = 26, 18, 16
MOST_OPEN_ROWS = 40
"""Rows that are a finger apart; more lie closer."""
MOST_ROWS = 120
NAMES_PX, LEAST_PANEL_PX = 330, 150
"""Most that names take of a wide page, least that a panel needs beside others."""

Axis = LinearAxis | LogAxis


class _Named(NamedTuple):
    """What stands beside a point: its number, its own ceiling, and how far it reaches."""

    number: bool
    limit: bool
    reach: bool


def fits_rows(panels: Sequence[PanelPoints], *, thin: bool) -> bool:
    """Whether the rows of all panels make a chart that can still be read."""
    rows = sum(len(row_names([panel])) for panel in panels) if thin else len(row_names(panels))
    return rows <= (MOST_ROWS // 2 if thin and len(panels) > 1 else MOST_ROWS)


def row_names(panels: Sequence[PanelPoints]) -> list[str]:
    return list(dict.fromkeys(_row_name(panel, point) for panel in panels for point in panel.points))


def _row_name(panel: PanelPoints, point: PlotPoint) -> str:
    return point.place if panel.title else point.name


def draw_rows(plot: Plot, panels: Sequence[PanelPoints], width: int) -> tuple[list[Drawn], int]:
    """The marks of all panels and their height; on phones each name stands above its row."""
    names = row_names(panels)
    above = width <= THIN
    room = 0.0 if above else min(NAMES_PX, max(map(text_px, names)) + 12)
    own = [text_px(limit.limit_text) + 10 for panel in panels if not panel.one_limit for limit in plot.all_limits]
    numbers = max(text_px(point.number_text) for point in plot.points) + 12 + max(own, default=0)
    across = (
        1 if above else max(1, min(len(panels), int((width - room + GAP_PX) / (LEAST_PANEL_PX + numbers + GAP_PX))))
    )
    across = balance_lines(len(panels), across)
    each = (width - room - GAP_PX * (across - 1)) / across
    marks: list[Drawn] = []
    y = 0.0
    for first in range(0, len(panels), across):
        line = panels[first : first + across]
        height = _line_marks(plot, line, names if not above else row_names(line), (room, each, numbers, y), marks)
        y = round(y + height, 1)
    marks.append(Text(width, y + 12, axis_note(plot), "end"))
    return marks, int(y) + 18


def _line_marks(
    plot: Plot, line: Sequence[PanelPoints], names: Sequence[str], place: tuple[float, float, float, float],
    marks: list[Drawn],
) -> float:  # fmt: skip
    """One line of panels; returns its height."""
    room, each, numbers, y = place
    step = ROW_PX if len(names) <= MOST_OPEN_ROWS else CLOSE_ROW_PX
    head = title_height(line, each) + (24 if room else 28)
    tops: dict[str, float] = {}
    at = y + head
    for name in names:
        lines = wrap_text(name, (room or each) - 10, 4) or [name]
        tall = max(step, LINE_PX * len(lines) + 4) if room else step + LINE_PX * len(lines)
        offset = (tall - LINE_PX * len(lines)) / 2 if room else 0.0
        marks += [
            Text(0, round(at + offset + 11 + LINE_PX * number, 1), words, strong=not room)
            for number, words in enumerate(lines)
        ]
        tops[name] = round(at + (tall / 2 if room else tall - step / 2), 1)
        at = round(at + tall, 1)
    has_lines = plot.has_lines
    for place_in_line, panel in enumerate(line):
        left_x = round(room + place_in_line * (each + GAP_PX), 1)
        axis = value_axis(plot, left_x + 4, round(left_x + each - numbers, 1))
        marks += [*move_texts(title_lines(panel, each), left_x, y)]
        marks += _value_grid(axis, y + head, at, left_x)
        in_row = Counter(_row_name(panel, point) for point in panel.points)
        one_limit = panel.one_limit
        for point in panel.points:
            is_alone = in_row[_row_name(panel, point)] == 1
            named = _Named(number=not plot.drawn or is_alone, limit=not one_limit, reach=has_lines)
            marks += link_marks(point, _point_marks(plot, point, axis, tops[_row_name(panel, point)], named))
        if one_limit and panel.points[0].limit is not None:
            limit_x = axis.at(panel.points[0].limit.value)
            marks += [limit_line(f"M{limit_x} {y + head - 2}V{at}"), limit_triangle(limit_x, y + head - 1)]
    return at - y + 10


def _value_grid(axis: Axis, top: float, base: float, left_x: float) -> list[Mark]:
    marks: list[Mark] = []
    ticks = leave_room(axis.ticks) if len(axis.ticks) > 1 else axis.ticks
    for number, (x, text) in enumerate(ticks):
        is_zero = isinstance(axis, LinearAxis) and x == axis.at(0.0)
        marks.append(Path(AXIS if is_zero else GRID, f"M{x} {round(top, 1)}V{base}"))
        marks.append(Text(x, round(top - 6, 1), text, "" if not number and x - left_x < 8 else "middle"))
    return marks


def _point_marks(plot: Plot, point: PlotPoint, axis: Axis, y: float, named: _Named) -> list[Mark]:
    """A bar, a box or a dot with its range, its ceiling and its number."""
    x = axis.at(point.value) if point.value > 0 or isinstance(axis, LinearAxis) else axis.left
    marks: list[Mark] = []
    is_bar = plot.kind == BARS and isinstance(axis, LinearAxis) and point.value >= 0
    limit_x = axis.at(point.limit.value) if point.limit is not None else x
    zero = axis.at(0.0) if isinstance(axis, LinearAxis) else axis.left
    top = round(y - BAR_PX / 2, 1)
    if is_bar:
        if point.limit is not None:
            marks.append(Bar(WATER, zero, top, round(limit_x - zero, 1), BAR_PX))
        opacity = None if point.bound else opacity_of(plot, point)
        marks.append(Bar(BOUND if point.bound else FULL, zero, top, round(x - zero, 1), BAR_PX, opacity))
        if point.is_above:
            marks.append(Bar(CEILING, limit_x, top, round(x - limit_x, 1), BAR_PX))
    else:
        marks.append(Bar(TARGET, round(x - TARGET_PX, 1), round(y - TARGET_PX, 1), 2 * TARGET_PX, 2 * TARGET_PX))
    if point.spread and named.reach:
        marks += range_marks(point, (place_on_axis(axis, point.low), place_on_axis(axis, point.high)), y, upright=False)
    if plot.kind == BOX and point.q1 < point.q3:
        low, high = place_on_axis(axis, point.q1), place_on_axis(axis, point.q3)
        marks.append(Bar(FULL, low, round(y - 5, 1), round(high - low, 1), 10, opacity_of(plot, point) or 0.5))
        marks.append(Path(EDGE, f"M{x} {y - 8}v16"))
    elif not is_bar:
        marks.append(dot_mark(plot, point, x, y))
    if point.limit is not None and named.limit:
        marks.append(limit_line(f"M{limit_x} {top - 2}v{BAR_PX + 4}"))
    if not named.number:
        return marks
    ends = (zero, x, limit_x, place_on_axis(axis, point.high))
    return marks + _number_marks(plot, point, y, ends=ends, is_bar=is_bar, named=named)


def _number_marks(
    plot: Plot, point: PlotPoint, y: float, *, ends: tuple[float, float, float, float], is_bar: bool, named: _Named
) -> list[Mark]:
    """The number of a point, inside a long bar, else behind all that is drawn; and its own ceiling in short."""
    zero, x, limit_x, high_x = ends
    legible = (opacity_of(plot, point) or 1) > PLAIN_OPACITY and not point.bound and not point.is_above
    text_y = round(y + 4, 1)
    if is_bar and legible and high_x <= x and x - zero > text_px(point.number_text) + 12:
        number = Text(round(x - 5, 1), text_y, point.number_text, "end", strong=True, inside=True)
        after = max(x, limit_x) + 5
    else:
        sign = "\N{BLACK UP-POINTING TRIANGLE} " if point.is_above else ""
        start = round(max(x + (0 if is_bar else 5), high_x, limit_x if is_bar else 0) + 5, 1)
        number = Text(start, text_y, f"{sign}{point.number_text}", strong=True, halo=True)
        after = start + text_px(number.text) + 8
    if not named.limit or point.limit is None or len(plot.points) > MOST_OPEN_ROWS:
        return [number]
    return [number, Text(round(max(after, limit_x + 5), 1), text_y, point.limit.limit_text, of_limit=True, halo=True)]
