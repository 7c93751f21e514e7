"""Releases and ranked lists by API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.lists import responses as lists_responses
from registry.lists.definitions import measure
from registry.models import RankedList, Release
from registry.query import cursor_pages, filters, public_record
from registry.web import responses as web_responses
from registry.web.api_base import (
    FRESH_S,
    CSVRenderer,
    JSONRenderer,
    PublicRead,
    Table,
    fingerprint,
    next_address,
    ordering,
    page_size,
    unchanged,
)
from registry.web.paging import query_parameters

LIST_PAGE, LIST_PAGE_LARGEST = 500, 1000
ENTRY_KEYS = {
    "rank": cursor_pages.plain("position"),
    "score": cursor_pages.figure("score"),
    "bandwidth_gib_per_s": cursor_pages.figure("bandwidth_gib_per_s"),
    "rate_kiops": cursor_pages.figure("rate_kiops"),
    "client_nodes": cursor_pages.number("client_nodes"),
    "tasks": cursor_pages.number("result__tasks"),
    "institution": cursor_pages.text("institution"),
    "system": cursor_pages.text("system_name"),
    "filesystem_type": cursor_pages.text("filesystem_type"),
    "vendor": cursor_pages.text(public_record.ENTRY["vendor"]),
}
ENTRY_COLUMNS = [name for name in public_record.ENTRY if name != "position"]


class ReleaseList(PublicRead):
    """Releases, newest first, with the lists of each."""

    @extend_schema(operation_id="releases_list", responses=lists_responses.ReleasePage)
    def get(self, request: Request) -> Response:
        lists: dict[int, list[RankedList]] = {}
        for found in public_record.ranked_lists():
            lists.setdefault(found.release_id, []).append(found)
        return Response(
            {"next": None, "results": [as_release(release, lists.get(release.pk, [])) for release in _releases()]}
        )


def _releases() -> Iterable[Release]:
    return Release.objects.all()


class ReleaseDetail(PublicRead):
    """One release; its slug in any case, and `SC18*` for SC18-recomputed."""

    @extend_schema(operation_id="releases_read", responses={200: lists_responses.Release} | web_responses.NOT_FOUND)
    def get(self, request: Request, release: str) -> Response:
        found = public_record.release(release)
        return Response(as_release(found, public_record.ranked_lists().filter(release=found)))


def as_release(release: Release, lists: Iterable[RankedList]) -> dict[str, Any]:
    """A release as JSON; `lists` as from record.ranked_lists()."""
    return {
        "slug": release.slug,
        "name": release.name,
        "imported": release.imported,
        "held_on": release.held_on,
        "opens": release.opens,
        "deadline": release.deadline,
        "publishes": release.publishes,
        "published_at": release.published_at,
        "completeness": release.completeness,
        "note": release.note,
        "source": release.source,
        "benchmark_versions": release.benchmark_versions,
        "list_names": release.list_names,
        "accepting_reviewers": release.accepting_reviewers,
        "unknown_lists": release.unknown_lists,
        "lists": [as_list(one) for one in lists],
    }


def as_list(ranked_list: RankedList) -> dict[str, Any]:
    """The facts of a list, without its entries; `ranked_list` as from record.ranked_lists()."""
    definition = ranked_list.definition
    return {
        "release": ranked_list.release.slug,
        "release_name": ranked_list.release.name,
        "list": ranked_list.name,
        "title": ranked_list.title,
        "trust": ranked_list.trust,
        "complete": ranked_list.complete,
        "source": ranked_list.source,
        "note": ranked_list.note,
        "definition": {"name": definition.name, "version": definition.version} if definition else None,
        "ranks": measure(definition.body if definition else {}),
        "frozen_at": ranked_list.frozen_at,
        "length": ranked_list.length,
    }


class RankedListList(PublicRead):
    """All ranked lists, newest release first."""

    known = ("release", "list")

    @extend_schema(
        operation_id="lists_list",
        parameters=query_parameters(known),
        responses={200: lists_responses.RankedListPage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        found = public_record.ranked_lists()
        if releases := filters.values_of(request.query_params, "release"):
            found = found.filter(release__in=public_record.releases_called(releases).order_by().values("id"))
        if names := filters.values_of(request.query_params, "list"):
            found = found.filter(name__in=[name.lower() for name in names])
        return Response({"next": None, "results": [as_list(one) for one in found]})


class RankedListDetail(PublicRead):
    """One ranked list with its entries: JSON with the facts of the list, CSV with the entries alone."""

    renderer_classes = [JSONRenderer, CSVRenderer]
    known = (*filters.ENTRY_FILTERS, "ordering", "cursor", "page_size")

    @extend_schema(
        operation_id="lists_read",
        parameters=query_parameters((*known, "format")),
        responses={
            (200, "application/json"): lists_responses.RankedListDetail,
            (200, "text/csv"): OpenApiTypes.STR,
            **web_responses.REFUSED,
            **web_responses.NOT_FOUND,
        },
    )
    def get(self, request: Request, release: str, list: str) -> HttpResponse:
        shown = public_record.ranked_list(release, list)
        condition = filters.conditions(request.query_params, filters.ENTRY_FILTERS)
        order = ordering(request, ENTRY_KEYS, "rank", "position", tie_follows=False)
        size = page_size(request, LIST_PAGE, LIST_PAGE_LARGEST)
        headers = _validators(request, shown)
        if "ETag" in headers and (answer := unchanged(request, headers["ETag"])):
            answer["Cache-Control"] = headers["Cache-Control"]
            return answer
        cursor = request.query_params.get("cursor", "")
        page = cursor_pages.page(public_record.entries(shown, condition), public_record.ENTRY, order, cursor, size)
        following = next_address(request, page.cursor)
        if request.accepted_renderer.format == "csv":
            return Response(Table(ENTRY_COLUMNS, page.rows), headers=headers | _as_download(shown, following))
        for row in page.rows:
            del row["position"]
        return Response(as_list(shown) | {"entries": page.rows, "next": following}, headers=headers)


def _validators(request: Request, shown: RankedList) -> dict[str, str]:
    """ETag and freshness of a frozen list: they follow from its digest and cost no look at its entries."""
    if not (shown.frozen_at and shown.digest):
        return {}
    facts = (shown.digest, as_list(shown), shown.last_load, shown.last_withdrawal)
    return {"ETag": fingerprint(request, *facts), "Cache-Control": f"public, max-age={FRESH_S}"}


def _as_download(shown: RankedList, following: str | None) -> dict[str, str]:
    headers = {"Content-Disposition": f'attachment; filename="{shown.release.slug}-{shown.name}.csv"'.lower()}
    return headers | ({"Link": f'<{following}>; rel="next"'} if following else {})
