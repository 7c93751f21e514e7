"""Releases: each call for submissions, what it made, and what of it is not in the record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from registry.lists import awards, listing
from registry.lists.awards import Award
from registry.models import ListEntry, RankedList, Release
from registry.presentation import numbers
from registry.query import public_record
from registry.web.caching import kept_value, public_page


@public_page
def release_index(request: HttpRequest) -> HttpResponse:
    """Calls for submissions first, then what is published, newest first."""
    now = timezone.now()
    releases = list(Release.objects.prefetch_related("ranked_lists"))
    titles = {ranked.name: ranked.title for release in releases for ranked in release.ranked_lists.all()}
    rows = [
        {
            "release": release,
            "lists": list(release.ranked_lists.all()),
            "unknown": [(titles.get(name, name), why) for name, why in release.unknown_lists.items()],
            "deadline": numbers.format_deadline(release.deadline, now) if release.deadline else "",
            "open": is_open(release, now),
        }
        for release in releases
    ]
    are_published = [release.imported or release.published_at is not None for release in releases]
    context = {
        "section": "lists",
        "calls": [row for row, is_published in zip(rows, are_published, strict=True) if not is_published],
        "published": [row for row, is_published in zip(rows, are_published, strict=True) if is_published],
    }
    return render(request, "lists/releases.html", context)


@public_page
def release_page(request: HttpRequest, release: str) -> HttpResponse:
    """One release: its dates, lists and awards."""
    stored_release = public_record.find_release(release)
    if stored_release.slug != release:
        return redirect("release", release=stored_release.slug)
    now = timezone.now()
    context = {
        "section": "lists",
        "release": stored_release,
        "lists": _list_rows(stored_release),
        "opens": numbers.format_datetime(stored_release.opens) if stored_release.opens else "",
        "deadline": numbers.format_deadline(stored_release.deadline, now) if stored_release.deadline else "",
        "publishes": numbers.format_datetime(stored_release.publishes) if stored_release.publishes else "",
        "is_open": is_open(stored_release, now),
        "planned": _planned_lists(stored_release),
        "awards": [
            _award_row(ranked, award)
            for ranked, won in awards.awards_of_release(stored_release, kept_value)
            for award in won
        ],
    }
    return render(request, "lists/release.html", context)


def is_open(release: Release, now: datetime) -> bool:
    """Whether it takes submissions."""
    if release.imported or release.published_at or release.deadline is None:
        return False
    return (release.opens or now) <= now < release.deadline


def _list_rows(release: Release) -> list[dict[str, Any]]:
    """Its lists with their lengths and first places; an erased or withdrawn result is not named. One query."""
    first = ListEntry.objects.filter(
        ranked_list=OuterRef("pk"), position=1, result__erasure=None, result__withdrawn_at=None
    )
    lists = public_record.ranked_lists().filter(release=release)
    rows = lists.annotate(
        first=Subquery(first.values("system_name")[:1]), first_score=Subquery(first.values("score")[:1])
    ).values("name", "title", "length", "first", "first_score")
    return [{**row, "score": numbers.format_decimal(row["first_score"])} for row in rows]


def _planned_lists(release: Release) -> list[dict[str, Any]]:
    """Name and title of each list that it will make."""
    bodies = listing.newest_definitions(release.list_names)
    return [{"name": name, "title": bodies.get(name, {}).get("title", name)} for name in release.list_names]


def _award_row(ranked: RankedList, award: Award) -> dict[str, Any]:
    return {
        "list": ranked,
        "name": award.award,
        "award": award.award.capitalize(),
        "value": numbers.format_decimal(award.value),
        "unit": award.unit or "",
        "shared": award.is_shared,
        "winners": award.winners,
    }
