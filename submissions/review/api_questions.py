"""Questions of other submitters of a release by API: asked, answered, and about which runs one may ask."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query import public_record
from submissions.models import Account, Question, Submission
from submissions.permissions import visible_submission
from submissions.review import questions, requests
from submissions.review import responses as shape
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView, validated_body
from submissions.web.formatting import JOINED
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation


class SubmissionQuestions(PrivateView):
    """What other submitters of the release asked about a run: for its institution, and reviewers without conflict."""

    @extend_schema(operation_id="submissions_questions", responses={200: shape.QuestionList} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        return Response(_questions_document(visible_submission(account, id, JOINED), account))

    @write_operation(
        operation_id="submissions_ask",
        request=requests.QuestionRequest,
        responses={201: shape.QuestionRow} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID) -> Response:
        body = validated_body(request, requests.QuestionRequest)
        return Response(_question_row(questions.ask_question(id, account_of(request), **body)), status=201)


class SubmissionConsent(PrivateView):
    """Whether other submitters of its release may ask about a run: its institution decides."""

    @write_operation(
        operation_id="submissions_open_to_questions",
        request=requests.ConsentRequest,
        responses={200: shape.QuestionList} | REFUSED | CONFLICT,
    )
    def put(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        body = validated_body(request, requests.ConsentRequest)
        questions.set_consent(submission, account, is_open=body["open"])
        return Response(_questions_document(submission, account))


class QuestionAnswer(PrivateView):
    """The answer to one question, given once."""

    @write_operation(
        operation_id="submissions_answer_question",
        request=requests.AnswerRequest,
        responses={200: shape.QuestionRow} | REFUSED | CONFLICT,
    )
    def post(self, request: Request, id: UUID, number: int) -> Response:
        account = account_of(request)
        submission = visible_submission(account, id, JOINED)
        body = validated_body(request, requests.AnswerRequest)
        return Response(_question_row(questions.answer_question(submission, account, number, **body)))


class ReleaseQuestions(PrivateView):
    """About which runs of a release a submitter of it may ask, and what was asked; nobody else finds it."""

    @extend_schema(operation_id="releases_questions", responses={200: shape.ReleaseQuestions} | REFUSED)
    def get(self, request: Request, release: str) -> Response:
        account, release_row = account_of(request), public_record.find_release(release)
        questions.require_part(account, release_row)
        return Response(
            shape.ReleaseQuestions(
                release=release_row.slug,
                runs=[run_row(run) for run in questions.open_runs(account, release_row)],
                questions=[_question_row(row) for row in questions.own_questions(account, release_row)],
            )
        )


def run_row(submission: Submission) -> shape.OpenRun:
    """All that a consent to questions shows of a run."""
    return shape.OpenRun(
        id=submission.pk,
        institution=submission.institution.name if submission.institution else "",
        system=str(submission.metadata.get("system") or ""),
        lists=submission.lists,
    )


def _questions_document(submission: Submission, account: Account) -> shape.QuestionList:
    rows = questions.questions_about(submission, account)
    return shape.QuestionList(open=questions.is_open(submission), questions=[_question_row(row) for row in rows])


def _question_row(question: Question) -> shape.QuestionRow:
    return shape.QuestionRow(
        id=question.pk,
        submission=question.submission_id,
        asker=question.asker.username,
        asked_at=question.asked_at,
        text=question.text,
        answer=question.answer,
        answered_by=question.answered_by.username if question.answered_by else "",
        answered_at=question.answered_at,
    )
