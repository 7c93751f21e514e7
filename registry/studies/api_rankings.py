"""ranking/ and rankings/: results in the order of a formula of one's own, as JSON and CSV."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.models import SavedStudy
from registry.query.facts import divisors
from registry.query.public_record import Row
from registry.query.questions import filters
from registry.studies import custom_rankings, saved_queries
from registry.studies import responses as shape
from registry.web import responses as web_responses
from registry.web.api_base import CSVRenderer, PublicRead, Table, api_address, unknown_values_header
from registry.web.paging import DAY_OR_TIME, NEEDED_TEXT, as_parameters, choice_schema, query_parameters, whole_schema
from registry.web.renderers import JSONRenderer
from validators.units import UNITS

QUERY = [
    *as_parameters(
        {
            "formula": (
                NEEDED_TEXT,
                "Arithmetic over metrics and axes; names with a dash or a dot stand in brackets.",
            ),
            "per": (choice_schema(*divisors.PER), f"Divide by: {', '.join(divisors.PER)}."),
            "unit": (choice_schema(*UNITS), "Unit of the values; usually the one they are printed in."),
            "order": (
                choice_schema(*custom_rankings.ORDERS),
                "most or least first; usually the better end of its unit.",
            ),
            "limit": (
                whole_schema(1, custom_rankings.MOST_ROWS),
                f"Rows of each level of trust, up to {custom_rankings.MOST_ROWS}; "
                f"{custom_rankings.USUAL_ROWS} if left out.",
            ),
            "as_of": (DAY_OR_TIME, "A date or time: the record as it was then."),
        },
        needed=("formula",),
    ),
    *query_parameters((*filters.RESULT_NAMES, "p.NAME", "format")),
]
CSV = {(200, "text/csv"): OpenApiTypes.STR, **web_responses.REFUSED}


def ranking_response(request: Request, document: Row, name: str) -> Response:
    if request.accepted_renderer.format == "csv":
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'} | unknown_values_header(
            document["unknown_values"]
        )
        return Response(Table(document["columns"], document["rows"]), headers=headers)
    return Response(document)


class RankingView(PublicRead):
    """Results in the order of a formula; never an official list."""

    renderer_classes = [JSONRenderer, CSVRenderer]
    query_names = (*custom_rankings.NAMES, *filters.RESULT_NAMES)
    query_prefixes = (filters.PARAMETER,)

    @extend_schema(
        operation_id="ranking", parameters=QUERY, responses={(200, "application/json"): shape.RankingShape, **CSV}
    )
    def get(self, request: Request) -> Response:
        question = custom_rankings.parse_query(self.question_query(), self.asked_source())
        return ranking_response(request, custom_rankings.ranking_document(question), "ranking")


class RankingList(PublicRead):
    """Rankings that people saved, newest first."""

    @extend_schema(operation_id="rankings_list", responses=shape.StudyPage)
    def get(self, request: Request) -> Response:
        summaries = map(saved_queries.study_summary, saved_queries.newest_saved(SavedStudy.Kind.RANKING))
        return Response(
            {
                "next": None,
                "results": [
                    summary | {"url": api_address(request, "rankings", summary["slug"])} for summary in summaries
                ],
            }
        )


class RankingDetail(PublicRead):
    """One saved ranking as it stands today."""

    renderer_classes = [JSONRenderer, CSVRenderer]

    @extend_schema(
        operation_id="rankings_read",
        parameters=[parameter for parameter in QUERY if parameter.name == "format"],
        responses={(200, "application/json"): shape.SavedRanking, **CSV, **web_responses.NOT_FOUND},
    )
    def get(self, request: Request, slug: str) -> Response:
        saved_ranking = saved_queries.find_ranking(slug)
        return ranking_response(request, saved_queries.ranking_result(saved_ranking), saved_ranking.slug)
