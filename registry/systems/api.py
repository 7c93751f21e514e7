"""Sites, systems and platforms by API."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.db.models.functions import Lower
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.identity import history
from registry.models import Platform, Site, System
from registry.query import cursor_pages, public_record
from registry.query.questions import facets, filters, former_names
from registry.systems import responses as systems_responses
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address, next_address, page_size, requested_order
from registry.web.caching import kept_value
from registry.web.paging import PAGE, PAGE_LARGEST, query_parameters

NAME_KEYS = {"name": cursor_pages.text_key("name")}


class SiteList(PublicRead):
    """Institutions that run or test storage, by name."""

    query_names = ("cursor", "page_size")

    @extend_schema(
        operation_id="sites_list",
        parameters=query_parameters(query_names),
        responses={200: systems_responses.SitePage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return _page_by_name(request, public_record.current_sites(), public_record.SITE)


class SiteDetailView(PublicRead):
    """One institution with its systems (up to 500; systems/?institution= has all) and the best of each release."""

    @extend_schema(operation_id="sites_read", responses={200: systems_responses.SiteDetail} | web_responses.NOT_FOUND)
    def get(self, request: Request, slug: str) -> Response:
        site = public_record.find_site(slug)
        return Response(
            {
                "slug": site.slug,
                "name": site.name,
                "also_printed_as": site.also_printed_as,
                "formerly": history.former_names("site", site.slug),
                "former_slugs": _former_slugs("site", site),
                "systems": public_record.rows_of(
                    public_record.SYSTEM,
                    site.systems.filter(merged_into=None).order_by(Lower("name"), "id")[:PAGE_LARGEST],
                ),
                "best": public_record.best_by_release(Q(site=site)),
                "results": f"{api_address(request, 'results')}?institution={site.slug}",
            }
        )


class SystemList(PublicRead):
    """Storage systems, by name; filters of results leave those that have such a result."""

    query_names = (*facets.SYSTEM_NAMES, "cursor", "page_size")

    @extend_schema(
        operation_id="systems_list",
        parameters=query_parameters(query_names),
        responses={200: systems_responses.SystemPage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return _page_by_name(request, facets.filter_systems(request.query_params), public_record.SYSTEM)


class SystemDetailView(PublicRead):
    """One storage system with the best of each release."""

    @extend_schema(
        operation_id="systems_read", responses={200: systems_responses.SystemDetail} | web_responses.NOT_FOUND
    )
    def get(self, request: Request, slug: str) -> Response:
        system = public_record.find_system(slug)
        return Response(
            {
                "slug": system.slug,
                "name": system.name,
                "site": system.site.slug,
                "institution": system.site.name,
                "platform": system.platform.slug if system.platform else None,
                "formerly": history.former_names("system", system.slug),
                "former_slugs": _former_slugs("system", system),
                "best": public_record.best_by_release(Q(system=system)),
                "results": f"{api_address(request, 'results')}?system={system.slug}",
            }
        )


class PlatformList(PublicRead):
    """Product generations of storage, by name."""

    query_names = ("vendor", "cursor", "page_size")

    @extend_schema(
        operation_id="platforms_list",
        parameters=query_parameters(query_names),
        responses={200: systems_responses.PlatformPage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        vendors = filters.values_of(request.query_params, "vendor")
        condition = filters.any_of("vendor", lambda value: Q(vendor__iexact=value), vendors) if vendors else Q()
        return _page_by_name(request, public_record.current_platforms().filter(condition), public_record.PLATFORM)


class PlatformDetailView(PublicRead):
    """One product generation with its predecessor, its successors and the best of each release."""

    @extend_schema(
        operation_id="platforms_read", responses={200: systems_responses.PlatformDetail} | web_responses.NOT_FOUND
    )
    def get(self, request: Request, slug: str) -> Response:
        platform = public_record.find_platform(slug)
        return Response(
            {
                "slug": platform.slug,
                "name": platform.name,
                "vendor": platform.vendor,
                "predecessor": platform.predecessor.slug if platform.predecessor else None,
                "successors": list(platform.successors.order_by("slug").values_list("slug", flat=True)),
                "source": platform.source,
                "formerly": history.former_names("platform", platform.slug),
                "former_slugs": _former_slugs("platform", platform),
                "best": kept_value(
                    f"best-by-release-1:platform:{platform.pk}",
                    lambda: public_record.best_by_release(Q(platform=platform)),
                ),
                "results": f"{api_address(request, 'results')}?platform={platform.slug}",
            }
        )


def _former_slugs(kind: str, row: Site | System | Platform) -> list[str]:
    return former_names.former_slugs(kind, [row.pk]).get(row.pk, [])


def _page_by_name(request: Request, queryset: Any, columns: public_record.Columns) -> Response:
    """A page of things that have a name, ordered by it."""
    order = requested_order(request, NAME_KEYS, "name", "id", tie_follows=True)
    size = page_size(request, PAGE, PAGE_LARGEST)
    page = cursor_pages.take_page(queryset, columns, order, request.query_params.get("cursor", ""), size)
    return Response({"next": next_address(request, page.cursor), "results": page.rows})
