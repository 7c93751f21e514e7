"""Sites: the institutions that run or test storage systems."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.identity import history
from registry.presentation.result_rows import results_apart
from registry.query import cursor_pages, public_record
from registry.systems.views import BY_NAME, score_history
from registry.web.caching import public_page

PAGE_ROWS = 100


@public_page
def site_index(request: HttpRequest) -> HttpResponse:
    """Sites by name."""
    columns = {**public_record.SITE, "results": "count"}
    sites = public_record.current_sites().annotate(count=Count("results", filter=public_record.is_current("results")))
    page = cursor_pages.take_page(sites, columns, BY_NAME, request.GET.get("cursor", ""), PAGE_ROWS)
    return render(request, "systems/sites.html", {"section": "systems", "rows": page.rows, "next": page.cursor})


@public_page
def site_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One site with its systems and results."""
    selected_site = public_record.find_site(slug)
    condition = Q(site=selected_site)
    context = {
        "site": selected_site,
        "formerly": history.former_names("site", selected_site.slug),
        "systems": list(selected_site.systems.filter(merged_into=None).order_by("name")),
        **results_apart(condition),
        "pictures": score_history(condition, selected_site.name),
    }
    return render(request, "systems/site.html", {"section": "systems", **context})
