"""Decisions and late entries by API."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from submissions.lifecycle import representation as lifecycle_representation
from submissions.lifecycle.representation import JOINED
from submissions.models import Token
from submissions.permissions import require_review, visible_submission
from submissions.review import decisions, requests
from submissions.review import representation as review_representation
from submissions.review import responses as review_responses
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation


class SubmissionReview(PrivateView):
    """A reviewer's decision, with its reason; `excluded` says where an accepted run could not rank, and why."""

    token_scope = Token.Scope.REVIEW

    @write_operation(
        operation_id="submissions_review",
        request=requests.ReviewRequest,
        responses={200: review_responses.ReviewResponse} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        require_review(account, submission)
        review = decisions.decide_run(submission, account, **validated_body(request, requests.ReviewRequest))
        submission.refresh_from_db(fields=["state"])
        return Response(
            lifecycle_representation.receipt_document(submission, request)
            | review_representation.review_document(review)
            | {"excluded": review_representation.excluded_lists(submission, review)}
        )


class SubmissionLate(PrivateView):
    """An editor lets a submission come to a release after its deadline, with the reason."""

    token_scope = Token.Scope.RELEASE

    @write_operation(
        operation_id="submissions_late",
        request=requests.LateRequest,
        responses={200: review_responses.DeadlineExceptionResponse} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id)
        return Response(
            review_representation.late_entry_document(
                decisions.admit_late(submission, account, **validated_body(request, requests.LateRequest))
            )
        )
