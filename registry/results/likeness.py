"""Which results are like one, and where one stands among them. Plain values in, plain values out; no query.

The rule is data (data/likeness.1.json): facts that have to be equal, or within a factor. What is needed and not known
of a result itself leaves nothing to be like it. A result that is known to differ is not like; where a fact is not
needed, one that does not say it stays, and is counted as not saying it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from registry.query.differences import alike
from registry.query.facts.axes import find_axis
from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number

RULE = Path(__file__).parent / "data" / "likeness.1.json"
SCALE, SETTINGS = "$scale", "$settings"
EQUAL, WITHIN = "equal", "within"

Facts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """One fact of the rule as it applies to one result: `value` is its own, empty where it does not say it.

    `factor` is that of `within`, else 1: from value / factor to value x factor.
    """

    fact: str
    rule: str
    factor: float
    needed: bool
    why: str
    value: str

    @property
    def title(self) -> str:
        return find_axis(self.fact).title

    @property
    def reach(self) -> tuple[float, float] | None:
        """From which to which number a fact is like this one; None for what is no number, or has to be equal."""
        number = _parse_number(self.value)
        return None if self.rule == EQUAL or number is None else (number / self.factor, number * self.factor)

    def is_met(self, facts: Facts) -> bool | None:
        """Whether the facts of another result meet it; None where it is not known of both."""
        text = facts.get(self.fact, "")
        if not self.value or not text:
            return None
        if self.rule == EQUAL:
            return self.value.casefold() == text.casefold()
        number = _parse_number(text)
        return None if self.reach is None or number is None else self.reach[0] <= number <= self.reach[1]


@dataclass(frozen=True, slots=True)
class Standing:
    """How many of some numbers are better, equal and worse than one; `unknown` are bounds that leave it open."""

    better: int
    equal: int
    worse: int
    unknown: int

    @property
    def count(self) -> int:
        return self.better + self.equal + self.worse + self.unknown


@dataclass(frozen=True, slots=True)
class FactOfBetter:
    """One fact in which better results differ: own value, theirs with how many have each, and how many do not say."""

    fact: str
    own: str
    values: list[tuple[str, int]]
    unknown: int


@cache
def load_rule() -> Mapping[str, Any]:
    """The rule of likeness: `facts` in order, `fewest_systems`, `most_results`, `better_shown`."""
    rule: Mapping[str, Any] = json.loads(RULE.read_text(encoding="utf-8"))
    return rule


def conditions_of(tool: str, facts: Facts) -> list[Condition]:
    """The rule as it applies to a result of a benchmark with these facts."""
    scale = alike.scale_facts(tool)
    settings = [name for name in alike.required_facts(tool) if name not in scale]
    conditions = []
    for row in load_rule()["facts"]:
        for name in {SCALE: scale, SETTINGS: settings}.get(row["fact"], [row["fact"]]):
            factor = float(row.get("factor", 1))
            conditions.append(Condition(name, row["rule"], factor, row["needed"], row["why"], facts.get(name, "")))
    return conditions


def missing_conditions(conditions: Iterable[Condition]) -> list[Condition]:
    """What is needed of a result and that it does not say: with any of it nothing is known to be like it."""
    return [condition for condition in conditions if condition.needed and not condition.value]


def compare_facts(conditions: Sequence[Condition], facts: Facts) -> tuple[bool, list[str]]:
    """Whether another result is like, as far as it says; and what it does not say of the facts that are not needed.

    What the result itself does not say and does not need is passed over.
    """
    verdicts = [(condition, condition.is_met(facts)) for condition in conditions if condition.value or condition.needed]
    differs = any(met is False or (met is None and condition.needed) for condition, met in verdicts)
    return not differs, [condition.fact for condition, met in verdicts if met is None and not condition.needed]


def place_among(number: Number, others: Iterable[Number], *, lower_is_better: bool) -> Standing:
    """Where a number stands among others. A bound may lie on either side of it: then nobody knows."""
    outcomes = Counter(qualified_values.compare_numbers(other, number) for other in others)
    lower, higher = outcomes[-1], outcomes[1]
    better, worse = (lower, higher) if lower_is_better else (higher, lower)
    return Standing(better, outcomes[0], worse, outcomes[None])


def list_differences(own: Facts, better: Sequence[Facts]) -> list[FactOfBetter]:
    """The facts in which some better result is known to differ, or says what the result itself does not say.

    Those that all better ones have alike and the result has not come first.
    """
    names = sorted({name for facts in better for name in facts})
    rows = []
    for name in names:
        values = Counter(facts[name] for facts in better if name in facts)
        if any(text.casefold() != own.get(name, "").casefold() for text in values):
            ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
            rows.append(FactOfBetter(name, own.get(name, ""), ordered, len(better) - values.total()))
    return sorted(rows, key=lambda row: (not row.own, row.unknown, len(row.values), row.fact))


def _parse_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number > 0 and number < float("inf") else None
