"""Rankings of one's own: any formula with the form that changes it, and those that people saved."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.models import Result, SavedStudy
from registry.presentation import numbers, words
from registry.query import axes, fact_index, filters, study_query
from registry.query.public_record import Row
from registry.studies import custom_rankings, run, saved_queries
from registry.studies.views import API, CONDITION, IS, with_condition
from registry.web.caching import public_page

EXAMPLES = (
    ("Score per client node", "formula=score/client_nodes&tool=io500"),
    ("Reads against writes", "formula=[ior-easy-read.bandwidth.phase]/[ior-easy-write.bandwidth.phase]"),
    (
        "The weaker of the two hard phases",
        "formula=min([ior-hard-write.bandwidth.phase],[ior-hard-read.bandwidth.phase])",
    ),
)
DIGITS = 4


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """Rankings that people saved, newest first."""
    context = {"section": "lists", "saved": saved_queries.newest(SavedStudy.Kind.RANKING), "examples": EXAMPLES}
    return render(request, "rankings/index.html", context)


@public_page
def ranking(request: HttpRequest, slug: str) -> HttpResponse:
    """One saved ranking. Its form leads to the question page."""
    one = saved_queries.ranking(slug)
    own = one.saved_by == request.user.get_username()
    return _shown(
        request, saved_queries.ranked(one), f"{API}/rankings/{one.slug}/", "?", {"own": own, "saved_as": one.title}
    )


@public_page
def question(request: HttpRequest) -> HttpResponse:
    """Any formula; without one, or with one that can't be computed, the page asks for it.

    A condition that the form adds gets its own name.
    """
    if request.GET.get(CONDITION) and request.GET.get(IS):
        return redirect(f"/ranking/?{with_condition(request)}")
    query = filters.without(request.GET, (CONDITION, IS))
    if not query.get("formula"):
        return render(request, "rankings/ranking.html", {"section": "lists", "form": _form(None), "examples": EXAMPLES})
    asked = custom_rankings.read(query)
    try:
        answer = custom_rankings.ranking_document(asked)
    except custom_rankings.NotRanked as problem:
        context = {"section": "lists", "form": _form(asked), "problem": problem, "examples": EXAMPLES}
        return render(request, "rankings/ranking.html", context, status=problem.status)
    return _shown(request, answer, f"{API}/ranking/?{asked.address()}", "&", {})


def _shown(request: HttpRequest, answer: Row, api: str, joint: str, about: dict[str, Any]) -> HttpResponse:
    asked = custom_rankings.read_address(answer["question"])
    levels = [
        {"trust": trust, **counts, "rows": [_row(answer, row) for row in answer["rows"] if row["trust"] == trust]}
        for trust in Result.Trust.values
        if (counts := answer["counts"].get(trust))
    ]
    context = {
        "section": "lists",
        "answer": answer,
        "levels": levels,
        "inputs": [one | {"words": _words(one)} for one in answer["inputs"]],
        "form": _form(asked),
        "api": api,
        "csv": f"{api}{joint}format=csv",
    }
    return render(request, "rankings/ranking.html", context | about)


def _row(answer: Row, row: Row) -> Row:
    inputs = [
        {
            "value": _written(one, row[custom_rankings.INPUT + one["name"]]),
            "label": f"{one['unit']} {_words(one)}".strip(),
        }
        for one in answer["inputs"]
    ]
    return row | {"value": numbers.format_significant(row["value"], DIGITS), "inputs": inputs}


def _words(one: Row) -> str:
    return one["name"].replace(".", " ").replace("_", " ")


def _written(one: Row, value: float) -> str:
    """A parameter as it stands in the record, a measurement in few digits."""
    return numbers.format_printed(value) if one["kind"] == "fact" else numbers.format_significant(value, DIGITS)


def _form(asked: custom_rankings.Question | None) -> dict[str, Any]:
    """What the form offers, and what is chosen of it."""
    known = sorted({*fact_index.fact_names(), *axes.by_name()} - {"label"})
    names = [*study_query.COLUMN_METRICS, *(f"[{metric}]" for metric in run.known_metrics())]
    given = asked.filters if asked else {}
    return {
        "formula": asked.formula if asked else "",
        "names": [*names, *(f"[{name}]" if not name.isidentifier() else name for name in known)],
        "per": asked.per if asked else "",
        "pers": words.divisors(),
        "order": asked.order if asked else "",
        "orders": custom_rankings.ORDERS,
        "unit": asked.unit if asked else "",
        "limit": asked.limit if asked and asked.limit != custom_rankings.USUAL_ROWS else "",
        "as_of": study_query.written_time(asked.as_of) if asked and asked.as_of else "",
        "trust": given.get("trust", [""])[0],
        "trusts": Result.Trust.values,
        "conditions": [(name, value) for name, values in given.items() if name != "trust" for value in values],
        "axes": sorted(((name, axes.axis(name).title) for name in known), key=lambda one: one[1].casefold()),
        "longest": filters.VALUE_LIMIT,
    }
