"""Studies: the list of curated ones, one of them, and any question with the form that changes it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render

from registry.errors import Problem
from registry.models import SavedStudy
from registry.presentation import numbers, words
from registry.query import axes, fact_index, filters, qualified_values, study_query
from registry.query.public_record import Row
from registry.studies import curated, run, saved_queries, table
from registry.studies import documents as studies_documents
from registry.studies.study_chart import has_lines
from registry.web.caching import public_page

API = "/api/v1"
CONDITION, IS = "condition", "is"
FORM_FIELDS = (*study_query.NAMES, CONDITION, IS)
COMPUTED_DIGITS = 4


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """Curated studies by document, then those that people saved, newest first."""
    documents: dict[str, list[Row]] = {}
    for one in curated.studies().values():
        documents.setdefault(one["document"]["title"], []).append(curated.in_short(one))
    context = {"section": "studies", "documents": documents, "saved": saved_queries.newest()}
    return render(request, "studies/index.html", context)


@public_page
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """One curated or saved study. Its form leads to the question page."""
    one = saved_queries.get_study(slug)
    answer = saved_queries.study_result(one)
    own = isinstance(one, SavedStudy) and one.saved_by == request.user.get_username()
    about = {"crumb": answer["document"], "own": own}
    return _shown(request, answer, saved_queries.study_query_of(one), f"{API}/studies/{answer['slug']}/", "?", about)


@public_page
def question(request: HttpRequest) -> HttpResponse:
    """Any question; without one, or with one that has no answer, the page asks for it.

    A condition that the form adds gets its own name.
    """
    if request.GET.get(CONDITION) and request.GET.get(IS):
        return HttpResponseRedirect(f"/study/?{with_condition(request)}")
    query = filters.without(request.GET, (CONDITION, IS))
    if not query.get("metric") and not query.get("x"):
        return render(request, "studies/study.html", {"section": "studies", "form": _form(query)})
    try:
        asked = study_query.read(query)
        answer = studies_documents.study_document(asked)
    except Problem as problem:
        context = {"section": "studies", "form": _form(query), "problem": problem}
        return render(request, "studies/study.html", context, status=problem.status)
    address = asked.address()
    return _shown(request, answer, asked, f"{API}/study/?{address}", "&", {"address": address})


def with_condition(request: HttpRequest) -> str:
    """The query with the condition as p.NAME (or context.NAME) and without what is empty."""
    name, value = request.GET[CONDITION], request.GET[IS]
    kept = [(key, one) for key, values in request.GET.lists() for one in values if one and key not in (CONDITION, IS)]
    return urlencode([*kept, (name if name.startswith(study_query.PREFIXES) else f"p.{name}", value)], safe=",/:")


def _shown(
    request: HttpRequest,
    answer: studies_documents.Document,
    asked: study_query.Question | None,
    api: str,
    joint: str,
    about: dict[str, Any],
) -> HttpResponse:
    context = {
        "section": "studies",
        "answer": answer,
        "heads": [ax["title"] + (f", {ax['unit']}" if ax["unit"] else "") for ax in answer["axes"]],
        "rows": [_row(answer, row) for row in answer["rows"]],
        "unit": table.in_words(answer["unit"], answer["per"] or ""),
        "spread": any(row["count"] > 1 for row in answer["rows"]),
        "ranged": any(row.get("interval_low") is not None for row in answer["rows"]),
        "unrepeated": any(map(table.is_not_repeated, answer["rows"])),
        "has_lines": bool(answer["chart"]) and has_lines(answer["chart"]),
        "figures": asked is None,
        "trusts": list(answer["trust"]),
        "sources": sorted({row["source"] for row in answer["rows"] if row.get("source")}),
        "form": _form(asked.query()) if asked else None,
        "asked": asked.address() if asked else "",
        "api": api,
        "forms": {form: f"{api}{joint}format={form}" for form in ("csv", "parquet", "svg", "png")},
    }
    return render(request, "studies/study.html", context | about)


def _row(answer: studies_documents.Document, row: Row) -> Row:
    """A row as it is written; where one measurement stands alone, with every digit that is printed."""
    alone = row["count"] == 1 and not row.get("divisor") and not row.get("formula")
    exact = alone and row.get("printed_unit") in (None, row["unit"])
    spread = _reach(row["low"], row["high"]) if row["count"] > 1 else ""
    other = row.get("printed_value") is not None and row["printed_unit"] != row["unit"]
    return {
        "at": [_place(row[ax["name"]]) for ax in answer["axes"]],
        "value": numbers.format_printed(row["value"]) if exact and row["value"] is not None else _written(row["value"]),
        "unit": row["unit"],
        "divisor": _divisor(row),
        "spread": spread,
        "range": _reach(row.get("interval_low"), row.get("interval_high")),
        "runs": row.get("interval_runs"),
        "unrepeated": table.is_not_repeated(row),
        "count": row["count"],
        "trust": row["trust"],
        "result": row.get("result"),
        "label": row.get("label") or row.get("result"),
        "qualifier": qualified_values.in_words(row.get("qualifier") or "", ""),
        "as_printed": f"{numbers.format_printed(row['printed_value'])} {row['printed_unit']}" if other else "",
        "printed": row.get("printed"),
        "verdict": row.get("verdict"),
        "formula": row.get("formula"),
        "inputs": row.get("inputs"),
        "note": row.get("note"),
        "source": row.get("source"),
    }


def _reach(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{_written(low)}{numbers.EN_DASH}{_written(high)}"


def _divisor(row: Row) -> str:
    """What a value was divided by, where its measurements were all divided by the same."""
    if row.get("divisor") is None:
        return numbers.MISSING if row["value"] is None else "several"
    return numbers.format_printed(row["divisor"])


def _written(value: float | None) -> str:
    return numbers.MISSING if value is None else numbers.format_significant(value, COMPUTED_DIGITS)


def _place(value: Any) -> str:
    if value is None:
        return numbers.MISSING
    return numbers.format_printed(value) if isinstance(value, int | float) else str(value)


def _form(query: QueryDict) -> dict[str, Any]:
    """What the form offers, and what a query chooses of it, be it valid or not."""
    known = sorted({*fact_index.fact_names(), *axes.by_name()} - {"label"})
    offered = [(name, axes.axis(name).title) for name in known]
    series = [name for text in query.getlist("series") for name in text.split(",") if name]
    return {
        "metrics": list(filter(None, query.getlist("metric"))) or [""],
        "metric_choices": [*study_query.COLUMN_METRICS, *map(str, run.known_metrics())],
        "known": known,
        "axes": sorted(offered, key=lambda one: one[1].casefold()),
        "series": [*series, ""][: study_query.MOST_SERIES],
        "pers": words.divisors(),
        "charts": study_query.CHARTS,
        "conditions": [
            (name, value)
            for name, values in query.lists()
            if name not in study_query.NAMES
            for value in filter(None, values)
        ],
        **{name: query.get(name, "") for name in ("x", "per", "chart", "unit", "as_of")},
    }
