"""Results of a site, a platform or a system by benchmark, and the systems of a site or platform in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform

from registry.models import ListEntry, Result, System
from registry.query import cursor_pages, public_record
from registry.query.kept_sums import Keep, make_anew
from registry.query.public_record import Row
from registry.results.page_lead import leading_texts
from registry.systems import system_words
from registry.systems.system_totals import SystemTotals, read_totals, sum_rows

MOST_ROWS, MOST_SYSTEMS = 200, 100
COLUMNS = {
    **public_record.RESULT,
    "pk": "pk",
    "release_name": "release__name",
    "held_on": "release__held_on",
    "started": KeyTextTransform("started", "parameters"),
}


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


@dataclass(frozen=True, slots=True)
class PlaceSums:
    """What a site or platform has in all: the row of its highest score, results by benchmark, and how many systems.

    `system_rows` are those of the MOST_SYSTEMS systems with the highest scores, `shown_systems` their primary keys.
    """

    best: Row | None
    counts: Counter[str]
    system_count: int
    system_rows: list[Row]
    shown_systems: list[int]


def sum_place(totals: Mapping[str, SystemTotals], systems: QuerySet[System]) -> PlaceSums:
    """One query."""
    best = max((own.best for own in totals.values() if own.best), key=lambda row: row["score"], default=None)
    ordered = system_words.order_systems(systems.select_related("site", "platform"), totals)
    listed = ordered[:MOST_SYSTEMS]
    counts = sum((own.results for own in totals.values()), Counter[str]())
    rows = system_words.system_rows(listed, totals)
    return PlaceSums(best, counts, len(ordered), rows, [system.pk for system in listed])


def results_context(condition: Q, systems: QuerySet[System], name: str, keep: Keep = make_anew) -> dict[str, Any]:
    """What the page of a site or platform shows of its results and systems. Four queries, six where results are cut.

    Counts and highest scores are of all results. Listed are the newest MOST_ROWS, and of systems the MOST_SYSTEMS with
    the highest scores. Sums over more than what is listed may be kept, under the `name` of the place.
    """
    newest, cut = take_rows(condition)
    rows = newest_first(newest)
    sums = (
        keep(f"place-sums-1:{name}", lambda: sum_place(read_totals(condition, COLUMNS), systems))
        if cut
        else sum_place(sum_rows(rows), systems)
    )
    places, texts = places_by_id([*rows, sums.best] if sums.best else rows), leading_texts(rows)
    apart = [row for row in rows if row["trust"] != Result.Trust.REPORTED]
    reported = [row for row in rows if row["trust"] == Result.Trust.REPORTED]
    return {
        "figures": system_words.overview_figures(sums.best, places, sums.counts, sums.system_count),
        "count": len(rows),
        "cut": cut,
        "shown_systems": sums.shown_systems,
        "system_count": sums.system_count,
        "systems": sums.system_rows,
        "has_scores": sums.best is not None,
        "tables": system_words.group_rows(apart, places, texts, by_system=True),
        "reported_tables": system_words.group_rows(reported, places, texts, by_system=True),
    }
