"""compare/: two to twenty results side by side."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry import filters, record
from registry.api import serializers as shape
from registry.api.reading import PublicRead
from registry.comparison import compare

FEWEST, MOST = 2, 20


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


class Difference(serializers.Serializer):
    parameter = serializers.CharField()
    values = serializers.ListField(child=serializers.JSONField(help_text="Any JSON value, or null."))


class ComparedResult(serializers.Serializer):
    id = serializers.CharField()
    institution = serializers.CharField()
    system = serializers.CharField()
    release = serializers.CharField()
    tool_version = serializers.CharField()
    trust = serializers.CharField()
    score = serializers.FloatField(allow_null=True, help_text="No unit.")


class ComparisonShape(serializers.Serializer):
    results = ComparedResult(many=True)
    comparable = serializers.BooleanField()
    notes = Note(many=True)
    measurements = ComparedMeasurement(many=True)
    differences = Difference(many=True)
    equal = serializers.IntegerField(help_text="Parameters that are the same in all results.")


class Comparison(PublicRead):
    """Measurements of 2 to 20 results side by side, ratios to the first, and what else differed."""

    known = ("results",)

    @extend_schema(
        operation_id="compare",
        parameters=[OpenApiParameter("results", OpenApiTypes.STR, required=True, description="Ids, with commas.")],
        responses={200: ComparisonShape} | shape.NOT_FOUND,
    )
    def get(self, request: Request) -> Response:
        sides, results = record.sides(_ids(request))
        return Response({"results": results} | compare(sides))


def _ids(request: Request) -> list[str]:
    """Distinct ids in the order given. Raises InvalidValue for too few or too many."""
    given = [text.strip() for text in request.query_params.get("results", "").split(",")]
    ids = list(dict.fromkeys(filter(None, given)))
    if not FEWEST <= len(ids) <= MOST:
        raise filters.InvalidValue("results", f"{FEWEST} to {MOST} different ids with commas between, not {len(ids)}")
    return ids
