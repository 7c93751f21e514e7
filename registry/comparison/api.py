"""compare/: two to twenty results side by side."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.comparison import load
from registry.comparison import responses as shape
from registry.query.facts.divisors import PER
from registry.query.questions import id_lists, study_query
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead

SEVERAL_IDS = {"type": "string", "pattern": r"[^\s,]\s*,.*[^\s,]"}
"""Two ids and more."""


class Comparison(PublicRead):
    """Measurements of 2 to 20 results side by side, ratios to the first with intervals, and what else differed."""

    query_names = ("results", "per", "assume")

    @extend_schema(
        operation_id="compare",
        parameters=[
            OpenApiParameter("results", SEVERAL_IDS, required=True, description="Ids, with commas."),
            OpenApiParameter("per", OpenApiTypes.STR, enum=list(PER), description="What rates are divided by."),
            OpenApiParameter(
                "assume",
                OpenApiTypes.STR,
                enum=[study_query.PRIOR],
                description="prior: numbers that were not repeated have the assumption of their class.",
            ),
        ],
        responses={200: shape.ComparisonShape} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request) -> Response:
        query = self.question_query()
        ids, per = id_lists.compared_ids(query), study_query.parse_divisor(query)
        return Response(load.comparison_document(ids, per, study_query.parse_assumption(query), self.asked_source()))
