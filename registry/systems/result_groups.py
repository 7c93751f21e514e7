"""Results of a site, a platform or a system by benchmark, and the systems of a site or platform in figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import F, Q

from registry.models import ListEntry, Result, System
from registry.query import cursor_pages, public_record
from registry.query.public_record import Row
from registry.results.page_lead import leading_texts
from registry.systems import system_words

MOST_ROWS = 200
COLUMNS = {**public_record.RESULT, "pk": "pk", "release_name": "release__name", "held_on": "release__held_on"}


def take_rows(condition: Q) -> tuple[list[Row], bool]:
    """The newest current results that meet a condition, and whether there are more. One query."""
    page = cursor_pages.take_page(
        public_record.current_results(condition), COLUMNS, cursor_pages.NEWEST_IDS, "", MOST_ROWS
    )
    return page.rows, bool(page.cursor)


def newest_first(rows: Sequence[Row]) -> list[Row]:
    """By release, and within one by score."""
    return sorted(rows, key=lambda row: (str(row["held_on"] or ""), row["score"] or 0.0), reverse=True)


def places_by_id(rows: Sequence[Row]) -> dict[str, Row]:
    """By public id its place on the first list of its own release: title, rank, list, release. One query."""
    own_release = ListEntry.objects.filter(ranked_list__release=F("result__release"))
    entries = own_release.filter(result__in=[row["pk"] for row in rows]).order_by("-ranked_list__position")
    places = entries.values(
        "rank",
        public_id=F("result__public_id"),
        title=F("ranked_list__title"),
        list=F("ranked_list__name"),
        release=F("ranked_list__release__slug"),
        release_name=F("ranked_list__release__name"),
    )
    return {place["public_id"]: dict(place) for place in places}


def results_context(condition: Q, systems: Sequence[System]) -> dict[str, Any]:
    """What the page of a site or platform shows of its results and systems. Three queries, however many there are."""
    newest, cut = take_rows(condition)
    rows = newest_first(newest)
    places, texts = places_by_id(rows), leading_texts(rows)
    apart = [row for row in rows if row["trust"] != Result.Trust.REPORTED]
    reported = [row for row in rows if row["trust"] == Result.Trust.REPORTED]
    return {
        "figures": system_words.overview_figures(rows, places, len(systems)),
        "count": len(rows),
        "cut": cut,
        "systems": system_words.system_rows(systems, rows),
        "has_scores": any(row["score"] for row in rows),
        "tables": system_words.group_rows(apart, places, texts, by_system=True),
        "reported_tables": system_words.group_rows(reported, places, texts, by_system=True),
    }
