"""Whether a new run lies where the last ones let it be expected: plain values in, plain values out, no database.

Of at least five earlier runs the middle and the spread are taken robustly: the median of the means of all pairs (Hodges
and Lehmann, Annals of Mathematical Statistics 34 (1963) 598), and the median of the differences of all pairs (Shamos,
1976; Bickel and Lehmann, 1979). Both bear that more than a quarter of the runs went wrong. The distance of a new run
from the middle, divided by the spread, follows Student's t closely; which one, CALIBRATION says for each count of runs.
All metrics of a run are judged together (Holm, Scandinavian Journal of Statistics 6 (1979) 65). Differences are those
of logarithms, so that a ratio is a difference. docs/series.md has the measured false alarms.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from registry.comparison import uncertainty
from registry.timeseries.change_points import two_sided

LEVEL = 0.005
"""The chance that any metric of a run without a change is called lower or higher. Serial dependence may double it."""
MOST_EARLIER = 20
"""Newest earlier runs that count: older ones say less of tonight where a system drifts."""
CALIBRATION = {
    **{5: (0.925, 2.93), 6: (0.976, 3.95), 7: (1.028, 5.07), 8: (0.995, 5.38), 9: (0.989, 6.02), 10: (1.045, 7.78)},
    **{11: (1.017, 7.81), 12: (1.03, 9.11), 13: (1.026, 9.71), 14: (1.021, 10.2), 15: (1.042, 11.9)},
    **{16: (1.026, 11.82), 17: (1.048, 14.5), 18: (1.037, 14.13), 19: (1.041, 15.26), 20: (1.035, 15.16)},
}
"""By the count of earlier runs: by what the spread is multiplied, and the degrees of freedom of Student's t.

Fitted to the quantiles for a chance of 1 and of 0.03 % of 600,000 simulated normal samples each; those for 5 and 0.3 %
then agree within 2 %.
"""
FEWEST = min(CALIBRATION)
"""With fewer earlier runs nobody can tell."""
MOST_DEGREES = 8.0
"""No more degrees of freedom than so many, as runs have heavier tails than the normal distribution."""
_WIDEST = 700.0
"""A logarithm beyond which no number is."""
_DIGITS = 10
"""Significant digits that a printed number has at most; what comes after them is the arithmetic of units."""


class Verdict(StrEnum):
    """Of a metric, and of a run as a whole."""

    LOWER = "lower"
    HIGHER = "higher"
    EXPECTED = "as expected"
    CANNOT_TELL = "cannot tell"


OUTSIDE = (Verdict.LOWER, Verdict.HIGHER)


@dataclass(frozen=True, slots=True)
class Expectation:
    """Where the next run is expected: `middle` in the unit of the values, the rest as a difference of logarithms.

    `deviation` is that of the difference between a new run and the middle, with so many degrees of freedom;
    `resolution` is the last printed digit in the unit of the values.
    """

    middle: float
    deviation: float
    degrees: float
    runs: int
    resolution: float = 0.0

    def compute_chance(self, value: float) -> float:
        """The probability that a run as before lies at least so far away; 1 of a move that is less than runs vary."""
        if abs(math.log(value) - math.log(self.middle)) < uncertainty.published_deviation():
            return 1.0
        return two_sided(self._least_distance(value) / self.deviation, self.degrees)

    def expected_range(self, level: float) -> tuple[float, float]:
        """What lies outside has a chance of less than `level`, at most LEVEL. In the unit of the values."""
        half, least = self.resolution / 2, uncertainty.published_deviation()
        width = min(self.deviation * _student_quantile(level, self.degrees), _WIDEST)
        low = min((self.middle - half) * math.exp(-width) - half, self.middle * math.exp(-least))
        high = max((self.middle + half) * math.exp(width) + half, self.middle * math.exp(least))
        return max(0.0, low), min(high, sys.float_info.max)

    def _least_distance(self, value: float) -> float:
        """The least that both may lie apart, as either is known to half of the last printed digit only."""
        half = self.resolution / 2
        nearer, farther = min(value, self.middle) + half, max(value, self.middle) - half
        return math.log(farther) - math.log(nearer) if farther > nearer else 0.0


@dataclass(frozen=True, slots=True)
class MetricVerdict:
    """What a value of a new run is; `chance` with regard to all metrics of the run. None where nobody can tell."""

    verdict: Verdict
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    chance: float | None = None


def expect_next(earlier: Sequence[float], resolution: float = 0.0) -> Expectation | None:
    """What positive values, oldest first, say of the next one; None of fewer than five."""
    newest = earlier[-MOST_EARLIER:]
    if len(newest) < FEWEST:
        return None
    logs = sorted(math.log(value) for value in newest)
    middle = statistics.median((low + high) / 2 for low, high in combinations_with_replacement(logs, 2))
    spread = statistics.median(high - low for low, high in combinations(logs, 2))
    factor, degrees = CALIBRATION[len(logs)]
    deviation = factor * max(spread, uncertainty.published_deviation() / 5)
    return Expectation(math.exp(middle), deviation, min(degrees, MOST_DEGREES), len(logs), resolution)


def judge_run(values: Sequence[tuple[float, Expectation | None]]) -> list[MetricVerdict]:
    """The verdict on each metric of one run: its positive value and what was expected of it.

    A metric is lower or higher exactly where its value lies outside of the expected range that is given.
    """
    chances = [(expected.compute_chance(value), place) for place, (value, expected) in enumerate(values) if expected]
    adjusted, outside = _adjust_chances(sorted(chances))
    level = LEVEL / max(1, len(chances) - outside)
    return [
        _metric_verdict(value, expected, adjusted[place], level) if expected else MetricVerdict(Verdict.CANNOT_TELL)
        for place, (value, expected) in enumerate(values)
    ]


def clearest_verdict(verdicts: Sequence[MetricVerdict]) -> Verdict:
    """Of a run: that of its clearest metric outside, else as expected where any metric could be judged."""
    outside = [verdict for verdict in verdicts if verdict.verdict in OUTSIDE]
    if outside:
        return min(outside, key=lambda verdict: verdict.chance or 0.0).verdict
    judged = any(verdict.verdict == Verdict.EXPECTED for verdict in verdicts)
    return Verdict.EXPECTED if judged else Verdict.CANNOT_TELL


def printed_resolution(values: Sequence[float]) -> float:
    """The last digit that positive values show in the unit that they are printed in: 0.1 of 50.5 and 47; 0 of none."""
    exponents = [Decimal(f"{value:.{_DIGITS}g}").normalize().as_tuple().exponent for value in values if value > 0]
    return float(10.0 ** min(int(exponent) for exponent in exponents)) if exponents else 0.0


def _metric_verdict(value: float, expectation: Expectation, chance: float, level: float) -> MetricVerdict:
    low, high = expectation.expected_range(level)
    if chance > LEVEL:
        verdict = Verdict.EXPECTED
    else:
        verdict = Verdict.LOWER if value < expectation.middle else Verdict.HIGHER
    return MetricVerdict(verdict, expectation.middle, low, high, chance)


def _adjust_chances(ordered: Sequence[tuple[float, int]]) -> tuple[dict[int, float], int]:
    """By place the chance with regard to all (Holm), and how many are at most LEVEL; `ordered` from the least on."""
    adjusted: dict[int, float] = {}
    largest = 0.0
    for number, (chance, place) in enumerate(ordered):
        largest = min(1.0, max(largest, (len(ordered) - number) * chance))
        adjusted[place] = largest
    return adjusted, sum(chance <= LEVEL for chance in adjusted.values())


@lru_cache(maxsize=1024)
def _student_quantile(level: float, degrees: float) -> float:
    """The t that lies further from 0 with this probability, at most LEVEL."""
    low, high = 1.0, 2.0
    while two_sided(high, degrees) > level:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, degrees) > level else (low, middle)
    return high
