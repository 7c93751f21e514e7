"""Sites: the institutions that run or test storage systems."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.query import cursor_pages, public_record
from registry.systems.views import BY_NAME, history, results_apart
from registry.web.caching import public_page

PAGE_ROWS = 100


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """Sites by name."""
    columns = {**public_record.SITE, "results": "count"}
    found = public_record.sites().annotate(count=Count("results", filter=public_record.is_current("results")))
    page = cursor_pages.page(found, columns, BY_NAME, request.GET.get("cursor", ""), PAGE_ROWS)
    return render(request, "sites/index.html", {"section": "systems", "rows": page.rows, "next": page.cursor})


@public_page
def site(request: HttpRequest, slug: str) -> HttpResponse:
    """One site with its systems and results."""
    shown = public_record.site(slug)
    condition = Q(site=shown)
    context = {
        "site": shown,
        "systems": list(shown.systems.order_by("name")),
        **results_apart(condition),
        "pictures": history(condition, shown.name),
    }
    return render(request, "sites/site.html", {"section": "systems", **context})
