"""Studies: a question asked of the record; groups of measurements by axes, in one table with one unit.

However large the record is: an index probe for the metrics that there are, the groups, the results of groups with a
single value and what qualifies their numbers, and two for their intervals. One more for axes that no vocabulary names,
and one that finds out whether filters leave few results.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection, transaction
from django.db.models import (
    Count,
    Exists,
    ExpressionWrapper,
    F,
    FilteredRelation,
    FloatField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.fields.json import KT, KeyTextTransform

from registry.errors import Problem
from registry.models import Measurement, Release, Result
from registry.query import filters, study_query
from registry.query.axes import MEANING_FIELDS, find_axis
from registry.query.divisors import OF_ONE_PART, PER, UNDIVIDED, positive_or_null
from registry.query.public_record import rows_of
from registry.query.study_query import COLUMN_METRICS, CONTEXT, Metric, StudyQuery
from registry.studies import intervals, table
from registry.studies.table import Group, Row
from validators.quantities import canonical_name
from validators.units import UNITS

MOST_ROWS = 2000
FEW = 500
"""Results whose measurements are found one by one faster than in a pass over all."""
PLANNER = """
    SELECT set_config('work_mem', '64MB', true), set_config('enable_sort', 'off', true),
        set_config('max_parallel_workers_per_gather', '0', true)
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

    @property
    def missing(self) -> int:
        """Rows without a value, or without a place on some axis."""
        return sum(row["value"] is None or row[self.question.x] is None for row in self.rows)


def run_study(question: StudyQuery, order: Sequence[str] = ()) -> StudyTable:
    """Answer the question of a study.

    Raises UnknownMetric or UnknownAxis for names that no result has, InvalidValue or UnknownParameter for the filters,
    MixedUnits where units do not agree, TooManyPoints where a chart has no room for them.
    """
    metrics = _metrics_of(question)
    study_query.check_axes(name for name in question.axes if not name.startswith(CONTEXT))
    groups = _load_groups(question, metrics)
    axes = [*question.axes, *table.varying_axes(groups, question.axes)]
    unit = table.unit_of(groups, question.unit)
    if question.per and unit and UNITS[unit].canonical in UNDIVIDED:
        raise filters.InvalidValue("per", f"times and shares are not divided, and these are in {unit}")
    if question.x == "release":
        order = list(Release.objects.order_by("held_on", "id").values_list("slug", flat=True))
    groups = intervals.of_single(groups, alone=question.as_of is not None)
    mixed = table.mixed_quantities(groups)
    if mixed:
        groups, axes = table.add_canonical(groups), [*axes, table.CANONICAL]
    rows = table.group_rows(groups, axes, unit, order)
    trust: Counter[str] = Counter()
    for row in rows:
        row["per"] = question.per or None
        trust[row["trust"]] += row["count"]
    return StudyTable(question, metrics, axes, unit, rows, dict(sorted(trust.items())), mixed)


def _metrics_of(question: StudyQuery) -> list[Metric]:
    """The metrics asked for; of those that are divided none of one part. Raises UnknownMetric, InvalidValue."""
    named_metrics = study_query.parse_metrics(question.metric, known_metrics())
    metrics = [metric for metric in named_metrics if not question.per or metric.stat not in OF_ONE_PART]
    if not metrics:
        raise filters.InvalidValue("per", f"{named_metrics[0].stat} is of one part already, and is not divided")
    return metrics


# Each step is one probe of measurement_by_metric, however many rows there are.
_METRICS = """
    WITH RECURSIVE seen AS (
        (SELECT op, quantity, stat FROM registry_measurement ORDER BY op, quantity, stat LIMIT 1)
        UNION ALL
        SELECT n.op, n.quantity, n.stat FROM seen s CROSS JOIN LATERAL (
            SELECT op, quantity, stat FROM registry_measurement m
            WHERE (m.op, m.quantity, m.stat) > (s.op, s.quantity, s.stat) ORDER BY op, quantity, stat LIMIT 1
        ) n
    )
    SELECT op, quantity, stat FROM seen
"""


def known_metrics() -> list[Metric]:
    """Every kind of number that some result has, in order."""
    with connection.cursor() as cursor:
        cursor.execute(_METRICS)
        return [Metric(*row) for row in cursor.fetchall()]


def results_as_of(as_of: dt.datetime | None) -> QuerySet[Result]:
    """Results that count, today or at a moment: recorded, not withdrawn, in their newest revision."""
    later = Result.objects.filter(revises=OuterRef("pk"), revises__isnull=False)
    if as_of is None:
        return Result.objects.filter(~Exists(later), withdrawn_at=None)
    counted = Q(withdrawn_at=None) | Q(withdrawn_at__gt=as_of)
    return Result.objects.filter(counted, ~Exists(later.filter(recorded_at__lte=as_of)), recorded_at__lte=as_of)


def _load_groups(question: StudyQuery, metrics: list[Metric]) -> list[Group]:
    results, few = _results_of(question)
    column = metrics[0].op if not metrics[0].quantity else ""
    if column:
        _refuse_context(question, column)
    results = _of_column(results, column) if column else _of_measurements(results, question, metrics)
    results, names = _with_axis_columns(results, question)
    results, value, divisor = _with_quotient(results, question)
    keys = dict.fromkeys(["trust", *names.values(), "of_unit", "of_printed_unit"])
    grouped = results.values(*keys).annotate(
        all_values=ArrayAgg(ExpressionWrapper(value, FloatField())),
        results=Count("id"),
        first=Min("id"),
        printed=Min("of_printed"),
        **({"least_divisor": Min(divisor), "most_divisor": Max(divisor)} if question.per else {}),
    )
    read = list(grouped[: MOST_ROWS + 1]) if few else _read_in_one_pass(grouped)
    if len(read) > MOST_ROWS:
        raise TooManyPoints(f"More than {MOST_ROWS}.")
    alone = {row["first"] for row in read if row["results"] == 1}
    facts_by_result, qualified = _facts_by_result(alone), {} if column else _load_qualifiers(alone)
    several = any(row["results"] > 1 and row["trust"] == Result.Trust.REPORTED for row in read) and not column
    among = _qualified_among(results, keys, value) if several else {}
    groups = [
        replace(
            _make_group(row, names, facts_by_result, qualified),
            qualified=among.get(tuple(row[key] for key in keys), ()),
        )
        if row["results"] > 1
        else _make_group(row, names, facts_by_result, qualified)
        for row in read
    ]
    return table.merge_groups(group for group in groups if column or _is_meant(question, group))


def _is_meant(question: StudyQuery, group: Group) -> bool:
    metric = Metric(*(group.at[name] or "" for name in Metric._fields))
    return study_query.is_meant(question.metric, metric, group.canonical)


def _qualified_among(results: QuerySet[Any], keys: Iterable[str], value: Any) -> dict[Any, list[tuple[float, str]]]:
    """By place of a group the values that their source qualifies, with what it says. Only documents qualify numbers."""
    qualified_rows = results.filter(trust=Result.Trust.REPORTED, m__context__has_key="qualifier").annotate(
        qualified_value=ExpressionWrapper(value, FloatField()), qualifier=KeyTextTransform("qualifier", "m__context")
    )
    among: dict[Any, list[tuple[float, str]]] = {}
    for *place, number, word in qualified_rows.values_list(*keys, "qualified_value", "qualifier"):
        if number is not None:
            among.setdefault(tuple(place), []).append((number, word))
    return among


def _results_of(question: StudyQuery) -> tuple[QuerySet[Result], bool]:
    """The results of a question, and whether its filters leave few: then they are named by their ids.

    How many a filter leaves the planner guesses badly, and then reads the measurements of the whole record.
    """
    results = results_as_of(question.as_of).filter(_query_conditions(question)).order_by()
    if not question.filters:
        return results, False
    ids = list(results.values_list("id", flat=True)[: FEW + 1])
    return (Result.objects.order_by().filter(id__in=ids), True) if 0 < len(ids) <= FEW else (results, False)


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


def _read_in_one_pass(grouped: QuerySet[Result, Any]) -> list[Row]:
    """The groups of many results, one more than are shown.

    A limit on the query itself would let the planner hope to stop early and read 100,000 results by nested loops. It
    takes every value for a group of its own, and would sort them all, where hashing a few groups is twice as fast; and
    it would start workers, which on busy cores cost more than merging a few indexes in the order of results.
    """
    statement, parameters = grouped.query.sql_with_params()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PLANNER)
        bounded = f"WITH found AS MATERIALIZED ({statement}) SELECT * FROM found LIMIT %s"  # noqa: S608  # of the ORM
        cursor.execute(bounded, [*parameters, MOST_ROWS + 1])
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def _query_conditions(question: StudyQuery) -> Q:
    """Raises UnknownParameter and InvalidValue, as results/ does."""
    query = filters.as_query(question.filters)
    filters.refuse_unknown(query, filters.RESULT_NAMES, study_query.PREFIXES)
    return filters.result_conditions(query)


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


def _facts_by_result(ids: Collection[int]) -> dict[int, Row]:
    """By primary key of a result its id, its words and its source."""
    columns = {"pk": "pk", "result": "public_id", "label": "snapshot__label", "source": "source"}
    return {row.pop("pk"): row for row in rows_of(columns, Result.objects.order_by().filter(id__in=ids))}


def _load_qualifiers(ids: Collection[int]) -> dict[tuple[int, Metric], str]:
    """What qualifies numbers of these results: about, above or below."""
    measurements = Measurement.objects.order_by().filter(result__in=ids, context__has_key="qualifier")
    read = measurements.values_list("result_id", *Metric._fields, "context__qualifier")
    return {(pk, Metric(*metric)): word for pk, *metric, word in read}


def _make_group(
    row: Row, names: Mapping[str, str], facts_by_result: Mapping[int, Row], qualified: Mapping[tuple[int, Metric], str]
) -> Group:
    """`facts_by_result` and `qualified` are of the results that stand alone."""
    alone: Row = {}
    if row["results"] == 1:
        metric = Metric(row["of_op"], row["of_quantity"], row["of_stat"])
        printed_fields = {"printed_value": row["printed"], "printed_unit": row["of_printed_unit"]}
        alone = facts_by_result[row["first"]] | {"qualifier": qualified.get((row["first"], metric))} | printed_fields
    same = row.get("least_divisor") == row.get("most_divisor")
    at = {name: row[column] for name, column in names.items()}
    return Group(
        at=at,
        trust=row["trust"],
        values=row["all_values"],
        unit=row["of_unit"],
        printed_units=frozenset({row["of_printed_unit"]}),
        divisor=row.get("least_divisor") if same else None,
        facts=alone,
        canonical=canonical_name(row["tool"], at | {"printed_unit": row["of_printed_unit"]}),
    )


def study_title(question: StudyQuery) -> str:
    """ "write bandwidth max by object storage targets, for each operation, per drive"."""
    metrics_text = ", ".join(word.replace(".", " ") for word in question.metric)
    series = f", for each {' and '.join(find_axis(name).title for name in question.series)}" if question.series else ""
    per = f", per {question.per.replace('_', ' ')}" if question.per else ""
    return f"{metrics_text} by {find_axis(question.x).title}{series}{per}"
