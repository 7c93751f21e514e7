"""Which phase limits an IO500 score, and where the time of each phase went.

The phase that limits is the one that would raise the score most if it reached the median of the similar systems
(registry/results/likeness.py). Phases of the same half weigh alike in a score, so the rise follows from two numbers.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.models import Result
from registry.query import public_record
from registry.query.facts import fact_index
from registry.query.public_record import Row
from registry.results.among import read_like_numbers
from registry.results.likeness import load_rule
from validators import catalogue
from validators.units import from_canonical

TOOL = "io500"
MISSING = "missing_measurements"
SHARE_UNIT = "%"
UNIT_IN_SCORE = {"B/s": "GiB/s", "ops/s": "kIOPS"}
NO_SCORE, OTHER_SCORE, UNKNOWN_FACTS = "no-score", "other-score", "unknown-facts"
FEW, NOT_BELOW = "few", "not-below"
"""Why no phase is named as the limit."""
ROUNDING = 0.1
"""How far the score of the known phases may lie from the printed one, as a part of it: rounded to two digits it lies
5 % off; where a phase is not known, 22 %."""


@dataclass(frozen=True, slots=True)
class PhaseValue:
    """A scored phase beside the median of similar systems, in one unit; None where it is not known."""

    phase: str
    half: str
    value: float
    median: float | None


def score_rise(phase: PhaseValue, phases_of_half: int) -> float | None:
    """By how many % the score would rise if the phase reached the median; 0 where it has, None without a median.

    The score is the root of two geometric means, so a phase counts with the power 1 / (2 x phases of its half).
    """
    if phase.median is None:
        return None
    ratio = max(phase.median / phase.value, 1.0)
    return float(100 * (ratio ** (1 / (2 * phases_of_half)) - 1))


def score_rises(phases: Sequence[PhaseValue]) -> dict[str, float | None]:
    """By phase what its median would do to the score, in %."""
    counts = Counter(phase.half for phase in phases)
    return {phase.phase: score_rise(phase, counts[phase.half]) for phase in phases}


def find_limit(rises: Mapping[str, float | None]) -> tuple[str | None, str]:
    """The phase with the largest rise, or None and the code of the reason.

    One phase without a median might be the limit, so that none is named then.
    """
    pairs = [(rise, phase) for phase, rise in rises.items() if rise is not None]
    if not rises or len(pairs) < len(rises):
        return None, FEW if rises else NO_SCORE
    rise, phase = max(pairs, key=lambda pair: pair[0])
    return (phase, "") if rise > 0 else (None, NOT_BELOW)


def score_of(phases: Sequence[PhaseValue]) -> float | None:
    """The root of the two geometric means, in the units of the values; None without phases of two halves."""
    halves: dict[str, list[float]] = {}
    for phase in phases:
        halves.setdefault(phase.half, []).append(phase.value)
    return math.sqrt(math.prod(map(statistics.geometric_mean, halves.values()))) if len(halves) == 2 else None


def phases_document(public_id: str) -> Row:
    """The phases of a result: value, median of similar systems, rise of the score, and shares of time.

    Raises NotOnRecord for an id that is not there.
    """
    result = public_record.find_result(public_id)
    return phases_of_result(result, public_record.list_measurements(result))


def phases_of_result(result: Result, measurements: Sequence[Row]) -> Row:
    """The phases of a result of which these are the measurements; of another benchmark it has none. Five queries."""
    rows = measurements if result.tool == TOOL else []
    values = {row["op"]: row for row in rows if row["stat"] == "phase" and row["unit"] in UNIT_IN_SCORE}
    scored = {op: row for op, row in values.items() if row["scored"] is not False and row["value"] > 0}
    is_scored = result.score is not None and result.mode in ("", "standard") and bool(scored)
    has_score = is_scored and _give_score(scored.values(), result.score)
    facts = fact_index.facts_by_result([result.pk])[result.pk] if has_score else {}
    like = read_like_numbers(result, facts) if has_score else None
    numbers = {row["op"]: row for row in like.list_numbers() if row["stat"] == "phase"} if like else {}
    counts = {op: sum(row[name] for name in ("better", "equal", "worse", "unknown")) for op, row in numbers.items()}
    fewest = load_rule()["fewest_systems"]
    medians = {op: row["median"] for op, row in numbers.items() if counts[op] >= fewest}
    rises = score_rises(
        [PhaseValue(op, row["quantity"], row["value"], medians.get(op)) for op, row in scored.items()]
        if has_score
        else []
    )
    limit, reason = find_limit(rises)
    if like and like.missing:
        reason = UNKNOWN_FACTS
    elif is_scored and not has_score:
        reason = OTHER_SCORE
    times = {row["op"]: row["value"] for row in rows if (row["quantity"], row["stat"]) == ("time", "phase")}
    return {
        "result": result.public_id,
        "limiting_phase": limit,
        "score_rise_percent": rises[limit] if limit else None,
        "unlimited_reason": reason or None,
        "unknown_facts": [condition.title for condition in like.missing] if like else [],
        "systems": like.systems if like else 0,
        "fewest_systems": fewest,
        "shares_read": has_shares(result, rows),
        "phases": [
            {
                "phase": op,
                "quantity": row["quantity"],
                "unit": row["unit"],
                "value": row["value"],
                "scored": row["scored"],
                "seconds": times.get(op),
                "median": medians.get(op),
                "systems": counts.get(op, 0),
                "score_rise_percent": rises.get(op),
                "ranks": _count_ranks(result.snapshot, op),
                "shares": _shares_of_phase(result.snapshot, rows, op),
            }
            for op, row in values.items()
        ],
    }


def _give_score(rows: Iterable[Row], score: float | None) -> bool:
    """Whether these phases are all that a score is made of: a score of 0, or of other phases, does not follow."""
    phases = [
        PhaseValue(row["op"], row["quantity"], from_canonical(row["value"], UNIT_IN_SCORE[row["unit"]]), None)
        for row in rows
    ]
    score_of_known = score_of(phases)
    if score_of_known is None or score is None:
        return False
    return math.isclose(score_of_known, score, rel_tol=ROUNDING)


def has_shares(result: Result, measurements: Sequence[Row]) -> bool:
    """Whether the shares of time were looked for in the raw files of a result."""
    return MISSING in result.snapshot or any(row["unit"] == SHARE_UNIT for row in measurements)


def _count_ranks(snapshot: Mapping[str, Any], op: str) -> int | None:
    """The ranks of the table that an imbalance was read from, as its distribution counts them."""
    counts = [row["count"] for row in snapshot.get("distributions", ()) if (row["op"], row["over"]) == (op, "ranks")]
    return counts[0] if counts else None


def _shares_of_phase(snapshot: Mapping[str, Any], measurements: Sequence[Row], op: str) -> list[Row]:
    """Every share that the phase can have: its percent, or the reason why its files do not tell it."""
    reasons = catalogue.descriptor(TOOL).get("missing_reasons", {})
    shares = [
        {"quantity": row["quantity"], "percent": row["value"], "reason": None, "why": None}
        for row in measurements
        if row["op"] == op and row["unit"] == SHARE_UNIT
    ]
    missing = [
        {"quantity": row["quantity"], "percent": None, "reason": row["reason"], "why": reasons.get(row["reason"], "")}
        for row in snapshot.get(MISSING, ())
        if row["op"] == op
    ]
    return [*shares, *missing]
