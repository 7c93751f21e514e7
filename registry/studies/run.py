"""Studies: a question asked of the record; groups of measurements by axes, in one table with one unit.

However large the record is: an index probe for the metrics that there are, the groups, the results of groups with a
single value and what qualifies their numbers, and two for their intervals. One more for axes that no vocabulary names,
and one that finds out whether filters leave few results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

from django.db import connection, transaction
from django.db.models import (
    ExpressionWrapper,
    F,
    FilteredRelation,
    FloatField,
    Max,
    Min,
    Q,
    QuerySet,
    Value,
)
from django.db.models.fields.json import KT, KeyTextTransform

from registry.errors import Problem
from registry.models import Measurement, Result
from registry.query.facts.axes import MEANING_FIELDS, find_axis
from registry.query.facts.divisors import OF_ONE_PART, PER, UNDIVIDED, positive_or_null
from registry.query.names import release_order
from registry.query.packed_numbers import PackedFloats, PackedIds, unpack_floats, unpack_ids
from registry.query.public_record import counted_once
from registry.query.questions import filters, study_query
from registry.query.questions.recorded_metrics import known_metrics, results_as_of
from registry.query.questions.study_query import COLUMN_METRICS, CONTEXT, Metric, StudyQuery
from registry.query.responses.trust_levels import list_caveat
from registry.query.row_sources import RowSource
from registry.query.values.qualified_values import Number
from registry.studies import formula_metric, intervals, table
from registry.studies.balance import members, pooling
from registry.studies.balance.pooling import Pooling
from registry.studies.formula_metric import FormulaMetric
from registry.studies.table import Group, Member, Row
from validators.quantities import canonical_name
from validators.units import UNITS

MOST_ROWS = 2000
MOST_PASSES = 4
"""Metrics that are read one after the other, each merged in the order of results; more are hashed together."""
FEW = 500
"""Results whose measurements are found one by one faster than in a pass over all."""
PLANNER = """
    SELECT set_config('work_mem', '64MB', true), set_config('enable_sort', 'off', true),
        set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_hashjoin', %s, true)
"""


class TooManyPoints(Problem):
    code = "study.too-many-points"
    title = "The answer has too many points"
    hint = "Choose axes with fewer values, fewer series, or filters."


@dataclass(frozen=True, slots=True)
class StudyTable:
    """The table of a study. `axes` are the columns that rows begin with: x, series, and what else tells them apart."""

    question: StudyQuery
    metrics: list[Metric]
    axes: list[str]
    unit: str
    rows: list[Row]
    trust: dict[str, int]
    mixed: dict[str, list[str]] = field(default_factory=dict)
    """By reported quantity the canonical ones, where it has several."""
    groups: Sequence[Group] = ()
    """What each row is of."""
    pooling: Pooling = field(default_factory=Pooling)
    assumed: list[str] = field(default_factory=list)
    """Classes of numbers of which the question has something assumed."""
    lacking: dict[str, int] = field(default_factory=dict)
    """Of a formula by input how many results have another input and not this one."""


def run_study(question: StudyQuery, order: Sequence[str] = (), *, for_people: bool = False) -> StudyTable:
    """Answer the question of a study; `for_people` in a unit that they read, where it asks for none.

    Raises UnknownMetric or UnknownAxis for names that no result has, InvalidValue or UnknownParameter for the filters,
    MixedUnits where units do not agree, TooManyPoints where a chart has no room for them.
    """
    formula = formula_metric.read_formula(question.metric, question.source)
    metrics = [formula.metric] if formula else _metrics_of(question)
    study_query.check_contexts((*question.axes, *question.filters))
    axis_names = [name for name in question.axes if not name.startswith(CONTEXT)]
    study_query.check_axes(axis_names, question.source)
    with formula_metric.refuse_bad_numbers() if formula else nullcontext():
        groups, lacking = _load_groups(question, metrics, formula)
    axes = [*question.axes, *table.varying_axes(groups, question.axes)]
    unit = table.unit_of(groups, question.unit, for_people=for_people)
    if question.per and unit in UNITS and UNITS[unit].canonical in UNDIVIDED:
        raise filters.InvalidValue("per", f"times and shares are not divided, and these are in {unit}")
    if not formula:
        alone = question.as_of is not None
        groups = intervals.of_single(groups, alone=alone, assume=question.assume, source=question.source)
    mixed = table.mixed_quantities(groups)
    if mixed:
        groups, axes = table.add_canonical(groups), [*axes, table.CANONICAL]
    dated = release_order.order_values((name, {group.at[name] for group in groups}) for name in axes)
    order = list(dict.fromkeys((*order, *dated)))
    placed = table.place_groups(pooling.find_unlike(groups, axes), axes, unit, order)
    trust: Counter[str] = Counter()
    for row, group in placed:
        row |= {"per": question.per or None}
        row |= {"varies": pooling.varying_rows(group), "varies_text": pooling.varying_text(group)}
        trust[row["trust"]] += row["count"]
    ordered = [group for _, group in placed]
    computed_of = [each.reported_number for each in formula.measured_inputs] if formula else ()
    compared = pooling.compare_groups(question, ordered, computed_of)
    rows = [row for row, _ in placed]
    levels, assumed = dict(sorted(trust.items())), intervals.assumed_names(groups)
    return StudyTable(question, metrics, axes, unit, rows, levels, mixed, ordered, compared, assumed, lacking)


def _metrics_of(question: StudyQuery) -> list[Metric]:
    """The metrics asked for; of those that are divided none of one part. Raises UnknownMetric, InvalidValue."""
    named_metrics = study_query.parse_metrics(question.metric, known_metrics(question.source))
    metrics = [metric for metric in named_metrics if not question.per or metric.stat not in OF_ONE_PART]
    if not metrics:
        raise filters.InvalidValue("per", f"{named_metrics[0].stat} is of one part already, and is not divided")
    return metrics


def _load_groups(
    question: StudyQuery, metrics: list[Metric], formula: FormulaMetric | None
) -> tuple[list[Group], dict[str, int]]:
    """The groups of a question; and by input of a formula how many results lack it."""
    results, few = _results_of(question)
    column = metrics[0].op if not metrics[0].quantity else ""
    if column:
        _refuse_context(question, column)
    bounded = formula_metric.qualified_results(results, formula) if formula else {}
    valued = counted_once(_with_values(results, question, metrics, formula, bounded))
    if not few and not formula and 1 < len(metrics) <= MOST_PASSES:
        by_metric = [_with_values(results, question, [metric], None, {}) for metric in metrics]
        passes = [counted_once(of_metric, *by_metric) for of_metric in by_metric]
    else:
        passes = [valued]
    packed: list[Row] = []
    for of_pass in passes:
        grouped, names = _group_results(of_pass, question, of_column=bool(column))
        merged = len(passes) > 1 or len(metrics) == 1
        packed += grouped[: MOST_ROWS + 1] if few else _read_in_one_pass(grouped, merged=merged)
        if len(packed) > MOST_ROWS:
            raise TooManyPoints(f"More than {MOST_ROWS}.")
    read = list(map(_unpack_row, packed))
    groups = _make_groups(read, names, question.source, of_column=bool(column))
    if bounded:
        groups = formula_metric.with_qualifiers(groups, formula_metric.qualifiers_by_id(bounded))
    words = (
        {pk: number.qualifier for pk, number in bounded.items() if number.qualifier}
        if column
        else _qualifiers_among(read, metrics)
    )
    ids = "all_results" if column else "all_measurements"
    qualified = [
        replace(group, qualified=_qualified_values(row, words, ids)) if words and len(group.values) > 1 else group
        for row, group in zip(read, groups, strict=True)
    ]
    lacks = formula is not None and any(number is None for row in read for number in row["all_values"])
    lacking = formula_metric.count_lacking(valued, formula) if formula and lacks else {}
    return table.merge_groups(group for group in qualified if column or _is_meant(question, group)), lacking


def _group_results(
    results: QuerySet[Result], question: StudyQuery, *, of_column: bool
) -> tuple[QuerySet[Result, Any], dict[str, str]]:
    """The groups of results with their packed numbers; and the name of the column by axis."""
    results, names = _with_axis_columns(results, question)
    results, value, divisor = _with_quotient(results, question)
    keys = dict.fromkeys(["trust", *names.values(), "of_unit", "of_printed_unit"])
    grouped = results.values(*keys).annotate(
        all_values=PackedFloats(ExpressionWrapper(value, FloatField())),
        all_results=PackedIds("id"),
        **({} if of_column else {"all_measurements": PackedIds("m__id")}),
        printed=Min("of_printed"),
        **({"least_divisor": Min(divisor), "most_divisor": Max(divisor)} if question.per else {}),
    )
    return grouped, names


def _unpack_row(row: Row) -> Row:
    """A group with its numbers, and by them the ids of their results and measurements."""
    ids: Row = {name: unpack_ids(row[name]) for name in ("all_results", "all_measurements") if name in row}
    return row | {"all_values": unpack_floats(row["all_values"])} | ids


def _with_values(
    results: QuerySet[Result],
    question: StudyQuery,
    metrics: Sequence[Metric],
    formula: FormulaMetric | None,
    bounded: Mapping[int, Number],
) -> QuerySet[Result]:
    """Results that have a number of the question, with the columns that its groups are made of."""
    if formula:
        return formula_metric.with_formula(results, formula, bounded)
    column = metrics[0].op if not metrics[0].quantity else ""
    return _of_column(results, column) if column else _of_measurements(results, question, metrics)


def _qualifiers_among(read: Sequence[Row], metrics: Sequence[Metric]) -> dict[int, str]:
    """By id of a measurement that shares a point what its source says of it. Only documents qualify numbers."""
    pooled = [row for row in read if len(row["all_values"]) > 1 and row["trust"] == Result.Trust.REPORTED]
    if not pooled:
        return {}
    parts = {f"{name}__in": {getattr(metric, name) for metric in metrics} for name in Metric._fields}
    where: dict[str, Any] = {"result__trust": Result.Trust.REPORTED}
    if sum(len(row["all_results"]) for row in pooled) <= FEW:
        where = {"result__in": {id for row in pooled for id in row["all_results"]}}
    measurements = Measurement.objects.order_by().filter(**parts, **where, context__has_key="qualifier")
    return dict(measurements.values_list("id", "context__qualifier"))


def _qualified_values(row: Row, words: Mapping[int, str], ids: str) -> list[tuple[float, str]]:
    """The values of a point that are bounds, with the words; `ids` is the column of what each value is of."""
    pairs = zip(row["all_values"], row[ids], strict=True)
    return [(value, words[id]) for value, id in pairs if value is not None and id in words]


def _make_groups(read: Sequence[Row], names: Mapping[str, str], source: RowSource, *, of_column: bool) -> list[Group]:
    """Groups of the rows that a query gave, with their measurements."""
    groups = [_make_group(row, names) for row in read]
    loaded = members.load_members(read, pooling.moving_names(groups), of_column=of_column, source=source)
    return [
        replace(group, members=of_group, facts=_facts_of_single(row, of_group[0]) if len(group.values) == 1 else {})
        for row, group, of_group in zip(read, groups, loaded, strict=True)
    ]


def _facts_of_single(row: Row, member: Member) -> Row:
    """What a point of one measurement says of it."""
    return {
        "result": member.result,
        "label": member.label,
        "source": member.source,
        "source_address": member.source_address,
        "qualifier": member.qualifier or None,
        "printed_value": row["printed"],
        "printed_unit": None if row["printed"] is None else row["of_printed_unit"],
    }


def measured_results(question: StudyQuery, metrics: Sequence[Metric]) -> QuerySet[Result]:
    """The results that have a number of the metrics. Raises UnknownParameter and InvalidValue."""
    results, _ = _results_of(question)
    formula = formula_metric.read_formula(question.metric, question.source)
    return counted_once(_with_values(results, question, metrics, formula, {}))


def count_violating(question: StudyQuery) -> int:
    """How many verified results with a number of the question violate rules. Raises as `run_study` does."""
    formula = formula_metric.read_formula(question.metric, question.source)
    results = measured_results(question, [] if formula else _metrics_of(question))
    violating = results.filter(trust=Result.Trust.VERIFIED, rules_violated__gt=0)
    return violating.order_by().values("pk").distinct().count()


def level_caveat(levels: Collection[str], question: StudyQuery | None) -> str:
    """What stands beside *verified* where an answer has that level: how many of its results violate rules.

    `question` is None of a table of figures, which has no verified results. Raises as `run_study` does.
    """
    if question is None or Result.Trust.VERIFIED not in levels:
        return ""
    return list_caveat(count_violating(question))


def _is_meant(question: StudyQuery, group: Group) -> bool:
    metric = Metric(*(group.at[name] or "" for name in Metric._fields))
    return study_query.is_meant(question.metric, metric, group.canonical)


def _results_of(question: StudyQuery) -> tuple[QuerySet[Result], bool]:
    """The results of a question, and whether its filters leave few: then they are named by their ids.

    How many a filter leaves the planner guesses badly, and then reads the measurements of the whole record.
    """
    results = results_as_of(question.as_of, question.source).filter(_query_conditions(question)).order_by()
    if not question.filters:
        return results, False
    ids = list(results.values_list("id", flat=True)[: FEW + 1])
    few = question.source.table_rows(Result).order_by().filter(id__in=ids)
    return (few, True) if 0 < len(ids) <= FEW else (results, False)


def _refuse_context(question: StudyQuery, column: str) -> None:
    """Only measurements say something of themselves. Raises InvalidValue for what is asked of a score's context."""
    for name in (*question.axes, *question.filters):
        if name.startswith(CONTEXT):
            raise filters.InvalidValue(name, f"{column} is of a whole result and has no context")


def _of_column(results: QuerySet[Result], column: str) -> QuerySet[Result]:
    unit, printed_unit = COLUMN_METRICS[column]
    return results.filter(**{f"{column}__isnull": False}).annotate(
        of_op=Value(column),
        of_quantity=Value(""),
        of_stat=Value(""),
        of_unit=Value(unit),
        of_value=F(column) * Value(UNITS[printed_unit].factor if unit else 1.0),
        of_printed=F(column),
        of_printed_unit=Value(printed_unit),
    )


def _of_measurements(results: QuerySet[Result], question: StudyQuery, metrics: Sequence[Metric]) -> QuerySet[Result]:
    """Where one metric is asked for, its name is no column: grouping by texts costs."""
    results = results.annotate(m=FilteredRelation("measurements", condition=_measurement_condition(question, metrics)))
    parts = zip(Metric._fields, metrics[0], strict=True)
    named = {f"of_{part}": Value(text) if len(metrics) == 1 else F(f"m__{part}") for part, text in parts}
    columns = {f"of_{name}": F(f"m__{name}") for name in ("value", "unit")}
    printed_columns = {"of_printed": F("m__printed_value"), "of_printed_unit": F("m__printed_unit")}
    return results.filter(m__value__isnull=False).annotate(**named, **columns, **printed_columns)


def _read_in_one_pass(grouped: QuerySet[Result, Any], *, merged: bool) -> list[Row]:
    """The groups of many results, one more than are shown. `merged`: what is joined lies in the order of results.

    A limit on the query itself would let the planner hope to stop early and read 100,000 results by nested loops. It
    takes every value for a group of its own, and would sort them all, where hashing a few groups is twice as fast; and
    it would start workers, which on busy cores cost more than merging a few indexes in the order of results. These lie
    in that order for one metric, and merging them is half of what hashing them costs; so a few metrics are read one
    after the other. Of many they do not.
    """
    statement, parameters = grouped.query.sql_with_params()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PLANNER, ["off" if merged else "on"])
        bounded = f"WITH found AS MATERIALIZED ({statement}) SELECT * FROM found LIMIT %s"  # noqa: S608  # of the ORM
        cursor.execute(bounded, [*parameters, MOST_ROWS + 1])
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def _query_conditions(question: StudyQuery) -> Q:
    """Raises UnknownParameter and InvalidValue, as results/ does."""
    query = filters.as_query(question.filters)
    filters.refuse_unknown(query, filters.RESULT_NAMES, study_query.PREFIXES)
    return filters.result_conditions(query, question.source)


def _measurement_condition(question: StudyQuery, metrics: Sequence[Metric]) -> Q:
    """Measurements of the metrics, with what the question says of their context."""
    ops: dict[tuple[str, str, frozenset[str]], list[str]] = {}
    for metric in metrics:
        tools = study_query.tools_of(question.metric, metric)
        ops.setdefault((metric.quantity, metric.stat, tools), []).append(metric.op)
    met = reduce(
        or_,
        [
            Q(measurements__op__in=named, measurements__quantity=quantity, measurements__stat=stat)
            & (Q(tool__in=sorted(tools)) if tools else Q())
            for (quantity, stat, tools), named in ops.items()
        ],
    )
    for name, values in question.filters.items():
        if name.startswith(CONTEXT):
            key = name.removeprefix(CONTEXT)
            candidates = [meaning for value in values for meaning in filters.typed_candidates(value)]
            met &= reduce(or_, [Q(measurements__context__contains={key: candidate}) for candidate in candidates])
    return met


def _with_axis_columns(results: QuerySet[Result], question: StudyQuery) -> tuple[QuerySet[Result], dict[str, str]]:
    """With a column for each axis; and the name of the column by axis."""
    names = {name: name if name in ("tool", "mode") else f"of_{name}" for name in MEANING_FIELDS}
    for place, name in enumerate(question.axes):
        if name in names:
            continue
        names[name] = column = f"at_{place}"
        if name in _OF_RESULT:
            results = results.annotate(**{column: _OF_RESULT[name]})
        elif name.startswith(CONTEXT):
            results = results.annotate(**{column: KeyTextTransform(name.removeprefix(CONTEXT), "m__context")})
        else:
            fact = {f"fact_{place}": FilteredRelation("facts", condition=Q(facts__name=name))}
            results = results.annotate(**fact).annotate(**{column: F(f"fact_{place}__text")})
    return results, names


_OF_RESULT = {"trust": F("trust"), "result": F("public_id"), "label": KT("snapshot__label")}
"""Axes that are columns of a result but no facts: each result has another, or they never move."""


def _with_quotient(results: QuerySet[Result], question: StudyQuery) -> tuple[QuerySet[Result], Any, Any]:
    """The value by its divisor; null where the divisor is not known or no positive number."""
    if not question.per:
        return results, F("of_value"), None
    name = PER[question.per]
    if name in question.axes:  # its facts are joined already
        divisor = positive_or_null(f"fact_{question.axes.index(name)}__number")
    else:
        results = results.annotate(by=FilteredRelation("facts", condition=Q(facts__name=name)))
        divisor = positive_or_null("by__number")
    return results, F("of_value") / divisor, divisor


def _make_group(row: Row, names: Mapping[str, str]) -> Group:
    """A group without its measurements."""
    same = row.get("least_divisor") == row.get("most_divisor")
    at = {name: row[column] for name, column in names.items()}
    return Group(
        at=at,
        trust=row["trust"],
        values=row["all_values"],
        unit=row["of_unit"],
        printed_units=frozenset({row["of_printed_unit"]}),
        divisor=row.get("least_divisor") if same else None,
        canonical=canonical_name(row["tool"], at | {"printed_unit": row["of_printed_unit"]}),
        results=_count_results(row["all_results"], row["all_values"]),
    )


def _count_results(ids: Sequence[int], values: Sequence[float | None]) -> int:
    """How many results have a value."""
    if None not in values:
        return len(set(ids))
    return len({pk for pk, value in zip(ids, values, strict=True) if value is not None})


def study_title(question: StudyQuery) -> str:
    """ "write bandwidth max by object storage targets, for each operation, per drive"."""
    metrics_text = ", ".join(
        formula_metric.formula_title(word) if formula_metric.is_formula(word) else word.replace(".", " ")
        for word in question.metric
    )
    series = f", for each {' and '.join(find_axis(name).title for name in question.series)}" if question.series else ""
    per = f", per {question.per.replace('_', ' ')}" if question.per else ""
    return f"{metrics_text} by {find_axis(question.x).title}{series}{per}"
