"""Rankings of one's own: any formula with the form that changes it, and those that people saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from registry.models import Result, SavedStudy
from registry.presentation import numbers, words
from registry.presentation.result_rows import name_releases
from registry.query.facts import axes, fact_index
from registry.query.public_record import Row
from registry.query.questions import filters, study_query
from registry.query.questions.recorded_metrics import known_metrics
from registry.query.responses import trust_levels
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.studies import custom_rankings, saved_queries
from registry.studies.views import API, CONDITION, IS, with_condition
from registry.web.caching import public_page

_EXAMPLES = (
    ("Score per client node", "score/client_nodes", "&tool=io500"),
    ("Reads compared with writes", "[ior-easy-read.bandwidth.phase]/[ior-easy-write.bandwidth.phase]", ""),
    ("The slower of the two hard phases", "min([ior-hard-write.bandwidth.phase],[ior-hard-read.bandwidth.phase])", ""),
)
EXAMPLES = [(title, formula, f"formula={formula}{condition}") for title, formula, condition in _EXAMPLES]
DIGITS = 4
MOST_SPLITS = 5
"""Values of a fact that a page offers as filters; of more it names the most frequent."""


@public_page
def ranking_index(request: HttpRequest) -> HttpResponse:
    """Rankings that people saved, newest first."""
    context = {"section": "lists", "saved": saved_queries.newest_saved(SavedStudy.Kind.RANKING), "examples": EXAMPLES}
    return render(request, "studies/rankings.html", context)


@public_page
def ranking_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One saved ranking. Its form leads to the question page."""
    saved_ranking = saved_queries.find_ranking(slug)
    own = saved_ranking.saved_by == request.user.get_username()
    return _ranking_page(
        request,
        saved_queries.ranking_result(saved_ranking),
        f"{API}/rankings/{saved_ranking.slug}/",
        "?",
        {"own": own, "saved_as": saved_ranking.title},
    )


@public_page
def question_page(request: HttpRequest) -> HttpResponse:
    """Any formula; without one, or with one that can't be computed, the page asks for it.

    A condition that the form adds gets its own name.
    """
    return show_ranking(request)


def show_ranking(request: HttpRequest, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of a formula, asked of a source."""
    if request.GET.get(CONDITION) and request.GET.get(IS):
        return redirect(f"{request.path}?{with_condition(request)}")
    query = filters.without_names(request.GET, (CONDITION, IS))
    if not query.get("formula"):
        return render(
            request,
            "studies/ranking.html",
            {"section": "lists", "form": _form_context(None, source), "examples": EXAMPLES},
        )
    ranking_question = custom_rankings.parse_query(query, source)
    try:
        answer = custom_rankings.ranking_document(ranking_question)
    except custom_rankings.NotRanked as problem:
        context = {
            "section": "lists",
            "form": _form_context(ranking_question, source),
            "problem": problem,
            "examples": EXAMPLES,
        }
        return render(request, "studies/ranking.html", context, status=problem.status)
    return _ranking_page(request, answer, f"{API}/ranking/?{ranking_question.address()}", "&", {}, source)


def _ranking_page(
    request: HttpRequest, answer: Row, api: str, joint: str, about: dict[str, Any], source: RowSource = PUBLIC
) -> HttpResponse:
    ranking_question = custom_rankings.read_address(answer["question"])
    named_rows = name_releases(answer["rows"])
    groups = [_group_context(answer, named_rows, place, group) for place, group in enumerate(answer["groups"])]
    context = {
        "section": "lists",
        "answer": answer,
        "groups": groups,
        "leading": next((group["rows"][0] | {"group": group} for group in groups if group["rows"]), None),
        "inputs": [ranking_input | {"words": _input_words(ranking_input)} for ranking_input in answer["inputs"]],
        "form": _form_context(ranking_question, source),
        "api": api,
        "csv": f"{api}{joint}format=csv",
    }
    return render(request, "studies/ranking.html", context | about)


def _group_context(answer: Row, named_rows: Sequence[Row], place: int, group: Row) -> Row:
    """One table of the page: what its results share, what varies among them, and filters that leave one value."""
    shared = [group["tool"], *(f"{name} {group[name]}" for name in ("mode", "division") if group[name])]
    rows = [_format_row(answer, row) for row in named_rows if row["group"] == place]
    return group | {
        "title": ", ".join(filter(None, shared)),
        "rows": rows,
        "label": _group_label(group, rows),
        "varying": [_variation_context(answer, fact) for fact in group["varies"]],
        "lacking": [words.describe_fact_values(fact["name"], [], fact["unknown"]) for fact in group["unknown"]],
    }


def _group_label(group: Row, rows: Sequence[Row]) -> str:
    """The level of a group, with how many of its results violate rules, of those that are listed."""
    caveat = trust_levels.list_caveat(sum(row["trust_label"] != row["trust"] for row in rows))
    more = "at least " if caveat and len(rows) < group["ranked"] else ""
    return trust_levels.join_caveat(group["trust"], f"{more}{caveat}")


def _variation_context(answer: Row, fact: Row) -> Row:
    """A fact that varies, its values in words, and for few values a link each that leaves only it."""
    few = len(fact["values"]) <= MOST_SPLITS and not fact["more"]
    values = [
        {
            "text": f"{row['value']} ({row['count']})",
            "address": _split_address(answer["question"], fact["name"], row["value"]) if few else "",
        }
        for row in (fact["values"] if few else fact["values"][:MOST_SPLITS])
    ]
    further = fact["more"] + (0 if few else len(fact["values"]) - MOST_SPLITS)
    return {"title": axes.find_axis(fact["name"]).title, "values": values, "more": further, "unknown": fact["unknown"]}


def _split_address(question: str, name: str, value: str) -> str:
    """The same question with one more condition."""
    query = QueryDict(question, mutable=True)
    query[name if name in filters.RESULT_NAMES else f"{filters.PARAMETER}{name}"] = value
    return f"/ranking/?{query.urlencode(safe=',/:')}"


def _format_row(answer: Row, row: Row) -> Row:
    inputs = [
        {
            "value": _format_input(ranking_input, row[custom_rankings.INPUT + ranking_input["name"]]),
            "label": f"{ranking_input['unit']} {_input_words(ranking_input)}".strip(),
        }
        for ranking_input in answer["inputs"]
    ]
    value = qualified_values.in_words(row["qualifier"] or "", numbers.format_significant(row["value"], DIGITS))
    return row | {"value": value, "inputs": inputs}


def _input_words(ranking_input: Row) -> str:
    return str(ranking_input["name"]).replace(".", " ").replace("_", " ")


def _format_input(ranking_input: Row, value: float) -> str:
    """A parameter as it stands in the record, a measurement in few digits."""
    return (
        numbers.format_printed(value) if ranking_input["kind"] == "fact" else numbers.format_significant(value, DIGITS)
    )


def _form_context(ranking_question: custom_rankings.RankingQuery | None, source: RowSource) -> dict[str, Any]:
    """What the form offers, and what is chosen of it."""
    axis_names = sorted({*fact_index.fact_names(source), *axes.by_name()} - {"label"})
    names = [*study_query.COLUMN_METRICS, *(f"[{metric}]" for metric in known_metrics(source))]
    chosen_filters = ranking_question.filters if ranking_question else {}
    return {
        "formula": ranking_question.formula if ranking_question else "",
        "names": [*names, *(f"[{name}]" if not name.isidentifier() else name for name in axis_names)],
        "per": ranking_question.per if ranking_question else "",
        "pers": words.divisor_choices(),
        "order": ranking_question.order if ranking_question else "",
        "orders": custom_rankings.ORDERS,
        "unit": ranking_question.unit if ranking_question else "",
        "limit": ranking_question.limit
        if ranking_question and ranking_question.limit != custom_rankings.USUAL_ROWS
        else "",
        "as_of": study_query.written_time(ranking_question.as_of)
        if ranking_question and ranking_question.as_of
        else "",
        "trust": chosen_filters.get("trust", [""])[0],
        "trusts": Result.Trust.values,
        "conditions": [(name, value) for name, values in chosen_filters.items() if name != "trust" for value in values],
        "axes": axes.axis_choices(axis_names),
        "longest": filters.VALUE_LIMIT,
    }
