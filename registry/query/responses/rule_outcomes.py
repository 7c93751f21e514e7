"""How many rules of a checked run came out how: the one place that counts them, for published and for private pages.

The database counts those of published results that are violated, by the same outcome (registry/models/results.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from registry.models.results import VIOLATED

OUTCOMES = (VIOLATED, "needs_human", "not_evaluated", "satisfied")
"""As rules report them, what needs somebody first."""


def count_outcomes(rules: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Rules by outcome; one that is not named counts as 0."""
    return Counter(str(rule.get("outcome", "")) for rule in rules)


def worst_first(rules: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rules in the order of OUTCOMES; those with an outcome of no name last."""
    places = {outcome: place for place, outcome in enumerate(OUTCOMES)}
    return sorted(rules, key=lambda rule: places.get(str(rule.get("outcome")), len(places)))


def count_violated(rules: Iterable[Mapping[str, Any]]) -> int | None:
    """How many rules are violated; None where no rule has an outcome, for then nothing was checked."""
    counts = count_outcomes(rules)
    return counts[VIOLATED] if any(counts) else None
