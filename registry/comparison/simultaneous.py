"""Ranks that hold together: every pair of entries is judged by the largest difference that all show by chance.

Plain values in, plain values out. Entries whose scores are measured with independent errors of one scale keep their
true ranks within these ranges, all at once, in 95 of 100 cases: the largest difference of two errors is the range of
all, and differences beyond its quantile are real. Sources: J. W. Tukey 1953; for ranks D. Al Mohamad, J. Goeman,
E. van Zwet 2022, doi:10.1111/biom.13419; M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm 2024, doi:10.1093/restud/rdad006.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache

from registry.comparison.uncertainty import Assumption

LEVEL = 0.95
STEPS = 1500
"""Of the integral: with twice as many the quantile of 300 values differs by less than 0.2 %."""
HALVINGS = 24


def assumed_rank_ranges(
    scores: Sequence[float], assumption: Assumption, *, lower_is_better: bool = False
) -> list[tuple[int, int]]:
    """For each of some positive scores the best and the worst rank, all of them together, under an assumption."""
    if not scores:
        return []
    sign = -1 if lower_is_better else 1
    levels = [sign * math.log(score) for score in scores]
    apart = assumption.scale * range_quantile(len(scores), assumption.degrees)
    ascending = sorted(levels)
    return [
        (1 + len(levels) - bisect_right(ascending, level + apart), len(levels) - bisect_left(ascending, level - apart))
        for level in levels
    ]


@cache
def range_quantile(count: int, degrees: int) -> float:
    """The 95 % quantile of the largest less the least of so many independent values of Student's t; 0 of one value."""
    if count < 2:
        return 0.0
    low, high = 0.0, 2.0
    while _range_probability(high, count, degrees) < LEVEL:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _range_probability(middle, count, degrees) < LEVEL else (low, middle)
    return high


def _range_probability(width: float, count: int, degrees: int) -> float:
    """How likely all values lie within a width: the integral over the least of them."""
    root = math.sqrt(degrees)
    return count * sum(
        weight * (student_cdf(root * tangent + width, degrees) - below) ** (count - 1)
        for tangent, below, weight in _integral_steps(degrees)
    )


@cache
def _integral_steps(degrees: int) -> list[tuple[float, float, float]]:
    """For each step its tangent, how likely a value is below it, and how likely it is within the step.

    With x = sqrt(degrees) tan(angle) the density is a power of the cosine, on a bounded interval; steps are narrow at
    its lower end, where the least of many values lies.
    """
    factor = math.gamma((degrees + 1) / 2) / (math.sqrt(math.pi) * math.gamma(degrees / 2))
    steps = []
    for step in range(STEPS):
        share = (step + 0.5) / STEPS
        angle = math.pi * (share**3 - 0.5)
        weight = factor * 3 * share**2 * math.cos(angle) ** (degrees - 1) * math.pi / STEPS
        tangent = math.tan(angle)
        steps.append((tangent, student_cdf(math.sqrt(degrees) * tangent, degrees), weight))
    return steps


def student_cdf(value: float, degrees: int) -> float:
    """How likely Student's t is at most a value (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    angle = math.atan2(value, math.sqrt(degrees))
    cosine, term, total = math.cos(angle), 1.0, 0.0
    if degrees % 2:
        term = cosine
        for place in range(3, degrees + 1, 2):
            total, term = total + term, term * cosine**2 * (place - 1) / place
        inside = 2 / math.pi * (angle + math.sin(angle) * total)
    else:
        for place in range(2, degrees + 1, 2):
            total, term = total + term, term * cosine**2 * (place - 1) / place
        inside = math.sin(angle) * total
    return (1 + inside) / 2
