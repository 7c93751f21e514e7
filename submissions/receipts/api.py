"""Receipts by API: of one submission, and the keys that verify any."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.permissions import visible_submission
from submissions.receipts import receipts
from submissions.receipts import responses as receipts_responses
from submissions.web.api_base import REFUSED, PrivateView
from submissions.web.request_account import account_of


class SubmissionReceipt(PrivateView):
    """What the registry holds of a submission and under which rules it was checked, signed."""

    @extend_schema(operation_id="submissions_receipt", responses={200: receipts_responses.SignedReceipt} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return Response(receipts.issue_receipt(visible_submission(account_of(request), id)))


class SubmissionRecords(PrivateView):
    """What the transparency log has of a submission: bytes received, changes of state, checks, decisions."""

    @extend_schema(operation_id="submissions_records", responses={200: receipts_responses.PrivateRecordPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        submission = visible_submission(account_of(request), id)
        return Response(receipts_responses.PrivateRecordPage(next=None, results=receipts.list_records(submission)))


class ReceiptKeysView(PrivateView):
    """The public keys with which receipts of this registry were signed, the newest first."""

    permission_classes = [AllowAny]

    @extend_schema(operation_id="receipt_keys", responses={200: receipts_responses.ReceiptKeys})
    def get(self, request: Request) -> Response:
        return Response(
            receipts_responses.ReceiptKeys(namespace=receipts.NAMESPACE, public_keys=receipts.public_keys())
        )
