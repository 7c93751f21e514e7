"""Lines of platforms: what each generation or release gained, and what the gain comes from; and sizing by the way."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.platforms import generations, sizing
from registry.platforms import responses as shape
from registry.query.facts import divisors
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address
from registry.web.paging import NEEDED_TEXT, TEXT, as_parameters, choice_schema, query_parameters

FACTOR = "About, below or above, where the numbers are; unknown, and no factor, where bounds leave nothing to say."


QUERY = [
    *as_parameters(
        {
            "metric": (
                TEXT,
                "OP.QUANTITY.STAT, or fewer of its parts, or a canonical quantity. "
                "Left out: every number that two steps have.",
            ),
            "x": (TEXT, "What the steps are: platform, release, or the name of any fact."),
            "per": (choice_schema(*divisors.PER), f"Divide by: {', '.join(divisors.PER)}."),
        }
    ),
    *query_parameters((*generations.FILTERS, "p.NAME")),
]


class LineList(PublicRead):
    """Every line of two platforms and more, each before the one that followed it."""

    @extend_schema(operation_id="generations_list", responses=shape.LinePage)
    def get(self, request: Request) -> Response:
        rows = [
            shape.LineShape(
                platforms=[shape.PlatformName(slug=platform.slug, name=platform.name) for platform in line],
                url=api_address(request, "generations", line[-1].slug),
            )
            for line in generations.list_lines()
        ]
        return Response(shape.LinePage(next=None, results=rows))


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
            *as_parameters(
                {
                    "platform": (NEEDED_TEXT, "Slug."),
                    "target": (
                        {"type": "number", "exclusiveMinimum": 0, "maximum": sizing.LARGEST_TARGET},
                        "The rate, in `unit`.",
                    ),
                    "unit": (TEXT, "Usually GB/s and kIOPS."),
                    "direction": (choice_schema("read", "write"), "read or write."),
                    "kind": (choice_schema("bandwidth", "iops"), "bandwidth or iops (of 4 KiB)."),
                },
                needed=("platform", "target"),
            ),
            *query_parameters((*sizing.FILTERS, "p.NAME")),
        ],
        responses={200: shape.SizingShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return Response(sizing.sizing_document(sizing.parse_query(self.question_query(), self.asked_source())))
