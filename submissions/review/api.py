"""What reviewers do by API, and what submitters answer: assignment, rubric, comments, and lines of the raw files."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query.questions.filters import InvalidValue, refuse_unknown, whole_number
from submissions.bundles import file_viewer
from submissions.checks import finding_counts
from submissions.checks import representation as checks_representation
from submissions.lifecycle import representation
from submissions.models import Comment, Submission, Token
from submissions.permissions import require_bytes, require_review, visible_submission
from submissions.review import assignment, comments, requests, rubric
from submissions.review import representation as review_representation
from submissions.review import responses as shape
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation

JOINED = Submission.objects.select_related("institution")


class SubmissionAssign(PrivateView):
    """Take a submission to review it, or as an editor give it to a reviewer; refused where interests conflict."""

    token_scope = Token.Scope.REVIEW

    @write_operation(
        operation_id="submissions_assign",
        request=requests.AssignRequest,
        responses={200: shape.Assigned} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        assignment.assign_submission(submission, account, **validated_body(request, requests.AssignRequest))
        return _assigned_response(submission, request)

    @write_operation(
        operation_id="submissions_unassign",
        parameters=[OpenApiParameter("reviewer", str, description="Username; without it the caller.")],
        responses={200: shape.Assigned} | REFUSED | CONFLICT,
    )
    def delete(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        assignment.take_back(submission, account, request.query_params.get("reviewer", "")[:150])
        return _assigned_response(submission, request)


def _assigned_response(submission: Submission, request: Request) -> Response:
    return Response(
        representation.receipt_document(submission, request)
        | {"assigned": review_representation.assigned_reviewers(submission)}
    )


class SubmissionRubric(PrivateView):
    """Every rule with outcome, evidence and what reviewers found; for reviewers without conflict of interest."""

    token_scope = Token.Scope.REVIEW

    @extend_schema(operation_id="submissions_rubric", responses={200: shape.Rubric} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        require_review(account, submission)
        return Response(_rubric_document(submission))

    @write_operation(
        operation_id="submissions_judge",
        request=requests.JudgeRequest,
        responses={200: shape.Rubric} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        require_review(account, submission)
        rubric.record_judgement(submission, account, **validated_body(request, requests.JudgeRequest))
        return Response(_rubric_document(submission))


def _rubric_document(submission: Submission) -> dict[str, Any]:
    check = checks_representation.latest_check(submission)
    rows = rubric.rubric_rows(submission, check.report if check else {})
    return {"settled": sum(row.settled for row in rows), "of": len(rows), "rules": [_rubric_row(row) for row in rows]}


def _rubric_row(row: rubric.Row) -> dict[str, Any]:
    judged = row.judgement
    return {
        "rule": row.code,
        "text": row.text,
        "outcome": row.outcome,
        "why": row.why,
        "settled": row.settled,
        "findings": row.findings,
        "judgement": judged and {
            "outcome": judged.outcome,
            "note": judged.note,
            "reviewer": judged.reviewer.username,
            "made_at": judged.made_at,
        },
    }  # fmt: skip


class SubmissionComments(PrivateView):
    """What was said about a submission, oldest first: to the submitter, and for reviewers among the committee."""

    @extend_schema(operation_id="submissions_comments", responses={200: shape.CommentPage} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        visible = comments.visible_comments(visible_submission(account, id, JOINED), account)
        return Response(shape.CommentPage(next=None, results=[_comment_row(comment) for comment in visible]))

    @write_operation(
        operation_id="submissions_comment",
        request=requests.CommentRequest,
        responses={201: shape.CommentRow} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        comment = comments.add_comment(
            visible_submission(account, id, JOINED),
            account,
            **validated_body(request, requests.CommentRequest),
        )
        return Response(_comment_row(comment), status=201)


def _comment_row(comment: Comment) -> shape.CommentRow:
    return shape.CommentRow(
        id=comment.pk,
        at=comment.made_at,
        author=comment.author.username,
        audience=Comment.Audience(comment.audience),
        answers=comment.answers_id,
        finding=comment.finding,
        text=comment.text,
    )


class SubmissionReceived(PrivateView):
    """The files of the archive as received, or 200 lines of one: for its institution and reviewers without conflict."""

    @extend_schema(
        operation_id="submissions_received",
        parameters=[
            OpenApiParameter("path", str, description="Of one file, as findings write it."),
            OpenApiParameter("line", int, description="The first line to show, from 1."),
        ],
        responses={200: shape.ReceivedPage} | REFUSED,
    )
    def get(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        refuse_unknown(request.query_params, ("path", "line"))
        submission = visible_submission(account, id, JOINED)
        require_bytes(account, submission)
        path = request.query_params.get("path", "")
        if not path:
            return Response({"files": file_viewer.list_files(submission)})
        try:
            begin = whole_number(request.query_params.get("line", "1"))
        except ValueError as error:
            raise InvalidValue("line", str(error)) from error
        check = checks_representation.latest_check(submission)
        page = file_viewer.file_page(
            submission, path, begin, finding_counts.list_findings(submission, check.report) if check else []
        )
        return Response(
            {
                "path": page.path,
                "size": page.size,
                "lines": [
                    {"number": line.number, "text": line.text, "cut": line.cut, "findings": line.findings}
                    for line in page.lines
                ],
                "following": page.following,
            }
        )
