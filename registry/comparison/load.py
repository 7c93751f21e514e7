"""Results that are put side by side, read from the record: what pages and API both show of a comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypedDict

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import JSONObject

from registry.comparison import compare as comparison_compare
from registry.comparison.compare import Per, Side
from registry.comparison.spreads import INSIDE, NO_MEAN
from registry.models import DemonstrationRun, Fact, ListEntry, Measurement, Result
from registry.query import demonstration, public_record
from registry.query.facts import observed_parameters
from registry.query.facts.axes import find_axis
from registry.query.facts.divisors import PER, find_divisors
from registry.query.facts.fact_index import CONFIGURATION
from registry.query.public_record import Row
from registry.query.questions import metric_values
from registry.query.questions.study_query import COLUMN_METRICS
from registry.query.responses import declared_limits
from registry.query.responses.source_links import ADDRESS_OF_RESULT
from registry.query.responses.trust_levels import label_of
from registry.query.row_sources import PUBLIC, RowSource
from validators.system.difference import difference

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Annotations(TypedDict):
        label: str
        source_address: str
        limits: list[Row] | None
        repeats: list[Row]
        list_names: list[str]
        successor: str | None

    ComparableResult = WithAnnotations[Result, _Annotations]

MOST_REPEATS = 10
"""Other runs of one configuration that tell how its numbers repeat, newest first."""


def comparison_document(public_ids: Sequence[str], per: str = "", assume: str = "", source: RowSource = PUBLIC) -> Row:
    """Everything of a comparison: comparison.compare, with `results`, `per`, `configuration` and `system`.

    With `assume` numbers that were not repeated have the assumption of their class.

    Three queries, one more each for repeats and for a divisor. Raises NotOnRecord for the first id that is not there,
    and MixedWithDemonstration where some ids are of the demonstration and others of the record.
    """
    if demonstration.are_demonstrations(public_ids):
        runs = demonstration.read_runs(public_ids)
        sides, headings, documents = *load_demonstrations(runs), [run.system_document for run in runs]
    else:
        sides, headings = load_results(public_ids, source=source)
        documents = observed_parameters.system_documents(public_ids, source)
    by = _divisor_or_none(per, sides, source)
    system = difference(documents)
    return {
        "results": headings,
        "per": _as_per(per, by),
        **comparison_compare.compare_sides(sides, by, assume=bool(assume)),
        "configuration": comparison_compare.group_all_differences(sides, system),
        "system": system,
    }


def _divisor_or_none(per: str, compared: Sequence[Side], source: RowSource) -> Per | None:
    if not per:
        return None
    results = [{"id": side.id, "parameters": side.parameters, "source": side.source} for side in compared]
    return Per(find_axis(PER[per]).title, find_divisors(per, results, source))


def _as_per(per: str, by: Per | None) -> Row | None:
    if by is None:
        return None
    divisor_rows = [
        {"value": divisor.value, "source": divisor.source, "reason": divisor.reason or None} for divisor in by.divisors
    ]
    return {"name": per, "axis": PER[per], "title": by.title, "divisors": divisor_rows}


def load_results(
    public_ids: Sequence[str], quantities: Collection[tuple[str, str]] = (), source: RowSource = PUBLIC
) -> tuple[list[Side], list[Row]]:
    """Results to compare, in the order given, and the facts to head their columns; two queries.

    `quantities` are the operations and quantities whose measurements are read; empty: all.

    Raises NotOnRecord for the first id that is not there, ErasedFromRecord for one that was erased.
    """
    results_by_id = {
        result.public_id: result
        for result in _comparable_results(source).filter(public_id__in=public_ids, erasure=None)
    }
    missing = [public_id for public_id in public_ids if public_id not in results_by_id]
    if missing:
        public_record.find_result(missing[0], source)  # raises for one that is not there, and for one that was erased
    result_pks = {
        pk for result in results_by_id.values() for pk in (result.pk, *(same["pk"] for same in result.repeats))
    }
    measurements_by_result = public_record.measurements_by_result(result_pks, quantities, source)
    ordered = [results_by_id[public_id] for public_id in public_ids]
    return [_load_side(result, measurements_by_result) for result in ordered], [
        _side_heading(result) for result in ordered
    ]


def load_demonstrations(runs: Sequence[DemonstrationRun]) -> tuple[list[Side], list[Row]]:
    """The same of runs of the demonstration, which are on no list and have no repeats in the record. No query."""
    results: list[Any] = [demonstration.as_result(run) for run in runs]
    for result in results:
        result.label, result.limits, result.repeats, result.list_names = None, None, [], []
        result.source_address, result.successor = "", None
    measurements = {result.pk: run.measurements for result, run in zip(results, runs, strict=True)}
    return [_load_side(result, measurements) for result in results], [_side_heading(result) for result in results]


def perhaps_repeated(
    public_ids: Sequence[str], quantities: Collection[tuple[str, str]], source: RowSource = PUBLIC
) -> list[str]:
    """Those of some results whose numbers of these operations and quantities may have a spread; one query.

    Most were measured once, and reading all about them to find no repeats costs more than the rest of an answer.
    """
    again = Q(repeats__isnull=False) | Q(stat__in=NO_MEAN) | Q(context__has_any_keys=INSIDE)
    measurements = Measurement.objects.order_by().filter(
        public_record.of_quantities(quantities), again, result=OuterRef("pk")
    )
    same = Fact.objects.order_by().filter(name=CONFIGURATION, result=OuterRef("pk"))
    results = source.table_rows(Result).order_by().filter(public_id__in=public_ids)
    results = results.filter(Exists(measurements) | Exists(same) | ~Q(repeated_scores={}))
    return list(results.values_list("public_id", flat=True))


def _comparable_results(source: RowSource) -> QuerySet[ComparableResult]:
    """Results with pk and scores of their `repeats` in the record, newest first, and the names of their lists."""
    configurations = Fact.objects.order_by().filter(name=CONFIGURATION)
    own = configurations.filter(result=OuterRef(OuterRef("pk"))).values("text")
    same = configurations.filter(public_record.is_current("result"), text=Subquery(own))
    others = same.exclude(result=OuterRef("pk")).order_by("-result")
    scored = JSONObject(pk="result_id", **{name: f"result__{name}" for name in (*COLUMN_METRICS, "repeated_scores")})
    lists = ListEntry.objects.order_by().filter(result=OuterRef("pk")).values("ranked_list__name").distinct()
    return (
        source.table_rows(Result)
        .select_related("release", "platform")
        .defer("search", "snapshot")
        .annotate(
            label=KT("snapshot__label"),
            source_address=ADDRESS_OF_RESULT,
            limits=public_record.LIMITS,
            repeats=ArraySubquery(others.values(told=scored)[:MOST_REPEATS]),
            list_names=ArraySubquery(lists),
            successor=F("revised_by__public_id"),
        )
    )


def _load_side(result: ComparableResult, measurements_by_result: Mapping[int, list[Row]]) -> Side:
    """A result of `_compared`."""
    return Side(
        result.public_id,
        result.tool,
        result.tool_version,
        result.mode,
        result.trust,
        result.release.slug if result.release else "",
        result.parameters | ({"client_nodes": result.client_nodes} if result.client_nodes else {}),
        [*metric_values.score_rows(result), *measurements_by_result[result.pk]],
        [
            [*metric_values.score_rows(SimpleNamespace(**same)), *measurements_by_result[same["pk"]]]
            for same in result.repeats
        ],
        {name: value for name, value in _result_columns(result).items() if value},
        frozenset(result.list_names),
        result.source,
        declared_limits.read_limits(result.limits),
        f"{result.withdrawn_at:%Y-%m-%d}" if result.withdrawn_at else "",
        result.successor or "",
    )


def _result_columns(result: Result) -> Row:
    """What a result says of itself beside the parameters of its run."""
    return {
        "system": result.system_name,
        "platform": result.platform.name if result.platform else "",
        "vendor": result.vendor or result.storage_vendor,
        "filesystem": result.filesystem_type,
        "filesystem_version": result.filesystem_version,
        "tasks": result.tasks,
        "tool_version": result.tool_version,
        "mode": result.mode,
    }


def _side_heading(result: Any) -> Row:
    return {
        "id": result.public_id,
        "institution": result.institution,
        "system": result.system_name,
        "release": result.release.slug if result.release else None,
        "release_name": result.release.name if result.release else None,
        "label": result.label,
        "tool_version": result.tool_version,
        "trust": result.trust,
        "trust_label": label_of(result),
        "score": result.score,
        "source": result.source,
        "source_address": result.source_address,
    }
