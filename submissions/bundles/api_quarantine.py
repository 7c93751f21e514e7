"""Stored files with secrets, by API: what waits for an editor, and what the editor decides."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from registry.web.api_base import next_address
from submissions.bundles import quarantine
from submissions.bundles import responses as shape
from submissions.models import Account, SecretFile, Token
from submissions.permissions import require_role
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

PAGE_ROWS = 100
OUTCOMES = ", ".join(SecretFile.Outcome.values)


class ReasonRequest(s.Serializer[None]):
    reason = s.CharField(max_length=4000, help_text="In words; the history keeps it.")


class QuarantineList(PrivateView):
    """Stored files in which a check found a private key or a live token, newest first; for editors."""

    token_scope = Token.Scope.RELEASE

    @extend_schema(
        operation_id="quarantine_list",
        parameters=[
            OpenApiParameter(
                "outcome", OpenApiTypes.STR, enum=SecretFile.Outcome.values, description="Default: what waits."
            ),
            OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next`."),
        ],
        responses={200: shape.SecretFilePage} | REFUSED,
    )
    def get(self, request: Request) -> Response:
        require_role(account_of(request), Account.Role.EDITOR)
        rows, cursor = quarantine.list_secret_files(request.query_params, PAGE_ROWS)
        return Response({"next": next_address(request, cursor), "results": [_secret_file_row(row) for row in rows]})


class QuarantineClear(PrivateView):
    """The file holds no secret: it is served again, and its account may send it again."""

    token_scope = Token.Scope.RELEASE

    @write_operation(
        operation_id="quarantine_clear",
        request=ReasonRequest,
        responses={200: shape.SecretFileRow} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: int) -> Response:
        account = account_of(request)
        require_role(account, Account.Role.EDITOR)
        row = quarantine.find_secret_file(id)
        quarantine.clear_file(row, account, **validated_body(request, ReasonRequest))
        return Response(_secret_file_row(row))


class QuarantineWithhold(PrivateView):
    """Put a reported or cleared file of a run under review, or published, into quarantine."""

    token_scope = Token.Scope.RELEASE

    @write_operation(
        operation_id="quarantine_withhold",
        request=ReasonRequest,
        responses={200: shape.SecretFileRow} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: int) -> Response:
        account = account_of(request)
        require_role(account, Account.Role.EDITOR)
        row = quarantine.find_secret_file(id)
        quarantine.withhold_file(row, account, **validated_body(request, ReasonRequest))
        return Response(_secret_file_row(row))


def _secret_file_row(row: SecretFile) -> dict[str, Any]:
    submission = row.submission
    return {
        "id": row.pk,
        "submission": submission.pk,
        "institution": submission.institution and submission.institution.slug,
        "account": row.account.username,
        "result": submission.result and submission.result.public_id,
        "sha256": row.sha256,
        "outcome": row.outcome,
        "where": row.where.split("\n"),
        "found_at": row.found_at,
        "bytes_deleted_at": row.bytes_deleted_at,
        "decided_at": row.decided_at,
        "decided_by": row.decided_by and row.decided_by.username,
        "reason": row.reason,
    }
