"""Ceilings of results, and the hardware catalogue that they rest on."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.platforms import ceilings
from registry.platforms import responses as shape
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead
from validators import hardware


class ResultCeilings(PublicRead):
    """Measurements of a result in % of what each layer of its system can deliver; empty where no ceiling is known."""

    @extend_schema(operation_id="results_ceilings", responses={200: shape.EfficiencyPage} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response({"next": None, "results": ceilings.as_rows(ceilings.efficiencies_by_id(id))})


class Hardware(PublicRead):
    """The hardware catalogue (schema `hardware.1`): drives, network adapters, processors, enclosures, assumptions."""

    @extend_schema(operation_id="hardware", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        return Response(hardware.load_catalogue())
