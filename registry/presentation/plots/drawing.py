"""A study's chart as drawings: for wide pages, for phones, and as a file. Its points decide the layout."""

from __future__ import annotations

from registry.presentation.charts.model import Chart
from registry.presentation.plots import cells, columns, lines, rows, strips
from registry.presentation.plots.model import HEAT, RADAR, Plot
from registry.presentation.plots.panels import THIN, WIDE, Drawn, divide_panels

FILE = 800
"""Width of a picture as a file."""
MOST_WORDS = 60
"""Points that a description names one by one."""


def draw_plot(plot: Plot) -> list[Chart]:
    """The chart laid out for wide pages and, anew, for phones."""
    return [draw_width(plot, WIDE, "wide"), draw_width(plot, THIN, "thin")]


def draw_width(plot: Plot, width: int, kind: str = "") -> Chart:
    """The chart in so many units; 358 and less are a phone."""
    marks, height = _choose_layout(plot, width)
    return Chart(width, height, describe_plot(plot), marks, kind, is_logarithmic=plot.is_wide)


def describe_plot(plot: Plot) -> str:
    """What is seen, in words: the title, and each point where they are few enough to be listened to."""
    if len(plot.points) > MOST_WORDS:
        return plot.plain_description
    return f"{plot.title}. {'; '.join(point.spoken_words for point in plot.points)}"


def _choose_layout(plot: Plot, width: int) -> tuple[list[Drawn], int]:
    if plot.kind == HEAT:
        return cells.draw_cells(plot, width)
    if plot.kind == RADAR:
        return cells.draw_radar(plot, width)
    panels, thin = divide_panels(plot), width <= THIN
    if lines.has_scale(plot):
        return lines.draw_lines(plot, lines.panels_of_lines(plot, panels), width)
    if across := columns.columns_across(plot, panels, width):
        return columns.draw_columns(plot, panels, width, across)
    if rows.fits_rows(panels, thin=thin):
        return rows.draw_rows(plot, panels, width)
    return strips.draw_strips(plot, panels, width, thin=thin)
