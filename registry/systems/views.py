"""Storage systems and the platforms that they are built on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.identity import history
from registry.models import NAMED_FIRST, Site, System
from registry.presentation import numbers
from registry.presentation.charts import list_charts
from registry.presentation.charts.model import Chart
from registry.query import cursor_pages, public_record
from registry.query.public_record import Row
from registry.query.questions import facets, filters
from registry.systems.result_groups import results_context
from registry.systems.system_page import system_context
from registry.timeseries import series
from registry.web.caching import cached_value, kept_value, public_page
from registry.web.filter_fields import Field, error_texts, form_context, tidy_address
from registry.web.paging import page_links

PAGE_ROWS = 100
MOST_PANELS = 2
"""Pictures of scores over the releases on one page; the page over time has the others."""
OFFERED = ("tool", "filesystem_type", "vendor")
BY_SYSTEM = cursor_pages.Order(
    "name", cursor_pages.text_key(NAMED_FIRST), descending=False, tie="id", tie_descending=False
)
BY_NAME = cursor_pages.Order("name", cursor_pages.text_key("name"), descending=False, tie="id", tie_descending=False)
NOTHING_MEASURED: Row = {"systems": 0, "results": 0, "score": None}
"""Of a platform without systems and results."""


@public_page
@tidy_address
def system_index(request: HttpRequest) -> HttpResponse:
    """Systems by name, narrowed down by what they are and by what was measured on them."""
    columns = {**public_record.SYSTEM, "results": "count", "score": "best", "platform_name": "platform__name"}
    try:
        matching_systems, problem = facets.filter_systems(request.GET), None
    except filters.InvalidValue as error:
        matching_systems, problem = System.objects.none(), error
    systems = _with_results(matching_systems, "system")
    page = cursor_pages.take_asked_page(systems, columns, BY_SYSTEM, request.GET, PAGE_ROWS)
    selected_values = {name: request.GET[name] for name in facets.SYSTEM_NAMES if request.GET.get(name)}
    context = {
        "section": "systems",
        "rows": format_counts(page.rows),
        "query": selected_values,
        **form_context(_filter_fields(selected_values, problem)),
        "problem": problem,
    } | page_links(page, selected_values)
    return render(request, "systems/index.html", context, status=problem.status if problem else 200)


def _filter_fields(values: Mapping[str, str], refusal: filters.InvalidValue | None) -> list[Field]:
    """The search, and what systems are narrowed down by; what is refused of a name stands at its field."""
    choices = cached_value(f"system-choices-1:{facets.record_version()}", facets.system_choices)
    errors = error_texts(refusal)
    search = Field(
        *("q", filters.LABELS["q"], values.get("q", "")),
        input="search",
        placeholder="system, site",
        error=errors.get("q", ""),
    )
    return [search] + [
        Field(
            *(name, filters.LABELS[name], values.get(name, "")),
            choices=facets.include_selected(choices[name], values.get(name, "")),
            error=errors.get(name, ""),
        )
        for name in OFFERED
    ]


@public_page
def system_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One system: what leads it, its parts, its results over the releases, what changed and what is not known."""
    selected_system = public_record.find_system(slug)
    before = series.previous_results(Q(system=selected_system))
    context = {
        "system": selected_system,
        "formerly": history.former_names("system", selected_system.slug),
        **system_context(selected_system, before),
    }
    return render(request, "systems/system.html", {"section": "systems", **context})


@public_page
def platform_index(request: HttpRequest) -> HttpResponse:
    """Product generations by vendor, with what was measured on them."""
    columns = {**public_record.PLATFORM, "pk": "pk", "predecessor_name": "predecessor__name"}
    page = cursor_pages.take_asked_page(public_record.current_platforms(), columns, BY_NAME, request.GET, PAGE_ROWS)
    counts = kept_value("platform-counts-1", count_platforms)
    rows = [{**row, **counts.get(row["pk"], NOTHING_MEASURED)} for row in page.rows]
    context = {"section": "systems", "rows": format_counts(rows)} | page_links(page)
    return render(request, "systems/platforms.html", context)


@public_page
def platform_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One product generation with its neighbours, systems and results."""
    selected_platform = public_record.find_platform(slug)
    condition = Q(platform=selected_platform)
    systems = selected_platform.systems.filter(merged_into=None)
    results = results_context(condition, systems, f"platform:{selected_platform.pk}", kept_value)
    context = {
        "platform": selected_platform,
        "formerly": history.former_names("platform", selected_platform.slug),
        "successors": list(selected_platform.successors.filter(merged_into=None)),
        **results,
        "pictures": score_history(condition & Q(system__in=results["shown_systems"]), selected_platform.name),
    }
    return render(request, "systems/platform.html", {"section": "systems", **context})


def count_platforms() -> dict[int, Row]:
    """By primary key of a platform with any: `systems`, `results` and their best `score`. Two queries.

    A platform may have a large part of all results, and there are few platforms: each kind of row is passed once.
    """
    counts: defaultdict[int, Row] = defaultdict(NOTHING_MEASURED.copy)
    results = public_record.current_results(Q(platform__isnull=False)).order_by().values_list("platform")
    for platform, count, best in results.annotate(
        count=Count("pk"), best=Max("score", filter=Q(release__isnull=False))
    ):
        counts[platform].update(results=count, score=best)
    systems = System.objects.order_by().filter(platform__isnull=False, merged_into=None).values_list("platform")
    for platform, count in systems.annotate(count=Count("pk")):
        counts[platform]["systems"] = count
    return dict(counts)


def _with_results(things: QuerySet[Any], name: str) -> QuerySet[Any]:
    """With the `count` of their current results, and the `best` score of those that a release has.

    `name` is what a result calls them. Each number is a query of its own for the rows that are shown: joined, every
    result of a site would stand beside every system of it.
    """
    own_results = public_record.current_results(Q(**{name: OuterRef("pk")}))
    best = own_results.filter(release__isnull=False).order_by().values(name).annotate(best=Max("score")).values("best")
    counted: QuerySet[Any] = things.annotate(count=_count_rows(own_results, name), best=Subquery(best))
    return counted


def with_counts(sites: QuerySet[Site]) -> QuerySet[Any]:
    """Sites with `count` and `best` of their results, and `system_count`."""
    own_systems = System.objects.filter(site=OuterRef("pk"), merged_into=None)
    counted: QuerySet[Any] = _with_results(sites, "site").annotate(system_count=_count_rows(own_systems, "site"))
    return counted


def _count_rows(rows: QuerySet[Any], name: str) -> Coalesce:
    """How many of the rows belong to the outer one."""
    return Coalesce(Subquery(rows.order_by().values(name).annotate(rows=Count("pk")).values("rows")), 0)


def format_counts(rows: Iterable[Row]) -> list[Row]:
    """Rows with their `score` as text."""
    return [{**row, "score": numbers.format_decimal(row["score"]) or numbers.MISSING} for row in rows]


def score_history(condition: Q, name: str) -> list[Chart]:
    """The best score over the releases as rising water, of runs of one system and one scale each.

    Those with the most releases, each of at least two; nothing for fewer.
    """
    scores_by_standing = series.best_scores(condition)
    panels = [
        (
            _history_panel(place, name),
            [list_charts.StairPoint(release, score, "", f"/results/{result}/") for release, score, result in points],
        )
        for place, points in sorted(scores_by_standing.items(), key=lambda item: (-len(item[1]), item[0]))
        if len(points) > 1
    ]
    return list_charts.draw_pictures(panels[:MOST_PANELS], height=220)


def _history_panel(place: series.Standing, name: str) -> str:
    system, kind, clients = place
    scale = "" if kind.startswith(f"{clients}-node") else numbers.pluralize(clients, "client node")
    return ", ".join(filter(None, [system or name, scale, kind and f"{kind} list"]))
