"""One field for everything: sites, systems and results by their words."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.models import Result, System
from registry.presentation.result_rows import newest_rows
from registry.query import filters, public_record
from registry.web.caching import public_page

MOST_MATCHES = 20


@public_page
def search_page(request: HttpRequest) -> HttpResponse:
    """What the words may mean; the id of a result leads straight to it."""
    words = " ".join(filters.values_of(request.GET, "q"))
    if words and Result.objects.filter(public_id=words).exists():
        return redirect("result", public_id=words)
    matches: dict[str, Sequence[object]] = {"sites": [], "systems": [], "rows": []}
    if words:
        matches = {
            "sites": list(
                public_record.current_sites().filter(Q(name__icontains=words) | Q(also_printed_as__icontains=words))[
                    :MOST_MATCHES
                ]
            ),
            "systems": list(_systems_called(words)[:MOST_MATCHES]),
            "rows": newest_rows(filters.RESULT_FILTERS["q"](words))[:MOST_MATCHES],
        }
    return render(request, "site_pages/search.html", {"words": words, **matches})


def _systems_called(words: str) -> QuerySet[System]:
    """Systems that have the words in their name, or in one that they had before."""
    former = System.objects.filter(public_record.is_public_name("system"), name__icontains=words)
    named = Q(name__icontains=words) | Q(pk__in=former.order_by().values("merged_into"))
    return public_record.current_systems().filter(named).select_related("site")
