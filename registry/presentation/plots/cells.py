"""Heat maps and radars: cells as deep as their value is large, and spokes of a disc."""

from __future__ import annotations

import math

from registry.presentation import numbers
from registry.presentation.charts.model import FULL, GRID, SERIES_LINES, TARGET, Bar, Circle, Path, Text
from registry.presentation.charts.scales import is_wide
from registry.presentation.plots import disc
from registry.presentation.plots.model import COLOURS, DECADES, Plot
from registry.presentation.plots.panels import LINE_PX, THIN, Drawn, dot_mark, link_marks, text_px, wrap_text

CELL_PX, CELL_DIGITS = 28, 4
NAMES_PX = 330
DEPTHS = (0.05, 0.5)
"""Ink on the deepest cell has a contrast of 6, by day and night."""
RADIUS_PX, LABEL_PX = 130, 110


def draw_cells(plot: Plot, width: int) -> tuple[list[Drawn], int]:
    """A line of cells for each series, places across; on phones the name of a series stands above its cells."""
    thin = width <= THIN
    room = 0.0 if thin else min(NAMES_PX, max(map(text_px, plot.series_names)) + 12)
    places = plot.place_names
    run = (width - room) / len(places)
    heads = [wrap_text(place, run - 4, 5) for place in places]
    numbered = not all(heads)
    marks: list[Drawn] = []
    if numbered:  # names that have no room stand above, one below the other, and cells have their numbers
        marks += [Text(0, 11 + LINE_PX * at, f"{at + 1}: {place}") for at, place in enumerate(places)]
        heads = [[str(at + 1)] for at in range(len(places))]
    y = LINE_PX * len(places) + 8 if numbered else 0
    tall = LINE_PX * max(map(len, heads))
    for at, lines in enumerate(heads):
        middle = round(room + run * (at + 0.5), 1)
        marks += [Text(middle, y + 11 + LINE_PX * number, line, "middle") for number, line in enumerate(lines)]
    y += tall + 4
    depth = _make_depth(plot)
    by_cell = {(point.series, point.place): point for point in plot.points}
    for series in plot.series_names:
        lines = wrap_text(series, (room or width) - 12, 3) or [series]
        if thin and series:
            marks += [Text(0, y + 12 + LINE_PX * number, line, strong=True) for number, line in enumerate(lines)]
            y += LINE_PX * len(lines) + 4
        elif series:
            first = y + CELL_PX / 2 + 4 - LINE_PX * (len(lines) - 1) / 2
            marks += [Text(0, first + LINE_PX * number, line, strong=True) for number, line in enumerate(lines)]
        for at, place in enumerate(places):
            point = by_cell.get((series, place))
            if point is None:
                continue
            x, cell_text = round(room + run * at, 1), numbers.format_digits(point.value, CELL_DIGITS)
            cell = Bar(FULL, x + 1, y + 1, round(run - 2, 1), CELL_PX - 2, round(depth(point.value), 3))
            marks += link_marks(point, [cell, Text(round(x + run / 2, 1), y + 18, cell_text, "middle", strong=True)])
        y += CELL_PX
    marks.append(Text(width, y + 14, f"cells in {plot.unit or 'no unit'}", "end"))
    return marks, y + 20


class _Depth:
    """How deep a cell is, from the least to the largest value; over decades by the logarithm."""

    def __init__(self, values: list[float]) -> None:
        self.is_wide = is_wide(values, DECADES)
        self.low = math.log10(min(values)) if self.is_wide else min(0.0, *values)
        self.high = math.log10(max(values)) if self.is_wide else max(values)

    def __call__(self, value: float) -> float:
        at = math.log10(value) if self.is_wide else value
        share = (at - self.low) / (self.high - self.low) if self.high > self.low else 1.0
        return DEPTHS[0] + share * (DEPTHS[1] - DEPTHS[0])


def _make_depth(plot: Plot) -> _Depth:
    return _Depth([point.value for point in plot.points])


def draw_radar(plot: Plot, width: int) -> tuple[list[Drawn], int]:
    """A spoke for each place, from zero to its largest value at the rim, which its label says."""
    radius = min(RADIUS_PX, width / 2 - LABEL_PX + 30)
    middle_x, middle_y = width / 2, radius + 40
    angles, most = disc.spoke_angles(plot), disc.largest_values(plot)

    def place_px(angle: float, share: float) -> tuple[float, float]:
        at = disc.point_on_disc(angle, share)
        return round(middle_x + at["x"] * radius, 1), round(middle_y - at["y"] * radius, 1)

    marks: list[Drawn] = [
        Path(GRID, _closed_path([place_px(angle, ring) for angle in angles.values()]), opacity=0.0)
        for ring in disc.RINGS
    ]
    marks += [
        Path(GRID, f"M{middle_x} {middle_y}L{' '.join(map(str, place_px(angle, 1)))}") for angle in angles.values()
    ]
    for at, series in enumerate(plot.series_names):
        points = [point for point in plot.points if point.series == series]
        shares = [disc.share_of_rim(point.value, most[point.place]) for point in points]
        where = [place_px(angles[point.place], share) for point, share in zip(points, shares, strict=True)]
        marks.append(Path(SERIES_LINES[at % COLOURS], _closed_path(where)))
        for point, (x, y) in zip(points, where, strict=True):
            marks += link_marks(point, [Circle(TARGET, x, y, 12), dot_mark(plot, point, x, y)])
    for place, angle in angles.items():
        marks += _spoke_label(
            place, f"{numbers.format_digits(most[place])} {plot.unit}".strip(), place_px(angle, 1.1), angle
        )
    height = int(2 * radius + 90)
    for at, series in enumerate(plot.series_names if len(plot.series_names) > 1 else []):
        y = height + 16 * at
        marks += [Path(SERIES_LINES[at % COLOURS], f"M0 {y}h18"), Text(24, y + 4, series)]
    return marks, height + 16 * (len(plot.series_names) if len(plot.series_names) > 1 else 0)


def _closed_path(where: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in where) + "z"


def _spoke_label(place: str, value: str, at: tuple[float, float], angle: float) -> list[Drawn]:
    x, y = at
    side = math.sin(angle)
    anchor = "middle" if abs(side) <= disc.SIDE else "" if side > 0 else "end"
    if abs(side) <= disc.SIDE:
        return [Text(x, y + (4 if math.cos(angle) > 0 else 12), f"{place} {value}", anchor)]
    lines = [*(wrap_text(place, LABEL_PX, 4) or [place]), value]
    first = y - LINE_PX * (len(lines) - 1) / 2 + 4
    return [Text(x, round(first + LINE_PX * number, 1), line, anchor) for number, line in enumerate(lines)]
