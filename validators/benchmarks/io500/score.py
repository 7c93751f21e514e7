"""The IO500 score from its phases, under the versioned definitions of scores.json."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

DEFINITIONS = Path(__file__).parent / "scores.json"
BANDWIDTH = "bandwidth"
RATE = "rate"
PRODUCT = "product"
RELATIVE_TOLERANCE = 1e-5
"""The C program adds unrounded values: all 193 published runs agree with their printed phases within 1e-5."""


class ScoreError(ValueError):
    """A phase that the score needs is missing, or is not a positive finite number."""


class Definition(NamedTuple):
    """How one score is made: the phases of both halves, and how the halves are combined."""

    id: str
    score: str
    status: str
    combine: str
    bandwidth: tuple[str, ...]
    rate: tuple[str, ...]
    optional_bandwidth: tuple[str, ...]
    optional_rate: tuple[str, ...]

    @property
    def phases(self) -> tuple[str, ...]:
        return (*self.bandwidth, *self.rate, *self.optional_bandwidth, *self.optional_rate)


class Score(NamedTuple):
    """A score and its two halves; the score itself has no accepted unit."""

    value: float
    bandwidth_gib_per_s: float
    rate_kiops: float


@cache
def stored() -> dict[str, Any]:
    """scores.json as it stands."""
    content: dict[str, Any] = json.loads(DEFINITIONS.read_text())
    return content


@cache
def definition(identifier: str) -> Definition:
    """The definition with this id. Raises KeyError."""
    for row in stored()["definitions"]:
        if row["id"] == identifier:
            halves = [tuple(row[key]) for key in ("bandwidth", "rate", "optional_bandwidth", "optional_rate")]
            return Definition(row["id"], row["score"], row["status"], row["combine"], *halves)
    raise KeyError(identifier)


STANDARD = "io500-2018"
WITHOUT_ROOT = "io500-2017"
EXTENDED = "io500-extended-2021"
BY_SCORE = {"SCORE": STANDARD, "SCOREX": EXTENDED}


def quantity(phase: str) -> str | None:
    """`bandwidth` or `rate`, or None for a phase that io500 never had."""
    found: str | None = stored()["phases"].get(phase)
    return found


def geometric_mean(values: Iterable[float]) -> float:
    """The n-th root of a product of n numbers. Raises ScoreError for none, or one not positive and finite."""
    logarithms = []
    for value in values:
        if not (math.isfinite(value) and value > 0):
            raise ScoreError(f"{value} has no part in a geometric mean")
        logarithms.append(math.log(value))
    if not logarithms:
        raise ScoreError("no value to take the mean of")
    return math.exp(math.fsum(logarithms) / len(logarithms))


def compute(values: Mapping[str, float], rule: Definition) -> Score:
    """Score a run from its phase values, GiB/s and kIOPS by phase name.

    An optional phase that was not run is left out; a required one raises ScoreError.
    Source: io500 src/main.c, calc_score.
    """
    bandwidth = _half(values, rule.bandwidth, rule.optional_bandwidth)
    rate = _half(values, rule.rate, rule.optional_rate)
    product = bandwidth * rate
    return Score(product if rule.combine == PRODUCT else math.sqrt(product), bandwidth, rate)


def _half(values: Mapping[str, float], required: tuple[str, ...], optional: tuple[str, ...]) -> float:
    missing = [phase for phase in required if phase not in values]
    if missing:
        raise ScoreError(f"missing: {', '.join(missing)}")
    return geometric_mean(values[phase] for phase in (*required, *optional) if phase in values)


def bounds(values: Mapping[str, float], half_steps: Mapping[str, float], rule: Definition) -> tuple[Score, Score]:
    """The lowest and the highest score that phases rounded to plus or minus `half_steps` can stand for."""
    low = {phase: max(value - half_steps[phase], 0.0) for phase, value in values.items()}
    high = {phase: value + half_steps[phase] for phase, value in values.items()}
    return _lowest(low, rule), compute(high, rule)


def _lowest(values: Mapping[str, float], rule: Definition) -> Score:
    try:
        return compute(values, rule)
    except ScoreError:
        return Score(0.0, 0.0, 0.0)
