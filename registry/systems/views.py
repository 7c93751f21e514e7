"""Storage systems and the platforms that they are built on."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.identity import history
from registry.models import Result
from registry.presentation import numbers
from registry.presentation.charts import list_charts
from registry.presentation.charts.model import Chart
from registry.presentation.result_rows import newest_rows, results_apart
from registry.query import cursor_pages, facets, filters, public_record
from registry.systems.system_page import system_context
from registry.timeseries import series
from registry.web.caching import cached_value, public_page
from registry.web.filter_fields import tidy_address

PAGE_ROWS = 100
MOST_PANELS = 2
"""Pictures of scores over the releases on one page; the page over time has the others."""
OFFERED = {name: filters.LABELS[name] for name in ("tool", "filesystem_type", "vendor")}
BY_NAME = cursor_pages.Order("name", cursor_pages.text_key("name"), descending=False, tie="id", tie_descending=False)


@public_page
@tidy_address
def system_index(request: HttpRequest) -> HttpResponse:
    """Systems by name, narrowed down by what they are and by what was measured on them."""
    columns = {**public_record.SYSTEM, "results": "count", "score": "best"}
    standing = public_record.is_current("results")
    best = Max("results__score", filter=standing & Q(results__release__isnull=False))
    systems = facets.filter_systems(request.GET).annotate(count=Count("results", filter=standing), best=best)
    page = cursor_pages.take_page(systems, columns, BY_NAME, request.GET.get("cursor", ""), PAGE_ROWS)
    rows = [{**row, "score": numbers.format_decimal(row["score"]) or numbers.MISSING} for row in page.rows]
    selected_values = {name: request.GET[name] for name in facets.SYSTEM_NAMES if request.GET.get(name)}
    choices_by_field = cached_value(f"system-choices-1:{facets.record_version()}", facets.system_choices)
    context = {
        "section": "systems",
        "rows": rows,
        "query": selected_values,
        "words": selected_values.get("q", ""),
        "offered": [
            (
                name,
                title,
                selected_values.get(name, ""),
                facets.include_selected(choices_by_field[name], selected_values.get(name, "")),
            )
            for name, title in OFFERED.items()
        ],
        "next": page.cursor and urlencode(selected_values | {"cursor": page.cursor}),
    }
    return render(request, "systems/index.html", context)


@public_page
def system_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One system: what leads it, its parts, its results over the releases, what changed and what is not known."""
    selected_system = public_record.find_system(slug)
    before = series.previous_results(Q(system=selected_system))
    reported = newest_rows(Q(system=selected_system, trust=Result.Trust.REPORTED))
    context = {
        "system": selected_system,
        "formerly": history.former_names("system", selected_system.slug),
        "reported": _with_before(reported, before),
        **system_context(selected_system, before),
    }
    return render(request, "systems/system.html", {"section": "systems", **context})


@public_page
def platform_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One product generation with its neighbours, systems and results."""
    selected_platform = public_record.find_platform(slug)
    condition = Q(platform=selected_platform)
    context = {
        "platform": selected_platform,
        "formerly": history.former_names("platform", selected_platform.slug),
        "successors": list(selected_platform.successors.filter(merged_into=None)),
        "systems": list(selected_platform.systems.filter(merged_into=None).select_related("site")),
        **results_apart(condition),
        "pictures": score_history(condition, selected_platform.name),
    }
    return render(request, "systems/platform.html", {"section": "systems", **context})


def _with_before(rows: list[dict[str, Any]], before: dict[str, str]) -> list[dict[str, Any]]:
    """Rows with the id of the result `before` each that is known to be of the same experiment."""
    return [row | {"before": before.get(row["id"], "")} for row in rows]


def score_history(condition: Q, name: str) -> list[Chart]:
    """The best score over the releases as rising water, of runs of one system and one scale each.

    Those with the most releases, each of at least two; nothing for fewer.
    """
    scores_by_standing = series.best_scores(condition)
    panels = [
        (_history_panel(place, name), [(release, score, "") for release, score in points])
        for place, points in sorted(scores_by_standing.items(), key=lambda item: (-len(item[1]), item[0]))
        if len(points) > 1
    ]
    return list_charts.draw_pictures(panels[:MOST_PANELS], height=220)


def _history_panel(place: series.Standing, name: str) -> str:
    system, kind, clients = place
    return ", ".join(filter(None, [system or name, numbers.pluralize(clients, "client node"), kind and f"{kind} list"]))
