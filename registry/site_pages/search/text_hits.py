"""Texts of the site that have the words, by PostgreSQL's full text."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.postgres.search import SearchHeadline, SearchQuery, SearchRank
from django.db.models import Case, F, Value, When

from registry.models import SearchText
from registry.site_pages.search.hits import MARK_END, MARK_START, Hit, KindHits, count_all
from registry.site_pages.search.question import Words
from registry.site_pages.search.texts import DECISIONS

HEADLINE_WORDS = 24
_IS_DECISION = Case(When(url__startswith=DECISIONS, then=1), default=0)
"""Decisions come after documents that are written for readers."""
_BY_LENGTH = Value(1)
"""The rank of a text is divided by the logarithm of its length: few words of a long one were asked for."""


def find_texts(kind: str, readings: Sequence[Words], most: int) -> KindHits:
    """The first `most` texts of a kind, those that fit best first, and how many there are. Two queries."""
    if not readings:
        return KindHits([], 0)
    query = _query_of(readings)
    matching = SearchText.objects.filter(kind=kind, vector=query)
    best = matching.order_by(_IS_DECISION, SearchRank(F("vector"), query, normalization=_BY_LENGTH).desc(), "position")
    rows = best.annotate(words=_summary_or_headline(query)).values_list("title", "url", "words", "place")[:most]
    hits = [Hit(kind, *row) for row in rows]
    return count_all(hits, most, matching)


def is_in_texts(words: Words) -> bool:
    """Whether a text of any kind has all these words. One query."""
    return SearchText.objects.filter(vector=_query_of([words])).exists()


def _query_of(readings: Sequence[Words]) -> SearchQuery:
    """Every word of a reading, or what begins with it; one reading is enough."""
    alternatives = (" & ".join(f"'{word}':*" for word in words) for words in readings)
    raw = " | ".join(f"({words})" for words in alternatives)
    return SearchQuery(raw, search_type="raw", config="english")


def _summary_or_headline(query: SearchQuery) -> Case:
    """What a text says of itself, else the part of it that has the words, marked."""
    headline = SearchHeadline(
        "body",
        query,
        config="english",
        start_sel=MARK_START,
        stop_sel=MARK_END,
        max_words=HEADLINE_WORDS,
        min_words=HEADLINE_WORDS // 2,
        max_fragments=1,
    )
    return Case(When(summary="", then=headline), default=F("summary"))
