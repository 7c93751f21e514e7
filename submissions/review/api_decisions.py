"""Decisions and late entries by API."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from submissions.lifecycle import representation as lifecycle_representation
from submissions.lifecycle.representation import JOINED
from submissions.models import Token
from submissions.permissions import require_review, seen_by
from submissions.review import decisions
from submissions.review import representation as review_representation
from submissions.review import responses as review_responses
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, valid
from submissions.web.request_bodies import writes


class SubmissionReview(PrivateView):
    """A reviewer's decision, with its reason; `excluded` says where an accepted run could not rank, and why."""

    token_scope = Token.Scope.REVIEW

    @writes(
        operation_id="submissions_review",
        request=review_responses.ReviewRequest,
        responses={200: review_responses.ReviewAnswer} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id, JOINED)
        require_review(request.user, submission)
        made = decisions.decide(submission, request.user, **valid(request, review_responses.ReviewRequest))
        submission.refresh_from_db(fields=["state"])
        return Response(
            lifecycle_representation.receipt(submission, request)
            | review_representation.review(made)
            | {"excluded": review_representation.excluded(submission, made)}
        )


class SubmissionLate(PrivateView):
    """An editor lets a submission come to a release after its deadline, with the reason."""

    token_scope = Token.Scope.RELEASE

    @writes(
        operation_id="submissions_late",
        request=review_responses.LateRequest,
        responses={200: review_responses.LateAnswer} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        submission = seen_by(request.user, id)
        return Response(
            review_representation.late_entry_document(
                decisions.admit_late(submission, request.user, **valid(request, review_responses.LateRequest))
            )
        )
