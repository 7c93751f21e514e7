"""The check that keeps nothing, by API."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from registry.web.responses import UNAVAILABLE, Problem
from registry.web.throttles import CheckThrottle
from submissions.bundles.upload_api import BundleParser, UploadView, form_fields
from submissions.checks import dry_check, requests
from submissions.checks import responses as checks_responses
from submissions.intake.upload_form import declared_by_form
from submissions.web.api_base import LARGE, REFUSED
from submissions.web.request_bodies import write_operation


class CheckNow(UploadView):
    """The findings on a bundle, of which nothing is kept; a worker looks at it, with a deadline."""

    parser_classes = [BundleParser]
    throttle_classes = [CheckThrottle]

    @write_operation(
        operation_id="check",
        request={"multipart/form-data": requests.CheckRequest},
        responses={200: checks_responses.Report, (504, "application/problem+json"): Problem}
        | REFUSED
        | LARGE
        | UNAVAILABLE,
    )
    def post(self, request: Request) -> Response:
        bundle = request.FILES.get("bundle")
        return Response(
            dry_check.run_dry_check(bundle, form_fields(request).get("sha256", ""), declared_by_form(request))
        )
