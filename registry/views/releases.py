"""Releases: each call for submissions, what it made, and what of it is not in the record."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from registry.models import Release
from registry.views import numerals
from registry.views.caching import public_page


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """All releases, newest first."""
    now = timezone.now()
    rows = [
        {
            "release": release,
            "lists": list(release.ranked_lists.all()),
            "deadline": numerals.deadline(release.deadline, now) if release.deadline else "",
            "open": not release.imported
            and not release.published_at
            and (release.opens or now) <= now < release.deadline,
        }
        for release in Release.objects.prefetch_related("ranked_lists")
    ]
    return render(request, "releases/index.html", {"section": "lists", "rows": rows})
