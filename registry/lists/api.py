"""Releases and ranked lists by API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.lists import responses as lists_responses
from registry.lists.definitions import SCORED, ranked_measure
from registry.lists.io500_site.csv_rows import COLUMNS as IO500_COLUMNS
from registry.lists.io500_site.csv_rows import io500_rows
from registry.lists.rank_ranges import AssumedRanks, load_assumed_ranks
from registry.lists.reconstruction.rebuilt_lists import describe_completeness, reconstruction_name
from registry.models import RankedList, Release
from registry.query import cursor_pages, public_record
from registry.query.questions import filters, study_query, unknown_values
from registry.query.responses import record_rows, source_links
from registry.query.responses.shapes import columns_of
from registry.web import responses as web_responses
from registry.web.api_base import (
    FRESH_S,
    CSVRenderer,
    PublicRead,
    Table,
    answer_etag,
    next_address,
    not_modified,
    page_size,
    requested_order,
    unknown_values_header,
)
from registry.web.paging import query_parameters
from registry.web.renderers import JSONRenderer

LIST_PAGE, LIST_PAGE_LARGEST = 500, 1000
ENTRY_KEYS = {
    "rank": cursor_pages.plain_key("position"),
    "score": cursor_pages.nullable_key("score"),
    "bandwidth_gib_per_s": cursor_pages.nullable_key("bandwidth_gib_per_s"),
    "rate_kiops": cursor_pages.nullable_key("rate_kiops"),
    "client_nodes": cursor_pages.integer_key("client_nodes"),
    "tasks": cursor_pages.integer_key("result__tasks"),
    "institution": cursor_pages.text_key("institution"),
    "system": cursor_pages.text_key("system_name"),
    "filesystem_type": cursor_pages.text_key("filesystem_type"),
    "vendor": cursor_pages.text_key(public_record.ENTRY["vendor"]),
}
ENTRY_COLUMNS = list(columns_of(record_rows.Entry))
FORMATS = ("json", "csv", "io500")
ASSUMED_COLUMNS = ["assumed_rank_low", "assumed_rank_high"]
ASSUME = OpenApiParameter(
    "assume",
    OpenApiTypes.STR,
    enum=[study_query.PRIOR],
    description="prior: entries also have the ranks that hold at once if runs vary as is assumed.",
)


class IO500Renderer(CSVRenderer):
    """The same in the columns of io500.org's own CSV."""

    format = "io500"


class ReleaseListView(PublicRead):
    """Releases, newest first, with the lists of each."""

    @extend_schema(operation_id="releases_list", responses=lists_responses.ReleasePage)
    def get(self, request: Request) -> Response:
        lists: dict[int, list[public_record.CountedList]] = {}
        for ranked_list in public_record.ranked_lists():
            lists.setdefault(ranked_list.release_id, []).append(ranked_list)
        return Response(
            {"next": None, "results": [as_release(release, lists.get(release.pk, [])) for release in _list_releases()]}
        )


def _list_releases() -> Iterable[Release]:
    return Release.objects.all()


class ReleaseDetailView(PublicRead):
    """One release; its slug in any case, and `SC18*` for SC18-recomputed."""

    @extend_schema(operation_id="releases_read", responses={200: lists_responses.Release} | web_responses.NOT_FOUND)
    def get(self, request: Request, release: str) -> Response:
        stored_release = public_record.find_release(release)
        return Response(as_release(stored_release, public_record.ranked_lists().filter(release=stored_release)))


def as_release(release: Release, lists: Iterable[public_record.CountedList]) -> dict[str, Any]:
    """A release as JSON; `lists` as from record.ranked_lists()."""
    return record_rows.release_row(release) | {"lists": [as_list(ranked_list) for ranked_list in lists]}


def as_list(ranked_list: public_record.CountedList) -> dict[str, Any]:
    """The facts of a list, without its entries; `ranked_list` as from record.ranked_lists()."""
    definition = ranked_list.definition
    return {
        "release": ranked_list.release.slug,
        "release_name": ranked_list.release.name,
        "list": ranked_list.name,
        "title": ranked_list.title,
        "trust": ranked_list.trust,
        "complete": ranked_list.complete,
        "completeness": describe_completeness(ranked_list, ranked_list.length),
        "reconstructed_as": reconstruction_name(ranked_list),
        "source": ranked_list.source,
        "source_address": source_links.address_of_list(ranked_list),
        "note": ranked_list.note,
        "definition": {"name": definition.name, "version": definition.version} if definition else None,
        "ranks": ranked_measure(_list_body(ranked_list)),
        "frozen_at": ranked_list.frozen_at,
        "length": ranked_list.length,
    }


def _list_body(ranked_list: RankedList) -> dict[str, Any]:
    return ranked_list.definition.body if ranked_list.definition else {}


class RankedListList(PublicRead):
    """All ranked lists, newest release first."""

    query_names = ("release", "list")

    @extend_schema(
        operation_id="lists_list",
        parameters=query_parameters(query_names),
        responses={200: lists_responses.RankedListPage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        ranked_lists = public_record.ranked_lists()
        if releases := filters.values_of(request.query_params, "release"):
            ranked_lists = ranked_lists.filter(
                release__in=public_record.releases_called(releases).order_by().values("id")
            )
        if names := filters.values_of(request.query_params, "list"):
            ranked_lists = ranked_lists.filter(name__in=[name.lower() for name in names])
        return Response({"next": None, "results": [as_list(ranked_list) for ranked_list in ranked_lists]})


class RankedListDetailView(PublicRead):
    """One ranked list with its entries: JSON with the facts of the list, CSV with the entries alone.

    `format=io500` is CSV in the columns of io500.org, of lists that rank IO500.
    """

    renderer_classes = [JSONRenderer, CSVRenderer, IO500Renderer]
    query_names = (*filters.ENTRY_FILTERS, "ordering", "cursor", "page_size", "assume")

    @extend_schema(
        operation_id="lists_read",
        parameters=[*query_parameters((*query_names[:-1], "format"), LIST_PAGE_LARGEST, ENTRY_KEYS, FORMATS), ASSUME],
        responses={
            (200, "application/json"): lists_responses.RankedListDetail,
            (200, "text/csv"): OpenApiTypes.STR,
            **web_responses.REFUSED,
            **web_responses.NOT_FOUND,
        },
    )
    def get(self, request: Request, release: str, list: str) -> HttpResponse:
        ranked_list = public_record.ranked_list(release, list)
        form = request.accepted_renderer.format
        if form == "io500" and ranked_measure(_list_body(ranked_list))["tool"] != SCORED:
            raise filters.InvalidValue("format", "io500 is of lists that rank IO500; this one has json and csv")
        condition = filters.parse_conditions(request.query_params, filters.ENTRY_FILTERS)
        order = requested_order(request, ENTRY_KEYS, "rank", "position", tie_follows=False)
        size = page_size(request, LIST_PAGE, LIST_PAGE_LARGEST)
        assumed = load_assumed_ranks(ranked_list) if study_query.parse_assumption(request.query_params) else None
        headers = _frozen_validators(request, ranked_list, assumed)
        if "ETag" in headers and (answer := not_modified(request, headers["ETag"])):
            answer["Cache-Control"] = headers["Cache-Control"]
            return answer
        cursor = request.query_params.get("cursor", "")
        page = cursor_pages.take_page(
            public_record.list_entries(ranked_list, condition), public_record.ENTRY, order, cursor, size
        )
        following = next_address(request, page.cursor)
        unknown = unknown_values.explain_empty_list(ranked_list, request.query_params, empty=not page.rows)
        columns = ENTRY_COLUMNS if assumed is None else [*ENTRY_COLUMNS, *ASSUMED_COLUMNS]
        if assumed:
            for row in page.rows:
                row |= zip(ASSUMED_COLUMNS, assumed.of_result(row["result"]), strict=True)
        if form != "json":
            name = f"{ranked_list.release.slug}-{ranked_list.name}.csv"
            headers |= _as_download(name if form == "csv" else f"io500-{name}", following)
            table = Table(columns, page.rows) if form == "csv" else Table(IO500_COLUMNS, io500_rows(page.rows))
            return Response(table, headers=headers | unknown_values_header(unknown))
        for row in page.rows:
            del row["position"]
        about = as_list(ranked_list) | (assumed.describe_assumption() if assumed else {})
        entries = {"entries": page.rows, "next": following, "unknown_values": unknown}
        return Response(about | entries, headers=headers)


def _frozen_validators(
    request: Request, ranked_list: public_record.DatedList, assumed: AssumedRanks | None
) -> dict[str, str]:
    """ETag and freshness of a frozen list: they follow from its digest and cost no look at its entries."""
    if not (ranked_list.frozen_at and ranked_list.digest):
        return {}
    last_changes = (
        *(ranked_list.last_load, ranked_list.last_withdrawal, ranked_list.last_identity),
        *(ranked_list.last_mark, ranked_list.standing_marks),
    )
    assumption = [assumed.describe_assumption()] if assumed else []
    etag = answer_etag(request, ranked_list.digest, as_list(ranked_list), *last_changes, *assumption)
    return {"ETag": etag, "Cache-Control": f"public, max-age={FRESH_S}"}


def _as_download(name: str, following: str | None) -> dict[str, str]:
    headers = {"Content-Disposition": f'attachment; filename="{name.lower()}"'}
    return headers | ({"Link": f'<{following}>; rel="next"'} if following else {})
