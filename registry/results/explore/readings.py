"""What a view of results reads: one number of each with what it is narrowed down by, whatever is drawn of it.

However large the record is, the newest MOST_READ results of a benchmark that meet the narrowing are looked at, in one
query; one more for what their sources forbid.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, FilteredRelation, FloatField, Q, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce

from registry.models import FAMILY_OR_TYPE, Measurement, Result
from registry.query import public_record
from registry.query.facts.axes import find_axis
from registry.query.facts.divisors import PER, positive_or_null
from registry.query.questions import filters
from registry.query.questions.study_query import COLUMN_METRICS, Metric
from registry.query.responses import declared_limits
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values.qualified_values import ABOUT
from registry.results.explore.selection import Selection
from validators import quantities
from validators.units import UNITS

MOST_READ = 5000
"""Results that one view looks at, the newest of those that meet the narrowing."""
_SPREADS = ("stdev",)
"""Statistics that say how far numbers lie apart, not how large they are."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One number of a result, in its canonical unit; None where the result has none.

    `kind` tells runs of another mode or division apart. `divisor` is None where nothing is known to divide by.
    """

    pk: int
    result: str
    system: int
    trust: str
    family: str
    filesystem: str
    release: str
    release_name: str
    held_on: dt.date | None
    kind: str
    value: float | None
    unit: str
    printed_unit: str
    context: Mapping[str, Any]
    is_repeated: bool
    divisor: float | None
    rules_violated: int | None = None

    @property
    def source_qualifier(self) -> str:
        """What the source says of the number: "" of a plain one, or about, below, above."""
        return str(self.context.get("qualifier", ""))

    @property
    def is_bound(self) -> bool:
        """Whether the source says only what the number is below or above."""
        return self.source_qualifier not in ("", ABOUT)


@dataclass(frozen=True, slots=True)
class MetricCount:
    """A kind of number, its canonical unit, and of how many results it is known."""

    metric: Metric
    unit: str
    results: int


def read_values(selection: Selection, metric: Metric) -> tuple[list[Reading], bool]:
    """The readings of a view, newest result first, and whether results beyond MOST_READ were not looked at.

    One query; a second one, narrowed by what is ticked too, where there are more. Raises what filters raise.
    """
    readings = _read_rows(selection, metric, {})
    if not _is_cut(readings):
        return readings, False
    ticked = _read_rows(selection, metric, selection.toggles) if selection.toggles else readings
    return _keep_newest(ticked), True


def _is_cut(readings: list[Reading]) -> bool:
    return len({reading.pk for reading in readings}) > MOST_READ


def _keep_newest(readings: list[Reading]) -> list[Reading]:
    newest_ids = set(sorted({reading.pk for reading in readings}, reverse=True)[:MOST_READ])
    return [reading for reading in readings if reading.pk in newest_ids]


def _read_rows(selection: Selection, metric: Metric, toggles: Mapping[str, list[str]]) -> list[Reading]:
    query = filters.as_query(toggles)
    filters.put_values(query, dict(selection.narrowing.lists()))
    source = selection.source
    condition = Q(tool=selection.tool) & filters.result_conditions(query, source)
    counted = public_record.counted_once(public_record.current_results(condition, source))
    # From the oldest of them on, in the order of their ids: looked up one by one they cost as much as the whole table.
    oldest = counted.order_by("-id").values("pk")[MOST_READ : MOST_READ + 1]
    results = counted.order_by("-id").filter(pk__gte=Coalesce(Subquery(oldest), 0))
    return [_make_reading(row) for row in _with_number(results, metric, selection.per).values_list(*_COLUMNS)]


_COLUMNS = (
    *("pk", "public_id", "system_id", "trust", "family", "filesystem_type", "release__slug", "release__name"),
    *("release__held_on", "mode", "division", "of_value", "of_unit", "of_printed_unit", "of_context", "of_repeats"),
    "rules_violated",
    "of_divisor",
)


def _with_number(results: QuerySet[Result], metric: Metric, per: str) -> QuerySet[Result, Any]:
    """With the columns of a reading; results without the number have a row, too."""
    division = FilteredRelation("facts", condition=Q(facts__name="division"))
    rows = results.annotate(family=FAMILY_OR_TYPE, fact_division=division).annotate(division=F("fact_division__text"))
    if per:
        by = FilteredRelation("facts", condition=Q(facts__name=find_axis(PER[per]).name))
        rows = rows.annotate(by=by).annotate(of_divisor=positive_or_null("by__number"))
    else:
        rows = rows.annotate(of_divisor=Value(1.0, output_field=FloatField()))
    if not metric.quantity:
        unit, printed_unit = COLUMN_METRICS[metric.op]
        factor = UNITS[printed_unit].factor if unit else 1.0
        return rows.annotate(
            of_value=F(metric.op) * Value(factor),
            of_unit=Value(unit),
            of_printed_unit=Value(printed_unit),
            of_context=Value(None, output_field=TextField()),
            of_repeats=KeyTransform(metric.op, "repeated_scores"),
        )
    named = {f"measurements__{part}": text for part, text in metric._asdict().items()}
    rows = rows.annotate(m=FilteredRelation("measurements", condition=Q(**named)))
    columns = {f"of_{name}": F(f"m__{name}") for name in ("value", "unit", "printed_unit", "context", "repeats")}
    return rows.annotate(**columns)


def _make_reading(row: tuple[Any, ...]) -> Reading:
    *names, held_on, mode, division, value, unit, printed_unit, context, repeats, violated, divisor = row
    pk, public_id, system, trust, family, filesystem, release, release_name = names
    kind = ", ".join(filter(None, ["" if mode == "standard" else mode, division]))
    return Reading(
        *(pk, public_id, system, trust, family, filesystem, release or "", release_name or "", held_on, kind),
        *(value, unit or "", printed_unit or "", context or {}, bool(repeats), divisor, violated),
    )


def forbidden_reasons(results: Collection[int], metric: Metric) -> dict[str, list[str]]:
    """By public id why the source of a result does not let this number stand in one order with others.

    One query, and one more where a source names the results that it is not to be compared with.
    """
    limited = Result.objects.order_by("id").filter(
        pk__in=results,
        trust__in=(Result.Trust.REPORTED, Result.Trust.DERIVED),
        snapshot__has_key=declared_limits.FIELD,
    )
    rows = list(limited.annotate(limits=public_record.LIMITS).values_list("public_id", "limits"))
    limits_by_id = {public_id: declared_limits.read_limits(limits) for public_id, limits in rows}
    named = {other for limits in limits_by_id.values() for limit in limits for other in limit.others}
    present = Result.objects.filter(pk__in=results, public_id__in=named).values_list("public_id", flat=True)
    return declared_limits.ids_out_of_order(
        limits_by_id, [(metric.op, metric.quantity)], set(present) if named else set()
    )


def metrics_of_tool(tool: str, source: RowSource = PUBLIC) -> list[MetricCount]:
    """The kinds of numbers with a better direction that the newest results of a benchmark have. Two queries."""
    newest = source.table_rows(Result).filter(tool=tool).order_by("-id")[:MOST_READ]
    counted = (
        source.table_rows(Measurement)
        .order_by()
        .filter(result__in=newest.values("pk"))
        .values_list("op", "quantity", "stat", "unit")
        .annotate(results=Count("result", distinct=True))
    )
    scores = (
        source.table_rows(Result)
        .filter(pk__in=newest.values("pk"))
        .aggregate(**{f"{name}_results": Count(name) for name in COLUMN_METRICS})
    )
    of_columns = [
        MetricCount(Metric(name), unit, scores[f"{name}_results"])
        for name, (unit, _) in COLUMN_METRICS.items()
        if scores[f"{name}_results"]
    ]
    of_measurements = [
        MetricCount(Metric(op, quantity, stat), unit, results)
        for op, quantity, stat, unit, results in counted
        if stat not in _SPREADS and quantities.better_of(quantity, unit) != quantities.NONE
    ]
    return of_columns + of_measurements
