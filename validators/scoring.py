"""Scores: how the phases of a run become one number, under definitions that are data (schemas/scores.1.json).

A definition names groups of phases. Each group has its mean, and the groups are combined to the score. Values go in
as plain numbers by phase name, all of one group in one unit; nothing here knows a benchmark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class ScoreError(ValueError):
    """A phase that the score needs is missing, or is not a positive finite number."""


@dataclass(frozen=True, slots=True)
class Group:
    """Phases that share a unit and have one mean; an optional phase has part in it if it was run."""

    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def phases(self) -> tuple[str, ...]:
        return self.required + self.optional


@dataclass(frozen=True, slots=True)
class Definition:
    """One version of one score. `status` is scored (it ranks), pilot (shown, on trial) or superseded."""

    id: str
    score: str
    status: str
    mean: str
    combine: str
    groups: tuple[Group, ...]

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Definition:
        """A definition as it stands in a file that scores.1.json allows."""
        groups = tuple(
            Group(group["name"], tuple(group["required"]), tuple(group["optional"])) for group in row["groups"]
        )
        return cls(row["id"], row["score"], row["status"], row["mean"], row["combine"], groups)

    @property
    def phases(self) -> tuple[str, ...]:
        """Every phase that can have part in the score."""
        return tuple(phase for group in self.groups for phase in group.phases)


@dataclass(frozen=True, slots=True)
class Score:
    """A score, and the mean of each group by its name in the unit of the group's values."""

    value: float
    groups: dict[str, float]


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


_MEANS: dict[str, Callable[[Iterable[float]], float]] = {"geometric": geometric_mean}
_COMBINATIONS: dict[str, Callable[[Iterable[float]], float]] = {"geometric": geometric_mean, "product": math.prod}


def evaluate(values: Mapping[str, float], definition: Definition) -> Score:
    """Score a run from its values by phase name.

    An optional phase without a value is left out; a required one without a value raises ScoreError, and so does any
    that is not positive and finite.
    """
    groups = {group.name: _mean(values, group, definition.mean) for group in definition.groups}
    return Score(_COMBINATIONS[definition.combine](groups.values()), groups)


def _mean(values: Mapping[str, float], group: Group, mean: str) -> float:
    missing = [phase for phase in group.required if phase not in values]
    if missing:
        raise ScoreError(f"missing: {', '.join(missing)}")
    return _MEANS[mean](values[phase] for phase in group.phases if phase in values)


def bounds(values: Mapping[str, float], half_steps: Mapping[str, float], definition: Definition) -> tuple[Score, Score]:
    """The lowest and the highest score that values rounded by plus or minus `half_steps` can stand for.

    The lowest is 0 where a value may have been 0 before it was rounded. Raises ScoreError as `evaluate` does.
    """
    highest = evaluate({phase: value + half_steps[phase] for phase, value in values.items()}, definition)
    try:
        lowest = evaluate({phase: value - half_steps[phase] for phase, value in values.items()}, definition)
    except ScoreError:
        lowest = Score(0.0, dict.fromkeys(highest.groups, 0.0))
    return lowest, highest
