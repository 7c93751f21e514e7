"""A chart as plain data: marks with their places and what they are, which registry/presentation/charts/svg.py writes.

Places are in units of the drawing, y downwards. What a mark is decides its look; colours stand in static/base.css.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from registry.presentation.charts.scales import Tick

GRID, AXIS, LINE, EDGE, WATER = "grid", "axis", "line", "edge", "water"
FULL, HOLLOW, OUTLINE = "full", "hollow", "outline"
CEILING, CEILING_LINE = "ceiling", "ceiling-line"
SERIES = ("series-1", "series-2", "series-3", "series-4")
SERIES_LINES = ("line-1", "line-2", "line-3", "line-4")
BOUND, TARGET = "bound", "target"
"""What paths, dots and bars are: see the classes of static/base.css."""
LINE_DASHES = ("", "8 4", "2 3", "8 3 2 3")
"""Strokes and gaps of lines that share a chart: they are told apart without their colours."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path in SVG's words, moved to `at`."""

    kind: str
    d: str
    at: tuple[float, float] | None = None
    dashed: bool = False
    dashes: str = ""
    """Lengths of strokes and gaps where they are not the usual ones."""
    opacity: float | None = None


@dataclass(frozen=True, slots=True)
class Circle:
    kind: str
    x: float
    y: float
    radius: float
    opacity: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    kind: str
    x: float
    y: float
    width: float
    height: float
    opacity: float | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text; `strong` is a value or a name, `halo` keeps it legible over lines, `inside` lies on a bar.

    `of_limit` has the colour of ceilings.

    `dx` and `dy` move it in ways that don't scale with what it names.
    """

    x: float
    y: float
    text: str
    anchor: str = ""
    dx: int | None = None
    dy: int | None = None
    strong: bool = False
    halo: bool = False
    inside: bool = False
    of_limit: bool = False


Mark = Path | Circle | Bar | Text


@dataclass(frozen=True, slots=True)
class Link:
    """Marks that lead to `address`; `words` say which number they are, for those who do not see them."""

    address: str
    words: str
    marks: Sequence[Mark]


@dataclass(frozen=True, slots=True)
class Panel:
    """Marks that are moved down together."""

    y: float
    marks: Sequence[Mark | Link]


@dataclass(frozen=True, slots=True)
class Chart:
    """Marks in the order in which they are drawn. `words` say what is seen; `kind` is wide or thin, or neither.

    `ticks` are those of the axis of values.
    """

    width: int
    height: int
    words: str
    marks: Sequence[Mark | Link | Panel] = field(default_factory=tuple)
    kind: str = ""
    ticks: Sequence[Tick] = ()
    is_logarithmic: bool = False


class Dot(NamedTuple):
    """The centre of a dot; filled when new."""

    x: float
    y: float
    new: bool


def with_link(address: str, words: str, marks: Sequence[Mark]) -> list[Mark | Link]:
    """Marks that lead to `address`; the marks alone where there is none."""
    return [Link(address, words, marks)] if address else list(marks)


def circle_path(dots: Iterable[Dot], radius: float) -> str:
    """One path through all dots: a list has hundreds, and one element is read faster than hundreds."""
    turn = f"a{radius} {radius} 0 1 0 "
    return "".join(f"M{dot.x - radius:.1f} {dot.y}{turn}{2 * radius} 0{turn}{-2 * radius} 0" for dot in dots)


def vertical_grid(ticks: Iterable[Tick], top: float, base: float, text_y: float) -> list[Mark]:
    """A line down from each tick with its text above."""
    marks: list[Mark] = []
    for x, text in ticks:
        marks += [Path(GRID, f"M{x} {top}V{base}"), Text(x, text_y, text, "middle")]
    return marks


def horizontal_grid(ticks: Iterable[Tick], left_x: float, right: float) -> list[Mark]:
    """A line to the right from each tick with its text before."""
    marks: list[Mark] = []
    for y, text in ticks:
        marks += [Path(GRID, f"M{left_x} {y}H{right}"), Text(int(left_x) - 6, y, text, "end", dy=4)]
    return marks
