"""Dispositions of findings by API, and what is open of a release."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import public_record
from submissions.checks import representation as checks_representation
from submissions.models import Disposition, Submission, Token
from submissions.permissions import is_own, require_review, visible_submission
from submissions.review import dispositions, requests
from submissions.review import responses as shape
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.formatting import JOINED, name_of
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation


class SubmissionDispositions(PrivateView):
    """Findings with what became of them: for the institution, and for reviewers without conflict of interest."""

    token_scope = Token.Scope.REVIEW

    @extend_schema(operation_id="submissions_dispositions", responses={200: shape.PointList} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        if not is_own(account, submission):
            require_review(account, submission)
        return Response(_points_document(submission))

    @write_operation(
        operation_id="submissions_dispose",
        request=requests.DispositionRequest,
        responses={200: shape.PointList} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        require_review(account, submission)
        dispositions.dispose_finding(submission, account, **validated_body(request, requests.DispositionRequest))
        return Response(_points_document(submission))


class ReleaseOpenPoints(PrivateView):
    """All open points of a release that is not published, for reviewers."""

    @extend_schema(operation_id="releases_open_points", responses={200: shape.ReleasePoints} | REFUSED)
    def get(self, request: Request, release: str) -> Response:
        release_row = public_record.find_release(release)
        release_points = dispositions.open_points(release_row, account_of(request))
        return Response(_release_document(release_row.slug, release_points))


def _release_document(slug: str, release_points: dispositions.OpenPoints) -> dict[str, Any]:
    """The open points of a release, by submission."""
    return {
        "release": slug,
        "open": sum(len(points) for _, points in release_points.submissions),
        "closed_to_account": release_points.closed_to_account,
        "submissions": [
            {
                "id": submission.pk,
                "name": name_of(submission),
                "state": submission.state,
                "institution": submission.institution.name if submission.institution else "",
                "points": [_point_row(point) for point in points],
            }
            for submission, points in release_points.submissions
        ],
    }


def _points_document(submission: Submission) -> dict[str, Any]:
    check = checks_representation.latest_check(submission)
    points = dispositions.list_points(submission, check.report if check else {})
    return {
        "open": sum(point.is_open for point in points),
        "of": len(points),
        "points": [_point_row(point) for point in points],
    }


def _point_row(point: dispositions.Point) -> dict[str, Any]:
    return {
        "code": point.code,
        "level": point.level,
        "messages": list(point.messages),
        "open": point.is_open,
        "disposition": point.disposition and _disposition_row(point.disposition),
    }


def _disposition_row(disposition: Disposition) -> dict[str, Any]:
    return {
        "kind": disposition.kind,
        "reason": disposition.reason,
        "covers": disposition.covers,
        "reviewer": disposition.reviewer.username,
        "made_at": disposition.made_at,
    }
