"""Lines of platforms: what each generation or release gained, and what the gain comes from; and sizing by the way."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.platforms import generations, sizing
from registry.platforms import responses as shape
from registry.query import divisors
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address

FACTOR = "About, below or above, where the numbers are; unknown, and no factor, where bounds leave nothing to say."


QUERY = [
    OpenApiParameter(name, OpenApiTypes.STR, description=words)
    for name, words in {
        "metric": "OP.QUANTITY.STAT, or fewer of its parts, or a canonical quantity. "
        "Left out: every number that two steps have.",
        "x": "What the steps are: platform, release, or the name of any fact.",
        "per": f"Divide by: {', '.join(divisors.PER)}.",
    }.items()
] + [OpenApiParameter(name, *web_responses.QUERY[name]) for name in (*generations.FILTERS, "p.NAME")]


class LineList(PublicRead):
    """Every line of two platforms and more, each before the one that followed it."""

    @extend_schema(operation_id="generations_list", responses=shape.LinePage)
    def get(self, request: Request) -> Response:
        rows = [
            {
                "platforms": [{"slug": platform.slug, "name": platform.name} for platform in line],
                "url": api_address(request, "generations", line[-1].slug),
            }
            for line in generations.list_lines()
        ]
        return Response({"next": None, "results": rows})


class LineDetail(PublicRead):
    """The line that a platform stands in: the best of each step, x-factors, and what they come from."""

    query_names = (*generations.NAMES, *generations.FILTERS)
    query_prefixes = generations.PREFIXES

    @extend_schema(
        operation_id="generations_read",
        parameters=QUERY,
        responses={200: shape.Generations} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(generations.generations_document(slug, generations.parse_query(request.query_params)))


class Sizing(PublicRead):
    """How many enclosures of a platform a rate takes, as a range with the layer that limits one."""

    query_names = (*sizing.NAMES, *sizing.FILTERS)
    query_prefixes = generations.PREFIXES

    @extend_schema(
        operation_id="sizing",
        parameters=[
            OpenApiParameter("platform", OpenApiTypes.STR, required=True, description="Slug."),
            OpenApiParameter("target", OpenApiTypes.NUMBER, required=True, description="The rate, in `unit`."),
            OpenApiParameter("unit", OpenApiTypes.STR, description="Usually GB/s and kIOPS."),
            OpenApiParameter("direction", OpenApiTypes.STR, description="read or write."),
            OpenApiParameter("kind", OpenApiTypes.STR, description="bandwidth or iops (of 4 KiB)."),
            *(OpenApiParameter(name, *web_responses.QUERY[name]) for name in (*sizing.FILTERS, "p.NAME")),
        ],
        responses={200: shape.SizingShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return Response(sizing.sizing_document(sizing.parse_query(request.query_params)))
