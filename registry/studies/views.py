"""Studies: the list of curated ones, one of them, and any question with the form that changes it."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render

from registry.citation.cards import Card, card_png
from registry.comparison import uncertainty
from registry.errors import Problem
from registry.models import CatalogueLoad, Result, SavedStudy
from registry.platforms.views_ceilings import limit_derivations
from registry.presentation import numbers, words
from registry.presentation.plots.drawing import draw_plot
from registry.presentation.plots.model import MEASUREMENTS, Limit
from registry.query.facts import axes, fact_index
from registry.query.public_record import Row
from registry.query.questions import filters, study_query
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.studies import documents as studies_documents
from registry.studies import metric_rows, run, saved_queries, table
from registry.studies.balance import page as balance_page
from registry.studies.balance.finding import finding_sentence
from registry.studies.index import cards
from registry.studies.people_questions import list_questions
from registry.web import client_address
from registry.web.caching import public_page

API = "/api/v1"
CONDITION, IS = "condition", "is"
FORM_FIELDS = (*study_query.NAMES, CONDITION, IS)
COMPUTED_DIGITS = 4
COPIED = (Result.Trust.IMPORTED, Result.Trust.REPORTED)
"""Levels whose digits are those of a source; of the others a reader computed them."""
SEARCH_LENGTH = 100
CARDS_SHOWN = 12
"""Cards of the index before anything is chosen: a phone on a slow network draws them at once."""
FEW_NOTES = 2
"""So many notes of a study stand beside its finding; more are a list."""
EVERY_CARD = "all"


@public_page
def study_index(request: HttpRequest) -> HttpResponse:
    """The first curated studies, the questions that people have, and what people saved, newest first.

    With `q` only the curated studies that hold its words, with `topic` those of one topic, with `shown=all` each.
    Questions ask the shipped record: where it was not loaded their answers would be missing.
    """
    all_cards = cards.most_answered_first(cards.kept_cards() or cards.list_cards())
    text = request.GET.get("q", "").replace("\x00", "").strip()[:SEARCH_LENGTH]
    topic = study_query.single_choice(request.GET, "topic", cards.TOPICS)
    is_whole = study_query.single_choice(request.GET, "shown", [EVERY_CARD]) == EVERY_CARD
    matching_cards = [card for card in cards.search_cards(all_cards, text) if topic in ("", card["topic"])]
    is_first_page = not (text or topic or is_whole)
    context = {
        "section": "studies",
        "text": text,
        "topic": topic,
        "topics": cards.count_topics(all_cards),
        "topic_title": cards.TOPICS.get(topic, ""),
        "total": len(all_cards),
        "matching": len(matching_cards),
        "studies": matching_cards[:CARDS_SHOWN] if is_first_page else matching_cards,
        "questions": list_questions() if CatalogueLoad.objects.exists() and is_first_page else [],
        "saved": saved_queries.newest_saved() if is_first_page else [],
    }
    return render(request, "studies/index.html", context)


@public_page
def study_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One curated or saved study. Its form leads to the question page."""
    selected_study, assume = saved_queries.get_study(slug), study_query.parse_assumption(request.GET)
    answer = saved_queries.study_result(selected_study, assume, for_people=True)
    own = isinstance(selected_study, SavedStudy) and selected_study.saved_by == request.user.get_username()
    cited = {
        "title": answer["title"],
        "sentence": finding_sentence(answer) or answer["title"],
        "address": f"{client_address.site_address(request)}/studies/{answer['slug']}/",
    }
    about = {"crumb": answer["document"], "own": own, "cited": cited}
    return _study_page(
        request,
        answer,
        saved_queries.study_query_of(selected_study, assume),
        f"{API}/studies/{answer['slug']}/{f'?assume={assume}' if assume else ''}",
        "&" if assume else "?",
        about,
    )


@public_page
def study_card(request: HttpRequest, slug: str) -> HttpResponse:
    """The picture beside a link to a study elsewhere: its question and what it finds. Raises NotOnRecord."""
    study = saved_queries.get_study(slug)
    answer = saved_queries.study_result(study, drawn=False, for_people=True)
    trusts = list(answer["trust"])
    caveat = run.level_caveat(trusts, saved_queries.study_query_of(study))
    card = Card(answer["title"], finding_sentence(answer), trusts[0] if len(trusts) == 1 else "", caveat=caveat)
    return HttpResponse(card_png(card), content_type="image/png")


@public_page
def question_page(request: HttpRequest) -> HttpResponse:
    """Any question; without one, or with one that has no answer, the page asks for it.

    A condition that the form adds gets its own name.
    """
    return show_question(request)


def show_question(request: HttpRequest, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of a question, asked of a source."""
    if request.GET.get(CONDITION) and request.GET.get(IS):
        return HttpResponseRedirect(f"{request.path}?{with_condition(request)}")
    query = filters.without_names(request.GET, (CONDITION, IS))
    if not query.get("metric") and not query.get("x"):
        return render(request, "studies/study.html", {"section": "studies", "form": _form_context(query, source)})
    try:
        study_question = study_query.parse_query(query, source)
        answer = studies_documents.study_document(study_question, for_people=True)
    except Problem as problem:
        context = {"section": "studies", "form": _form_context(query, source), "problem": problem}
        return render(request, "studies/study.html", context, status=problem.status)
    address = study_question.address()
    return _study_page(request, answer, study_question, f"{API}/study/?{address}", "&", {"address": address})


def with_condition(request: HttpRequest) -> str:
    """The query with the condition as p.NAME (or context.NAME) and without what is empty."""
    name, value = request.GET[CONDITION], request.GET[IS]
    remaining_pairs = [
        (key, text) for key, values in request.GET.lists() for text in values if text and key not in (CONDITION, IS)
    ]
    return urlencode(
        [*remaining_pairs, (name if name.startswith(study_query.PREFIXES) else f"p.{name}", value)], safe=",/:"
    )


def _study_page(
    request: HttpRequest,
    answer: studies_documents.Document,
    study_question: study_query.StudyQuery | None,
    api: str,
    joint: str,
    about: dict[str, Any],
) -> HttpResponse:
    plot, limited = answer["chart"], answer[studies_documents.LIMITED]
    has_limits = any(limited.by_row)
    rows = [
        _format_row(answer, row) | _format_limit(row, limit)
        for row, limit in zip_longest(answer["rows"], limited.by_row)
    ]
    context = {
        "section": "studies",
        "answer": answer,
        "heading": words.capitalize_sentence(answer["title"]),
        "finding": finding_sentence(answer),
        "list_notes": len(answer.get("notes") or ()) > FEW_NOTES,
        "chart_caption": f"Values by {' and '.join(ax['title'] for ax in answer['axes'])}",
        "drawings": draw_plot(plot) if plot else [],
        "limits": plot.all_limits if plot else [],
        "above": sum(point.is_above for point in plot.points) if plot else 0,
        "derivations": limit_derivations(limited.efficiencies),
        "limited": has_limits,
        "heads": [_axis_head(ax) for ax in answer["axes"]],
        "rows": rows,
        "dashed": any(_has_dash(row, limited=has_limits) for row in rows),
        "unit": table.in_words(answer["unit"], answer["per"] or ""),
        "spread": any(row["count"] > 1 for row in answer["rows"]),
        "ranged": any(row.get("interval_low") is not None for row in answer["rows"]),
        "unrepeated": any(map(table.is_not_repeated, answer["rows"])),
        "each": bool(plot) and plot.drawn == MEASUREMENTS,
        "balance": balance_page.balance_context(answer),
        "assumed": any(map(table.is_assumed, answer["rows"])),
        "by_repeats": any(row.get("interval_basis") == uncertainty.REPEATS for row in answer["rows"]),
        "rounded": any(row.get("rounding_low") is not None for row in answer["rows"]),
        "assumption": _assumption_link(request, study_question),
        "has_lines": bool(plot) and plot.has_lines,
        "figures": study_question is None,
        "trusts": list(answer["trust"]),
        "caveat": run.level_caveat(answer["trust"], study_question),
        "sources": sorted({(row["source"], row["source_address"]) for row in answer["rows"] if row.get("source")}),
        "form": _form_context(study_question.query(), study_question.source) if study_question else None,
        "query": study_question.address() if study_question else "",
        "api": api,
        "forms": {form: f"{api}{joint}format={form}" for form in ("csv", "parquet", "svg", "png")},
    }
    return render(request, "studies/study.html", context | about)


def _assumption_link(request: HttpRequest, study_question: study_query.StudyQuery | None) -> str:
    """The same page with or without an assumption; empty for a table of figures, which has none."""
    if study_question is None:
        return ""
    query = request.GET.copy()
    if study_question.assume:
        query.pop("assume", None)
    else:
        query["assume"] = study_query.PRIOR
    return f"?{query.urlencode(safe=',/:')}"


def _axis_head(axis: Row) -> str:
    return ", ".join(filter(None, (axis["title"], axis["unit"])))


def _format_row(answer: studies_documents.Document, row: Row) -> Row:
    """A row as it is written; where one copied measurement stands alone, with every digit that its source prints."""
    alone = row["trust"] in COPIED and row["count"] == 1 and not row.get("divisor") and not row.get("formula")
    exact = alone and row.get("printed_unit") in (None, row["unit"]) and row.get("printed_value", 0) is not None
    spread = _format_reach(row["low"], row["high"]) if row["count"] > 1 else ""
    other = row.get("printed_value") is not None and row["printed_unit"] != row["unit"]
    return {
        "at": [{"head": _axis_head(ax), "text": _format_place(ax["name"], row[ax["name"]])} for ax in answer["axes"]],
        "value": numbers.format_printed(row["value"])
        if exact and row["value"] is not None
        else _format_value(row["value"]),
        "unit": row["unit"],
        "divisor": _divisor_text(row),
        "spread": spread,
        "range": _format_reach(row.get("interval_low"), row.get("interval_high")),
        "runs": row.get("interval_runs"),
        "assumed": table.is_assumed(row),
        "rounding": _format_ends(row.get("rounding_low"), row.get("rounding_high")),
        "unrepeated": table.is_not_repeated(row),
        "count": row["count"],
        "varies": balance_page.varying_text(row),
        "unlike": row.get("value_basis") == table.UNLIKE,
        "unknown": row.get("value_basis") == table.UNKNOWN_MEDIAN,
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
        "source_address": row.get("source_address"),
    }


def _has_dash(row: Row, *, limited: bool) -> bool:
    """Whether a cell of the written row says that something is not known."""
    texts = [row["value"], row["divisor"], *(place["text"] for place in row["at"])]
    return numbers.MISSING in texts or (limited and not row.get("limit"))


def _format_limit(row: Row, limit: Limit | None) -> Row:
    """The ceiling of a row, and whether its value lies above it."""
    if limit is None:
        return {}
    above = row["value"] is not None and limit.is_passed_by(row["value"])
    return {"limit": limit.limit_text, "limited_by": limit.words, "is_above": above}


def _format_reach(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{_format_value(low)}{numbers.EN_DASH}{_format_value(high)}"


def _format_ends(low: float | None, high: float | None) -> str:
    """Both ends with every digit that tells them apart; empty where seven digits do not."""
    if low is None or high is None:
        return ""
    ends = [numbers.format_digits(end, 7) for end in (low, high)]
    return numbers.EN_DASH.join(ends) if ends[0] != ends[1] else ""


def _divisor_text(row: Row) -> str:
    """What a value was divided by, where its measurements were all divided by the same."""
    if row.get("divisor") is None:
        return numbers.MISSING if row["value"] is None else "several"
    return numbers.format_printed(row["divisor"])


def _format_value(value: float | None) -> str:
    return numbers.MISSING if value is None else numbers.format_significant(value, COMPUTED_DIGITS)


def _format_place(name: str, value: Any) -> str:
    if value in (None, ""):
        return numbers.MISSING
    return numbers.format_printed(value) if isinstance(value, int | float) else words.label_place(name, str(value))


def _metric_choices(source: RowSource) -> list[tuple[str, str]]:
    """Each metric that a run of the source has, with its label: what was measured, its unit, and by which benchmarks.

    Kept for the record alone.
    """
    rows = metric_rows.public_metrics() if source.is_public else metric_rows.list_metrics(source)
    return [
        (row["metric"], f"{row['title']}{_unit_suffix(row['unit'])} ({', '.join(row['tools'])})")
        for row in rows
        if row["tools"]
    ]


def _unit_suffix(unit: str) -> str:
    return f", {unit}" if unit else ""


def _form_context(query: QueryDict, source: RowSource = PUBLIC) -> dict[str, Any]:
    """What the form offers, and what a query chooses of it, be it valid or not."""
    axis_names = sorted({*fact_index.fact_names(source), *axes.by_name()} - {"label"})
    series = [name for text in query.getlist("series") for name in text.split(",") if name]
    choices = _metric_choices(source)
    return {
        "metrics": list(filter(None, query.getlist("metric"))) or [""],
        "metric_choices": choices,
        "metric_names": [name for name, _ in choices],
        "known": axis_names,
        "axes": axes.axis_choices(axis_names),
        "series": [*series, ""][: study_query.MOST_SERIES],
        "pers": words.divisor_choices(),
        "charts": study_query.CHARTS,
        "conditions": [
            (name, words.capitalize_sentence(axes.find_axis(name.removeprefix(filters.PARAMETER)).title), value)
            for name, values in query.lists()
            if name not in study_query.NAMES
            for value in filter(None, values)
        ],
        **{name: query.get(name, "") for name in ("x", "per", "chart", "unit", "as_of", "assume")},
    }
