"""Who runs this registry, what it is, and what may be done with what it holds."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.web.caching import public_page
from validators import VERSION


@public_page
def about_page(request: HttpRequest) -> HttpResponse:
    """The operator comes from the settings, as in the foot of every page; what is not set is said to be missing."""
    return render(request, "site_pages/about.html", {"section": "about", "version": VERSION})
