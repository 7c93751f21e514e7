"""Results and lists as they may be cited: JSON, or `?format=` text, bibtex, cff, datacite or ro-crate."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.citation import cited_facts, formats
from registry.citation import responses as shape
from registry.query import public_record
from registry.query.responses.shapes import fields_of
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead
from registry.web.renderers import JSONRenderer


class _Written(BaseRenderer):
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return formats.FORMATS[self.format](data).encode()


class TextRenderer(_Written):
    media_type, format = "text/plain", "text"


class BibTeXRenderer(_Written):
    media_type, format = "application/x-bibtex", "bibtex"


class CFFRenderer(_Written):
    media_type, format = "application/yaml", "cff"


class DataCiteRenderer(_Written):
    media_type, format = "application/vnd.datacite.datacite+json", "datacite"


class ROCrateRenderer(_Written):
    media_type, format = "application/ld+json", "ro-crate"


OBJECTS = ("cff", "datacite", "ro-crate")
WRITTEN: list[type[_Written]] = [TextRenderer, BibTeXRenderer, CFFRenderer, DataCiteRenderer, ROCrateRenderer]


FORMAT = OpenApiParameter("format", str, enum=["json", *formats.FORMATS])
ANSWERS = {
    (200, "application/json"): shape.Citation,
    # Whoever reads YAML or JSON sees an object.
    **{
        (200, renderer.media_type): OpenApiTypes.OBJECT if renderer.format in OBJECTS else OpenApiTypes.STR
        for renderer in WRITTEN
    },
    **web_responses.REFUSED,
    **web_responses.NOT_FOUND,
}


def cited_response(request: Request, work: formats.Work) -> Response:
    if request.accepted_renderer.format != "json":
        return Response(work)
    return Response({field.name: getattr(work, field.name) for field in fields_of(shape.Citation)})


class ResultCitation(PublicRead):
    """How one result is cited, withdrawn and revised ones with what they are."""

    renderer_classes = [JSONRenderer, *WRITTEN]

    @extend_schema(operation_id="results_citation", parameters=[FORMAT], responses=ANSWERS)
    def get(self, request: Request, id: str) -> Response:
        return cited_response(request, cited_facts.citable_result(id))


class ListCitation(PublicRead):
    """How one frozen list is cited; 409 for one that is not frozen."""

    renderer_classes = [JSONRenderer, *WRITTEN]

    @extend_schema(
        operation_id="lists_citation",
        parameters=[FORMAT],
        responses={**ANSWERS, (409, "application/problem+json"): web_responses.Problem},
    )
    def get(self, request: Request, release: str, list: str) -> Response:
        return cited_response(request, cited_facts.list_work(public_record.ranked_list(release, list)))
