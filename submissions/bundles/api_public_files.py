"""By API: the files that no benchmark read, the words in them to look at, and which may stand in the public copy."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.bundles import public_files
from submissions.bundles import responses as shape
from submissions.models import Submission
from submissions.permissions import require_bytes, visible_submission
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

JOINED = Submission.objects.select_related("account", "institution")


class AgreeRequest(s.Serializer[None]):
    paths = s.ListField(
        child=s.CharField(max_length=4096, trim_whitespace=False),
        max_length=public_files.MOST_FILES,
        help_text="All further files that may be in the copy. An empty list withdraws every agreement.",
    )
    version = s.IntegerField(
        required=False, min_value=1, help_text="Of the files that were looked at; refused where they changed since."
    )


class SubmissionPublicFiles(PrivateView):
    """The texts that no benchmark read: they are in the public copy only after somebody looked at them and agreed."""

    @extend_schema(operation_id="submissions_public_files", responses={200: shape.PublicFiles} | REFUSED | CONFLICT)
    def get(self, request: Request, id: UUID) -> Response:
        return _public_files_response(request, id)

    @write_operation(
        operation_id="submissions_public_files_agree",
        request=AgreeRequest,
        responses={200: shape.PublicFiles} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        public_files.agree_to_files(
            visible_submission(account, id, JOINED), account, **validated_body(request, AgreeRequest)
        )
        return _public_files_response(request, id)


def _public_files_response(request: Request, id: UUID) -> Response:
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    require_bytes(account, submission)
    files = [
        shape.OfferedFile(
            path=row.path,
            size=row.size,
            agreed=row.agreed,
            marks=None
            if row.marks is None
            else [shape.MarkRow(line=mark.line, word=mark.word, why=mark.why) for mark in row.marks],
        )
        for row in public_files.offered_files(submission)
    ]
    return Response(shape.PublicFiles(version=submission.version, files=files))
