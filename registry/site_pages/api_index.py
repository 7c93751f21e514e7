"""The first document of the API."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.site_pages import responses as site_pages_responses
from registry.web.api_base import PublicRead, api_address


class IndexView(PublicRead):
    """Where the API begins: its addresses."""

    @extend_schema(responses=site_pages_responses.Index)
    def get(self, request: Request) -> Response:
        kinds = ("releases", "lists", "results", "systems", "sites", "platforms", "studies", "rankings", "export")
        valid = ("schemas", "questionnaires", "rules", "benchmarks", "quantities", "parameters", "search")
        addresses = {name: api_address(request, name) for name in (*kinds, *valid)}
        return Response(addresses | {"openapi": request.build_absolute_uri("/api/v1/openapi.json")})
