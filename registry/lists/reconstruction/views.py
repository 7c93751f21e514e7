"""The page of a reconstructed list: beside the official one, never inside it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.lists.reconstruction.rebuilt_lists import TITLES, rebuild_list
from registry.presentation import numbers
from registry.query.public_record import Row
from registry.web.caching import public_page


@public_page
def reconstructed_list(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """Every entry, with the official rank beside its own where that is known."""
    rebuilt = rebuild_list(release, name)
    if (rebuilt.release.slug, rebuilt.name) != (release, name):
        return redirect("reconstructed-list", release=rebuilt.release.slug, name=rebuilt.name)
    facts = rebuilt.facts
    official = [row | {"copied": row["known_entries"] - row["archives"]} for row in facts["official"]]
    context = {
        "section": "lists",
        "release": rebuilt.release,
        "list": facts | {"official": official},
        "tabs": TITLES.items(),
        "entries": numbers.pluralize(facts["length"], "entry", "entries"),
        "rows": [_format_row(row) for row in rebuilt.entries],
        "has_official": any(row["official_rank"] for row in rebuilt.entries),
        "has_production": any(row["official_production_rank"] for row in rebuilt.entries),
        "inferred": any(row["entered_inferred"] for row in rebuilt.entries),
    }
    return render(request, "lists/reconstructed.html", context)


def _format_row(row: Row) -> Row:
    figures = ("score", "bandwidth_gib_per_s", "rate_kiops")
    return row | {
        **{name: numbers.format_decimal(row[name]) or numbers.MISSING for name in figures},
        "client_nodes": numbers.format_int(row["client_nodes"]) or numbers.MISSING,
    }
