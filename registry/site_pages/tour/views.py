"""The pages of the tour. Without a demonstration each says how an operator loads it, and is not found."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from registry.query import demonstration
from registry.site_pages.tour.screens import SCREENS
from registry.web.caching import public_page


@public_page
def tour_page(request: HttpRequest, path: str = "") -> HttpResponse:
    """One screen. Raises Http404 for a path that no screen has."""
    place = next((number for number, screen in enumerate(SCREENS) if screen.path == path), None)
    if place is None:
        raise Http404
    screen = SCREENS[place]
    runs = demonstration.read_screen([screen.runs_of])
    if not runs:
        return render(request, "site_pages/tour/missing.html", status=404)
    context = {
        "notice": demonstration.NOTICE,
        "screen": screen,
        "screens": SCREENS,
        "number": place + 1,
        "next": SCREENS[place + 1] if place + 1 < len(SCREENS) else None,
        "earlier": SCREENS[place - 1] if place else None,
        **screen.build(runs),
    }
    return render(request, f"site_pages/tour/{screen.template}.html", context)
