"""Releases: each call for submissions, what it made, and what of it is not in the record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from registry.lists import awards, listing
from registry.lists.awards import Award
from registry.models import RankedList, Release
from registry.presentation import numbers
from registry.query import public_record
from registry.web.caching import public_page


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """All releases, newest first."""
    now = timezone.now()
    rows = [
        {
            "release": release,
            "lists": list(release.ranked_lists.all()),
            "deadline": numbers.deadline(release.deadline, now) if release.deadline else "",
            "open": is_open(release, now),
        }
        for release in Release.objects.prefetch_related("ranked_lists")
    ]
    return render(request, "releases/index.html", {"section": "lists", "rows": rows})


@public_page
def release(request: HttpRequest, release: str) -> HttpResponse:
    """One release: its dates, lists and awards."""
    found = public_record.release(release)
    if found.slug != release:
        return redirect("release", release=found.slug)
    now = timezone.now()
    context = {
        "section": "lists",
        "release": found,
        "lists": public_record.ranked_lists().filter(release=found),
        "opens": numbers.format_datetime(found.opens) if found.opens else "",
        "deadline": numbers.deadline(found.deadline, now) if found.deadline else "",
        "publishes": numbers.format_datetime(found.publishes) if found.publishes else "",
        "is_open": is_open(found, now),
        "planned": _planned(found),
        "awards": [_award(ranked, award) for ranked, won in awards.awarded(found) for award in won],
    }
    return render(request, "releases/release.html", context)


def is_open(release: Release, now: datetime) -> bool:
    """Whether it takes submissions."""
    if release.imported or release.published_at or release.deadline is None:
        return False
    return (release.opens or now) <= now < release.deadline


def _planned(release: Release) -> list[dict[str, Any]]:
    """Name and title of each list that it will make."""
    bodies = listing.newest_definitions(release.list_names)
    return [{"name": name, "title": bodies.get(name, {}).get("title", name)} for name in release.list_names]


def _award(ranked: RankedList, award: Award) -> dict[str, Any]:
    return {
        "list": ranked,
        "name": award.award,
        "award": award.award.capitalize(),
        "value": numbers.format_decimal(award.value),
        "unit": award.unit or "",
        "shared": award.is_shared,
        "winners": award.winners,
    }
