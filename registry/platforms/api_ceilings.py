"""Ceilings of results, and the hardware catalogue that they rest on."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.platforms import ceilings
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead
from validators import hardware


class Factor(s.Serializer):
    name = s.CharField()
    value = s.FloatField()
    unit = s.CharField()
    source = s.CharField(help_text="The datasheet or document that says so.")
    estimated = s.BooleanField(help_text="Assumed for this use.")


class Layer(s.Serializer):
    layer = s.CharField(help_text="drives, slots, parity, controllers, network or clients.")
    words = s.CharField()
    value = s.FloatField(help_text="The most that it delivers, in `unit`: the product of the factors.")
    unit = s.CharField()
    percent = s.FloatField(help_text="What was measured, in % of it.")
    observed = s.FloatField(
        allow_null=True, help_text="The most that was ever seen, in `unit`; null where no document says so."
    )
    percent_of_observed = s.FloatField(allow_null=True)
    estimated = s.BooleanField(help_text="Some factor is.")
    factors = Factor(many=True)


class Limiting(s.Serializer):
    layer = s.CharField()
    words = s.CharField(help_text="parity says what it takes its share of: drives, less parity.")
    percent = s.FloatField()


class Efficiency(s.Serializer):
    """One measurement against the layers that its data crosses, from below. Canonical units."""

    op = s.CharField()
    quantity = s.CharField()
    stat = s.CharField()
    context = s.DictField()
    value = s.FloatField()
    unit = s.CharField()
    qualifier = s.CharField(
        allow_blank=True, help_text="About, below or above, of the value and of every percentage, as its source says."
    )
    direction = s.CharField(help_text="read or write.")
    over = s.CharField(help_text="What the number is of: system, server or drive.")
    limiting = Limiting()
    above = s.ListField(child=s.CharField(), help_text="Layers that it is above 100 % of; empty as it should be.")
    layers = Layer(many=True)


class EfficiencyPage(s.Serializer):
    next = s.CharField(allow_null=True)
    results = Efficiency(many=True)


class ResultCeilings(PublicRead):
    """Measurements of a result in % of what each layer of its system can deliver; empty where no ceiling is known."""

    @extend_schema(operation_id="results_ceilings", responses={200: EfficiencyPage} | web_responses.NOT_FOUND)
    def get(self, request: Request, id: str) -> Response:
        return Response({"next": None, "results": ceilings.as_rows(ceilings.efficiencies_by_id(id))})


class Hardware(PublicRead):
    """The hardware catalogue (schema `hardware.1`): drives, network adapters, processors, enclosures, assumptions."""

    @extend_schema(operation_id="hardware", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        return Response(hardware.load_catalogue())
