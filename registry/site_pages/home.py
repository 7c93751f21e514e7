"""The first page: what this is, a result with its proof, the newest lists, rising water, studies, how to submit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from redis.exceptions import RedisError

from registry.models import ListEntry, RankedList, Release, Result
from registry.presentation import numbers
from registry.presentation.charts import list_charts
from registry.presentation.charts.model import Chart
from registry.query import demonstration, public_record
from registry.query.public_record import SCORED_LISTS
from registry.site_pages.featured_result import featured_result
from registry.site_pages.tour.screens import CEILING_SCREEN
from registry.studies.index.cards import kept_cards, refresh_cards
from registry.web import client_address
from registry.web.caching import kept_value, public_page

RESEARCH, PRODUCTION = "io500", "production"
MOST_ENTRIES = 5
STUDIES = ("e1000-fabric-direct", "perlmutter-stragglers")
"""Curated studies whose finding is on the first page."""

PICTURED = (
    ("IO500 list (Research since ISC23), imported", RESEARCH, Result.Trust.IMPORTED),
    ("Production list, imported", PRODUCTION, Result.Trust.IMPORTED),
    ("Research list, verified", RESEARCH, Result.Trust.VERIFIED),
    ("Production list, verified", PRODUCTION, Result.Trust.VERIFIED),
)

Leader = dict[str, Any]


@public_page
def home_page(request: HttpRequest) -> HttpResponse:
    leaders = list_leaders()
    newest = newest_leaders(leaders)
    featured_leader = next((leader for leader in newest if leader["name"] == PRODUCTION), newest[0] if newest else None)
    entries = first_entries(featured_leader["pk"]) if featured_leader else []
    example = featured_result(kept_value)
    context = {
        "pictures": score_pictures(leaders),
        "leaders": newest,
        "featured": featured_leader,
        "entries": entries,
        "pair": find_pair(entries),
        "example": example,
        "shown_ceiling": demonstrated_ceiling() if not (example and example["has_ceiling"]) else None,
        "counts": kept_value("record-counts-1", count_record),
        "studies": study_findings() if leaders else [],
        "calls": open_calls(),
        "has_tour": demonstration.is_loaded(),
        "site": client_address.site_address(request),
        "knows_address": bool(settings.SITE_URL),
    }
    return render(request, "site_pages/home.html", context)


def demonstrated_ceiling() -> Mapping[str, Any] | None:
    """What a ceiling looks like, by a run of the demonstration, where no result of the first page has one.

    None without a demonstration. One query.
    """
    runs = demonstration.read_screen([CEILING_SCREEN.runs_of])
    return CEILING_SCREEN.build(runs) | {"address": CEILING_SCREEN.address} if runs else None


def list_leaders() -> list[Leader]:
    """The first entry of every list of IO500, oldest release first."""
    leaders = (
        RankedList.objects.filter(SCORED_LISTS, entries__position=1)
        .order_by("release__held_on", "release_id", "position")
        .values(
            "pk", "name", "title", "trust", "complete",
            release_slug=F("release__slug"), release_name=F("release__name"), score=F("entries__score"),
            system=F("entries__system_name"), institution=F("entries__institution"),
            result=F("entries__result__public_id"), erased=F("entries__result__erasure__erased_at"),
        )
    )  # fmt: skip
    return [{**leader, "written": numbers.format_decimal(leader["score"])} for leader in leaders]


def newest_leaders(leaders: list[Leader]) -> list[Leader]:
    """Those of the newest release with an entry on a main list, main lists first; without one, of the newest release.

    Results of a trial release that only the historical list takes are not what visitors come for.
    """
    main = [leader for leader in leaders if leader["name"] in (PRODUCTION, RESEARCH)]
    slug = (main or leaders)[-1]["release_slug"] if leaders else None
    newest = [leader for leader in leaders if leader["release_slug"] == slug]
    return sorted(newest, key=lambda leader: (leader["name"] != PRODUCTION, leader["name"] != RESEARCH))


def count_record() -> dict[str, Any] | None:
    """How much is published: results by trust, institutions, lists, and the day of the newest. None without a result.

    Two queries.
    """
    counts = public_record.current_results().aggregate(
        results=Count("pk"),
        institutions=Count("site", distinct=True),
        newest=Max("recorded_at"),
        **{trust: Count("pk", filter=Q(trust=trust)) for trust in Result.Trust.values},
    )
    if not counts["results"]:
        return None
    return {
        "results": numbers.pluralize(counts["results"], "result"),
        "institutions": numbers.pluralize(counts["institutions"], "institution"),
        "lists": numbers.pluralize(RankedList.objects.filter(entries__isnull=False).distinct().count(), "list"),
        "newest": counts["newest"],
        "trusts": [(trust, numbers.format_int(counts[trust])) for trust in Result.Trust.values if counts[trust]],
    }


def first_entries(ranked_list: int) -> list[dict[str, Any]]:
    """The first five of a list, written out."""
    rows = ListEntry.objects.filter(ranked_list=ranked_list).order_by("position").values(
        "rank", "system_name", "institution", "filesystem_type", "score", "bandwidth_gib_per_s", "rate_kiops", "new",
        result_id_public=F("result__public_id"), withdrawn=F("result__withdrawn_at"),
        erased=F("result__erasure__erased_at"),
    )[:MOST_ENTRIES]  # fmt: skip
    return [
        {
            **row,
            "score": numbers.format_decimal(row["score"]),
            "bandwidth": numbers.format_decimal(row["bandwidth_gib_per_s"]),
            "rate": numbers.format_decimal(row["rate_kiops"]),
        }
        for row in rows
    ]


def find_pair(entries: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first two entries with the file system that most of them print; None where no two print the same.

    Withdrawn ones are left out.
    """
    entries = [entry for entry in entries if entry["filesystem_type"] and not entry["withdrawn"]]
    counts = Counter(entry["filesystem_type"] for entry in entries)
    if not counts or counts.most_common(1)[0][1] < 2:
        return None
    filesystem = counts.most_common(1)[0][0]
    first, second, *_ = (entry for entry in entries if entry["filesystem_type"] == filesystem)
    return {"filesystem": filesystem, "first": first, "second": second}


def study_findings() -> list[dict[str, Any]]:
    """The cards of the studies of this page that have a value; none until the worker kept them."""
    return [card for card in kept_cards() or () if card["slug"] in STUDIES and card["values"]]


def open_calls() -> list[dict[str, str]]:
    """Releases that take submissions now."""
    now = timezone.now()
    calls = Release.objects.filter(imported=False, published_at=None, deadline__gt=now).order_by("deadline")
    return [
        {"name": call.name, "slug": call.slug, "until": numbers.format_deadline(call.deadline, now)}
        for call in calls
        if call.deadline and (call.opens is None or call.opens <= now)
    ]


def score_pictures(leaders: list[Leader]) -> list[Chart]:
    """The best score of the main lists, release by release; what was copied and what was verified here stand apart."""
    current_leaders = _without_superseded(leaders)
    return list_charts.draw_pictures(
        [
            (
                title,
                [
                    list_charts.StairPoint(
                        leader["release_name"],
                        leader["score"],
                        _short_system_name(leader["system"]),
                        "" if leader["erased"] else f"/results/{leader['result']}/",
                    )
                    for leader in current_leaders
                    if _is_on_list(leader, name, trust)
                ],
            )
            for title, name, trust in PICTURED
        ]
    )


def _is_on_list(leader: Leader, name: str, trust: str) -> bool:
    return (leader["name"], leader["trust"]) == (name, trust)


def _without_superseded(leaders: list[Leader]) -> list[Leader]:
    """Without the lists of a release that was recomputed later (SC18 beside SC18-recomputed)."""
    slugs = {leader["release_slug"] for leader in leaders}
    return [leader for leader in leaders if f"{leader['release_slug']}-recomputed" not in slugs]


def _short_system_name(system: str) -> str:
    """A system's name without what it stands on: "Cloudbrain-II on Atlas 900" -> "Cloudbrain-II"."""
    return system.split(" on ")[0]


def prepare_cards() -> None:
    """Compute the studies of this page and of their index: a reader may come before the worker's first turn."""
    with suppress(RedisError):
        refresh_cards()
