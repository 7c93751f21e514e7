"""Results that are put side by side, read from the record: what pages and API both show of a comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from registry.comparison import compare as comparison_compare
from registry.comparison.compare import Per, Side
from registry.comparison.spreads import INSIDE, NO_MEAN
from registry.models import Fact, ListEntry, Measurement, Result
from registry.query import metric_values, observed_parameters, public_record
from registry.query.axes import axis
from registry.query.divisors import PER, divisors
from registry.query.fact_index import CONFIGURATION
from registry.query.public_record import NotOnRecord, Row
from registry.query.study_query import COLUMN_METRICS
from validators.system.difference import difference

MOST_REPEATS = 10
"""Other runs of one configuration that tell how its numbers repeat, newest first."""


def comparison_document(public_ids: Sequence[str], per: str = "") -> Row:
    """Everything of a comparison: comparison.compare, with `results`, `per`, `configuration` and `system`.

    Three queries, one more each for repeats and for a divisor. Raises NotOnRecord for the first id that is not there.
    """
    found, headings = load_results(public_ids)
    by = _per(per, found)
    system = difference(observed_parameters.documents(public_ids))
    return {
        "results": headings,
        "per": _as_per(per, by),
        **comparison_compare.compare(found, by),
        "configuration": comparison_compare.group_all_differences(found, system),
        "system": system,
    }


def _per(per: str, compared: Sequence[Side]) -> Per | None:
    if not per:
        return None
    results = [{"id": side.id, "parameters": side.parameters, "source": side.source} for side in compared]
    return Per(axis(PER[per]).title, divisors(per, results))


def _as_per(per: str, by: Per | None) -> Row | None:
    if by is None:
        return None
    told = [{"value": divisor.value, "source": divisor.source} for divisor in by.divisors]
    return {"name": per, "axis": PER[per], "title": by.title, "divisors": told}


def load_results(
    public_ids: Sequence[str], quantities: Collection[tuple[str, str]] = ()
) -> tuple[list[Side], list[Row]]:
    """Results to compare, in the order given, and the facts to head their columns; two queries.

    `quantities` are the operations and quantities whose measurements are read; empty: all.

    Raises NotOnRecord for the first id that is not there.
    """
    found = {one.public_id: one for one in _compared().filter(public_id__in=public_ids)}
    missing = [public_id for public_id in public_ids if public_id not in found]
    if missing:
        raise NotOnRecord("result", missing[0])
    wanted = {pk for one in found.values() for pk in (one.pk, *(same["pk"] for same in one.repeats))}
    measured = public_record.measurements_by_result(wanted, quantities)
    ordered = [found[public_id] for public_id in public_ids]
    return [_side(one, measured) for one in ordered], [_heading(one) for one in ordered]


def perhaps_repeated(public_ids: Sequence[str], quantities: Collection[tuple[str, str]]) -> list[str]:
    """Those of some results whose numbers of these operations and quantities may have a spread; one query.

    Most were measured once, and reading all about them to find no repeats costs more than the rest of an answer.
    """
    again = Q(repeats__isnull=False) | Q(stat__in=NO_MEAN) | Q(context__has_any_keys=INSIDE)
    measurements = Measurement.objects.order_by().filter(
        public_record.of_quantities(quantities), again, result=OuterRef("pk")
    )
    same = Fact.objects.order_by().filter(name=CONFIGURATION, result=OuterRef("pk"))
    found = Result.objects.order_by().filter(public_id__in=public_ids)
    found = found.filter(Exists(measurements) | Exists(same) | ~Q(repeated_scores={}))
    return list(found.values_list("public_id", flat=True))


def _compared() -> QuerySet[Result]:
    """Results with pk and scores of their `repeats` in the record, newest first, and the names of their lists."""
    configurations = Fact.objects.order_by().filter(name=CONFIGURATION)
    own = configurations.filter(result=OuterRef(OuterRef("pk"))).values("text")
    same = configurations.filter(public_record.is_current("result"), text=Subquery(own))
    others = same.exclude(result=OuterRef("pk")).order_by("-result")
    scored = JSONObject(pk="result_id", **{name: f"result__{name}" for name in (*COLUMN_METRICS, "repeated_scores")})
    lists = ListEntry.objects.order_by().filter(result=OuterRef("pk")).values("ranked_list__name").distinct()
    return (
        Result.objects.select_related("release", "platform")
        .defer("search", "snapshot")
        .annotate(repeats=ArraySubquery(others.values(told=scored)[:MOST_REPEATS]), list_names=ArraySubquery(lists))
    )


def _side(one: Any, measured: Mapping[int, list[Row]]) -> Side:
    """A result of `_compared`."""
    return Side(
        one.public_id,
        one.tool,
        one.tool_version,
        one.mode,
        one.trust,
        one.release.slug if one.release else "",
        one.parameters | ({"client_nodes": one.client_nodes} if one.client_nodes else {}),
        [*metric_values.scores(one), *measured[one.pk]],
        [[*metric_values.scores(SimpleNamespace(**same)), *measured[same["pk"]]] for same in one.repeats],
        {name: value for name, value in _columns(one).items() if value},
        frozenset(one.list_names),
        one.source,
    )


def _columns(one: Result) -> Row:
    """What a result says of itself beside the parameters of its run."""
    return {
        "system": one.system_name,
        "platform": one.platform.name if one.platform else "",
        "vendor": one.vendor or one.storage_vendor,
        "filesystem": one.filesystem_type,
        "filesystem_version": one.filesystem_version,
        "tasks": one.tasks,
        "tool_version": one.tool_version,
        "mode": one.mode,
    }


def _heading(one: Any) -> Row:
    return {
        "id": one.public_id,
        "institution": one.institution,
        "system": one.system_name,
        "release": one.release.slug if one.release else None,
        "tool_version": one.tool_version,
        "trust": one.trust,
        "score": one.score,
    }
