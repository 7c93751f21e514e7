"""Product generations: what each generation or release gained over the one before, read from the record.

The line of a platform are those before it, itself and those after it. A number of one meaning (benchmark, operation,
quantity, statistic), one level of trust, and one scale and set of options is a row; its gain compares the best result
of each step. Results without a partner of equal scale and options give no factor and stand apart (matched_steps.py).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import QueryDict

from registry.models import Fact, Platform, Result
from registry.platforms import gains, matched_steps
from registry.platforms.gains import PlatformGain, Point
from registry.platforms.matched_steps import UnmatchedPair
from registry.query import public_record
from registry.query.differences import alike, configuration_diff, run_conditions
from registry.query.differences.run_conditions import Run
from registry.query.facts import axes, fact_index, gaps
from registry.query.facts import divisors as query_divisors
from registry.query.names import release_order
from registry.query.public_record import Row
from registry.query.questions import filters, metric_values, study_query
from registry.query.questions import unknown_values as query_unknown_values
from registry.query.responses import declared_limits
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from validators.quantities import lower_is_better

MOST_RESULTS = 100
"""Newest results of a line that are looked at; each brings all that is recorded of it."""
X = "platform"
NAMES = ("metric", "x", "per")
FILTERS = tuple(name for name in filters.RESULT_NAMES if name != "platform")
PREFIXES = (filters.PARAMETER,)

_IDENTITY = {
    *("institution", "system", "vendor", "filesystem", "release", "production", "reproducibility", "tool"),
    *("io500_release", fact_index.CONFIGURATION),
}
"""Facts that say which result it is, and explain nothing."""


@dataclass(frozen=True, slots=True)
class GenerationsQuery:
    """What is asked of a line: metrics (none: all), the axis of the steps, what numbers are divided by, filters."""

    metric: tuple[str, ...] = ()
    x: str = X
    per: str = ""
    filters: QueryDict = field(default_factory=QueryDict)


def parse_query(query: QueryDict) -> GenerationsQuery:
    """Raises UnknownParameter and InvalidValue."""
    filters.refuse_unknown(query, (*NAMES, *FILTERS, "format"), PREFIXES)
    metric, x = tuple(filters.values_of(query, "metric")), study_query.single_value(query, "x") or X
    return GenerationsQuery(
        metric, x, study_query.parse_divisor(query), filters.without_names(query, (*NAMES, "format"))
    )


def load_line(slug: str) -> list[Platform]:
    """The platforms before this one, itself and those after it, oldest first. Raises NotOnRecord."""
    platform = public_record.find_platform(slug)
    platforms_by_pk = {other.pk: other for other in public_record.current_platforms().order_by("slug")}
    before, here = [platform], platform
    while here.predecessor_id in platforms_by_pk and platforms_by_pk[here.predecessor_id] not in before:
        here = platforms_by_pk[here.predecessor_id]
        before.insert(0, here)
    return [*before, *(onward for onward in _successors(platform, platforms_by_pk.values()) if onward not in before)]


def list_lines() -> list[list[Platform]]:
    """Every line of two platforms and more, by the name of its first. One query."""
    platforms = list(public_record.current_platforms().order_by("vendor", "name"))
    platform_lines = (_successors(platform, platforms) for platform in platforms if not platform.predecessor_id)
    return [members for members in platform_lines if len(members) > 1]


def _successors(first: Platform, platforms: Collection[Platform]) -> list[Platform]:
    """A platform and those after it, generation by generation."""
    members = [first]
    for member in members:  # grows while it is read
        members += [
            platform for platform in platforms if platform.predecessor_id == member.pk and platform not in members
        ]
    return members


def measured_platforms(source: RowSource = PUBLIC) -> list[Platform]:
    """Platforms that some result of a source stands for. One query."""
    counted = Exists(Result.objects.filter(platform=OuterRef("pk"), withdrawn_at=None))
    return list(source.table_rows(Platform).filter(counted))


def generations_document(slug: str, query: GenerationsQuery) -> Row:
    """The line of a platform with its gains. Five queries, one more each for a divisor and other steps.

    Raises NotOnRecord, UnknownAxis and InvalidValue.
    """
    members = load_line(slug)
    study_query.check_axes([query.x])
    condition = filters.result_conditions(query.filters)
    matching_results = public_record.current_results(condition).filter(platform__in=members).select_related("platform")
    matching_results = public_record.counted_once(matching_results)
    results, left_out = public_record.take_newest(matching_results.annotate(limits=public_record.LIMITS), MOST_RESULTS)
    recorded = _recorded_facts([result.pk for result in results], query.x)
    step_of = _steps_by_result(
        results, query.x, {result.pk: result.platform.name for result in results if result.platform}
    )
    order = _step_order(query.x, members, step_of)
    measurements_by_result = metric_values.values_by_result(results, query.metric)
    if query.per:
        measurements_by_result = _divide_measurements(measurements_by_result, results, query.per)
    rows: list[Row] = []
    unmatched: list[Row] = []
    single = 0
    for key, points in _comparable_points(measurements_by_result, results, recorded, step_of, query.x).items():
        matched, apart = _rows_of_number(key, points, order, query.x)
        rows += matched
        unmatched += apart
        single += not matched and not apart
    return {
        "platforms": [{"slug": member.slug, "name": member.name} for member in members],
        "x": {"name": query.x, "title": axes.find_axis(query.x).title},
        "per": query.per or None,
        "order": [step for step in order if any(row_step["step"] == step for row in rows for row_step in row["steps"])],
        "results": len(results),
        "left_out": left_out,
        "gaps": gaps_of(results, query.per),
        "single": single,
        "rows": _by_trust_and_tool(rows),
        "unmatched": _by_trust_and_tool(unmatched),
        "unknown_values": query_unknown_values.explain_empty(query.filters, empty=not results),
    }


def _by_trust_and_tool(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["trust"], row["tool"]))


def gaps_of(results: Sequence[Any], per: str) -> list[Row]:
    """Why results have no divisor; one query where they are divided."""
    if not per:
        return []
    divided = Result.objects.filter(pk__in=[result.pk for result in results])
    return [gap.as_row() for gap in gaps.count_gaps(divided, {query_divisors.PER[per]: True})]


Key = tuple[str, str, str, str, str, str]
"""Benchmark, operation, quantity, statistic, trust, canonical unit."""


def _divide_measurements(by_result: dict[int, list[Row]], results: Sequence[Any], per: str) -> dict[int, list[Row]]:
    divisor_inputs = [
        {"id": result.public_id, "parameters": result.parameters, "source": result.source} for result in results
    ]
    divisors = dict(
        zip((result.pk for result in results), query_divisors.find_divisors(per, divisor_inputs), strict=True)
    )
    return {
        pk: [
            row | {"value": row["value"] / divisor}
            for row in rows
            if query_divisors.scales_with_system(row["unit"], row["stat"]) and (divisor := divisors[pk].value)
        ]
        for pk, rows in by_result.items()
    }


def _recorded_facts(ids: list[int], x: str) -> dict[int, dict[str, tuple[str, str]]]:
    """What is recorded of each result by name: kind and text. Axes repeat what stands under other names."""
    volatile = configuration_diff.volatile_parameters(())
    left_out = {*_IDENTITY, *volatile, x} - {"platform"}
    return {
        pk: {
            name: (configuration_diff.fact_category(name), text)
            for name, text in facts.items()
            if name not in left_out and not _repeats_fact(name, facts)
        }
        for pk, facts in fact_index.facts_by_result(ids).items()
    }


def _repeats_fact(name: str, facts: Mapping[str, Any]) -> bool:
    """Whether an axis only repeats a fact that stands under the name that it is read from."""
    return any(source in facts for source in axes.find_axis(name).reads)


def _steps_by_result(results: Sequence[Any], x: str, platforms: Mapping[int, str]) -> dict[int, str]:
    """On which step each result stands; one that has none is left out. One query where the steps are a fact."""
    if x == X:
        return dict(platforms)
    if x == "release":
        return {result.pk: result.release.slug for result in results if result.release}
    facts = Fact.objects.order_by("result").filter(result__in=[result.pk for result in results], name=x)
    return dict(facts.values_list("result", "text"))


def _step_order(x: str, members: Sequence[Platform], step_of: Mapping[int, str]) -> list[str]:
    """Generations in their line, releases by date, else in the order in which they came into the record.

    One query where the steps may be releases.
    """
    if x == X:
        return [member.name for member in members]
    recorded = list(dict.fromkeys(step_of[pk] for pk in sorted(step_of)))
    dated = release_order.order_values([(x, recorded)])
    return dated if len(dated) == len(recorded) else recorded


def _comparable_points(
    measurements_by_result: Mapping[int, Iterable[Row]],
    results: Sequence[Any],
    recorded: Mapping[int, Mapping[str, tuple[str, str]]],
    step_of: Mapping[int, str],
    x: str,
) -> dict[Key, list[Point]]:
    """Of each number the best of each result under each set of conditions; what a measurement says of itself is one.

    "About" and "below" of a source are none: they go with the number.
    """
    points_by_key: dict[Key, dict[Hashable, Point]] = {}
    for result in reversed(results):
        if result.pk not in step_of:
            continue
        facts, conditions = recorded[result.pk], _conditions_of(result, x)
        limits = declared_limits.read_limits(result.limits)
        for row in measurements_by_result[result.pk]:
            key = (result.tool, row["op"], row["quantity"], row["stat"], result.trust, row["unit"])
            own = {name: str(value) for name, value in row["context"].items() if name != "qualifier"}
            point = Point(
                result.public_id,
                step_of[result.pk],
                row["value"],
                {**facts, **{f"context.{name}": (gains.CONDITIONS, text) for name, text in own.items()}},
                row["printed_unit"],
                qualified_values.qualifier_of(row),
                {**conditions, **own},
                limits,
            )
            place = (result.pk, alike.configuration_key(point.conditions))
            earlier_point = points_by_key.setdefault(key, {}).setdefault(place, point)
            lower = lower_is_better(row["quantity"], row["unit"])
            points_by_key[key][place] = gains.best_point([earlier_point, point], lower)
    return {key: [point for point in points.values() if point.value] for key, points in points_by_key.items()}


def _conditions_of(result: Any, x: str) -> dict[str, str]:
    run = Run(result.tool, result.parameters, result.client_nodes, result.tasks, result.mode)
    return run_conditions.conditions_of_run(run, (x, *axes.find_axis(x).reads))


def _rows_of_number(key: Key, points: Sequence[Point], order: Sequence[str], x: str) -> tuple[list[Row], list[Row]]:
    """The rows of one number: those that are matched, and pairs of steps that are not."""
    tool, op, quantity, _, _, unit = key
    plain, repeated = matched_steps.without_repeated_number(points, quantity)
    needed = [name for name in alike.required_facts(tool) if name not in repeated and name != x]
    lower = lower_is_better(quantity, unit)
    strata = matched_steps.matched_strata(plain, needed, op, quantity)
    pairs = matched_steps.unmatched_pairs(plain, strata, order, needed, (op, quantity, lower))
    return [_gain_row(key, stratum, order) for stratum in strata], [_unmatched_row(key, pair) for pair in pairs]


_NUMBER = ("tool", "op", "quantity", "stat", "trust", "unit")


def _gain_row(key: Key, points: Sequence[Point], order: Sequence[str]) -> Row:
    """One number over the steps of one stratum; `chain` is empty where its gain can't be separated."""
    lower = lower_is_better(key[2], key[5])
    steps = gains.steps_of(points, order, lower)
    by_id = {point.result: point for point in points}
    tops = [replace(by_id[step["result"]], step=step["step"]) for step in steps]
    between = [gains.make_change(*pair, lower) for pair in pairwise(tops)]
    chain = gains.shortest_chain(points, tops[0], tops[-1], lower) if len(tops) > 1 else []
    varies = {
        step["step"]: matched_steps.varying_facts([point for point in points if point.step == step["step"]])
        for step in steps
    }
    return dict(zip(_NUMBER, key, strict=True)) | {
        "conditions": _condition_rows(points[0].conditions),
        "steps": [step | {"varies": varies[step["step"]]} for step in steps],
        "changes": [_as_row(change) for change in between],
        "chain": [_as_row(change) for change in chain],
        "by_cause": gains.by_cause(chain),
        "by_possible": gains.by_possible(between),
    }


def _condition_rows(conditions: Mapping[str, str]) -> list[Row]:
    return [{"name": name, "value": text} for name, text in sorted(conditions.items())]


def _unmatched_row(key: Key, pair: UnmatchedPair) -> Row:
    before, after = pair.before, pair.after
    return dict(zip(_NUMBER, key, strict=True)) | {
        "before": _unmatched_end(before),
        "after": _unmatched_end(after),
        "differs": [
            {"name": name, "before": before.conditions[name], "after": after.conditions[name]} for name in pair.differs
        ],
        "unknown": [
            {"name": name, "before": before.conditions.get(name), "after": after.conditions.get(name)}
            for name in pair.unknown
        ],
        "reasons": list(pair.reasons),
    }


def _unmatched_end(point: Point) -> Row:
    names = ("step", "result", "value", "qualifier", "printed_unit")
    return {name: getattr(point, name) for name in names}


def _as_row(change: PlatformGain) -> Row:
    return {
        "before": change.before.result,
        "after": change.after.result,
        "factor": change.factor.value,
        "factor_qualifier": change.factor.qualifier,
        "cause": change.cause or None,
        "may_be": change.may_be,
        "differs": {kind: list(names) for kind, names in change.differs.items()},
        "unrecorded": sorted(change.unrecorded),
    }
