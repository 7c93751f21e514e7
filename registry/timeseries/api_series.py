"""systems/{slug}/history/: the numbers of a system over time, their steps, and what else differed at each."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.models import Step
from registry.timeseries import responses as shape
from registry.timeseries import series
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead
from registry.web.paging import query_parameters

STATES = f"{', '.join(Step.State.values)}."


class SystemHistory(PublicRead):
    """Each number of a system over time, where its level moved, and what else differed there."""

    query_names = (*series.NAMES, *series.FILTERS)
    query_prefixes = series.PREFIXES

    @extend_schema(
        operation_id="systems_history",
        parameters=[
            OpenApiParameter("metric", OpenApiTypes.STR, description="OP.QUANTITY.STAT, or fewer of its parts."),
            *query_parameters((*series.FILTERS, "p.NAME")),
        ],
        responses={200: shape.SystemHistoryShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(
            series.series_document(slug, series.parse_selection(self.question_query(), self.asked_source()))
        )
