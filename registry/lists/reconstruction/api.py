"""Reconstructed lists by API."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.lists.reconstruction.rebuilt_lists import rebuild_list
from registry.lists.reconstruction.responses import ReconstructedEntry, ReconstructedList
from registry.query.responses.shapes import columns_of
from registry.web import responses as web_responses
from registry.web.api_base import CSVRenderer, PublicRead, Table
from registry.web.paging import query_parameters
from registry.web.renderers import JSONRenderer

COLUMNS = list(columns_of(ReconstructedEntry))


class ReconstructedListView(PublicRead):
    """A list rebuilt from published archives: no list of IO500. JSON with what is known of it, CSV with the entries."""

    renderer_classes = [JSONRenderer, CSVRenderer]

    @extend_schema(
        operation_id="lists_reconstructed",
        parameters=query_parameters(("format",)),
        responses={
            (200, "application/json"): ReconstructedList,
            (200, "text/csv"): OpenApiTypes.STR,
            **web_responses.REFUSED,
            **web_responses.NOT_FOUND,
        },
    )
    def get(self, request: Request, release: str, list: str) -> HttpResponse:
        rebuilt = rebuild_list(release, list)
        if request.accepted_renderer.format == "csv":
            name = f"{rebuilt.release.slug}-{rebuilt.name}-reconstructed.csv".lower()
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(Table(COLUMNS, rebuilt.entries), headers=headers)
        return Response(rebuilt.facts | {"entries": rebuilt.entries})
