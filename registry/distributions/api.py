"""What lies under the numbers of a result: slow members, chances of meeting one, histograms, ageing."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.distributions import distributions
from registry.query import public_record
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead


class _Named(s.Serializer):
    op = s.CharField()
    quantity = s.CharField()
    stat = s.CharField()
    over = s.CharField()
    context = s.DictField()
    unit = s.CharField()
    printed_unit = s.CharField()
    count = s.IntegerField()


class SlowMember(s.Serializer):
    number = s.IntegerField(help_text="From 0: the number of the rank or target; names of hosts are not kept.")
    value = s.FloatField()
    percent = s.FloatField(help_text="In % of the best.")


class HistogramBin(s.Serializer):
    low = s.FloatField()
    high = s.FloatField(help_text="Upper end, in the unit of the values; belongs to the next bin, and to the last.")
    count = s.IntegerField()


class Chance(s.Serializer):
    stripes = s.IntegerField()
    percent = s.FloatField(
        help_text="Chance in % that such a file meets a slow member; stripes lie on different members."
    )


class MembersShape(_Named):
    best = s.FloatField()
    share = s.FloatField(help_text="Slow is who reaches so many % of the best, or less.")
    slow_count = s.IntegerField()
    slow = SlowMember(many=True, help_text="Slowest first, at most 100.")
    silent = s.ListField(child=s.IntegerField(), help_text="Numbers of those that gave no figure, as they failed.")
    histogram = HistogramBin(many=True)
    meeting = Chance(many=True, help_text="Of targets; empty of others.")


class SeriesShape(_Named):
    percents = s.ListField(child=s.FloatField(), help_text="Each value in % of the first, in order.")
    aged_from = s.IntegerField(allow_null=True, help_text="From this place, from 0, all stay below 95 %; null: none.")
    written_bytes = s.ListField(
        child=s.FloatField(),
        allow_null=True,
        help_text="Bytes written since the first began, up to the end of each; null: not known.",
    )


class ResultMembersShape(s.Serializer):
    members = MembersShape(many=True)
    series = SeriesShape(many=True)


class ChancesShape(s.Serializer):
    members = s.IntegerField()
    slow = s.IntegerField()
    next = s.CharField(allow_null=True)
    results = Chance(many=True)


class ResultMembers(PublicRead):
    """Targets and ranks of a result one by one: slow ones, histogram, chances; and whether its repeats age."""

    query_names = ("share",)

    @extend_schema(
        operation_id="results_members",
        parameters=[OpenApiParameter("share", OpenApiTypes.NUMBER, description="Slow at so many % of the best: 90.")],
        responses={200: ResultMembersShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, id: str) -> Response:
        stored_distributions = public_record.find_result(id).snapshot.get("distributions", [])
        components = distributions.component_distributions(
            stored_distributions, distributions.parse_slow_share(request.query_params)
        )
        return Response({"members": components, "series": distributions.ageing_series(stored_distributions)})


class Stragglers(PublicRead):
    """The chance that a file meets one of the slow members, for stripe counts."""

    query_names = ("members", "slow", "stripes")

    @extend_schema(
        operation_id="stragglers",
        parameters=[
            OpenApiParameter("members", OpenApiTypes.INT, required=True, description="Targets in all."),
            OpenApiParameter("slow", OpenApiTypes.INT, required=True, description="Of them slow."),
            OpenApiParameter("stripes", OpenApiTypes.STR, description="Counts with commas; left out: 1, 2, 4, ..."),
        ],
        responses={200: ChancesShape} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return Response(distributions.hit_probabilities(request.query_params))
