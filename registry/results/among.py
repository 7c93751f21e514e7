"""One result among similar ones: where each of its numbers stands, and what the better ones did differently.

Of each other system the best number counts, so that a system with many results counts once; other results of the same
system are its history, and are left to that. Six queries, however many results there are; at most `most_results` of
the rule, the newest, are looked at.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q

from registry.comparison.side_notes import REPORTED
from registry.comparison.spreads import NO_MEAN, Key, measurement_key
from registry.models import Fact, Result
from registry.query import public_record
from registry.query.differences import configuration_diff
from registry.query.differences.alike import CLIENTS
from registry.query.facts import fact_index
from registry.query.facts.axes import find_axis
from registry.query.facts.configuration_facts import without_identity
from registry.query.public_record import Row
from registry.query.questions import metric_values, study_query
from registry.query.questions.study_query import Metric
from registry.query.responses import declared_limits
from registry.query.responses.declared_limits import Limit
from registry.query.responses.trust_levels import label_of
from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number
from registry.results.likeness import (
    Condition,
    FactOfBetter,
    Standing,
    compare_facts,
    conditions_of,
    list_differences,
    load_rule,
    missing_conditions,
    place_among,
)
from validators import catalogue, quantities
from validators.metric_semantics import ComparableValue, Meaning, incomparable_reason, meanings_of

MOST_NUMBERS = 60
MOST_DIFFERENCES = 60
MOST_LIKE_SHOWN = 200


@dataclass(frozen=True, slots=True)
class LikeResult:
    """A result that is like, with what it does not say of the rule, and its numbers by what tells them apart."""

    result: Any
    unknown: list[str]
    rows: Mapping[Key, Sequence[Row]]
    limits: Sequence[Limit]


@dataclass(frozen=True, slots=True)
class _PlacedNumber:
    """A number of the result, the best one of each other system with its result, and where it stands."""

    row: Row
    others: list[tuple[Number, Any]]
    standing: Standing
    lower_is_better: bool


@dataclass(frozen=True, slots=True)
class LikeNumbers:
    """The numbers of a result among those of similar results; with `missing` conditions none is similar."""

    own_rows: list[Row]
    conditions: list[Condition]
    missing: list[Condition]
    likes: list[LikeResult]
    left_out: bool
    placed: list[_PlacedNumber]

    @property
    def systems(self) -> int:
        return len({like.result.system_id for like in self.likes})

    def list_numbers(self) -> list[Row]:
        """Each number with how many systems are better, and their median in the unit of the row, or None."""
        return [_number_row(number, self.systems) for number in self.placed]


def read_like_numbers(result: Result, facts: Mapping[str, str]) -> LikeNumbers:
    """A result of which these facts are known among similar ones. Four queries."""
    conditions = conditions_of(result.tool, facts)
    missing = missing_conditions(conditions)
    candidates, left_out = ([], False) if missing else _read_candidates(result, conditions)
    alike = _select_like(candidates, conditions)
    rows_by_result = metric_values.values_by_result([result, *(other for other, _ in alike)])
    likes = [
        LikeResult(other, unknown, _by_key(rows_by_result[other.pk]), declared_limits.read_limits(other.limits))
        for other, unknown in alike
    ]
    own_limits = declared_limits.read_limits(result.snapshot.get(declared_limits.FIELD))
    own_rows = _shown_rows(rows_by_result[result.pk])
    placed = [_place_row(result, row, _comparable_likes(result, own_limits, row, likes)) for row in own_rows]
    return LikeNumbers(own_rows, conditions, missing, likes, left_out, placed)


def _by_key(rows: Iterable[Row]) -> dict[Key, list[Row]]:
    by_key: dict[Key, list[Row]] = {}
    for row in rows:
        by_key.setdefault(measurement_key(row), []).append(row)
    return by_key


def among_document(public_id: str, metric: str = "") -> Row:
    """One result among similar ones. `metric` is what better is judged by; left out, its score or first number.

    Raises NotOnRecord for an id that is not there, UnknownMetric for what the result did not measure.
    """
    result = public_record.find_result(public_id)
    facts = fact_index.facts_by_result([result.pk])[result.pk]
    like = read_like_numbers(result, facts)
    leading_row = _leading_row(result, like.own_rows, metric)
    leading = next((number for number in like.placed if number.row is leading_row), None)
    better = _better_results(leading) if leading else []
    return {
        "result": result.public_id,
        "system": result.system_name,
        "rule": {"title": load_rule()["title"], "version": load_rule()["version"]},
        "conditions": [_condition_row(condition) for condition in like.conditions],
        "missing": [{"name": condition.fact, "title": condition.title} for condition in like.missing],
        "systems": like.systems,
        "results": len(like.likes),
        "left_out": like.left_out,
        "few": like.systems < load_rule()["fewest_systems"],
        "unknown": _count_unknown(like.likes),
        "like": [other.result.public_id for other in like.likes][:MOST_LIKE_SHOWN],
        "metric": str(_metric_of(leading_row)) if leading_row else None,
        "numbers": like.list_numbers(),
        "better": [_better_row(leading, number, other, like.likes) for number, other in better] if leading else [],
        "differences": _read_differences(result.tool, facts, [other for _, other in better]),
    }


def _read_candidates(result: Result, conditions: Sequence[Condition]) -> tuple[list[Result], bool]:
    """Results that may be like: of other systems, the same benchmark and mode, and of a scale that may do."""
    modes = ["", "standard"] if result.mode in ("", "standard") else [result.mode]
    reported = Q(trust=REPORTED)
    met = Q(tool=result.tool, mode__in=modes, filesystem_family__iexact=result.filesystem_family)
    met &= reported if result.trust == REPORTED else ~reported
    for condition in conditions:
        if condition.fact == CLIENTS and condition.reach:
            met &= _has_clients(*condition.reach)
    results = public_record.current_results(met).exclude(system=result.system_id).annotate(limits=public_record.LIMITS)
    return public_record.take_newest(results, load_rule()["most_results"])


def _has_clients(low: float, high: float) -> Q:
    """Of results that they had so many client nodes. Facts say it of those whose own row does not.

    PostgreSQL looks from left to right, and reads the facts of no result whose row says it.
    """
    stated = Fact.objects.order_by().filter(result=OuterRef("pk"), name=CLIENTS, number__gte=low, number__lte=high)
    return Q(client_nodes__gte=low, client_nodes__lte=high) | Q(client_nodes=None) & Q(Exists(stated))


def _select_like(candidates: Sequence[Any], conditions: Sequence[Condition]) -> list[tuple[Any, list[str]]]:
    """Those that are like, each with the facts of the rule that it does not say."""
    facts_by_result: dict[int, dict[str, str]] = {other.pk: {} for other in candidates}
    rows = Fact.objects.order_by().filter(
        result__in=facts_by_result, name__in=[condition.fact for condition in conditions]
    )
    for pk, name, text in rows.values_list("result_id", "name", "text"):
        facts_by_result[pk][name] = text
    compared = [(other, compare_facts(conditions, facts_by_result[other.pk])) for other in candidates]
    return [(other, unknown) for other, (is_like, unknown) in compared if is_like]


def _shown_rows(rows: Iterable[Row]) -> list[Row]:
    """Numbers that are better or worse: scores and what a benchmark measures, no spreads and no lengths of phases."""
    return [
        row
        for row in rows
        if row["stat"] not in NO_MEAN
        and not (row["stat"] == "phase" and row["unit"] == "s")
        and (not row["quantity"] or quantities.is_headline(row["quantity"]))
    ][:MOST_NUMBERS]


def _metric_of(row: Row) -> Metric:
    return Metric(row["op"], row["quantity"], row["stat"])


def _leading_row(result: Result, rows: Sequence[Row], word: str) -> Row | None:
    """The number that better is judged by. Raises UnknownMetric for a word that means none of them."""
    if not word:
        return rows[0] if rows else None
    if word not in study_query.COLUMN_METRICS:
        study_query.parse_metrics([word], [_metric_of(row) for row in rows if row["quantity"]])
    for row in rows:
        if study_query.is_meant([word], _metric_of(row), quantities.canonical_name(result.tool, row)):
            return row
    raise study_query.UnknownMetric(
        f"{result.public_id} has no {word!r}.", hint="Its page names what it measured.", errors={"metric": [word]}
    )


def _place_row(result: Result, row: Row, likes: Sequence[LikeResult]) -> _PlacedNumber:
    """Where a number stands among the best numbers of other systems that mean the same."""
    lower = quantities.lower_is_better(row["quantity"], row["unit"])
    choose = qualified_values.least_number if lower else qualified_values.largest_number
    by_system: dict[int, list[tuple[Number, Any]]] = {}
    key, meanings = measurement_key(row), meanings_of(catalogue.meanings(result.tool), row)
    for like in likes:
        for other in like.rows.get(key, ()):
            if _means_the_same(meanings, result, row, like, other):
                number = qualified_values.number_of_row(other)
                by_system.setdefault(like.result.system_id, []).append((number, like.result))
    others = [
        (choose([number for number, _ in several]), _best_of(several, lower_is_better=lower)[1])
        for several in by_system.values()
    ]
    own = qualified_values.number_of_row(row)
    standing = place_among(own, [number for number, _ in others], lower_is_better=lower)
    return _PlacedNumber(row, others, standing, lower)


def _best_of(several: Sequence[tuple[Number, Any]], *, lower_is_better: bool) -> tuple[Number, Any]:
    return (min if lower_is_better else max)(several, key=lambda pair: pair[0].value or 0.0)


def _comparable_likes(
    result: Result, own_limits: Sequence[Limit], row: Row, likes: Sequence[LikeResult]
) -> list[LikeResult]:
    """Those that no source says may not be compared for a number."""
    own = result.public_id, own_limits
    return [
        like
        for like in likes
        if not declared_limits.reasons_against(own, (like.result.public_id, like.limits), row["op"], row["quantity"])
    ]


def _means_the_same(meanings: Sequence[Meaning], result: Result, row: Row, like: LikeResult, other: Row) -> bool:
    if not row["quantity"]:
        return True
    own = ComparableValue(row, result.tool_version, result.parameters)
    return not incomparable_reason(
        meanings, own, ComparableValue(other, like.result.tool_version, like.result.parameters)
    )


def _better_results(placed: _PlacedNumber) -> list[tuple[Number, Any]]:
    """The results of other systems that are known to be better, best first."""
    own, sign = qualified_values.number_of_row(placed.row), -1 if placed.lower_is_better else 1
    better = [pair for pair in placed.others if qualified_values.compare_numbers(pair[0], own) == sign]
    ordered = sorted(better, key=lambda pair: -sign * (pair[0].value or 0.0))
    return ordered[: load_rule()["better_shown"]]


# As the answer shows it


def _condition_row(condition: Condition) -> Row:
    low, high = condition.reach or (None, None)
    return {
        "name": condition.fact,
        "title": condition.title,
        "rule": condition.rule,
        "value": condition.value or None,
        "low": low,
        "high": high,
        "needed": condition.needed,
        "applied": bool(condition.value),
        "why": condition.why,
    }


def _count_unknown(likes: Sequence[LikeResult]) -> list[Row]:
    names = dict.fromkeys(name for like in likes for name in like.unknown)
    return [
        {"name": name, "title": find_axis(name).title, "results": sum(name in like.unknown for like in likes)}
        for name in names
    ]


def _number_row(placed: _PlacedNumber, systems: int) -> Row:
    row, standing = placed.row, placed.standing
    plain = [number.value for number, _ in placed.others if number.value is not None and not number.is_bound]
    enough = standing.count >= load_rule()["fewest_systems"] and not standing.unknown
    best = _best_of(placed.others, lower_is_better=placed.lower_is_better) if placed.others else None
    return {
        **{name: row[name] for name in ("op", "quantity", "stat", "unit", "value", "context")},
        "qualifier": qualified_values.qualifier_of(row),
        "better": standing.better,
        "equal": standing.equal,
        "worse": standing.worse,
        "unknown": standing.unknown,
        "without": systems - standing.count,
        "share_not_better": (standing.equal + standing.worse) / standing.count if enough else None,
        "median": statistics.median(plain) if plain and len(plain) == len(placed.others) else None,
        "best": best[0].value if best else None,
        "best_qualifier": best[0].qualifier if best else "",
        "best_result": best[1].public_id if best else None,
    }


def _better_row(placed: _PlacedNumber, number: Number, other: Any, likes: Sequence[LikeResult]) -> Row:
    own = qualified_values.number_of_row(placed.row)
    ratio = qualified_values.divide_numbers(number, own)
    return {
        "id": other.public_id,
        "institution": other.institution,
        "system": other.system_name,
        "release": other.release.slug if other.release else None,
        "trust": other.trust,
        "trust_label": label_of(other),
        "client_nodes": other.client_nodes,
        "value": number.value,
        "qualifier": number.qualifier,
        "ratio": ratio.value if ratio else None,
        "unknown": next(like.unknown for like in likes if like.result.pk == other.pk),
    }


def _read_differences(tool: str, facts: Mapping[str, str], better: Sequence[Any]) -> list[Row]:
    """What the better ones have otherwise than the result; one query, none where there is no better one."""
    if not better:
        return []
    facts_of_better = fact_index.facts_by_result([other.pk for other in better])
    their_facts = [without_identity(facts_of_better[other.pk], tool) for other in better]
    differing = list_differences(without_identity(facts, tool), their_facts)
    return [_difference_row(row) for row in differing[:MOST_DIFFERENCES]]


def _difference_row(row: FactOfBetter) -> Row:
    return {
        "name": row.fact,
        "title": find_axis(row.fact).title,
        "kind": configuration_diff.fact_category(row.fact),
        "own": row.own or None,
        "values": [{"value": text, "results": count} for text, count in row.values],
        "unknown": row.unknown,
    }
