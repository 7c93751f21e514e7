"""Gains from step to step of a line of platforms or releases, and what they come from. Plain values, no query.

A gain is put down to hardware, software or tuning only along a chain of results of which each differs from the one
before in one of them alone, all else known and equal. What is not recorded may differ: it is named, never assumed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import mul
from typing import Any

from registry.query.responses.declared_limits import Limit
from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number

HARDWARE, SOFTWARE, TUNING, CONDITIONS = "hardware", "software", "tuning", "conditions"
KINDS = (HARDWARE, SOFTWARE, TUNING, CONDITIONS)
"""What can differ. Conditions are scale and options of the benchmark: they explain a ratio, but are no gain."""
CAUSES = (HARDWARE, SOFTWARE, TUNING)

Facts = Mapping[str, tuple[str, str]]
"""What is recorded of a result: name -> (kind, text)."""


@dataclass(frozen=True, slots=True)
class Point:
    """One result's number on a step of the line."""

    result: str
    step: str
    value: float
    facts: Facts
    printed_unit: str = ""
    qualifier: str = ""
    """What the source says of the number: about, below or above; mostly nothing."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Scale and options of the run, by name: in these two results have to be alike before one is a gain."""
    limits: tuple[Limit, ...] = ()
    """What its source says that it may not be compared for."""

    def without_conditions(self, names: Collection[str]) -> Point:
        return replace(self, conditions={name: text for name, text in self.conditions.items() if name not in names})

    @property
    def number(self) -> Number:
        return qualified_values.qualified_number(self.value, self.qualifier)


@dataclass(frozen=True, slots=True)
class PlatformGain:
    """From one point to the next: its factor, what differs by kind, and of which kinds something is not recorded."""

    before: Point
    after: Point
    factor: Number
    differs: Mapping[str, Sequence[str]]
    unrecorded: frozenset[str]

    @property
    def cause(self) -> str:
        """The one cause of the change; empty where there is no single one, or it is not known that there is."""
        causes = [kind for kind in self.differs if kind in CAUSES]
        alone = len(causes) == 1 and CONDITIONS not in self.differs
        return causes[0] if alone and not self.unrecorded - {causes[0]} else ""

    @property
    def may_be(self) -> list[str]:
        """All that the change may come from, as far as the record tells."""
        return [kind for kind in KINDS if kind in self.differs or kind in self.unrecorded]


def improvement_factor(before: Number, after: Number, lower_is_better: bool) -> Number | None:
    """How many times better `after` is; None where one of them is zero."""
    if not before.value or not after.value:
        return None
    return before / after if lower_is_better else after / before


def best_point(points: Sequence[Point], lower_is_better: bool) -> Point:
    """Of several points the best, of equal ones the first; one that may be worse than it says only where all may be."""
    worse = qualified_values.ABOVE if lower_is_better else qualified_values.BELOW
    sign = -1 if lower_is_better else 1
    return max(points, key=lambda point: (point.qualifier != worse, sign * point.value))


def make_change(before: Point, after: Point, lower_is_better: bool = False) -> PlatformGain:
    """What lies between two points. Raises ValueError where one of them is zero."""
    gained = improvement_factor(before.number, after.number, lower_is_better)
    if gained is None:
        raise ValueError("a value of zero has no factor")
    differs: dict[str, list[str]] = {}
    shared: set[str] = set()
    lacking: set[str] = set()
    for name in dict.fromkeys((*before.facts, *after.facts)):
        facts = [point.facts[name] for point in (before, after) if name in point.facts]
        kind = facts[0][0]
        if len(facts) == 1:
            lacking.add(kind)
        elif facts[0][1] == facts[1][1]:
            shared.add(kind)
        else:
            differs.setdefault(kind, []).append(name)
    unknown = {kind for kind in CAUSES if kind not in shared and kind not in differs}
    return PlatformGain(before, after, gained, differs, frozenset(lacking | unknown))


def shortest_chain(
    points: Sequence[Point], start: Point, end: Point, lower_is_better: bool = False
) -> list[PlatformGain]:
    """The shortest way from start to end of which every change has one cause; empty where there is none.

    A bound is no step of the way: what a change brought, it does not say.
    """
    if start.number.is_bound or end.number.is_bound:
        return []
    usable = [point for point in points if point.value and not point.number.is_bound]
    reached: dict[str, list[PlatformGain]] = {start.result: []}
    waiting = deque([start])
    while waiting and end.result not in reached:
        here = waiting.popleft()
        for point in usable:
            if point.result in reached:
                continue
            step = make_change(here, point, lower_is_better)
            if step.cause:
                reached[point.result] = [*reached[here.result], step]
                waiting.append(point)
    return reached.get(end.result, [])


def by_cause(changes: Sequence[PlatformGain]) -> dict[str, float]:
    """The product of the factors of each cause."""
    products: dict[str, float] = {}
    for change in changes:
        products[change.cause] = products.get(change.cause, 1.0) * (change.factor.value or 0.0)
    return {cause: products[cause] for cause in CAUSES if cause in products}


def by_possible(changes: Sequence[PlatformGain]) -> list[dict[str, Any]]:
    """The product of the factors of changes that may come from the same: what holds where no chain separates them."""
    factors: dict[tuple[str, ...], list[Number]] = {}
    for change in changes:
        factors.setdefault(tuple(change.may_be), []).append(change.factor)
    return [
        {"may_be": list(kinds), "factor": product.value, "factor_qualifier": product.qualifier}
        for kinds, kind_factors in factors.items()
        for product in (reduce(mul, kind_factors),)
    ]


def steps_of(points: Sequence[Point], order: Sequence[str], lower_is_better: bool) -> list[dict[str, Any]]:
    """One row for each step that has a value: its best, least and most, and how many times better than the first.

    Where one of its values is a bound, nobody knows the least and the most: both are None.
    """
    by_step = {step: [point for point in points if point.step == step] for step in order}
    rows: list[dict[str, Any]] = []
    for step, step_points in by_step.items():
        if not step_points:
            continue
        top = best_point(step_points, lower_is_better)
        first, last = (
            (qualified_values.number_of_row(rows[0]), qualified_values.number_of_row(rows[-1]))
            if rows
            else (None, None)
        )
        gained = (
            improvement_factor(first, top.number, lower_is_better) if first else qualified_values.qualified_number(1.0)
        )
        again = improvement_factor(last, top.number, lower_is_better) if last else None
        ends = [None, None] if any(point.number.is_bound for point in step_points) else _ends_of(step_points)
        rows.append({
            "step": step,
            "value": top.value,
            "result": top.result,
            "printed_unit": top.printed_unit,
            "qualifier": top.qualifier,
            "low": ends[0],
            "high": ends[1],
            "count": len(step_points),
            "x_first": gained and gained.value,
            "x_before": again and again.value,
            "x_first_qualifier": gained.qualifier if gained else "",
            "x_before_qualifier": again.qualifier if again else "",
        })  # fmt: skip
    return rows


def _ends_of(points: Sequence[Point]) -> list[float]:
    values = [point.value for point in points]
    return [min(values), max(values)]
