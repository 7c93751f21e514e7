"""compare/: two to twenty results side by side."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.comparison import load
from registry.query import filters, study_query
from registry.query.divisors import PER
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead


class Note(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()


class ComparedSpread(serializers.Serializer):
    """How well a number repeats (docs: uncertainty)."""

    deviation_percent = serializers.FloatField(
        allow_null=True, help_text="Sample deviation of one run, in % of the number; null: not repeated."
    )
    runs = serializers.IntegerField(
        allow_null=True, help_text="Repeats that it was measured over, three or more; null: not repeated."
    )


class ComparedMeasurement(serializers.Serializer):
    """Where a score of a result is meant, `op` is its name, and `quantity` and `stat` are empty."""

    op = serializers.CharField()
    quantity = serializers.CharField()
    stat = serializers.CharField()
    context = serializers.DictField()
    unit = serializers.CharField(help_text="Canonical unit of all values.")
    divided = serializers.BooleanField(help_text="By the divisors of `per`; times, shares and counts are not.")
    values = serializers.ListField(child=serializers.FloatField(allow_null=True))
    ratios = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        help_text="To the first result, without unit; null where there is none.",
    )
    intervals = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2, allow_null=True),
        help_text="Where each ratio lies with 95 %, by repeats of both numbers; one that holds 1 is a tie. Null: not "
        "repeated, so that nobody can tell whether they differ by more than chance.",
    )
    interval_basis = serializers.ListField(
        child=serializers.CharField(allow_null=True), help_text="For each interval `repeats`; null where there is none."
    )
    spreads = ComparedSpread(many=True)
    printed_units = serializers.ListField(
        child=serializers.CharField(), help_text="In which its source prints it; empty where it says none."
    )
    ratio_qualifiers = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="What follows of each ratio: about, below, above; unknown, and no ratio, where nothing does.",
    )
    qualifiers = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="about, above or below, as printed; else empty."
    )
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


class DifferingFact(serializers.Serializer):
    subject = serializers.CharField(help_text="Nodes that it is of; empty for the run as a whole.")
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


class SystemDifference(DifferingFact):
    section = serializers.CharField()


class DifferenceGroup(serializers.Serializer):
    group = serializers.CharField(help_text="Scale, Hardware, BIOS, Tunables, Layout, Network, Benchmark options, ...")
    differences = DifferingFact(many=True)


class ComparedDivisor(serializers.Serializer):
    value = serializers.FloatField(
        allow_null=True,
        help_text="Number of what `name` names (`watt` in W, `pib` in PiB); null where the record has none.",
    )
    source = serializers.CharField()


class ComparedPer(serializers.Serializer):
    """What rates and scores are divided by."""

    name = serializers.CharField()
    axis = serializers.CharField()
    title = serializers.CharField()
    divisors = ComparedDivisor(many=True)


class SystemsCompared(serializers.Serializer):
    """What differs between described systems; what is of one moment is left out."""

    described = serializers.ListField(child=serializers.BooleanField())
    differences = SystemDifference(many=True)
    equal = serializers.IntegerField()
    unknown = serializers.IntegerField(help_text="Facts that are known of some only.")


class ComparisonShape(serializers.Serializer):
    results = ComparedResult(many=True)
    per = ComparedPer(allow_null=True)
    comparable = serializers.BooleanField()
    notes = Note(many=True)
    measurements = ComparedMeasurement(many=True)
    differences = Difference(many=True)
    equal = serializers.IntegerField(help_text="Parameters that are the same in all results.")
    configuration = DifferenceGroup(many=True)
    system = SystemsCompared()


class Comparison(PublicRead):
    """Measurements of 2 to 20 results side by side, ratios to the first with intervals, and what else differed."""

    query_names = ("results", "per")

    @extend_schema(
        operation_id="compare",
        parameters=[
            OpenApiParameter("results", OpenApiTypes.STR, required=True, description="Ids, with commas."),
            OpenApiParameter("per", OpenApiTypes.STR, enum=list(PER), description="What rates are divided by."),
        ],
        responses={200: ComparisonShape} | web_responses.REFUSED | web_responses.NOT_FOUND,
    )
    def get(self, request: Request) -> Response:
        ids, per = filters.result_ids(request.query_params), study_query.parse_divisor(request.query_params)
        return Response(load.comparison_document(ids, per))
