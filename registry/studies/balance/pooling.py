"""Which measurements of a study may be pooled, and what its rows say of each other: plain values in and out, no query.

A point whose measurements differ in a fact that moves the metric has no single value. Rows whose facts differ are
compared by ratios within strata that are alike. The arithmetic is registry/comparison/balance.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from operator import attrgetter
from typing import Any

from registry.comparison import balance
from registry.comparison.balance import FactCounts, Match, Observation, SpreadFact
from registry.query.facts.axes import MEANING_FIELDS
from registry.query.questions import moving_facts
from registry.query.questions.study_query import CONTEXT, MOST_SERIES, StudyQuery
from registry.query.responses import declared_limits
from registry.query.values import qualified_values
from registry.studies.table import Group, Row
from validators.units import UNITS

Numbers = Sequence[tuple[str, str]]
"""Operations with their quantities, as they are reported."""
MOST_VALUES = 5
"""Values of a fact that are named, most frequent first; `distinct` counts all."""
MOST_ROWS = 24
"""Rows whose mix of a fact is written out."""
MOST_STRATA = 20
"""Strata of one ratio that are written out; `n_strata` counts all."""
ALL_PAIRS = 6
"""Places along an axis of which each is compared with each; of more, with the one of most measurements."""
MOST_PAIRS = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows, by their number, that differ in one axis alone, and what they say of each other."""

    axis: str
    first: int
    other: int
    match: Match
    forbidden: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By result what its source says against the comparison: it is in no stratum."""


@dataclass(frozen=True, slots=True)
class Pooling:
    """What an answer says beside its rows. `unbalanced` and `unknown` have the numbers of the rows that they are of."""

    unbalanced: Sequence[tuple[SpreadFact, Sequence[int]]] = ()
    unknown: Sequence[SpreadFact] = ()
    pairs: Sequence[Pair] = ()
    splits: Sequence[str] = ()
    examined: int = 0


def kinds_of(groups: Iterable[Group]) -> frozenset[str]:
    """The kinds of the numbers of some groups (registry/query/questions/moving_facts.py); "" where one is not known."""
    return frozenset(moving_facts.kind_of_number(group.canonical or group.at["op"] or "") for group in groups)


def find_unlike(groups: Sequence[Group], axes: Collection[str]) -> list[Group]:
    """The groups with what varies inside them, and what of it moves the metric."""
    moving = moving_names(groups) - moving_facts.on_axes(axes)
    needed = moving.intersection(moving_facts.facts_of_tools(_tools_of(groups)))
    ordered = sorted(moving)
    return [_with_varying(group, ordered, needed) for group in groups]


def moving_names(groups: Sequence[Group]) -> frozenset[str]:
    """All facts that move the numbers of some groups."""
    return frozenset(moving_facts.facts_moving(kinds_of(groups), _tools_of(groups)))


def _tools_of(groups: Iterable[Group]) -> set[str]:
    return {tool for group in groups if (tool := group.at["tool"])}


def _with_varying(group: Group, moving: Sequence[str], needed: Collection[str]) -> Group:
    counts = _count_facts(group)
    varying = balance.varying_facts(counts)
    return replace(
        group,
        fact_counts=counts,
        varies=varying,
        unlike=tuple(fact.fact for fact in varying if fact.fact in moving),
        unknown=tuple(balance.unknown_in_row(counts, moving, needed)),
    )


def _count_facts(group: Group) -> FactCounts:
    return balance.count_facts(member.facts for member in group.members if member.value is not None)


def compare_groups(question: StudyQuery, groups: Sequence[Group], computed_of: Numbers = ()) -> Pooling:
    """What the rows of a study, in their order, say of each other. `groups` are of `find_unlike`.

    `computed_of` are the operations and quantities that a formula computes with: what sources forbid of them holds.
    """
    examined = sum(len(group.members) for group in groups)
    if moving_facts.is_of_results(question.axes):
        return Pooling(examined=examined)
    moving = moving_facts.facts_moving(kinds_of(groups), _tools_of(groups))
    along = moving_facts.come_with(question.axes)
    names = [name for name in moving if name not in along]
    needed = frozenset(moving_facts.facts_of_tools(_tools_of(groups)))
    counts = [group.fact_counts for group in groups]
    unbalanced = _unbalanced_in_families(question, groups, counts, names)
    unlike = Counter(name for group in groups for name in group.unlike)
    splits = list(dict.fromkeys([*(fact.fact for fact, _ in unbalanced), *(name for name, _ in unlike.most_common())]))
    complete = examined == sum(len(group.values) for group in groups)
    return Pooling(
        unbalanced=unbalanced,
        unknown=balance.unknown_facts(counts, names, needed),
        pairs=_match_pairs(question, groups, moving, needed, computed_of) if complete else (),
        splits=splits if len(question.series) < MOST_SERIES else (),
        examined=examined,
    )


def _unbalanced_in_families(
    question: StudyQuery, groups: Sequence[Group], counts: Sequence[FactCounts], names: Sequence[str]
) -> list[tuple[SpreadFact, list[int]]]:
    """Facts whose mix differs between rows of one trust and meaning, with the rows; reads are not held against writes.

    Rows without a place on the x axis are compared with none.
    """
    families: dict[Any, list[int]] = {}
    for number, group in enumerate(groups):
        meaning = tuple(group.at[name] for name in MEANING_FIELDS if name != question.x)
        if group.at[question.x] is not None:
            families.setdefault((group.trust, group.canonical, meaning), []).append(number)
    rows_by_fact: dict[str, list[int]] = {}
    for numbers in families.values():
        for fact in balance.unbalanced_facts([counts[number] for number in numbers], names):
            rows_by_fact.setdefault(fact.fact, []).extend(numbers)
    return [
        (balance.spread_fact([counts[number] for number in sorted(numbers)], name), sorted(numbers))
        for name, numbers in rows_by_fact.items()
    ]


# Matched pairs


def _match_pairs(
    question: StudyQuery,
    groups: Sequence[Group],
    moving: Sequence[str],
    needed: Collection[str],
    computed_of: Numbers,
) -> list[Pair]:
    pairs: list[Pair] = []
    observations_of = cache(lambda number: _make_observations(groups[number], question.axes))
    for axis in question.axes:
        if axis != question.x and axis in (*MEANING_FIELDS, "trust"):
            continue
        compared = moving_facts.come_with([axis])
        names = [name for name in moving if name not in compared | moving_facts.on_axes(question.axes)]
        left_out = compared | moving_facts.on_axes(question.axes)
        for first, other in _pairs_along(axis, groups):
            if len(pairs) == MOST_PAIRS:
                return pairs
            forbidden = _forbidden_results(groups[first], groups[other], computed_of)
            sides = [
                [row for row in observations_of(number) if row.result not in forbidden] for number in (first, other)
            ]
            match = balance.match_observations(sides[0], sides[1], names, needed, left_out)
            pairs.append(Pair(axis, first, other, match, forbidden))
    return pairs


def _pairs_along(axis: str, groups: Sequence[Group]) -> Iterable[tuple[int, int]]:
    """Numbers of rows that differ in one axis alone: in its order of numbers, else most measurements first."""
    places: dict[Any, list[int]] = {}
    for number, group in enumerate(groups):
        if group.at[axis] is not None and any(member.value is not None for member in group.members):
            others = tuple(value for name, value in group.at.items() if name != axis)
            places.setdefault((others, group.trust, group.unit, group.canonical), []).append(number)
    for numbers in places.values():
        counted = all(_is_number(groups[number].at[axis]) for number in numbers)
        ordered = numbers if counted else sorted(numbers, key=lambda number: -len(groups[number].members))
        if len(ordered) <= ALL_PAIRS:
            yield from combinations(ordered, 2)
        else:
            yield from ((ordered[0], other) for other in ordered[1:])


def _forbidden_results(first: Group, other: Group, computed_of: Numbers) -> dict[str, list[str]]:
    """Results of two rows that their source does not let be compared with some result of the other row, and why."""
    reasons_by_id: dict[str, list[str]] = {}
    for group, against in ((first, other), (other, first)):
        numbers = computed_of or [(group.at["op"] or "", group.at["quantity"] or "")]
        for member in filter(attrgetter("limits"), group.members):
            others = {row.result for row in against.members} - {member.result}
            if others and (reasons := declared_limits.find_reasons(member.limits, numbers, others)):
                reasons_by_id[member.result] = reasons
    return reasons_by_id


def _is_number(text: str | None) -> bool:
    return text is not None and text.replace(".", "", 1).isdecimal()


def _make_observations(group: Group, axes: Collection[str]) -> list[Observation]:
    """The measurements of a row; what their contexts say beyond the axes is their meaning."""
    left_out = moving_facts.on_axes(axes)
    return [
        Observation(
            result=member.result,
            number=qualified_values.qualified_number(member.value, member.qualifier),
            facts={name: text for name, text in member.facts.items() if not name.startswith(CONTEXT)},
            meaning=tuple(
                sorted(
                    (name, text)
                    for name, text in member.facts.items()
                    if name.startswith(CONTEXT) and name.removeprefix(CONTEXT) not in left_out
                )
            ),
            origin=member.origin_name,
        )
        for member in group.members
        if member.value is not None
    ]


# As answers have it


def varying_rows(group: Group) -> list[Row]:
    """What varies inside a row: [{"fact", "title", "values": [{"value", "count"}], "distinct", "unknown", "moves"}]."""
    return [
        {
            "fact": fact.fact,
            "title": moving_facts.fact_title(fact.fact),
            "values": _value_rows(fact.values),
            "distinct": len(fact.values),
            "unknown": fact.unknown,
            "moves": fact.fact in group.unlike,
        }
        for fact in group.varies
    ]


def varying_text(group: Group) -> str:
    """What varies inside a row, in a line: "direct_io: true (1), false (1)"; of many values the most frequent."""
    return "; ".join(
        f"{fact.fact}: " + ", ".join(f"{text} ({count})" for text, count in list(fact.values.items())[:MOST_VALUES])
        for fact in group.varies
    )


def _value_rows(values: Mapping[str, int]) -> list[Row]:
    return [{"value": text, "count": count} for text, count in list(values.items())[:MOST_VALUES]]


def pooling_document(question: StudyQuery, pooling: Pooling, rows: Sequence[Row], unit: str) -> Row:
    """`unbalanced`, `unknown`, `matched`, `splits` and `examined` of an answer."""
    return {
        "unbalanced": [_unbalanced_row(fact, numbers) for fact, numbers in pooling.unbalanced],
        "unknown": [
            {"fact": fact.fact, "title": moving_facts.fact_title(fact.fact), "measurements": sum(fact.unknown)}
            | {"rows": sum(map(bool, fact.unknown))}
            for fact in pooling.unknown
        ],
        "matched": [_matched_row(question, pair, rows, unit) for pair in pooling.pairs],
        "splits": [
            {"fact": name, "title": moving_facts.fact_title(name), "question": _split_address(question, name)}
            for name in pooling.splits
        ],
        "examined": pooling.examined,
    }


def _split_address(question: StudyQuery, name: str) -> str:
    return replace(question, series=(*question.series, name)).address()


def _unbalanced_row(fact: SpreadFact, numbers: Sequence[int]) -> Row:
    total: Counter[str] = Counter()
    for values in fact.values:
        total.update(values)
    mixes = list(zip(numbers, fact.values, fact.unknown, strict=True))[:MOST_ROWS]
    return {
        "fact": fact.fact,
        "title": moving_facts.fact_title(fact.fact),
        "values": _value_rows(dict(total.most_common())),
        "distinct": len(total),
        "rows": [{"row": number, "values": _value_rows(values), "unknown": lacks} for number, values, lacks in mixes],
        "rows_left_out": len(numbers) - len(mixes),
    }


def _matched_row(question: StudyQuery, pair: Pair, rows: Sequence[Row], unit: str) -> Row:
    match, axes = pair.match, list(question.axes)
    first, other = rows[pair.first], rows[pair.other]
    return {
        "axis": pair.axis,
        "first": first[pair.axis],
        "other": other[pair.axis],
        "at": {name: first[name] for name in first_names(first, axes) if name != pair.axis},
        "trust": first["trust"],
        "rows": [pair.first, pair.other],
        **_number_row("ratio", match.ratio),
        "n_strata": len(match.strata),
        "strata": [_stratum_row(stratum, unit) for stratum in match.strata[:MOST_STRATA]],
        "unmatched": [len(ids) for ids in match.unmatched],
        "not_comparable": [{"result": name, "reasons": list(reasons)} for name, reasons in pair.forbidden.items()],
        "nearest": [
            {"fact": name, "title": moving_facts.fact_title(name), "first": ends[0], "other": ends[1]}
            for name, ends in match.nearest.items()
        ],
    }


def first_names(row: Row, axes: Sequence[str]) -> list[str]:
    """The axes of a row and what else tells its meaning."""
    return [name for name in dict.fromkeys((*axes, *MEANING_FIELDS)) if name in row]


def _stratum_row(stratum: balance.Stratum, unit: str) -> Row:
    factor = UNITS[unit].factor if unit else 1.0
    return {
        "equal": dict(stratum.equal),
        "unknown": list(stratum.unknown),
        "values": [None if number.value is None else number.value / factor for number in stratum.values],
        "qualifiers": [number.qualifier or None for number in stratum.values],
        **_number_row("ratio", stratum.ratio),
        "results": [list(ids) for ids in stratum.results],
        "differs": [
            {"fact": name, "title": moving_facts.fact_title(name), "first": list(ends[0]), "other": list(ends[1])}
            for name, ends in stratum.differs.items()
        ],
    }


def _number_row(name: str, number: qualified_values.Number | None) -> Row:
    value, qualifier = (None, None) if number is None else (number.value, number.qualifier or None)
    return {name: value, "qualifier": qualifier}
