"""Strips: all values of a series as dots along one axis, for charts with more places than names have room for."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from registry.presentation import numbers
from registry.presentation.charts.model import AXIS, EDGE, FULL, GRID, Dot, Path, Text, circle_path
from registry.presentation.charts.scales import leave_room
from registry.presentation.plots.model import Plot
from registry.presentation.plots.panels import (
    LINE_PX,
    Drawn,
    PanelPoints,
    axis_note,
    place_on_axis,
    value_axis,
    wrap_text,
)

STRIP_PX, RADIUS = 34, 3
NAMES_PX = 300


def draw_strips(plot: Plot, panels: Sequence[PanelPoints], width: int, *, thin: bool) -> tuple[list[Drawn], int]:
    """One strip for each panel, with a stroke at its median; what each dot is stands in the table."""
    room = 0 if thin else NAMES_PX
    axis = value_axis(plot, room + 8, width - 16)
    titled = [
        wrap_text(panel.title or "all points", width if thin else NAMES_PX - 16, 4) or [panel.title] for panel in panels
    ]
    step = [STRIP_PX + LINE_PX * len(lines) if thin else max(STRIP_PX, LINE_PX * len(lines) + 8) for lines in titled]
    height = 24 + sum(step)
    marks: list[Drawn] = []
    ticks = leave_room(axis.ticks) if len(axis.ticks) > 1 else axis.ticks
    for x, text in ticks:
        marks += [Path(GRID, f"M{x} 18V{height}"), Text(x, 12, text, "middle")]
    y = 24.0
    for panel, lines, tall in zip(panels, titled, step, strict=True):
        middle = y + (LINE_PX * len(lines) + STRIP_PX / 2 if thin else tall / 2)
        first = y + 11 if thin else middle - LINE_PX * (len(lines) - 1) / 2 + 4
        marks += [Text(0, round(first + LINE_PX * place, 1), line, strong=True) for place, line in enumerate(lines)]
        values = [point.value for point in panel.points]
        dots = [Dot(place_on_axis(axis, value), middle, new=True) for value in values]
        usual = place_on_axis(axis, median(values))
        marks += [
            Path(AXIS, f"M{axis.left} {middle}H{axis.right}"),
            Path(FULL, circle_path(dots, RADIUS), opacity=0.5),
            Path(EDGE, f"M{usual} {middle - 9}v18"),
            Text(usual, middle - 11, numbers.format_significant(median(values)), "middle", strong=True, halo=True),
        ]
        y += tall
    marks.append(Text(width, height + 14, f"{axis_note(plot)}; stroke: median", "end"))
    return marks, height + 20
