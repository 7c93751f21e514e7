"""How the numbers of two sets of runs lie to each other, and whether they agree. Plain values in, plain values out.

Rates vary by factors, so logarithms are compared: the ratio is that of geometric means. Its interval of 95 % is that of
Welch (1947), since two sites need not vary alike, with the degrees of freedom of Satterthwaite (1946) rounded down. The
limits of each class and their reasons are in limits.json.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("limits.json")
AGREES, NOT_REPRODUCED, CANNOT_TELL = "agrees", "not reproduced", "cannot tell"
CHANCE = 0.025
"""What an interval of 95 % leaves out on each side."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """New to original, as a ratio of geometric means, with its interval of 95 %; None for what is not known."""

    ratio: float | None
    low: float | None
    high: float | None
    original_runs: int
    new_runs: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Within which a ratio counts as agreement: for a class of quantities, and why these."""

    name: str
    low: float
    high: float
    reason: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether numbers agree: AGREES, NOT_REPRODUCED or CANNOT_TELL, and why in words."""

    outcome: str
    why: str


@cache
def load_table() -> dict[str, Any]:
    """The table of limits as its file has it."""
    table: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


def find_limits(tool: str, quantity: str) -> Limits | None:
    """The limits of a canonical quantity of a tool; None where no class has it, such as for latencies."""
    for row in load_table()["classes"]:
        if quantity in row["quantities"] and (not row["tools"] or tool in row["tools"]):
            return Limits(row["name"], row["low"], row["high"], row["reason"])
    return None


def compare_means(original: Sequence[float], new: Sequence[float]) -> Ratio:
    """The ratio of new values to original ones. Without one on each side, or with one that is not positive, None.

    A side of one value has no spread: then there is a ratio and no interval.
    """
    counts = len(original), len(new)
    if not all(counts) or not all(math.isfinite(value) and value > 0 for value in (*original, *new)):
        return Ratio(None, None, None, *counts)
    sides = [[math.log(value) for value in values] for values in (original, new)]
    difference = _mean(sides[1]) - _mean(sides[0])
    if min(counts) < 2:
        return Ratio(_factor(difference), None, None, *counts)
    width = _half_width(sides)
    return Ratio(_factor(difference), _factor(difference - width), _factor(difference + width), *counts)


def decide_agreement(ratio: Ratio, limits: Limits | None) -> Agreement:
    """Agreement where the whole interval lies within the limits, none where it lies wholly outside of them."""
    fewest = load_table()["fewest_runs"]
    if limits is None:
        return Agreement(CANNOT_TELL, "no limits are set for this quantity")
    if ratio.ratio is None:
        return Agreement(CANNOT_TELL, "a value is not positive, or one side has none")
    if min(ratio.original_runs, ratio.new_runs) < fewest or ratio.low is None or ratio.high is None:
        runs = f"{ratio.original_runs} of the original, {ratio.new_runs} new"
        return Agreement(CANNOT_TELL, f"it takes {fewest} runs on both sides, there are {runs}")
    within = f"{limits.low:.2f} to {limits.high:.2f}"
    if limits.low <= ratio.low and ratio.high <= limits.high:
        return Agreement(AGREES, f"the interval lies within {within}")
    if ratio.high < limits.low or ratio.low > limits.high:
        return Agreement(NOT_REPRODUCED, f"the interval lies outside of {within}")
    return Agreement(CANNOT_TELL, f"the interval is partly within {within}")


def judge_rows(tool: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """For rows of `quantity` (canonical), `original` and `new` values: ratio, low, high, outcome and why of each.

    `outcome` is that of the run; `cannot_tell` is how an outcome is called that nobody knows.
    """
    metrics: list[dict[str, Any]] = []
    for row in rows:
        ratio = compare_means(row["original"], row["new"])
        agreement = decide_agreement(ratio, find_limits(tool, row["quantity"]))
        metrics.append(
            {
                "ratio": ratio.ratio,
                "low": ratio.low,
                "high": ratio.high,
                "outcome": agreement.outcome,
                "why": agreement.why,
            }
        )
    outcome = combine_outcomes(row["outcome"] for row in metrics)
    return {"outcome": outcome, "metrics": metrics, "cannot_tell": CANNOT_TELL}


def combine_outcomes(outcomes: Iterable[str]) -> str:
    """The outcome of a run from those of its numbers: one that is not reproduced decides, then one that is not clear.

    Without any it is CANNOT_TELL.
    """
    different = set(outcomes)
    if NOT_REPRODUCED in different:
        return NOT_REPRODUCED
    return AGREES if different == {AGREES} else CANNOT_TELL


@cache
def student_quantile(degrees: int) -> float:
    """The t below which 97.5 of 100 values of Student's distribution lie, for whole degrees of freedom."""
    low, high = 0.0, 1.0
    while tail_chance(high, degrees) > CHANCE:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail_chance(middle, degrees) > CHANCE else (low, middle)
    return high


def tail_chance(t: float, degrees: int) -> float:
    """The chance that Student's t of so many degrees of freedom is above `t`, which is at least 0.

    Abramowitz and Stegun 1964, 26.7.3 and 26.7.4: sums of powers of a cosine, for whole degrees.
    """
    angle = math.atan(t / math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    is_odd = degrees % 2
    term = total = (cosine if degrees > 1 else 0.0) if is_odd else 1.0
    for number in range(3 if is_odd else 2, degrees - 1, 2):
        term *= cosine * cosine * (number - 1) / number
        total += term
    inside = 2 / math.pi * (angle + sine * total) if is_odd else sine * total
    return max(0.0, (1 - inside) / 2)


def _half_width(sides: Sequence[Sequence[float]]) -> float:
    """Half of the interval around the difference of the means of two sets of logarithms."""
    least = load_table()["least_spread"] ** 2
    parts = [max(_variance(side), least) / len(side) for side in sides]
    weights = (part * part / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
    degrees = int(sum(parts) ** 2 / math.fsum(weights) + 1e-9)
    return student_quantile(min(max(degrees, 1), 1000)) * math.sqrt(sum(parts))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    centre = _mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


def _factor(logarithm: float) -> float:
    """The factor of a difference of logarithms; such as no float can hold end at the largest one."""
    return math.exp(min(logarithm, 709.0))
