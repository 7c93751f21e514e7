"""compare/: two to twenty results side by side."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry import filters, record, snapshots
from registry.api import serializers as shape
from registry.api.reading import PublicRead
from registry.comparison import compare
from validators.system.difference import difference


class Note(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()


class ComparedMeasurement(serializers.Serializer):
    op = serializers.CharField()
    quantity = serializers.CharField()
    stat = serializers.CharField()
    context = serializers.DictField()
    unit = serializers.CharField(help_text="Canonical unit of all values.")
    values = serializers.ListField(child=serializers.FloatField(allow_null=True))
    ratios = serializers.ListField(child=serializers.FloatField(allow_null=True), help_text="To the first result.")
    differs = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Why a number does not mean what the first one does, and has no ratio; empty where it does.",
    )


class Difference(serializers.Serializer):
    parameter = serializers.CharField()
    values = serializers.ListField(child=serializers.JSONField(help_text="Any JSON value, or null."))


class ComparedResult(serializers.Serializer):
    id = serializers.CharField()
    institution = serializers.CharField()
    system = serializers.CharField()
    release = serializers.CharField(allow_null=True)
    tool_version = serializers.CharField()
    trust = serializers.CharField()
    score = serializers.FloatField(allow_null=True, help_text="No unit.")


class SystemDifference(serializers.Serializer):
    subject = serializers.CharField(help_text="Nodes that it is of; empty for the run as a whole.")
    section = serializers.CharField()
    name = serializers.CharField()
    parameter = serializers.CharField(help_text="Id in parameters/; empty where it is none.")
    key = serializers.CharField(help_text="Entry of a parameter that is a map.")
    values = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(), allow_null=True),
        help_text="Distinct values of each, with their units; null where it is not known.",
    )
    differs_from_default = serializers.ListField(
        child=serializers.BooleanField(allow_null=True), help_text="From that of its release; null: cannot be said."
    )
    defaults = serializers.ListField(child=serializers.CharField())


class SystemsCompared(serializers.Serializer):
    """What differs between described systems; what is of one moment is left out."""

    described = serializers.ListField(child=serializers.BooleanField())
    differences = SystemDifference(many=True)
    equal = serializers.IntegerField()
    unknown = serializers.IntegerField(help_text="Facts that are known of some only.")


class ComparisonShape(serializers.Serializer):
    results = ComparedResult(many=True)
    comparable = serializers.BooleanField()
    notes = Note(many=True)
    measurements = ComparedMeasurement(many=True)
    differences = Difference(many=True)
    equal = serializers.IntegerField(help_text="Parameters that are the same in all results.")
    system = SystemsCompared()


class Comparison(PublicRead):
    """Measurements of 2 to 20 results side by side, ratios to the first, and what else differed."""

    known = ("results",)

    @extend_schema(
        operation_id="compare",
        parameters=[OpenApiParameter("results", OpenApiTypes.STR, required=True, description="Ids, with commas.")],
        responses={200: ComparisonShape} | shape.NOT_FOUND,
    )
    def get(self, request: Request) -> Response:
        ids = filters.result_ids(request.query_params)
        sides, results = record.sides(ids)
        system = difference(snapshots.documents(ids))
        return Response({"results": results} | compare(sides) | {"system": system})
