"""systems/{slug}/sweep/: the standard sweep of a system: measured, missing, regressed."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.timeseries import sweeps
from registry.timeseries.api_series import SystemName
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead


class SweepShape(s.Serializer):
    name = s.CharField()
    version = s.IntegerField()
    title = s.CharField()
    source = s.CharField()
    notes = s.ListField(child=s.CharField())


class SweepRun(s.Serializer):
    """One result in a cell."""

    result = s.CharField()
    release = s.CharField(allow_blank=True, help_text="Of the storage software; empty where it is not known.")
    trust = s.CharField()
    client_nodes = s.IntegerField(allow_null=True)
    day = s.DateField(allow_null=True)
    value = s.FloatField(help_text="In the canonical unit, `unit` of the cell.")
    qualifier = s.CharField(allow_blank=True, help_text="What its source says of it: about, below or above.")


class SweepCell(s.Serializer):
    """One operation under one choice of each axis."""

    choices = s.ListField(child=s.CharField())
    op = s.CharField()
    verdict = s.CharField(
        help_text="missing; first, with no release before; equal within the interval; better; worse; not_repeated: "
        "fewer than three runs of either, so that nobody can tell; or unknown: there is one before, but not that both "
        "ran alike, or which is more, is known."
    )
    unknown = s.ListField(child=s.CharField(), help_text="What would have to be known of both to compare them.")
    unit = s.CharField(allow_blank=True)
    latest = SweepRun(allow_null=True)
    before = SweepRun(allow_null=True, help_text="Of the release before, of the same trust and run alike.")
    ratio = s.FloatField(allow_null=True)
    interval = s.ListField(child=s.FloatField(), min_length=2, max_length=2, allow_null=True)
    interval_basis = s.CharField(allow_null=True, help_text="repeats; null where there is no interval.")


class SweepUnplaced(s.Serializer):
    axis = s.CharField()
    results = s.IntegerField(help_text="Results that fill no cell because they don't say where they stand on it.")


class SweepPart(s.Serializer):
    title = s.CharField()
    tool = s.CharField()
    quantity = s.CharField()
    cells = SweepCell(many=True)
    unplaced = SweepUnplaced(many=True)


class SystemSweepShape(s.Serializer):
    system = SystemName()
    sweep = SweepShape()
    releases = s.ListField(
        child=s.CharField(), help_text="The last run first; those of which no day is known at the end."
    )
    results = s.IntegerField(help_text="Results of the sweep's benchmarks that were looked at, the newest.")
    left_out = s.BooleanField(help_text="There are more.")
    cells = s.IntegerField()
    measured = s.IntegerField()
    regressed = s.IntegerField(help_text="Worse than in the release before, beyond the interval.")
    not_repeated = s.IntegerField(help_text="Cells with a release before, of which repeats do not tell what changed.")
    parts = SweepPart(many=True)


class SystemSweep(PublicRead):
    """Which cells of the standard sweep a system has, which are missing, and what got worse."""

    @extend_schema(
        operation_id="systems_sweep",
        responses={200: SystemSweepShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(sweeps.sweep_document(slug))
