"""Slow members of a distribution, the chance that a file meets one, histograms and ageing. Plain values, no query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from registry.query.values.formulas import LARGEST_CHOICE

SHARE = 90.0
"""Usually a member is slow at so many % of the best, or less (NERSC on Perlmutter, section V-A)."""
AGED = 95.0
"""A series has aged from where it stays below so many % of its first value."""
FEWEST_OF_A_SERIES = 5
MOST_BINS = 24


class ImpossibleDraw(ValueError):
    """The numbers fit no draw: more slow members or more stripes than there are members."""


@dataclass(frozen=True, slots=True)
class SlowComponent:
    """A slow member: its number from 0, its value, and how much of the best it reaches, in %."""

    number: int
    value: float
    percent: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Values from `low` up to `high`, which belongs to the next bin, and to the last."""

    low: float
    high: float
    count: int


def find_slow(
    values: Sequence[float | None], share: float = SHARE, *, lower_is_better: bool = False
) -> list[SlowComponent]:
    """Members that reach `share` % of the best or less, slowest first; of times the best is the least.

    A value of zero reaches nothing; where all are zero none is slow. Of None nothing is known.
    """
    numbered_values = [(number, value) for number, value in enumerate(values) if value is not None]
    best = (min if lower_is_better else max)((value for _, value in numbered_values), default=0.0)
    if best <= 0:
        return []
    reached = [
        SlowComponent(number, value, _share_of_best(value, best, lower_is_better)) for number, value in numbered_values
    ]
    return sorted(
        (component for component in reached if component.percent <= share), key=lambda component: component.percent
    )


def _share_of_best(value: float, best: float, lower_is_better: bool) -> float:
    """How much of the best a value reaches, in %."""
    if not value:
        return 0.0
    return 100 * best / value if lower_is_better else 100 * value / best


def meeting_probability(members: int, slow_members: int, stripes: int) -> float:
    """The probability that a file striped over `stripes` of the members meets a slow one, from 0 to 1.

    1 - C(members - slow, stripes) / C(members, stripes): the stripes of a file lie on different targets, so they are
    drawn without replacement. Raises ImpossibleDraw where more are drawn or slow than there are, or for more than
    LARGEST_CHOICE members.
    """
    if not 0 < stripes <= members or not 0 <= slow_members <= members:
        raise ImpossibleDraw(f"{stripes} of {members} with {slow_members} slow")
    if members > LARGEST_CHOICE:
        raise ImpossibleDraw(f"more than {LARGEST_CHOICE:,} members")
    few, many = sorted((stripes, slow_members))  # who draws whom is the same
    spared = 1.0
    for drawn in range(few):
        spared *= max(0, members - many - drawn) / (members - drawn)
    return 1 - spared


def stripe_counts(members: int) -> list[int]:
    """The stripe counts that people ask for: 1, 2, 4, ... and all."""
    powers = [2**power for power in range(members.bit_length()) if 2**power < members]
    return [*powers, members]


def build_histogram(values: Sequence[float]) -> list[Bin]:
    """Bins of equal width: twice the cube root of how many values there are (Rice's rule), at most 24."""
    low, high = min(values), max(values)
    if low == high:
        return [Bin(low, high, len(values))]
    count = min(MOST_BINS, math.ceil(2 * len(values) ** (1 / 3)))
    width = (high - low) / count
    counted = [0] * count
    for value in values:
        counted[min(count - 1, int((value - low) / width))] += 1
    return [Bin(low + width * place, low + width * (place + 1), number) for place, number in enumerate(counted)]


def relative_to_first(values: Sequence[float], *, lower_is_better: bool = False) -> list[float]:
    """Each value of a series in % of its first; empty for a short series, or one that has no rate."""
    if len(values) < FEWEST_OF_A_SERIES or not all(value > 0 for value in values):
        return []
    return [100 * (values[0] / value if lower_is_better else value / values[0]) for value in values]


def aged_from(percents: Sequence[float], threshold: float = AGED) -> int | None:
    """The place from which a series stays below the threshold to its end; None where it does not."""
    held = [place for place, percent in enumerate(percents) if percent >= threshold]
    begin = held[-1] + 1 if held else 0
    return begin if begin < len(percents) else None
