"""What lies under the numbers of a result: slow members, chances of meeting one, histograms, ageing."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.distributions import distributions
from registry.distributions import responses as shape
from registry.query import public_record
from registry.query.values.formulas import LARGEST_CHOICE
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead
from registry.web.paging import whole_schema

MEMBERS = whole_schema(1, LARGEST_CHOICE)
SLOW = whole_schema(0, LARGEST_CHOICE)
SHARE = {"type": "number", "exclusiveMinimum": 0, "maximum": 100}


class ResultMembers(PublicRead):
    """Targets and ranks of a result one by one: slow ones, histogram, chances; and whether its repeats age."""

    query_names = ("share",)

    @extend_schema(
        operation_id="results_members",
        parameters=[OpenApiParameter("share", SHARE, description="Slow at so many % of the best: 90.")],
        responses={200: shape.ResultMembersShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, id: str) -> Response:
        snapshot = public_record.find_result(id).snapshot
        stored_distributions = distributions.with_all_targets(
            snapshot.get("distributions", []), snapshot.get("tests", [])
        )
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
            OpenApiParameter("members", MEMBERS, required=True, description="Targets in all."),
            OpenApiParameter("slow", SLOW, required=True, description="Of them slow, not more than `members`."),
            OpenApiParameter("stripes", OpenApiTypes.STR, description="Counts with commas; left out: 1, 2, 4, ..."),
        ],
        responses={200: shape.ChancesShape} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        return Response(distributions.hit_probabilities(request.query_params))
