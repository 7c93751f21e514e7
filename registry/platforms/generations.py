"""Platforms in line: what each generation or release gained over the one before, read from the record.

The line of a platform are those before it, itself and those after it. A gain compares the best result of each step; a
number of one meaning (benchmark, operation, quantity, statistic) and one level of trust is a row of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from django.db.models import F
from django.http import QueryDict

from registry.models import Fact, Platform, Release
from registry.platforms import gains
from registry.platforms.gains import PlatformGain, Point
from registry.query import axes, configuration_diff, fact_index, filters, metric_values, public_record, study_query
from registry.query import divisors as query_divisors
from registry.query.public_record import Row
from validators.quantities import lower_is_better

MOST_RESULTS = 100
"""Newest results of a line that are looked at; each brings all that is recorded of it."""
X = "platform"
NAMES = ("metric", "x", "per")
FILTERS = tuple(name for name in filters.RESULT_NAMES if name != "platform")
PREFIXES = (filters.PARAMETER,)

_IDENTITY = {
    *("institution", "system", "vendor", "filesystem", "release", "production", "reproducibility", "tool", "mode"),
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
    platforms_by_pk = {other.pk: other for other in Platform.objects.order_by("slug")}
    before, here = [platform], platform
    while here.predecessor_id in platforms_by_pk and platforms_by_pk[here.predecessor_id] not in before:
        here = platforms_by_pk[here.predecessor_id]
        before.insert(0, here)
    return [*before, *(onward for onward in _successors(platform, platforms_by_pk.values()) if onward not in before)]


def list_lines() -> list[list[Platform]]:
    """Every line of two platforms and more, by the name of its first. One query."""
    platforms = list(Platform.objects.order_by("vendor", "name"))
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


def measured_platforms() -> list[Platform]:
    """Platforms that some result stands for. One query."""
    return list(Platform.objects.filter(results__withdrawn_at=None, results__isnull=False).distinct())


def generations_document(slug: str, query: GenerationsQuery) -> Row:
    """The line of a platform with its gains. Five queries, one more each for a divisor and other steps.

    Raises NotOnRecord, UnknownAxis and InvalidValue.
    """
    members = load_line(slug)
    study_query.check_axes([query.x])
    condition = filters.result_conditions(query.filters)
    matching_results = public_record.current_results(condition).filter(platform__in=members).select_related("platform")
    results, left_out = public_record.take_newest(matching_results, MOST_RESULTS)
    recorded = _recorded_facts([result.pk for result in results], query.x)
    step_of = _steps_by_result(
        results, query.x, {result.pk: result.platform.name for result in results if result.platform}
    )
    order = _step_order(query.x, members, step_of)
    measurements_by_result = metric_values.values_by_result(results, query.metric)
    if query.per:
        measurements_by_result = _divide_measurements(measurements_by_result, results, query.per)
    rows = [
        _gain_row(key, points, order)
        for key, points in _best_points(measurements_by_result, results, recorded, step_of).items()
    ]
    shown_rows = sorted((row for row in rows if len(row["steps"]) > 1), key=lambda row: (row["trust"], row["tool"]))
    return {
        "platforms": [{"slug": member.slug, "name": member.name} for member in members],
        "x": {"name": query.x, "title": axes.find_axis(query.x).title},
        "per": query.per or None,
        "order": [
            step for step in order if any(row_step["step"] == step for row in shown_rows for row_step in row["steps"])
        ],
        "results": len(results),
        "left_out": left_out,
        "single": len(rows) - len(shown_rows),
        "rows": shown_rows,
    }


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
    """Generations in their line, releases by date, else in the order in which they came into the record."""
    if x == X:
        return [member.name for member in members]
    if x == "release":
        return list(Release.objects.order_by(F("held_on"), "id").values_list("slug", flat=True))
    return list(dict.fromkeys(step_of[pk] for pk in sorted(step_of)))


def _best_points(
    measurements_by_result: Mapping[int, Iterable[Row]],
    results: Sequence[Any],
    recorded: Mapping[int, Mapping[str, tuple[str, str]]],
    step_of: Mapping[int, str],
) -> dict[Key, list[Point]]:
    """Of each number the best of each result; what a measurement says of itself is a condition.

    "About" and "below" of a source are none: they go with the number.
    """
    points_by_key: dict[Key, dict[int, Point]] = {}
    for result in reversed(results):
        for row in measurements_by_result[result.pk] if result.pk in step_of else ():
            key = (result.tool, row["op"], row["quantity"], row["stat"], result.trust, row["unit"])
            lower = lower_is_better(row["quantity"], row["unit"])
            own = dict(row["context"])
            qualifier = own.pop("qualifier", "")
            conditions = {f"context.{name}": (gains.CONDITIONS, str(value)) for name, value in own.items()}
            facts = {**recorded[result.pk], **conditions}
            point = Point(result.public_id, step_of[result.pk], row["value"], facts, row["printed_unit"], qualifier)
            earlier_point = points_by_key.setdefault(key, {}).setdefault(result.pk, point)
            points_by_key[key][result.pk] = gains.best_point([earlier_point, point], lower)
    return {key: [point for point in points.values() if point.value] for key, points in points_by_key.items()}


def _gain_row(key: Key, points: Sequence[Point], order: Sequence[str]) -> Row:
    """One number over the steps; `chain` is empty where its gain can't be separated."""
    lower = lower_is_better(key[2], key[5])
    steps = gains.steps_of(points, order, lower)
    by_id = {point.result: point for point in points}
    tops = [replace(by_id[step["result"]], step=step["step"]) for step in steps]
    between = [gains.make_change(*pair, lower) for pair in pairwise(tops)]
    chain = gains.shortest_chain(points, tops[0], tops[-1], lower) if len(tops) > 1 else []
    names = ("tool", "op", "quantity", "stat", "trust", "unit")
    return dict(zip(names, key, strict=True)) | {
        "steps": steps,
        "changes": [_as_row(change) for change in between],
        "chain": [_as_row(change) for change in chain],
        "by_cause": gains.by_cause(chain),
        "by_possible": gains.by_possible(between),
    }


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
