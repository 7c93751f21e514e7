"""Columns from zero in panels that share their axis: few places with short names, each under its ceiling."""

from __future__ import annotations

from collections.abc import Sequence

from registry.presentation.charts.model import (
    AXIS,
    BOUND,
    CEILING,
    FULL,
    GRID,
    TARGET,
    WATER,
    Bar,
    Mark,
    Path,
    Text,
)
from registry.presentation.charts.scales import LinearAxis
from registry.presentation.plots.model import BARS, Plot, PlotPoint
from registry.presentation.plots.panels import (
    GAP_PX,
    LINE_PX,
    PLAIN_OPACITY,
    Drawn,
    PanelPoints,
    balance_lines,
    limit_line,
    limit_triangle,
    link_marks,
    move_texts,
    opacity_of,
    range_marks,
    text_px,
    ticks_px,
    title_height,
    title_lines,
    value_axis,
    wrap_text,
)

MOST_COLUMNS, MOST_ACROSS = 10, 4
PLOT_PX = 190
TICKS_PX = 34
"""Least room for the numbers of the axis, left of the first panel of a line."""
WIDEST_RUN = 150


def columns_across(plot: Plot, panels: Sequence[PanelPoints], width: int) -> int:
    """How many panels lie side by side so that each name and number has room; 0 where none does."""
    if plot.kind != BARS or any(point.value < 0 for point in plot.points):
        return 0
    names = _column_names(panels)
    if len(names) > MOST_COLUMNS or any(len({p.name for p in panel.points}) < len(panel.points) for panel in panels):
        return 0
    most = min(len(panels), MOST_ACROSS)
    fitting = (across for across in range(most, 0, -1) if _names_fit(plot, names, _run_px(plot, names, width, across)))
    return balance_lines(len(panels), next(fitting, 0))


def _column_names(panels: Sequence[PanelPoints]) -> list[str]:
    """What stands below the columns of each panel: places, or names where there is one panel."""
    return list(dict.fromkeys(_column_name(panel, point) for panel in panels for point in panel.points))


def _column_name(panel: PanelPoints, point: PlotPoint) -> str:
    return point.place if panel.title else point.name


def _run_px(plot: Plot, names: Sequence[str], width: int, across: int) -> float:
    return min(WIDEST_RUN, ((width - ticks_px(plot, TICKS_PX)) / across - GAP_PX) / len(names))


def _names_fit(plot: Plot, names: Sequence[str], run: float) -> bool:
    numbers_fit = all(text_px(point.number_text) <= run * 0.95 for point in plot.points)
    return numbers_fit and all(wrap_text(name, run - 4) for name in names)


def draw_columns(plot: Plot, panels: Sequence[PanelPoints], width: int, across: int) -> tuple[list[Drawn], int]:
    """The marks of all panels, so many in each line, and their height."""
    marks: list[Drawn] = []
    names = _column_names(panels)
    run, y, first_x = _run_px(plot, names, width, across), 0, ticks_px(plot, TICKS_PX)
    lines = [panels[first : first + across] for first in range(0, len(panels), across)]
    foot = LINE_PX * max(len(wrap_text(name, run - 4)) for name in names) + 6
    for line in lines:
        head = title_height(line, run * len(names)) + 20
        base = y + head + PLOT_PX
        axis = value_axis(plot, base, y + head, 4)
        assert isinstance(axis, LinearAxis)
        for place, panel in enumerate(line):
            left_x = round(first_x + place * (run * len(names) + GAP_PX), 1)
            marks += _panel_marks(plot, panel, names, axis, left_x, run, y, numbered=not place)
        y = base + foot + 12
    return marks, y


def _panel_marks(
    plot: Plot, panel: PanelPoints, names: Sequence[str], axis: LinearAxis, left_x: float, run: float, y: int, *,
    numbered: bool,
) -> list[Drawn]:  # fmt: skip
    right = round(left_x + run * len(names), 1)
    marks: list[Drawn] = [*move_texts(title_lines(panel, run * len(names)), left_x, y)]
    for tick in axis.ticks:
        marks.append(Path(AXIS if tick.text.strip("0.") == "" else GRID, f"M{left_x} {tick.at}H{right}"))
        if numbered:
            marks.append(Text(round(left_x - 6, 1), tick.at, tick.text, "end", dy=4))
    by_name = {_column_name(panel, point): point for point in panel.points}
    for place, name in enumerate(names):
        middle = round(left_x + run * (place + 0.5), 1)
        if name in by_name:
            marks += link_marks(
                by_name[name], _column_marks(plot, by_name[name], axis, middle, run, named=not panel.one_limit)
            )
        lines = wrap_text(name, run - 4)
        marks += [
            Text(middle, round(axis.left + 15 + LINE_PX * number, 1), line, "middle")
            for number, line in enumerate(lines)
        ]
    if panel.one_limit:
        limit = panel.points[0].limit
        limit_y = axis.at(limit.value if limit else 0.0)
        marks += [limit_line(f"M{left_x} {limit_y}H{right}"), limit_triangle(right - 6, limit_y)]
    return marks


def _column_marks(
    plot: Plot, point: PlotPoint, axis: LinearAxis, middle: float, run: float, *, named: bool
) -> list[Mark]:
    """The water up to the ceiling, the column, what of it stands above, its number; `named`: and its own ceiling."""
    bar = round(min(run * 0.7, 72), 1)
    left_x, base, top = round(middle - bar / 2, 1), axis.at(0.0), axis.at(point.value)
    opacity, tall = opacity_of(plot, point), round(base - top, 1)
    marks: list[Mark] = [Bar(TARGET, left_x, axis.right, bar, round(base - axis.right, 1))]
    limit_y = top
    if point.limit is not None:
        limit_y = axis.at(point.limit.value)
        marks.append(Bar(WATER, left_x, limit_y, bar, round(base - limit_y, 1)))
    marks.append(Bar(BOUND if point.bound else FULL, left_x, top, bar, tall, None if point.bound else opacity))
    if point.is_above:
        marks.append(Bar(CEILING, left_x, top, bar, round(limit_y - top, 1)))
        marks.append(Text(middle, round(top - 4, 1), "\N{BLACK UP-POINTING TRIANGLE}", "middle", of_limit=True))
    marks += range_marks(point, (axis.at(point.low), axis.at(point.high)), middle, upright=True)
    below = max(top, limit_y) if point.is_above else top
    inside = (
        base - below > 24
        and text_px(point.number_text) <= bar + 4
        and (opacity or 1) > PLAIN_OPACITY
        and not point.bound
    )
    text_y = below + 15 if inside else min(axis.at(point.high), top) - (18 if point.is_above else 5)
    marks.append(
        Text(middle, round(text_y, 1), point.number_text, "middle", strong=True, inside=inside, halo=not inside)
    )
    if named and point.limit is not None:
        marks += [limit_line(f"M{left_x - 4} {limit_y}h{bar + 8}"), limit_triangle(left_x + bar - 2, limit_y)]
        words = Text(round(left_x - 4, 1), round(limit_y - 4, 1), point.limit.limit_text, of_limit=True, halo=True)
        marks.append(words)
    return marks
