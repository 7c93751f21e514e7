"""One field for everything: sites, systems and results by their words."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.models import Result, System
from registry.query import filters, public_record
from registry.systems.views import results_of
from registry.web.caching import public_page

SHOWN = 20


@public_page
def search(request: HttpRequest) -> HttpResponse:
    """What the words may mean; the id of a result leads straight to it."""
    words = " ".join(filters.values_of(request.GET, "q"))
    if words and Result.objects.filter(public_id=words).exists():
        return redirect("result", public_id=words)
    found = {"sites": [], "systems": [], "rows": []}
    if words:
        found = {
            "sites": list(
                public_record.sites().filter(Q(name__icontains=words) | Q(also_printed_as__icontains=words))[:SHOWN]
            ),
            "systems": list(System.objects.select_related("site").filter(name__icontains=words)[:SHOWN]),
            "rows": results_of(filters.RESULT_FILTERS["q"](words))[:SHOWN],
        }
    return render(request, "search.html", {"words": words, **found})
