"""The model of a study's chart: points with their limits, and what kind of chart shows them.

`drawing` lays it out as SVG, `vega` writes it as Vega-Lite. Both show the points on the scale that is decided here and
in registry/studies/chart/study_chart.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from registry.presentation import numbers
from registry.presentation.charts.scales import is_wide
from registry.query.responses.trust_levels import LEVELS

BARS, BOX, LINES, POINTS, HEAT, RADAR = "bars", "box", "lines", "points", "heat", "radar"
COLOURS = 4
"""Series that have a colour of their own; with more, each has a panel or a name."""
FILL = {level.name: max(level.filled, 0.15) for level in LEVELS}
DECADES = 100
"""The largest to the least from which on a scale that begins at zero would show the largest alone."""
MOST_BARS = 120
FEWEST_FOR_A_LINE = 3
MEASUREMENTS = "measurements"
"""What a chart draws, as it says of itself, where it has no medians."""
REPEATED, SEVERAL, ASSUMED = "repeated", "several", "assumed"
NOT_REPEATED, FIGURE = "not repeated", "figure"
"""What a point is: measured again in runs of its configuration, the median of several, neither, or no measurement."""
REACHING = (REPEATED, SEVERAL, ASSUMED)
"""Points that have a line."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A ceiling in the unit of the chart, and the layer that it is of: "drives, less parity"."""

    value: float
    words: str

    @property
    def limit_text(self) -> str:
        return numbers.format_significant(self.value, 3 if self.value < 1000 else 4)

    def is_passed_by(self, value: float) -> bool:
        """Whether a value lies above by more than rounding."""
        return value > self.value * (1 + 1e-6)


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """One value with its place on the x axis and its series, both in words; numbers in the unit of the chart.

    `name` is its place and what is said of its series. `words` say all of it, `number_text` the number in short. A
    `bound` is no measured value.
    """

    x: Any
    place: str
    series: str
    name: str
    value: float
    low: float
    q1: float
    q3: float
    high: float
    spread: str
    trust: str
    words: str
    number_text: str
    bound: bool = False
    address: str = ""
    limit: Limit | None = None

    @property
    def is_above(self) -> bool:
        """Whether it lies above its ceiling by more than rounding."""
        return self.limit is not None and self.limit.is_passed_by(self.value)

    @property
    def spoken_words(self) -> str:
        """The words, with the share of the ceiling."""
        if self.limit is None or not self.limit.value:
            return self.words
        share = numbers.format_decimal(100 * self.value / self.limit.value, 1)
        return f"{self.words}, {share} % of the ceiling of {self.limit.limit_text} ({self.limit.words})"


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart before it is written. `unit` is empty for numbers without one; `about` says what fills mean.

    `repeats` says what lines mean; `drawn` is MEASUREMENTS where each point is one.
    """

    title: str
    unit: str
    value_title: str
    kind: str
    points: Sequence[PlotPoint] = field(default_factory=tuple)
    x_title: str = ""
    x_unit: str = ""
    about: str = ""
    repeats: str = ""
    drawn: str = ""
    is_mixed: bool = False
    """Whether the points have several levels of trust."""

    @property
    def plain_description(self) -> str:
        return f"{self.title}. {self.unit or 'no unit'}. {len(self.points)} points; the table has every number."

    @property
    def unit_text(self) -> str:
        return ", ".join(filter(None, [self.unit or "no unit", self.about]))

    @property
    def series_names(self) -> list[str]:
        return list(dict.fromkeys(point.series for point in self.points))

    @property
    def place_names(self) -> list[str]:
        return list(dict.fromkeys(point.place for point in self.points))

    @property
    def is_scale(self) -> bool:
        """Whether the x axis is a scale of numbers with places enough for a line."""
        values = {point.x for point in self.points}
        return len(values) >= FEWEST_FOR_A_LINE and not any(isinstance(value, str) for value in values)

    @property
    def is_wide(self) -> bool:
        """Whether values stand on a logarithmic scale: they reach over decades, and no bar is drawn."""
        ends = [end for point in self.points for end in (point.low, point.high)]
        return self.kind not in (BARS, HEAT, RADAR) and is_wide(ends, DECADES)

    @property
    def has_lines(self) -> bool:
        """Whether the chart draws how far its points reach."""
        return self.kind not in (HEAT, RADAR) and any(point.spread in REACHING for point in self.points)

    @property
    def all_limits(self) -> list[Limit]:
        """The ceilings that are drawn, each once."""
        return list(dict.fromkeys(point.limit for point in self.points if point.limit is not None))
