"""The public read API: every view reads its query, asks registry/query/public_record.py and shows rows as they come.

Serializers (registry/results/responses.py) only describe the answers for openapi.json; a test holds both equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db.models import Q
from django.db.models.functions import Lower
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.comparison import repeats
from registry.lists.definitions import measure
from registry.models import Platform, RankedList, Release, Result
from registry.query import cursor_pages, facets, filters, observed_parameters, public_record, revision_diff
from registry.results import responses as shape
from registry.web.api_base import (
    FRESH_S,
    CSVRenderer,
    JSONRenderer,
    PublicRead,
    Table,
    download,
    fingerprint,
    link,
    next_address,
    ordering,
    page_size,
    unchanged,
)
from validators import exports

LIST_PAGE, LIST_PAGE_LARGEST = 500, 1000
PAGE, PAGE_LARGEST = 50, 500

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
NAME_KEYS = {"name": cursor_pages.text("name")}
ENTRY_COLUMNS = [name for name in public_record.ENTRY if name != "position"]


def _query(names: Iterable[str]) -> list[OpenApiParameter]:
    """Query parameters for openapi.json, with the words of shape.QUERY."""
    return [OpenApiParameter(name, *shape.QUERY[name]) for name in names]


class Index(PublicRead):
    """Where the API begins: its addresses."""

    @extend_schema(responses=shape.Index)
    def get(self, request: Request) -> Response:
        kinds = ("releases", "lists", "results", "systems", "sites", "platforms", "studies", "rankings", "export")
        valid = ("schemas", "questionnaires", "rules", "benchmarks", "parameters")
        addresses = {name: link(request, name) for name in (*kinds, *valid)}
        return Response(addresses | {"openapi": request.build_absolute_uri("/api/v1/openapi.json")})


# Releases and lists


class ReleaseList(PublicRead):
    """Releases, newest first, with the lists of each."""

    @extend_schema(operation_id="releases_list", responses=shape.ReleasePage)
    def get(self, request: Request) -> Response:
        lists: dict[int, list[RankedList]] = {}
        for found in public_record.ranked_lists():
            lists.setdefault(found.release_id, []).append(found)
        return Response({"next": None, "results": [as_release(one, lists.get(one.pk, [])) for one in _releases()]})


def _releases() -> Iterable[Release]:
    return Release.objects.all()


class ReleaseDetail(PublicRead):
    """One release; its slug in any case, and `SC18*` for SC18-recomputed."""

    @extend_schema(operation_id="releases_read", responses={200: shape.Release} | shape.NOT_FOUND)
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
        operation_id="lists_list", parameters=_query(known), responses={200: shape.RankedListPage} | shape.REFUSED
    )
    def get(self, request: Request) -> Response:
        found = public_record.ranked_lists()
        if releases := filters.given(request.query_params, "release"):
            found = found.filter(release__in=public_record.releases_called(releases).order_by().values("id"))
        if names := filters.given(request.query_params, "list"):
            found = found.filter(name__in=[name.lower() for name in names])
        return Response({"next": None, "results": [as_list(one) for one in found]})


class RankedListDetail(PublicRead):
    """One ranked list with its entries: JSON with the facts of the list, CSV with the entries alone."""

    renderer_classes = [JSONRenderer, CSVRenderer]
    known = (*filters.ENTRY_FILTERS, "ordering", "cursor", "page_size")

    @extend_schema(
        operation_id="lists_read",
        parameters=_query((*known, "format")),
        responses={
            (200, "application/json"): shape.RankedListDetail,
            (200, "text/csv"): OpenApiTypes.STR,
            **shape.REFUSED,
            **shape.NOT_FOUND,
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


# Results


class ResultList(PublicRead):
    """Results that count today, newest first: withdrawn and superseded ones keep their own page only."""

    renderer_classes = [JSONRenderer, CSVRenderer]
    known = (*filters.RESULT_NAMES, "ordering", "cursor", "page_size")
    known_prefixes = (filters.PARAMETER,)

    @extend_schema(
        operation_id="results_list",
        parameters=_query((*known, "p.NAME", "format")),
        responses={
            (200, "application/json"): shape.ResultPage,
            (200, "text/csv"): OpenApiTypes.STR,
            **shape.REFUSED,
        },
    )
    def get(self, request: Request) -> Response:
        found = public_record.standing_results(filters.result_conditions(request.query_params))
        order = ordering(request, cursor_pages.RESULTS, "-id", "id", tie_follows=True)
        size = page_size(request, PAGE, PAGE_LARGEST)
        page = cursor_pages.page(found, public_record.RESULT, order, request.query_params.get("cursor", ""), size)
        following = next_address(request, page.cursor)
        if request.accepted_renderer.format == "csv":
            headers = {"Content-Disposition": 'attachment; filename="results.csv"'}
            headers |= {"Link": f'<{following}>; rel="next"'} if following else {}
            return Response(Table(public_record.RESULT, page.rows), headers=headers)
        return Response({"next": following, "results": page.rows})


class ResultDetail(PublicRead):
    """Everything published of one result; withdrawn and superseded ones say so."""

    @extend_schema(operation_id="results_read", responses={200: shape.ResultDetail} | shape.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response(as_result(public_record.result(id)))


SNAPSHOT = {
    "scores": dict,
    "hashes": dict,
    "findings": list,
    "rules": list,
    "tests": list,
    "versions": dict,
    "answers": dict,
    "parameter_sources": dict,
    "described_parameters": dict,
}
"""What openapi.json promises of Result.snapshot, and its empty form; the rest stands under `facts`."""
DISTRIBUTIONS = "distributions"
"""Part of Result.snapshot with an address of its own, as it can be long."""


def as_result(result: Result) -> dict[str, Any]:
    """A result with its measurements and the lists it stands on: two more queries."""
    snapshot, measured = result.snapshot, public_record.measurements(result)
    return {
        "id": result.public_id,
        "tool": result.tool,
        "tool_version": result.tool_version,
        "mode": result.mode,
        "trust": result.trust,
        "source": result.source,
        "origin_id": result.origin_id,
        "release": result.release.slug if result.release else None,
        "label": snapshot.get("label"),
        "institution": result.institution,
        "institution_slug": result.site.slug,
        "system": result.system_name,
        "system_slug": result.system.slug,
        "platform": result.platform.slug if result.platform else None,
        "vendor": result.vendor or result.storage_vendor,
        "storage_vendor": result.storage_vendor,
        "filesystem_type": result.filesystem_type,
        "filesystem_family": result.filesystem_family,
        "filesystem_name": result.filesystem_name,
        "filesystem_version": result.filesystem_version,
        "client_nodes": result.client_nodes,
        "tasks": result.tasks,
        "score": result.score,
        "bandwidth_gib_per_s": result.bandwidth_gib_per_s,
        "rate_kiops": result.rate_kiops,
        "reproducibility": result.reproducibility,
        "production": result.production,
        "submitted_on": result.submitted_on,
        "published_at": result.published_at,
        "bundle_sha256": result.bundle_sha256,
        "public_sha256": result.public_sha256,
        "archive_missing_since": result.archive_missing_since,
        "copy_missing_since": result.copy_missing_since,
        "copy_withheld_at": result.copy_withheld_at,
        "revision": result.revision,
        "revises": result.revises.public_id if result.revises else None,
        "revised_by": result.revised_by.public_id if hasattr(result, "revised_by") else None,
        "revision_reason": result.revision_reason,
        "changes": [asdict(change) for change in revision_diff.of_result(result)],
        "withdrawn_at": result.withdrawn_at,
        "withdrawn_reason": result.withdrawn_reason,
        "parameters": result.parameters,
        "measurements": measured,
        "repeats": repeats.told(result, measured),
        **{name: snapshot.get(name) or empty() for name, empty in SNAPSHOT.items()},
        "facts": {name: value for name, value in snapshot.items() if name not in {*SNAPSHOT, DISTRIBUTIONS}},
        "lists": public_record.memberships(result),
    }


class ResultFiles(PublicRead):
    """The files of the published, scrubbed derivative of a result, with their sha256."""

    @extend_schema(operation_id="results_files", responses={200: shape.ResultFilePage} | shape.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response({"next": None, "results": public_record.files(public_record.result(id))})


class ResultDistributions(PublicRead):
    """What lies under the numbers of a result: iterations, ranks, targets, epochs, in quantiles and one by one."""

    @extend_schema(operation_id="results_distributions", responses={200: shape.DistributionPage} | shape.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response({"next": None, "results": public_record.result(id).snapshot.get(DISTRIBUTIONS, [])})


class ResultSystem(PublicRead):
    """The system that a result was measured on, as its bundle describes it, without what names a node."""

    @extend_schema(operation_id="results_system", responses={200: shape.SystemDescription} | shape.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        snapshot = observed_parameters.required(id)
        described = {"sha256": snapshot.sha256, "summary": snapshot.summary, "document": snapshot.document}
        missing = observed_parameters.missing_in_forms(snapshot.document, observed_parameters.told(snapshot.result))
        return Response(described | {"missing_in_forms": missing})


class ResultSystemForm(PublicRead):
    """The described system in the form that IO500 (`io500`) or MLPerf Storage (`mlperf-storage`) asks for."""

    @extend_schema(operation_id="results_system_form", responses={200: OpenApiTypes.OBJECT} | shape.NOT_FOUND)
    def get(self, request: Request, id: str, form: str) -> Response:
        snapshot = observed_parameters.required(id)
        made = observed_parameters.in_form(form, snapshot.document, observed_parameters.told(snapshot.result))
        return download(made.document, exports.FILENAMES[form])


# Sites, systems, platforms


class SiteList(PublicRead):
    """Institutions that run or test storage, by name."""

    known = ("cursor", "page_size")

    @extend_schema(operation_id="sites_list", parameters=_query(known), responses={200: shape.SitePage} | shape.REFUSED)
    def get(self, request: Request) -> Response:
        return _named(request, public_record.sites(), public_record.SITE)


class SiteDetail(PublicRead):
    """One institution with its systems (up to 500; systems/?institution= has all) and the best of each release."""

    @extend_schema(operation_id="sites_read", responses={200: shape.SiteDetail} | shape.NOT_FOUND)
    def get(self, request: Request, slug: str) -> Response:
        site = public_record.site(slug)
        return Response(
            {
                "slug": site.slug,
                "name": site.name,
                "also_printed_as": site.also_printed_as,
                "systems": public_record.rows_of(
                    public_record.SYSTEM, site.systems.order_by(Lower("name"), "id")[:PAGE_LARGEST]
                ),
                "best": public_record.best_by_release(Q(site=site)),
                "results": f"{link(request, 'results')}?institution={site.slug}",
            }
        )


class SystemList(PublicRead):
    """Storage systems, by name; filters of results leave those that have such a result."""

    known = (*facets.SYSTEM_NAMES, "cursor", "page_size")

    @extend_schema(
        operation_id="systems_list", parameters=_query(known), responses={200: shape.SystemPage} | shape.REFUSED
    )
    def get(self, request: Request) -> Response:
        return _named(request, facets.systems(request.query_params), public_record.SYSTEM)


class SystemDetail(PublicRead):
    """One storage system with the best of each release."""

    @extend_schema(operation_id="systems_read", responses={200: shape.SystemDetail} | shape.NOT_FOUND)
    def get(self, request: Request, slug: str) -> Response:
        system = public_record.system(slug)
        return Response(
            {
                "slug": system.slug,
                "name": system.name,
                "site": system.site.slug,
                "institution": system.site.name,
                "platform": system.platform.slug if system.platform else None,
                "best": public_record.best_by_release(Q(system=system)),
                "results": f"{link(request, 'results')}?system={system.slug}",
            }
        )


class PlatformList(PublicRead):
    """Product generations of storage, by name."""

    known = ("vendor", "cursor", "page_size")

    @extend_schema(
        operation_id="platforms_list", parameters=_query(known), responses={200: shape.PlatformPage} | shape.REFUSED
    )
    def get(self, request: Request) -> Response:
        vendors = filters.given(request.query_params, "vendor")
        condition = filters.any_of("vendor", lambda value: Q(vendor__iexact=value), vendors) if vendors else Q()
        return _named(request, Platform.objects.filter(condition), public_record.PLATFORM)


class PlatformDetail(PublicRead):
    """One product generation with its predecessor, its successors and the best of each release."""

    @extend_schema(operation_id="platforms_read", responses={200: shape.PlatformDetail} | shape.NOT_FOUND)
    def get(self, request: Request, slug: str) -> Response:
        platform = public_record.platform(slug)
        return Response(
            {
                "slug": platform.slug,
                "name": platform.name,
                "vendor": platform.vendor,
                "predecessor": platform.predecessor.slug if platform.predecessor else None,
                "successors": list(platform.successors.order_by("slug").values_list("slug", flat=True)),
                "source": platform.source,
                "best": public_record.best_by_release(Q(platform=platform)),
                "results": f"{link(request, 'results')}?platform={platform.slug}",
            }
        )


def _named(request: Request, found: Any, columns: public_record.Columns) -> Response:
    """A page of things that have a name, ordered by it."""
    order = ordering(request, NAME_KEYS, "name", "id", tie_follows=True)
    size = page_size(request, PAGE, PAGE_LARGEST)
    page = cursor_pages.page(found, columns, order, request.query_params.get("cursor", ""), size)
    return Response({"next": next_address(request, page.cursor), "results": page.rows})
