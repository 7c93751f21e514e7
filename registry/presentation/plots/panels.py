"""How the points of a chart are divided into panels, and what every layout draws: dots, ranges, ceilings, links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from registry.presentation.charts.model import (
    AXIS,
    BOUND,
    CEILING_LINE,
    EDGE,
    FULL,
    Circle,
    Link,
    Mark,
    Path,
    Text,
)
from registry.presentation.charts.scales import LinearAxis, LogAxis
from registry.presentation.plots.model import ASSUMED, FILL, NOT_REPEATED, REACHING, REPEATED, SEVERAL, Plot, PlotPoint

WIDE, THIN = 1232, 358
"""Widths of drawings for wide pages and for phones."""
LETTER_PX, LINE_PX = 6.6, 14
"""Of texts of 12 px: width of a letter, and from line to line."""
MOST_PANELS = 12
TALL_PX, TICK_GAP_PX = 190, 10
"""Height by which ticks are counted; room between a number and its axis."""
GAP_PX = 22
DOT_PX = 4.5
TARGET_PX = 12
"""Half of what a finger hits."""
PLAIN_OPACITY = 0.6
"""Fill from which a number is legible on a bar."""
DASHES = {SEVERAL: "3 3", ASSUMED: "1 3", REPEATED: ""}

Drawn = Mark | Link


@dataclass(frozen=True, slots=True)
class PanelPoints:
    """One of several small charts that share their axes; the title is empty where there is one alone."""

    title: str
    points: Sequence[PlotPoint]

    @property
    def one_limit(self) -> str:
        """The text of the ceiling that all points share; empty where they do not."""
        limits = {point.limit for point in self.points}
        limit = limits.pop() if len(limits) == 1 else None
        return f"{limit.words} {limit.limit_text}" if limit else ""


def divide_panels(plot: Plot) -> list[PanelPoints]:
    """A panel for each series; one alone where series have one point each, or are too many to lie side by side."""
    names = plot.series_names
    if len(names) < 2 or len(plot.points) < 1.5 * len(names) or len(names) > MOST_PANELS:
        return [PanelPoints("", plot.points)]
    return [PanelPoints(name, [point for point in plot.points if point.series == name]) for name in names]


def balance_lines(panels: int, across: int) -> int:
    """How many panels lie in a line, at most `across`, so that lines are as equally long as they can be."""
    return math.ceil(panels / math.ceil(panels / across)) if across else 0


def wrap_text(text: str, width: float, most: int = 3) -> list[str]:
    """A text in at most so many lines of a width in px; empty where a word or the text does not fit."""
    letters = int(width / LETTER_PX)
    if letters < 1:
        return []
    lines = wrap(text, letters, break_long_words=False, break_on_hyphens=True)
    return lines if len(lines) <= most and all(len(line) <= letters for line in lines) else []


def text_px(text: str) -> float:
    return LETTER_PX * len(text)


def title_lines(panel: PanelPoints, width: float) -> list[Text]:
    """The title of a panel and its ceiling, from y = 0 downwards: side by side where both fit."""
    title = wrap_text(panel.title, width, 4) or [panel.title] if panel.title else []
    texts = [Text(0, 11 + LINE_PX * place, line, strong=True) for place, line in enumerate(title)]
    limit = panel.one_limit
    if not limit:
        return texts
    if len(title) < 2 and text_px(panel.title) + text_px(limit) + 8 <= width:
        return [*texts, Text(round(width, 1), 11, limit, "end", of_limit=True)]
    below = wrap_text(limit, width, 4) or [limit]
    first = len(title)
    return [*texts, *(Text(0, 11 + LINE_PX * (first + place), line, of_limit=True) for place, line in enumerate(below))]


def title_height(panels: Sequence[PanelPoints], width: float) -> int:
    """Room above the plots of a line of panels."""
    return max((int(text.y) + 3 for panel in panels for text in title_lines(panel, width)), default=0)


def move_texts(texts: Sequence[Text], x: float, y: float) -> list[Text]:
    return [
        Text(
            round(text.x + x, 1),
            round(text.y + y, 1),
            text.text,
            text.anchor,
            strong=text.strong,
            of_limit=text.of_limit,
        )
        for text in texts
    ]


def value_axis(plot: Plot, start: float, right: float, ticks: int = 4) -> LinearAxis | LogAxis:
    """The axis of all values and ceilings: logarithmic where values reach over decades, else from zero."""
    ends = [end for point in plot.points for end in (point.low, point.high, point.value)]
    ends += [limit.value for limit in plot.all_limits]
    if plot.is_wide:
        return LogAxis(min(ends), max(ends), start, right)
    return LinearAxis(min(0.0, *ends), max(0.0, *ends) or 1.0, start, right, ticks)


def ticks_px(plot: Plot, least: int) -> float:
    """Room for the numbers beside an upright axis of these values, in px: what the longest takes, at least `least`."""
    return max(least, max(text_px(tick.text) for tick in value_axis(plot, TALL_PX, 0).ticks) + TICK_GAP_PX)


def opacity_of(plot: Plot, point: PlotPoint) -> float | None:
    """How full a mark is: by trust where levels differ, else full."""
    return FILL.get(point.trust, 1.0) if plot.is_mixed else None


def range_marks(point: PlotPoint, ends: tuple[float, float], at: float, *, upright: bool) -> list[Mark]:
    """How far a point reaches, with ends across where it was repeated."""
    if point.spread not in REACHING:
        return []
    low, high = ends
    line = f"M{at} {low}V{high}" if upright else f"M{low} {at}H{high}"
    marks: list[Mark] = [Path(EDGE if point.spread == REPEATED else AXIS, line, dashes=DASHES[point.spread])]
    if point.spread == REPEATED:
        caps = [f"M{at - 5} {end}h10" if upright else f"M{end} {at - 5}v10" for end in ends]
        marks.append(Path(EDGE, "".join(caps)))
    return marks


def dot_mark(plot: Plot, point: PlotPoint, x: float, y: float, kind: str = FULL) -> Mark:
    """A dot; a diamond for what was not repeated, hollow for a bound."""
    if point.bound:
        return Path(BOUND, _diamond_path(DOT_PX + 1), (x, y))
    if point.spread in (NOT_REPEATED, ASSUMED):
        return Path(kind, _diamond_path(DOT_PX + 1), (x, y), opacity=opacity_of(plot, point))
    return Circle(kind, x, y, DOT_PX, opacity=opacity_of(plot, point))


def _diamond_path(size: float) -> str:
    return f"M0 {-size}L{size} 0L0 {size}L{-size} 0z"


def limit_triangle(x: float, y: float) -> Path:
    """The mark of a computed ceiling, standing on a line at y."""
    return Path(CEILING_LINE, "M-5 -9h10L0 -1z", (round(x, 1), round(y, 1)))


def limit_line(d: str) -> Path:
    return Path(CEILING_LINE, d, dashes="6 3")


def link_marks(point: PlotPoint, marks: Sequence[Mark]) -> list[Drawn]:
    """Marks that lead to the result of a point, where it is of one."""
    return [Link(point.address, point.spoken_words, marks)] if point.address else list(marks)


def axis_note(plot: Plot) -> str:
    """What the axis of values is in."""
    return f"{plot.value_title}, logarithmic" if plot.is_wide else plot.value_title


def place_on_axis(axis: LinearAxis | LogAxis, value: float) -> float:
    """Where a value lies; what a logarithmic axis cannot show lies at its beginning."""
    return axis.at(value) if value > 0 or isinstance(axis, LinearAxis) else axis.left
