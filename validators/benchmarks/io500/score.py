"""The IO500 score from its phases, under the versioned definitions of scores.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from validators import scoring
from validators.scoring import Definition

DEFINITIONS = Path(__file__).parent / "scores.json"
BANDWIDTH = "bandwidth"
RATE = "rate"
STANDARD = "io500-2018"
EXTENDED = "io500-extended-2021"
BY_SCORE = {"SCORE": STANDARD, "SCOREX": EXTENDED}
RELATIVE_TOLERANCE = 1e-5
"""The C program adds unrounded values: all 193 published runs agree with their printed phases within 1e-5."""


class Score(NamedTuple):
    """A score and its two halves; the score itself has no accepted unit."""

    value: float
    bandwidth_gib_per_s: float
    rate_kiops: float


@cache
def stored() -> dict[str, Any]:
    """scores.json as it stands."""
    content: dict[str, Any] = json.loads(DEFINITIONS.read_text(encoding="utf-8"))
    return content


@cache
def definition(identifier: str) -> Definition:
    """The definition with this id. Raises KeyError where there is none."""
    for row in stored()["definitions"]:
        if row["id"] == identifier:
            return Definition.from_json(row)
    raise KeyError(identifier)


def quantity(phase: str) -> str | None:
    """`bandwidth` or `rate`, or None for a phase that io500 never had."""
    quantity_name: str | None = stored()["phases"].get(phase)
    return quantity_name


def compute(values: Mapping[str, float], rule: Definition) -> Score:
    """Score a run from its phase values, GiB/s and kIOPS by phase name. Raises ScoreError.

    Source: io500 src/main.c, calc_score.
    """
    return _named(scoring.evaluate(values, rule))


def bounds(values: Mapping[str, float], half_steps: Mapping[str, float], rule: Definition) -> tuple[Score, Score]:
    """The lowest and the highest score that phases rounded to plus or minus `half_steps` can stand for."""
    lowest, highest = scoring.bounds(values, half_steps, rule)
    return _named(lowest), _named(highest)


def _named(score: scoring.Score) -> Score:
    return Score(score.value, score.groups[BANDWIDTH], score.groups[RATE])
