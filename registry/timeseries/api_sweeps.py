"""systems/{slug}/sweep/: the standard sweep of a system: measured, missing, regressed."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.timeseries import responses as shape
from registry.timeseries import sweeps
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead


class SystemSweep(PublicRead):
    """Which cells of the standard sweep a system has, which are missing, and what got worse."""

    @extend_schema(
        operation_id="systems_sweep",
        responses={200: shape.SystemSweepShape} | web_responses.NOT_FOUND | web_responses.REFUSED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(sweeps.sweep_document(slug, self.asked_source()))
