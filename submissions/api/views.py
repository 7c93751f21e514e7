"""The write API and private reading: each view reads its input, calls one function of a stage, shows what came back."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.reading import next_address, page_size
from registry.api.throttles import UploadThrottle
from registry.filters import any_of, given, one_of, refuse_unknown
from submissions import intake
from submissions.api import documents
from submissions.api import serializers as shape
from submissions.api.edges import LARGE, REFUSED, UNAVAILABLE, BundleParser, PrivateView, list_names
from submissions.api.paging import page
from submissions.models import State, Submission
from submissions.permissions import seen_by, visible_to

JOINED = Submission.objects.select_related("account", "institution", "release", "result", "derivative")


def _declared(request: Request) -> intake.Declared:
    data = request.data
    return intake.declared(data.get("release", ""), list_names(data), data.get("metadata"))


class SubmissionList(PrivateView):
    """Upload, and the submissions that the account may see."""

    parser_classes = [BundleParser]

    def get_throttles(self) -> list:
        return [UploadThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="submissions_list",
        parameters=[
            OpenApiParameter("state", str, description="Only those in this state."),
            OpenApiParameter("cursor", str, description="From `next` of the page before."),
            OpenApiParameter("page_size", int, description="Rows of one page, at most 200."),
        ],
        responses={200: shape.SubmissionPage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        refuse_unknown(request.query_params, ("state", "cursor", "page_size"))
        found = JOINED & visible_to(request.user)
        if states := given(request.query_params, "state"):
            found = found.filter(any_of("state", lambda state: Q(state=one_of(State.values, state)), states))
        shown = page(found, request.query_params.get("cursor", ""), page_size(request, 50, 200))
        rows = [documents.summary(row, request) for row in shown.rows]
        return Response({"next": next_address(request, shown.cursor), "results": rows})

    @extend_schema(
        operation_id="submissions_upload",
        request={"multipart/form-data": shape.UploadRequest},
        responses={202: shape.Receipt, 200: shape.Receipt} | REFUSED | LARGE | UNAVAILABLE,
    )
    def post(self, request: Request) -> Response:
        bundle = request.FILES.get("bundle")
        submission, created = intake.receive(
            request.user,
            bundle,
            bundle and intake.require_sha256(request.data.get("sha256")),
            _declared(request),
            test=request.data.get("test", "").lower() == "true",
        )
        return Response(documents.receipt(submission, request), status=202 if created else 200)


class SubmissionDetail(PrivateView):
    """One submission with all that is known of it."""

    @extend_schema(operation_id="submissions_read", responses={200: shape.SubmissionWhole} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id, JOINED)
        again = documents.retry_after_s(submission)
        headers = {"Retry-After": str(again)} if again else {}
        return Response(documents.whole(submission, request), headers=headers)
