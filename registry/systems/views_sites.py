"""Sites: the institutions that run or test storage systems."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.identity import history
from registry.query import cursor_pages, public_record
from registry.systems.result_groups import results_context
from registry.systems.views import BY_NAME, format_counts, score_history, with_counts
from registry.web.caching import public_page
from registry.web.paging import page_links

PAGE_ROWS = 100


@public_page
def site_index(request: HttpRequest) -> HttpResponse:
    """Sites by name, with what was measured there."""
    columns = {**public_record.SITE, "results": "count", "systems": "system_count", "score": "best"}
    sites = with_counts(public_record.current_sites())
    page = cursor_pages.take_asked_page(sites, columns, BY_NAME, request.GET, PAGE_ROWS)
    context = {"section": "systems", "rows": format_counts(page.rows)} | page_links(page)
    return render(request, "systems/sites.html", context)


@public_page
def site_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One site with its systems and results."""
    selected_site = public_record.find_site(slug)
    condition = Q(site=selected_site)
    results = results_context(condition, selected_site.systems.filter(merged_into=None), f"site:{selected_site.pk}")
    context = {
        "site": selected_site,
        "formerly": history.former_names("site", selected_site.slug),
        **results,
        "pictures": score_history(condition & Q(system__in=results["shown_systems"]), selected_site.name),
    }
    return render(request, "systems/site.html", {"section": "systems", **context})
