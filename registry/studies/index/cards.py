"""Cards of the curated studies: question, finding, trust and number of values, by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from django.core.cache import cache
from redis.exceptions import RedisError

from registry.errors import Problem
from registry.presentation.charts.svg import write_svg
from registry.presentation.plots.thumbnail import draw_thumbnail
from registry.query.public_record import Row
from registry.query.questions import facets
from registry.studies import curated, metric_rows, run
from registry.studies.balance.finding import finding_sentence
from registry.studies.chart.limits import ALL
from registry.web.caching import cached_value

VERSIONED, LATEST, KEPT_S = "study-cards-6", "study-cards-latest-4", 7 * 86_400
NO_ANSWER = "No result here answers it yet."
NO_FINDING = "Its values differ in kind or unit. The table has them all."
TOPICS: Mapping[str, str] = {
    "fabrics": "Fabrics",
    "drives": "Drives and targets",
    "generations": "Generations",
    "metadata": "Metadata",
    "training": "AI training",
    "applications": "Applications",
    "lists": "Lists over time",
    "time": "Time in a run",
    "claims": "Claims checked",
    "setups": "Setups and settings",
}
"""Topics of studies with their titles, in the order of the index."""


def list_cards() -> list[Row]:
    """One card for each curated study, in the order of files and lines, of the record as it stands.

    The answers are computed once per state of the record. A card has the fields of `curated.in_short` with `topic`,
    `finding` (a sentence), `trusts` (levels), `caveat` (what stands beside *verified*), `values` (how many measurements
    or figures have a value), `ceilings`
    (names of layers; empty where none is drawn), `matched` (matched pairs with a ratio) and `picture` (SVG; empty
    where its values have several units).
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
    """Compute the cards where the record changed or a day has passed, and keep them for pages. Run by the worker.

    The metrics too, which every page of a study names: so no reader waits for them.
    """
    metric_rows.public_metrics()
    cards = list_cards()
    cache.set(LATEST, cards, KEPT_S)


def search_cards(cards: Iterable[Row], text: str) -> list[Row]:
    """The cards that hold each word of a text, in any case; all of them where the text has no word."""
    words = text.casefold().split()
    return [card for card in cards if all(word in _searched_text(card) for word in words)]


def count_topics(cards: Iterable[Row]) -> Sequence[tuple[str, str, int]]:
    """Name, title and number of cards of each topic that has some."""
    counts = Counter(card["topic"] for card in cards)
    return [(name, title, counts[name]) for name, title in TOPICS.items() if counts[name]]


def most_answered_first(cards: Iterable[Row]) -> list[Row]:
    """Cards with a picture under a ceiling first, then those with matched pairs, a picture, or any value.

    Topics take turns within each of these, so that the first cards are of many topics.
    """
    turns: Counter[tuple[int, str]] = Counter()
    ranked_cards = []
    for place, card in enumerate(cards):
        lack = _answer_lack(card)
        turn = turns[lack, card["topic"]]
        turns[lack, card["topic"]] += 1
        ranked_cards.append((lack, turn, place, card))
    return [card for *_, card in sorted(ranked_cards, key=lambda row: row[:3])]


def _answer_lack(card: Row) -> int:
    """From 0 for a picture under a ceiling to 4 for a card without any value."""
    if not card["values"]:
        return 4
    if not card["picture"] or card["topic"] == "setups":
        return 3
    return 0 if card["ceilings"] else 1 if card["matched"] else 2


def _searched_text(card: Row) -> str:
    texts = (card["title"], card["finding"], TOPICS[card["topic"]], card["document"], card["place"], card["slug"])
    return " ".join(texts).casefold()


def _make_cards() -> list[Row]:
    return [_make_card(study) for study in curated.load_studies().values()]


def _make_card(study: curated.Study) -> Row:
    card = curated.in_short(study) | {
        "topic": study["topic"],
        "ceilings": _ceiling_names(study),
        "picture": "",
        "matched": 0,
    }
    try:
        answer = curated.study_answer(study, for_people=True)
    except Problem:
        return card | {"finding": NO_ANSWER, "trusts": [], "caveat": "", "values": 0}
    values = sum(row["count"] for row in answer["rows"] if row["value"] is not None)
    plot = answer["chart"]
    if plot is not None:
        card["picture"] = write_svg(draw_thumbnail(plot))
        card["ceilings"] = sorted({limit.words for limit in plot.all_limits} - {ALL.words} | {*card["ceilings"]})
    card["matched"] = sum(bool(pair["n_strata"]) for pair in answer["matched"])
    finding = (finding_sentence(answer) or NO_FINDING) if values else NO_ANSWER
    trusts = list(answer["trust"]) if values else []
    caveat = run.level_caveat(trusts, curated.question_of(study) if "question" in study else None)
    return card | {"finding": finding, "trusts": trusts, "caveat": caveat, "values": values}


def _ceiling_names(study: curated.Study) -> list[str]:
    """The layers whose ceilings a table of figures computes with."""
    named_inputs = [study.get("inputs", {}), *(figure.get("inputs", {}) for figure in study.get("figures", ()))]
    return sorted({row["ceiling"] for inputs in named_inputs for row in inputs.values() if "ceiling" in row})
