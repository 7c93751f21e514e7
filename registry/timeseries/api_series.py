"""systems/{slug}/history/: the numbers of a system over time, their steps, and what else differed at each."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.comparison.api import DifferenceGroup, Note
from registry.models import Step
from registry.timeseries import series
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead

STATES = f"{', '.join(Step.State.values)}."


class SystemName(s.Serializer):
    slug = s.CharField()
    name = s.CharField(allow_blank=True)
    institution = s.CharField()


class SeriesPoint(s.Serializer):
    result = s.CharField()
    day = s.DateField(help_text="Of the run, else of its submission, else of its release.")
    value = s.FloatField(help_text="In the canonical unit of the series.")
    qualifier = s.CharField(allow_blank=True, help_text="What its source says of it: about, below or above.")


class StepSummary(s.Serializer):
    """Where the level of a series moved, and what was said of it."""

    day = s.DateField()
    before = s.CharField(help_text="Result before it.")
    after = s.CharField(help_text="Result after it.")
    level_before = s.FloatField(
        help_text="In the canonical unit: geometric mean from the step before, or the first point, on."
    )
    level_after = s.FloatField(
        help_text="In the canonical unit: geometric mean up to the next step, or the last point."
    )
    ratio = s.FloatField()
    better = s.BooleanField()
    chance = s.FloatField(
        help_text="At most the probability that a series without steps shows one as clear; from 0 to 1, without unit."
    )
    state = s.CharField(help_text=STATES)
    note = s.CharField(allow_blank=True, help_text="By members of the institution, or reviewers.")


class SeriesStep(StepSummary):
    """A step of a series that is shown whole."""

    place = s.IntegerField(help_text="Of the first point after it, from 0.")
    id = s.IntegerField(allow_null=True, help_text="In the record; null: only with these filters, or not yet.")


class SeriesLabel(s.Serializer):
    """What tells a series of a system from its others."""

    tool = s.CharField()
    mode = s.CharField(allow_blank=True)
    trust = s.CharField()
    client_nodes = s.IntegerField(allow_null=True)
    settings = s.DictField(
        help_text="Those that the benchmark's descriptor names; none of IO500, whose rules set them."
    )
    op = s.CharField()
    quantity = s.CharField(allow_blank=True)
    stat = s.CharField(allow_blank=True)
    unit = s.CharField(allow_blank=True)
    printed_unit = s.CharField(allow_blank=True)
    context = s.DictField()


class SystemSeries(SeriesLabel):
    list = s.CharField(
        allow_blank=True, help_text="Kind of IO500 list: 10-node, production, both; empty for those of any scale."
    )
    scale = s.DictField(help_text="What else its results have in common in size, such as client processes.")
    points = SeriesPoint(many=True, help_text="Oldest first.")
    steps = SeriesStep(many=True, help_text="None where a point is a bound, and no measured value.")


class NotJoined(s.Serializer):
    """A result of which it is not known which other ones are of the same experiment."""

    result = s.CharField()
    day = s.DateField()
    tool = s.CharField()
    mode = s.CharField(allow_blank=True)
    trust = s.CharField()
    client_nodes = s.IntegerField(allow_null=True)
    tasks = s.IntegerField(allow_null=True)
    score = s.FloatField(allow_null=True)
    list = s.CharField(allow_blank=True, help_text="As of a series.")
    unknown = s.ListField(child=s.CharField(), help_text="What would have to be known: client nodes, settings.")
    numbers = s.IntegerField(help_text="So many of its numbers are in no series.")


class SeriesChange(s.Serializer):
    """Two neighbours around a step, as compare/ has them."""

    before = s.CharField()
    after = s.CharField()
    notes = Note(many=True, help_text="What speaks against comparing them.")
    configuration = DifferenceGroup(many=True)


class SystemHistoryShape(s.Serializer):
    system = SystemName()
    results = s.IntegerField(help_text="Results that were looked at, the newest.")
    left_out = s.BooleanField(help_text="There are more.")
    undated = s.IntegerField(help_text="Results of which no day is known; they are in no series.")
    single = s.IntegerField(help_text="Numbers that only one result has.")
    not_joined = NotJoined(many=True, help_text="Results, or numbers of them, whose scale or settings are not known.")
    fewest = s.IntegerField(help_text="So many points a series needs for a step.")
    series = SystemSeries(many=True, help_text="Those with steps first, then the longest.")
    changes = SeriesChange(many=True, help_text="At most ten, the newest first.")


class SystemHistory(PublicRead):
    """Each number of a system over time, where its level moved, and what else differed there."""

    query_names = (*series.NAMES, *series.FILTERS)
    query_prefixes = series.PREFIXES

    @extend_schema(
        operation_id="systems_history",
        parameters=[
            OpenApiParameter("metric", OpenApiTypes.STR, description="OP.QUANTITY.STAT, or fewer of its parts."),
            *(OpenApiParameter(name, *web_responses.QUERY[name]) for name in (*series.FILTERS, "p.NAME")),
        ],
        responses={200: SystemHistoryShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(series.series_document(slug, series.parse_selection(request.query_params)))
