"""Steps in a series: where the level of a number moved, told from how it varies anyway. Plain values, no query.

The method, in short: Student's t between the two parts of a split, in logarithms, for every place where a series may be
split (K. J. Worsley, JASA 74 (1979) 365) and for every stretch that may differ from all around it (circular binary
segmentation; Olshen and others, Biostatistics 5 (2004) 557), the clearest taken with Bonferroni's bound over all that
were tried, and each part searched again while one is found. Where none is, splits of windows of every length are tried:
of several steps in one direction none need show against the whole (Fryzlewicz, Annals of Statistics 42 (2014) 2243).
Ranks have to agree, so that a few outliers are no step.
docs/series.md says what it takes for granted.
"""

from __future__ import annotations

import math
import statistics
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import itemgetter

from registry.comparison import uncertainty

LEVEL = 0.002
"""The chance that a series of independent values has a false step is about this: far less than one series in 100."""
RANKS_APART = 3.29
"""Mann and Whitney's rank sum has to lie so many of its deviations from its mean: by chance it does once in 1,000."""
SHORTEST = uncertainty.FEWEST
"""Values on each side of a step: fewer tell no level."""
FEWEST = 2 * SHORTEST


@dataclass(frozen=True, slots=True)
class Step:
    """A step before the value at `place` (from 0): the levels on both sides, geometric means, and how likely by chance.

    `chance` is at most the probability that a stationary series of this length shows a step as clear.
    """

    place: int
    before: float
    after: float
    chance: float

    @property
    def ratio(self) -> float:
        return min(self.after / self.before, sys.float_info.max)  # JSON has no number for more


def find_change_points(values: Sequence[float]) -> list[Step]:
    """The steps of a series in its order; none of fewer than six values, or where one is not positive.

    A change by less than nine of ten published sets vary (comparison/data/uncertainty.json) is no step, however clear.
    """
    if len(values) < FEWEST or min(values) <= 0:
        return []
    logs = [math.log(value) for value in values]
    step_edges = _without_small_moves(logs, _search_stretch(logs, 0))
    return [
        Step(place, math.exp(before), math.exp(after), chance)
        for (place, chance), (before, after) in zip(step_edges, pairwise(_mean_levels(logs, step_edges)), strict=True)
    ]


def _without_small_moves(logs: Sequence[float], step_edges: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Without edges at which the level hardly moves: of a stretch that differs from all around it one may be such."""
    while step_edges:
        moves = [abs(after - before) for before, after in pairwise(_mean_levels(logs, step_edges))]
        least = min(moves)
        if least >= uncertainty.published_deviation():
            break
        step_edges = [step for step, move in zip(step_edges, moves, strict=True) if move > least]
    return step_edges


def _mean_levels(logs: Sequence[float], step_edges: Sequence[tuple[int, float]]) -> list[float]:
    """The means between steps."""
    edges = [0, *(place for place, _ in step_edges), len(logs)]
    return [math.fsum(logs[low:high]) / (high - low) for low, high in pairwise(edges)]


def _search_stretch(logs: Sequence[float], begin: int) -> list[tuple[int, float]]:
    """Places and chances of the steps in one stretch that begins at `begin`."""
    edges, chance = _clearest_split(logs)
    if chance > LEVEL:
        edges, chance = _clearest_in_windows(logs)
    if chance > LEVEL:
        return []
    parts = [*zip((0, *edges), (*edges, len(logs)), strict=True)]
    inner = [step for low, high in parts for step in _search_stretch(logs[low:high], begin + low)]
    return sorted([*inner, *((begin + edge, chance) for edge in edges)])


Edges = tuple[int, ...]


def _clearest_split(logs: Sequence[float]) -> tuple[Edges, float]:
    """The split in two or the stretch in the middle that is clearest, as its edges, and its chance."""
    count = len(logs)
    best: tuple[Edges, float] = ((), 1.0)
    for tried in (_possible_splits(count), _inner_stretches(count)):
        if tried:
            edges, chance = _best_stretch(logs, tried)
            best = min(best, (edges, 2 * len(tried) * chance), key=itemgetter(1))
    return best if best[0] and _is_separated_by_ranks(logs, *best[0]) else ((), 1.0)


def _clearest_in_windows(logs: Sequence[float]) -> tuple[Edges, float]:
    """The split that is clearest in some window: of several steps none need show against the whole series.

    A few values may lie close by chance: a window varies at least as neighbours in the series do, and as runs do.
    """
    count, least = len(logs), max(_among_neighbours(logs), uncertainty.published_deviation() / 5) ** 2
    windows = [
        (low, high, splits) for low, high in _overlapping_windows(count) if (splits := _splits_of(low, high, count))
    ]
    tried = 2 * sum(len(splits) for *_, splits in windows)
    best: tuple[Edges, float] = ((), 1.0)
    for low, high, splits in windows:
        edges, chance = _best_stretch(logs[low:high], splits, least)
        if tried * chance < best[1] and _is_separated_by_ranks(logs[low:high], *edges):
            best = (low + edges[0],), tried * chance
    return best


def _overlapping_windows(count: int) -> list[tuple[int, int]]:
    """Overlapping parts of a series, of lengths that grow by a fifth."""
    windows, length = [], FEWEST
    while length < count:
        starts = {*range(0, count - length, length // 3), count - length}
        windows += [(low, low + length) for low in sorted(starts)]
        length += length // 5
    return windows


def _splits_of(low: int, high: int, count: int) -> list[tuple[int, int]]:
    """Splits of a window. What ends inside of the series has a value more: three dips in a row are no level there."""
    first = SHORTEST + (low > 0)
    last = high - low - SHORTEST - (high < count)
    return [(place, high - low) for place in range(first, last + 1)]


def _among_neighbours(logs: Sequence[float]) -> float:
    """The deviation of a series by the upper quartile of differences of neighbours, which few steps do not change."""
    differences = [abs(after - before) for before, after in pairwise(logs)]
    return statistics.quantiles(differences, method="inclusive")[2] / (math.sqrt(2) * 1.1503)


def _best_stretch(logs: Sequence[float], tried: Sequence[tuple[int, int]], least: float = 0.0) -> tuple[Edges, float]:
    """The clearest of these stretches, as its edges, and how likely it is by chance, had no other been tried.

    `least` is the variance that its values have at least.
    """
    count = len(logs)
    middle = math.fsum(logs) / count
    centred = [value - middle for value in logs]
    total = math.fsum(value * value for value in centred)
    sums = [0.0, *accumulate(centred)]
    low, high = max(tried, key=lambda stretch: _squares_between(sums, *stretch))
    return ((low, high) if high < count else (low,)), _chance_probability(sums, total, low, high, least)


def _is_separated_by_ranks(logs: Sequence[float], low: int, high: int | None = None) -> bool:
    """Whether ranks too tell a stretch from the rest: by their sum, or as few values can, by all lying on one side."""
    inside, outside = logs[low:high], sorted([*logs[:low], *(logs[high:] if high else ())])
    pairs = len(inside) * len(outside)
    above = sum(bisect_left(outside, value) + bisect_right(outside, value) for value in inside) / 2
    apart = abs(above - pairs / 2)
    return apart == pairs / 2 or apart >= RANKS_APART * math.sqrt(pairs * (len(logs) + 1) / 12)


def _possible_splits(count: int) -> list[tuple[int, int]]:
    """Every end of a series that may differ from its beginning, as places from and to."""
    return [(low, count) for low in range(SHORTEST, count - SHORTEST + 1)]


def _inner_stretches(count: int) -> list[tuple[int, int]]:
    """Every stretch inside of a series that may differ from what is around it, as places from and to."""
    return [
        (low, high)
        for low in range(SHORTEST, count - FEWEST + 1)
        for high in range(low + SHORTEST, count - SHORTEST + 1)
    ]


def _squares_between(sums: Sequence[float], low: int, high: int) -> float:
    """The sum of squares between a stretch and the rest, of centred values with these running sums."""
    inside, count = high - low, len(sums) - 1
    return (sums[high] - sums[low]) ** 2 * count / (inside * (count - inside))


def _chance_probability(sums: Sequence[float], total: float, low: int, high: int, least: float) -> float:
    """How likely the difference between a stretch and the rest is by chance, had no other been tried."""
    inside, count = high - low, len(sums) - 1
    gap = abs(sums[high] - sums[low]) * count / (inside * (count - inside))
    if gap < uncertainty.published_deviation():
        return 1.0
    between = _squares_between(sums, low, high)
    within = max((total - between) / (count - 2), least)
    return two_sided(math.sqrt(between / within), count - 2) if within else 0.0


def two_sided(t: float, degrees: float) -> float:
    """The probability that Student's t of so many degrees of freedom, 1 and more, lies further from 0 than `t`.

    Exact to about 1e-13 of itself, however small, so that of two clear splits the clearer one counts; 1 where t is
    below 1, as no step is near. Source: Abramowitz and Stegun, 26.7.1 and 26.5.4, the incomplete beta function.
    """
    if t < 1:
        return 1.0
    half, rest = degrees / 2, degrees / (degrees + t * t)
    if not rest:
        return 0.0
    logarithm = math.lgamma(half + 0.5) - math.lgamma(half) - math.lgamma(0.5) + half * math.log(rest)
    term = total = math.exp(logarithm + 0.5 * math.log1p(-rest)) / half
    number = 0
    while term > total * 1e-16:
        term *= rest * (half + 0.5 + number) / (half + 1 + number)
        total += term
        number += 1
    return total
