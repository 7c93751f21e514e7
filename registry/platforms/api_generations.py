"""Lines of platforms: what each generation or release gained, and what the gain comes from; and sizing by the way."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.platforms import generations, sizing
from registry.query import divisors
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address

FACTOR = "About, below or above, where the numbers are; unknown, and no factor, where bounds leave nothing to say."


class PlatformName(s.Serializer):
    slug = s.CharField()
    name = s.CharField()


class LineShape(s.Serializer):
    platforms = PlatformName(many=True)
    url = s.CharField()


class LinePage(s.Serializer):
    next = s.CharField(allow_null=True)
    results = LineShape(many=True)


class StepShape(s.Serializer):
    """The best result of one generation or release. Canonical unit."""

    step = s.CharField()
    value = s.FloatField()
    result = s.CharField()
    printed_unit = s.CharField(help_text="The unit in which its source prints it.")
    qualifier = s.CharField(allow_blank=True, help_text="What its source says of it: about, below or above.")
    low = s.FloatField()
    high = s.FloatField()
    count = s.IntegerField(help_text="Results of the step that have the number.")
    x_first = s.FloatField(
        allow_null=True,
        help_text="How many times better than the first step, without unit; null where it cannot be said.",
    )
    x_before = s.FloatField(
        allow_null=True, help_text="How many times better than the step before, without unit; null of the first."
    )
    x_first_qualifier = s.CharField(allow_blank=True, help_text=FACTOR)
    x_before_qualifier = s.CharField(allow_blank=True, help_text=FACTOR)


class ChangeShape(s.Serializer):
    before = s.CharField()
    after = s.CharField()
    factor = s.FloatField(allow_null=True)
    factor_qualifier = s.CharField(allow_blank=True, help_text=FACTOR)
    cause = s.CharField(allow_null=True, help_text="hardware, software or tuning, where it alone differs; else null.")
    may_be = s.ListField(child=s.CharField(), help_text="All that it may come from, as far as the record tells.")
    differs = s.DictField(help_text="Names of what differs, by kind.")
    unrecorded = s.ListField(child=s.CharField(), help_text="Kinds of which something is not recorded of both.")


class PossibleShape(s.Serializer):
    may_be = s.ListField(child=s.CharField())
    factor = s.FloatField(allow_null=True)
    factor_qualifier = s.CharField(allow_blank=True, help_text=FACTOR)


class GainShape(s.Serializer):
    """One number over the steps of a line."""

    tool = s.CharField()
    op = s.CharField()
    quantity = s.CharField()
    stat = s.CharField()
    trust = s.CharField()
    unit = s.CharField()
    steps = StepShape(many=True)
    changes = ChangeShape(many=True, help_text="Between the best results of neighbouring steps.")
    chain = ChangeShape(
        many=True, help_text="From first to last best, one cause at a time; empty where no results allow it."
    )
    by_cause = s.DictField(child=s.FloatField(), help_text="Factors by cause along the chain, which has no bounds.")
    by_possible = PossibleShape(many=True, help_text="Factors of the changes by all that they may come from.")


class AxisShape(s.Serializer):
    name = s.CharField()
    title = s.CharField()


class Generations(s.Serializer):
    platforms = PlatformName(many=True)
    x = AxisShape()
    per = s.CharField(allow_null=True)
    order = s.ListField(child=s.CharField())
    results = s.IntegerField(help_text="Results that were looked at, the newest of the line.")
    left_out = s.BooleanField(help_text="There are more.")
    single = s.IntegerField(help_text="Numbers that only one step has; they are not shown.")
    rows = GainShape(many=True)


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

    @extend_schema(operation_id="generations_list", responses=LinePage)
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
        responses={200: Generations} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(generations.generations_document(slug, generations.parse_query(request.query_params)))


class UnitsShape(s.Serializer):
    low = s.IntegerField(
        allow_null=True, help_text="If every unit does what the best did; of bounds alone, which no fewer reach."
    )
    middle = s.IntegerField(allow_null=True, help_text="The median; null where there are only bounds.")
    high = s.IntegerField(
        allow_null=True, help_text="The least; of bounds alone, which is enough. Of one measurement there is no range."
    )
    measurements = s.IntegerField(help_text="Measured rates that it rests on; bounds are not counted.")
    qualifier = s.CharField(
        allow_blank=True,
        help_text="above: at least `low`, and not known how many. below: at most `high`. about: of rough rates.",
    )


class OneUnit(s.Serializer):
    layer = s.CharField()
    words = s.CharField()
    of_one = s.FloatField()
    units = s.IntegerField(help_text="No fewer reach the rate, whatever is tuned.")
    estimated = s.BooleanField()


class BasisShape(s.Serializer):
    result = s.CharField()
    op = s.CharField()
    trust = s.CharField()
    enclosures = s.FloatField(help_text="Measured enclosures in number; one target of two is half of one.")
    of_one = s.FloatField()
    qualifier = s.CharField(allow_blank=True, help_text="What its source says of the rate: about, below or above.")
    source = s.CharField(allow_blank=True)


class SizingShape(s.Serializer):
    platform = s.CharField()
    direction = s.CharField()
    kind = s.CharField()
    target = s.FloatField()
    unit = s.CharField(help_text="Of the target and of every of_one.")
    units = UnitsShape()
    ceiling = OneUnit(allow_null=True, help_text="Of the parts of one; null where they are not known.")
    basis = BasisShape(many=True, help_text="What one enclosure delivered, best first.")


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
        responses={200: SizingShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return Response(sizing.sizing_document(sizing.parse_query(request.query_params)))
