"""systems/{slug}/sweep/: the standard sweep of a system: measured, missing, regressed."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import serializers as shape
from registry.api.reading import PublicRead
from registry.api.series import SystemName
from registry.over_time import sweeps


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
    value = s.FloatField(help_text="Canonical.")


class SweepCell(s.Serializer):
    """One operation under one choice of each axis."""

    choices = s.ListField(child=s.CharField())
    op = s.CharField()
    verdict = s.CharField(
        help_text="missing; first, with no release before; equal within the interval; better; or worse."
    )
    unit = s.CharField(allow_blank=True)
    latest = SweepRun(allow_null=True)
    before = SweepRun(allow_null=True, help_text="Of the release before, of the same trust and run alike.")
    ratio = s.FloatField(allow_null=True)
    interval = s.ListField(child=s.FloatField(), min_length=2, max_length=2, allow_null=True)


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
    parts = SweepPart(many=True)


class SystemSweep(PublicRead):
    """Which cells of the standard sweep a system has, which are missing, and what got worse."""

    @extend_schema(operation_id="systems_sweep", responses={200: SystemSweepShape} | shape.NOT_FOUND | shape.REFUSED)
    def get(self, request: Request, slug: str) -> Response:
        return Response(sweeps.document(slug))
