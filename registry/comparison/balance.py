"""Whether results may be pooled and compared: what varies inside a row, what differs between rows, matched ratios.

Plain values in, plain values out, no query. A *row* is what somebody would write as one number: results at one place of
a chart. Facts are texts by the name of an axis, as registry/query/facts/fact_index.py has them; a fact that lacks is
not known, and what is not known is neither equal nor different. Which facts move a metric, moving_facts.py says.

For pooling, a row is its `FactCounts`:

    rows = [count_facts([{"fabric": "TCP", "direct_io": "true"}, ...]), ...]
    varying_facts(rows[0])              -> [VaryingFact("direct_io", {"true": 1, "false": 1}, unknown=0)]
    unbalanced_facts(rows, names)       -> [SpreadFact("system", ({"flash": 2}, {"flash": 2, "HDD": 3}), (0, 0))]
    unknown_facts(rows, names, needed)  -> [SpreadFact("client_nodes", ({}, {}), (2, 5))]

For a ratio, a row is its `Observation`s:

    match = match_observations(infiniband, tcp, names, needed, compared)
    match.ratio       -> Number: geometric mean over the strata of other / first; None without strata
    match.strata[0]   -> .equal, .unknown, .values, .ratio, .results, .differs
    match.nearest     -> what keeps the two nearest results apart, where there is no stratum

`names` are the facts in which a stratum is alike: `facts_moving(kinds)` without `come_with(axes)`; `needed` those that
must be known of results of different systems: `alike.required_facts(tool)`; `compared` is `come_with(axes)`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import mul

from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number

Facts = Mapping[str, str]

MOST_NEAR = 12
"""Kinds of results of each side among which the nearest two are looked for: 144 pairs."""


@dataclass(frozen=True, slots=True)
class FactCounts:
    """How often each value of each fact is known among `total` measurements of one row."""

    total: int
    counts: Mapping[str, Mapping[str, int]]

    def count_unknown(self, fact: str) -> int:
        """Of how many measurements the fact is not known."""
        return self.total - sum(self.counts.get(fact, {}).values())


@dataclass(frozen=True, slots=True)
class VaryingFact:
    """A fact with several known values inside one row: how many measurements have each, and how many none."""

    fact: str
    values: Mapping[str, int]
    unknown: int


@dataclass(frozen=True, slots=True)
class SpreadFact:
    """A fact over all rows: for each row the known values with their counts, and of how many it is not known."""

    fact: str
    values: tuple[Mapping[str, int], ...]
    unknown: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """One measurement of one result, with its known facts.

    Only those of one `meaning` are matched. `origin` names the system it was measured on; empty: not known.
    """

    result: str
    number: Number
    facts: Facts
    meaning: Hashable = ()
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Measurements of two rows that are alike in every fact that moves the metric.

    They are `equal` in these facts; `unknown` names those known of neither. `values` are the medians of the two sides,
    `ratio` is the second by the first, `results` their ids. `differs` has other facts that are known of both and not
    the same, which nobody knows to move the metric: ((values of the first), (values of the second)) by name.
    """

    equal: Facts
    unknown: tuple[str, ...]
    values: tuple[Number, Number]
    ratio: Number | None
    results: tuple[tuple[str, ...], tuple[str, ...]]
    differs: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Match:
    """What two rows say of each other: the geometric mean of the ratios of their strata, None where there is none.

    `unmatched` has the ids of results of both sides that are in no stratum. `nearest` says by fact what keeps the two
    nearest results apart, where there is no stratum; None is not known.
    """

    ratio: Number | None
    strata: tuple[Stratum, ...]
    unmatched: tuple[tuple[str, ...], tuple[str, ...]]
    nearest: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)


# Pooling


def count_facts(facts_of_row: Iterable[Facts]) -> FactCounts:
    """The counts of one row, from the known facts of each of its measurements."""
    counts: dict[str, dict[str, int]] = {}
    total = 0
    for facts in facts_of_row:
        total += 1
        for name, text in facts.items():
            values = counts.get(name)
            if values is None:
                values = counts[name] = {}
            values[text] = values.get(text, 0) + 1
    return FactCounts(total, counts)


def varying_facts(row: FactCounts) -> list[VaryingFact]:
    """Facts that are known with several values inside a row, by name; most frequent value first."""
    return [
        VaryingFact(name, _most_frequent_first(values), row.count_unknown(name))
        for name, values in sorted(row.counts.items())
        if len(values) > 1
    ]


def unbalanced_facts(rows: Sequence[FactCounts], names: Iterable[str]) -> list[SpreadFact]:
    """Facts whose mix of known values is not the same in all rows that know any.

    A mix is the share that each value has: one of each is the same mix as two of each.
    """
    return [
        spread_fact(rows, name)
        for name in names
        if len({_known_mix(row.counts[name]) for row in rows if row.counts.get(name)}) > 1
    ]


def unknown_in_row(row: FactCounts, names: Iterable[str], needed: Collection[str] = ()) -> list[str]:
    """The names that `unknown_facts` has of one row."""
    return [
        name
        for name in names
        if (sum(values.values()) < row.total if (values := row.counts.get(name)) else row.total and name in needed)
    ]


def unknown_facts(rows: Sequence[FactCounts], names: Iterable[str], needed: Collection[str] = ()) -> list[SpreadFact]:
    """Facts that are not known of all measurements: those that some measurement has, and those that are `needed`."""
    return [
        spread_fact(rows, name)
        for name in names
        if (name in needed or any(row.counts.get(name) for row in rows))
        and any(row.count_unknown(name) for row in rows)
    ]


def spread_fact(rows: Sequence[FactCounts], name: str) -> SpreadFact:
    """One fact over some rows."""
    values = tuple(_most_frequent_first(row.counts.get(name, {})) for row in rows)
    return SpreadFact(name, values, tuple(row.count_unknown(name) for row in rows))


def _known_mix(values: Mapping[str, int]) -> frozenset[tuple[str, Fraction]]:
    total = sum(values.values())
    if len(values) == 1:  # nearly all rows: a fraction costs more than all else here
        return frozenset((text, _ALL) for text in values)
    return frozenset((text, Fraction(count, total)) for text, count in values.items())


_ALL = Fraction(1)


def _most_frequent_first(values: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(values.items(), key=lambda pair: (-pair[1], pair[0])))


# Matching


def match_observations(
    first: Sequence[Observation],
    other: Sequence[Observation],
    names: Sequence[str],
    needed: Collection[str] = (),
    compared: Collection[str] = (),
) -> Match:
    """Ratios of the other row to the first within strata that are alike in meaning and in all facts of `names`.

    A fact that one side knows and the other does not never matches. One that neither knows is named in the stratum;
    where it is `needed`, only results of one origin match. `compared` are facts that may differ: what the rows are
    compared by, and what comes with it.
    """
    sides = [_by_stratum(observations, names, needed) for observations in (first, other)]
    shared = [key for key in sides[0] if key in sides[1]]
    strata = tuple(_make_stratum(sides[0][key], sides[1][key], names, frozenset((*names, *compared))) for key in shared)
    ratios = [stratum.ratio for stratum in strata if stratum.ratio is not None]
    matched_ids = [{id for stratum in strata for id in stratum.results[side]} for side in (0, 1)]
    left_out = [
        tuple(dict.fromkeys(row.result for row in rows if row.result not in ids))
        for rows, ids in zip((first, other), matched_ids, strict=True)
    ]
    nearest = {} if strata else _nearest_difference(first, other, names)
    return Match(geometric_mean(ratios), strata, (left_out[0], left_out[1]), nearest)


def geometric_mean(numbers: Sequence[Number]) -> Number | None:
    """The geometric mean, a bound where one of the numbers is; None of none."""
    return reduce(mul, [number.power(1 / len(numbers)) for number in numbers]) if numbers else None


def _by_stratum(
    observations: Iterable[Observation], names: Sequence[str], needed: Collection[str]
) -> dict[Hashable, list[Observation]]:
    strata: dict[Hashable, list[Observation]] = {}
    needed_names = [name for name in names if name in needed]
    for row in observations:
        lacks = any(name not in row.facts for name in needed_names)
        if not lacks or row.origin:
            key = (row.meaning, tuple(row.facts.get(name) for name in names), row.origin if lacks else None)
            strata.setdefault(key, []).append(row)
    return strata


def _make_stratum(
    first: Sequence[Observation], other: Sequence[Observation], names: Sequence[str], left_out: Collection[str]
) -> Stratum:
    facts = first[0].facts
    medians = [qualified_values.median_number(row.number for row in rows) for rows in (first, other)]
    ids = [tuple(dict.fromkeys(row.result for row in rows)) for rows in (first, other)]
    return Stratum(
        equal={name: facts[name] for name in names if name in facts},
        unknown=tuple(name for name in names if name not in facts),
        values=(medians[0], medians[1]),
        ratio=_positive_ratio(medians[1], medians[0]),
        results=(ids[0], ids[1]),
        differs=_other_differences(first, other, left_out),
    )


def _positive_ratio(dividend: Number, divisor: Number) -> Number | None:
    """None where a value is zero or below: no geometric mean has a place for it."""
    if dividend.low < 0 or divisor.low < 0 or divisor.high == 0 or dividend.high == 0:
        return None
    ratio = qualified_values.divide_numbers(dividend, divisor)
    return ratio if ratio is not None and not math.isnan(ratio.low) and not math.isnan(ratio.high) else None


def _other_differences(
    first: Sequence[Observation], other: Sequence[Observation], left_out: Collection[str]
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    names = sorted({name for row in first for name in row.facts} & {name for row in other for name in row.facts})
    sides = {
        name: tuple(tuple(sorted({row.facts[name] for row in rows if name in row.facts})) for rows in (first, other))
        for name in names
        if name not in left_out
    }
    return {name: (values[0], values[1]) for name, values in sides.items() if values[0] != values[1]}


def _nearest_difference(
    first: Iterable[Observation], other: Iterable[Observation], names: Sequence[str]
) -> dict[str, tuple[str | None, str | None]]:
    """What differs, or is not known of one, between the two results of the sides that differ least."""
    kinds = [
        list(dict.fromkeys((row.meaning, tuple(row.facts.get(name) for name in names)) for row in rows))[:MOST_NEAR]
        for rows in (first, other)
    ]
    pairs = [
        {name: ends for name, *ends in zip(names, own_texts, texts, strict=True) if ends[0] != ends[1]}
        for own_meaning, own_texts in kinds[0]
        for meaning, texts in kinds[1]
        if own_meaning == meaning
    ]
    nearest = min(pairs, key=len, default={})
    return {name: (ends[0], ends[1]) for name, ends in nearest.items()}
