"""How well a number repeats: the spread of its repeats, intervals of ratios, ranges of ranks.

Plain values in, plain values out; docs/uncertainty.md tells the same in words. What was not repeated has no spread,
and no interval, unless a reader asks for an assumption. All intervals are of 95 %. Widths are of natural logarithms,
where a ratio is a difference: 0.02 is about 2 %.
"""

from __future__ import annotations

import json
import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from validators.reproduction.agreement import student_quantile

FILE = Path(__file__).parent / "data" / "uncertainty.json"
FEWEST = 3
"""A deviation of fewer runs says nothing."""
REPEATS, ASSUMED = "repeats", "assumed"
"""What an interval rests on. It is assumed only where a reader asks for that."""
NORMAL = 1.960
STUDENT = tuple(round(student_quantile(degrees), 3) for degrees in range(FEWEST - 1, 30))
"""Two-sided 95 % quantiles of Student's t for 3 to 30 runs, which is 2 to 29 degrees of freedom."""
CAUCHY = 12.706
"""The quantile of one degree of freedom. No repeats have it: only an assumption has so heavy tails."""

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Spread:
    """How one number varies: relative sample deviation of a run, of how many runs, and whether it is their mean.

    Raises ValueError below FEWEST runs.
    """

    deviation: float
    runs: int
    is_mean: bool = False

    def __post_init__(self) -> None:
        if self.runs < FEWEST:
            raise ValueError(f"{self.runs} runs show no spread")

    @property
    def width(self) -> float:
        """Half of the interval around the number, as a difference of logarithms."""
        student = STUDENT[self.runs - FEWEST] if self.runs - FEWEST < len(STUDENT) else NORMAL
        return student * self.deviation / (math.sqrt(self.runs) if self.is_mean else 1.0)


@dataclass(frozen=True, slots=True)
class Assumption:
    """How one run of a class of numbers may move: its logarithm is `scale` x Student's t of so many degrees."""

    scale: float
    degrees: int

    def half_width(self) -> float:
        """Half of the interval around the number, as a difference of logarithms."""
        return self.scale * (CAUCHY if self.degrees == 1 else STUDENT[self.degrees - (FEWEST - 1)])

    width = property(half_width)


Variation = Spread | Assumption


@cache
def published_spreads() -> Mapping[str, Any]:
    """How published sets of runs vary, with the source, and which deviations tools print."""
    loaded: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


@cache
def published_deviation() -> float:
    """By how much runs vary in nine of ten published sets, as a share. No number gets an interval from it."""
    return float(published_spreads()["published_sets"]["deviation_percent"]) / 100


def of_repeats(values: Sequence[float], *, is_mean: bool = False) -> Spread | None:
    """The spread that at least three positive values show; None of fewer, or where one is not positive."""
    if len(values) < FEWEST or min(values) <= 0:
        return None
    return Spread(statistics.stdev(values) / statistics.fmean(values), len(values), is_mean)


def of_printed(mean: float, deviation: float, runs: int, *, of_population: bool) -> Spread | None:
    """The spread of a mean whose deviation its tool prints; None of fewer than three runs or of no positive mean."""
    if runs < FEWEST or mean <= 0 or deviation < 0:
        return None
    return Spread(deviation / mean * (math.sqrt(runs / (runs - 1)) if of_population else 1.0), runs, is_mean=True)


def ratio_interval(ratio: float | None, first: Variation | None, other: Variation | None) -> Interval | None:
    """Where the ratio of two numbers lies: around its logarithm, as wide as both together.

    None without a positive ratio or where one of both is not known.
    """
    if ratio is None or ratio <= 0 or first is None or other is None:
        return None
    return interval_around(ratio, joint_width(first, other))


def joint_width(first: Variation, other: Variation) -> float:
    """Half of the interval around the ratio of two numbers, as a difference of logarithms.

    The root of the sum of squares; the sum where one has a single degree of freedom, as widths of Cauchy's distribution
    add up (Johnson, Kotz, Balakrishnan 1994, Continuous Univariate Distributions 1, chapter 16).
    """
    if any(isinstance(variation, Assumption) and variation.degrees == 1 for variation in (first, other)):
        return first.width + other.width
    return math.hypot(first.width, other.width)


def basis_of(*variations: Variation | None) -> str:
    """What an interval of these numbers rests on: `assumed` where one of them is."""
    return ASSUMED if any(isinstance(variation, Assumption) for variation in variations) else REPEATS


def interval_around(value: float, width: float) -> Interval:
    """The interval of this width around a positive value."""
    return value * math.exp(-width), value * math.exp(width)


def is_tie(interval: Interval) -> bool:
    """Whether two numbers can't be told apart: the interval of their ratio holds 1."""
    return interval[0] <= 1 <= interval[1]


def rank_ranges(
    scores: Sequence[float], spreads: Sequence[Spread | None], *, lower_is_better: bool = False
) -> list[tuple[int, int]]:
    """For each of some positive scores the best and the worst rank that it may have.

    As many entries stand above it as the best rank has above it, and as many below as the worst has below. Of two that
    were repeated one stands above where the interval of their ratio does not hold 1; else the scores alone decide.
    """
    sign = -1 if lower_is_better else 1
    levels = [sign * math.log(score) for score in scores]
    widths = [None if spread is None else spread.width for spread in spreads]
    by_width: dict[float | None, list[float]] = {}
    for level, width in zip(levels, widths, strict=True):
        by_width.setdefault(width, []).append(level)
    for alike in by_width.values():
        alike.sort()
    return [_rank_range(level, width, by_width, len(levels)) for level, width in zip(levels, widths, strict=True)]


def _rank_range(
    level: float, width: float | None, by_width: Mapping[float | None, list[float]], count: int
) -> tuple[int, int]:
    above = below = 0
    for other, alike in by_width.items():
        apart = 0.0 if width is None or other is None else math.hypot(width, other)
        above += len(alike) - bisect_right(alike, level + apart)
        below += bisect_left(alike, level - apart)
    return 1 + above, count - below
