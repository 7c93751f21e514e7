"""The files of a submission by API: add, replace, remove; older versions, and what changed between two."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import IntegerField
from rest_framework.throttling import BaseThrottle

from registry.query.questions.filters import refuse_unknown
from registry.web.responses import UNAVAILABLE
from registry.web.throttles import UploadThrottle
from submissions.bundles import copy_preview
from submissions.bundles.upload_api import BundleParser, UploadView, form_fields
from submissions.editing import edit, representation, requests, version_history
from submissions.editing import responses as editing_responses
from submissions.lifecycle import representation as lifecycle_representation
from submissions.lifecycle import responses as lifecycle_responses
from submissions.models import Submission
from submissions.permissions import own_submission, visible_submission
from submissions.web.api_base import CONFLICT, LARGE, REFUSED, PrivateView
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

VERSION = IntegerField(min_value=1, max_value=32767)
DERIVED = Submission.objects.select_related("account", "derivative")


class SubmissionFiles(UploadView):
    """The files of the current version, and the scrubbed derivative with its files once it is made."""

    parser_classes = [BundleParser]

    def get_throttles(self) -> list[BaseThrottle]:
        return [UploadThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(operation_id="submissions_files", responses={200: editing_responses.Files} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return Response(representation.files_document(visible_submission(account_of(request), id, DERIVED)))

    @write_operation(
        operation_id="submissions_files_add",
        request={"multipart/form-data": requests.FileRequest},
        responses={202: lifecycle_responses.Receipt, 200: lifecycle_responses.Receipt}
        | REFUSED
        | CONFLICT
        | LARGE
        | UNAVAILABLE,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = own_submission(account, id)
        fields = form_fields(request)
        sent = request.FILES.get("file") or request.FILES.get("bundle")
        changed = edit.put_file(
            submission,
            account,
            sent,
            fields.get("sha256", ""),
            replaces=fields.get("replaces", ""),
            version=_parse_version(fields.get("version")),
        )
        submission.refresh_from_db()
        return Response(lifecycle_representation.receipt_document(submission, request), status=202 if changed else 200)


class SubmissionFile(PrivateView):
    """One file of the current version."""

    @write_operation(
        operation_id="submissions_files_remove",
        parameters=[OpenApiParameter("version", int, description="The version that must be current, else 409.")],
        responses={202: lifecycle_responses.Receipt} | REFUSED | CONFLICT,
    )
    def delete(self, request: Request, id: UUID, name: str) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id)
        edit.remove_file(submission, account, name, version=_parse_version(request.query_params.get("version")))
        submission.refresh_from_db()
        return Response(lifecycle_representation.receipt_document(submission, request), status=202)


class SubmissionCopy(PrivateView):
    """The scrubbed copy before anything is submitted: made by the worker, and then under `derivative` of the files."""

    @write_operation(
        operation_id="submissions_copy",
        responses={202: editing_responses.Files} | REFUSED | CONFLICT | UNAVAILABLE,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, DERIVED)
        copy_preview.request_copy(submission, account)
        return Response(representation.files_document(submission), status=202)


class SubmissionVersions(PrivateView):
    """Every version of the files, oldest first, with its check in short."""

    @extend_schema(operation_id="submissions_versions", responses={200: editing_responses.VersionPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return Response(
            {
                "next": None,
                "results": version_history.list_versions(visible_submission(account_of(request), id, DERIVED)),
            }
        )


class SubmissionVersionDifference(PrivateView):
    """What changed from one version to another: files, scores, measurements, findings."""

    @extend_schema(
        operation_id="submissions_versions_difference",
        parameters=[OpenApiParameter(name, int, required=True) for name in ("from", "to")],
        responses={200: editing_responses.VersionDifference} | REFUSED,
    )
    def get(self, request: Request, id: UUID) -> Response:
        refuse_unknown(request.query_params, ("from", "to"))
        submission = visible_submission(account_of(request), id)
        before, after = (VERSION.run_validation(request.query_params.get(name, "")) for name in ("from", "to"))
        return Response(representation.comparison_document(version_history.compare_versions(submission, before, after)))


def _parse_version(text: str | None) -> int | None:
    """Raises ValidationError for what is no number."""
    return None if text is None else int(VERSION.run_validation(text))
