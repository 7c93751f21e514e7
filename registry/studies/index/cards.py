"""Cards of the curated studies: question, finding, trust and number of values, by document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.core.cache import cache
from redis.exceptions import RedisError

from registry.errors import Problem
from registry.presentation.charts.svg import write_svg
from registry.presentation.plots.thumbnail import draw_thumbnail
from registry.query import facets
from registry.query.public_record import Row
from registry.studies import curated
from registry.studies.balance.finding import finding_sentence
from registry.studies.chart.limits import ALL
from registry.web.caching import cached_value

VERSIONED, LATEST, KEPT_S = "study-cards-4", "study-cards-latest-2", 7 * 86_400
NO_ANSWER = "No result on this record answers it yet."
NO_FINDING = "Its values differ in kind or unit. The table has them all."


def list_cards() -> list[Row]:
    """One card for each curated study, in the order of files and lines, of the record as it stands.

    The answers are computed once per state of the record. A card has the fields of `curated.in_short` with `finding`
    (a sentence), `trusts` (levels), `values` (how many measurements or figures have a value), `ceilings` (names of
    layers; empty where none is drawn), `matched` (matched pairs with a ratio) and `picture` (SVG; empty where its
    values have several units).
    """
    version = facets.record_version()
    return cached_value(f"{VERSIONED}:{version}", _make_cards)


def kept_cards() -> list[Row] | None:
    """The cards that the worker kept last, at most some seconds older than the record; None where none are kept."""
    try:
        cards: list[Row] | None = cache.get(LATEST)
    except RedisError:
        return None
    return cards


def refresh_cards() -> None:
    """Compute the cards where the record changed or a day has passed, and keep them for pages. Run by the worker."""
    cards = list_cards()
    cache.set(LATEST, cards, KEPT_S)


def search_cards(cards: Iterable[Row], text: str) -> list[Row]:
    """The cards that hold each word of a text, in any case; all of them where the text has no word."""
    words = text.casefold().split()
    return [card for card in cards if all(word in _searched_text(card) for word in words)]


def group_by_document(cards: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Cards by the title of their document, in the order of the cards."""
    cards_by_document: dict[str, list[Row]] = {}
    for card in cards:
        cards_by_document.setdefault(card["document"], []).append(card)
    return cards_by_document


def _searched_text(card: Row) -> str:
    return " ".join((card["title"], card["finding"], card["document"], card["place"], card["slug"])).casefold()


def _make_cards() -> list[Row]:
    return [_make_card(study) for study in curated.load_studies().values()]


def _make_card(study: curated.Study) -> Row:
    card = curated.in_short(study) | {"ceilings": _ceiling_names(study), "picture": "", "matched": 0}
    try:
        answer = curated.study_answer(study)
    except Problem:
        return card | {"finding": NO_ANSWER, "trusts": [], "values": 0}
    values = sum(row["count"] for row in answer["rows"] if row["value"] is not None)
    plot = answer["chart"]
    if plot is not None:
        card["picture"] = write_svg(draw_thumbnail(plot))
        card["ceilings"] = sorted({limit.words for limit in plot.all_limits} - {ALL.words} | {*card["ceilings"]})
    card["matched"] = sum(bool(pair["n_strata"]) for pair in answer["matched"])
    finding = (finding_sentence(answer) or NO_FINDING) if values else NO_ANSWER
    return card | {"finding": finding, "trusts": list(answer["trust"]) if values else [], "values": values}


def _ceiling_names(study: curated.Study) -> list[str]:
    """The layers whose ceilings a table of figures computes with."""
    named_inputs = [study.get("inputs", {}), *(figure.get("inputs", {}) for figure in study.get("figures", ()))]
    return sorted({row["ceiling"] for inputs in named_inputs for row in inputs.values() if "ceiling" in row})
