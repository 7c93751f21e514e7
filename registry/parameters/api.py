"""The registry of parameters in machine form, with defaults by release and the values that the record has seen."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.parameters import responses as parameters_responses
from registry.parameters.shared_load import FEWEST_TOP, MOST_TOP, NAMES, shared_document
from registry.query.facts import observed_parameters
from registry.query.public_record import NotOnRecord, nearest_names
from registry.query.questions import filters
from registry.query.questions.study_query import COLUMN_METRICS
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address
from registry.web.paging import query_parameters
from validators import parameters
from validators.parameters import defaults


class ParameterList(PublicRead):
    """Every parameter that can be known of a system, group by group, with its default by release of Lustre."""

    query_names = ("group",)

    @extend_schema(
        operation_id="parameters_list",
        parameters=query_parameters(["group"]),
        responses={200: parameters_responses.ParameterPage} | web_responses.REFUSED,
    )
    def get(self, request: Request) -> Response:
        groups = filters.values_of(request.query_params, "group")
        entries = parameters.load_document()["parameters"]
        rows = [as_parameter(request, entry) for entry in entries if not groups or entry["group"] in groups]
        return Response({"next": None, "version": parameters.load_document()["version"], "results": rows})


class SharedParameters(PublicRead):
    """Which parameters and facts some results share: named ones, or the best of each system under filters."""

    query_names = (*NAMES, *filters.RESULT_NAMES)
    query_prefixes = (filters.PARAMETER,)

    @extend_schema(
        operation_id="parameters_shared",
        parameters=[
            OpenApiParameter("results", str, description="2 to 20 ids with commas; left out, the best of each system."),
            OpenApiParameter("by", str, enum=list(COLUMN_METRICS), description="What is best; left out, the score."),
            OpenApiParameter("top", int, description=f"So many systems, {FEWEST_TOP} to {MOST_TOP}; left out, 10."),
            *query_parameters((*filters.RESULT_NAMES, "p.NAME")),
        ],
        responses={200: parameters_responses.SharedFacts, **web_responses.REFUSED, **web_responses.NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        return Response(shared_document(request.query_params))


class ParameterDetailView(PublicRead):
    """One parameter, and the values that the results that count today have of it, most results first."""

    @extend_schema(
        operation_id="parameters_read", responses={200: parameters_responses.ParameterDetail} | web_responses.NOT_FOUND
    )
    def get(self, request: Request, id: str) -> Response:
        parameter = next((entry for entry in parameters.load_document()["parameters"] if entry["id"] == id), None)
        if parameter is None:
            raise NotOnRecord("parameter", id, nearest_names(id, parameters.parameters()))
        return Response(as_parameter(request, parameter) | {"values_seen": observed_parameters.values_seen(id)})


def as_parameter(request: Request, entry: dict[str, Any]) -> dict[str, Any]:
    lustre_defaults = defaults.table()["parameters"].get(entry["id"], {"defaults": []})["defaults"]
    return {**entry, "lustre_defaults": lustre_defaults, "url": api_address(request, "parameters", entry["id"])}
