"""Which results of a line may stand in one row: those of equal scale and equal options. Plain values, no query.

A factor is a statement about the storage only where the load was the same. So the results of a number are put into
strata that are known to be alike in every condition, by the rule of registry/query/differences/alike.py, and a gain is
made inside one. What has no partner stands apart, with what differs, what is not known, and what its source forbids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from registry.platforms.gains import Point, best_point
from registry.query.differences import alike
from registry.query.responses import declared_limits

MOST_NEAR = 10
"""Best results of each step among which the nearest pair is looked for."""


@dataclass(frozen=True, slots=True)
class UnmatchedPair:
    """Two results of neighbouring steps that give no factor, and why not.

    `differs` are conditions that are known of both and not equal, `unknown` those that are not known of both, `reasons`
    what a source says against the comparison.
    """

    before: Point
    after: Point
    differs: tuple[str, ...]
    unknown: tuple[str, ...]
    reasons: tuple[str, ...]


def without_repeated_number(points: Sequence[Point], quantity: str) -> tuple[list[Point], frozenset[str]]:
    """The points without conditions that only repeat the number itself, and the names of these.

    MLPerf Storage says of its count of accelerators how many it was run with: that is the number, and no condition.
    """
    repeated = frozenset(
        name
        for name in dict.fromkeys(name for point in points for name in point.conditions)
        if quantity in name and all(_is_number(point.conditions.get(name), point.value) for point in points)
    )
    return [point.without_conditions(repeated) for point in points], repeated


def _is_number(text: str | None, value: float) -> bool:
    try:
        return text is not None and float(text) == value
    except ValueError:
        return False


def matched_strata(
    points: Iterable[Point], needed: Collection[str], op: str = "", quantity: str = ""
) -> list[list[Point]]:
    """Points that are alike in every condition, of two steps and more; each list is one stratum.

    A point of which something `needed` is not known is in none, and so is one that a source forbids to compare with
    another step of its stratum for this operation and quantity.
    """
    by_conditions: dict[alike.Key, list[Point]] = {}
    for point in points:
        key = alike.configuration_key(point.conditions, sorted(needed))
        if key is not None:
            by_conditions.setdefault(key, []).append(point)
    strata = (_without_forbidden(stratum, op, quantity) for stratum in by_conditions.values())
    return [stratum for stratum in strata if len({point.step for point in stratum}) > 1]


def _without_forbidden(stratum: Sequence[Point], op: str, quantity: str) -> list[Point]:
    return [
        point
        for point in stratum
        if not any(_forbidding_reasons(point, other, op, quantity) for other in stratum if other.step != point.step)
    ]


def _forbidding_reasons(point: Point, other: Point, op: str, quantity: str) -> list[str]:
    if not point.limits and not other.limits:
        return []
    pair = (point.result, point.limits), (other.result, other.limits)
    return declared_limits.reasons_against(*pair, op, quantity)


def unmatched_pairs(
    points: Sequence[Point],
    strata: Sequence[Sequence[Point]],
    order: Sequence[str],
    needed: Collection[str],
    number: tuple[str, str, bool],
) -> list[UnmatchedPair]:
    """For neighbouring steps that no stratum leads over: the two results that are nearest to each other.

    `number` is its operation, its quantity, and whether less of it is better.
    """
    held_steps = [step for step in order if any(point.step == step for point in points)]
    covered = [{point.step for point in stratum} for stratum in strata]
    return [
        _nearest_pair(points, (before, after), needed, number)
        for before, after in pairwise(held_steps)
        if not any({before, after} <= steps for steps in covered)
    ]


def _nearest_pair(
    points: Sequence[Point], steps: tuple[str, str], needed: Collection[str], number: tuple[str, str, bool]
) -> UnmatchedPair:
    """Of the best results of two steps the pair that differs least; of equal ones that of the best."""
    op, quantity, lower_is_better = number
    sides = [_best_first([point for point in points if point.step == step], lower_is_better) for step in steps]
    return min(
        (_compare_points(before, after, needed, op, quantity) for before, after in product(*sides)),
        key=lambda pair: len(pair.differs) + len(pair.unknown) + len(pair.reasons),
    )


def _best_first(points: Sequence[Point], lower_is_better: bool) -> list[Point]:
    rest, best = list(points), list[Point]()
    while rest and len(best) < MOST_NEAR:
        best.append(best_point(rest, lower_is_better))
        rest.remove(best[-1])
    return best


def _compare_points(before: Point, after: Point, needed: Collection[str], op: str, quantity: str) -> UnmatchedPair:
    verdict = alike.compare_configurations(before.conditions, after.conditions, sorted(needed))
    reasons = tuple(_forbidding_reasons(before, after, op, quantity))
    return UnmatchedPair(before, after, verdict.differs, verdict.unknown, reasons)


def varying_facts(points: Sequence[Point]) -> dict[str, list[str]]:
    """What differs among several results: values in order by name, without what only some of them tell."""
    names = dict.fromkeys(name for point in points for name in point.facts)
    texts = {name: sorted({point.facts[name][1] for point in points if name in point.facts}) for name in names}
    return {name: values for name, values in sorted(texts.items()) if len(values) > 1}
