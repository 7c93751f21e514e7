"""The questionnaire of a submission by API: what is known and from where, what is missing; answers, as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.checks import questionnaire
from submissions.checks.questionnaire import FilledQuestionnaire
from submissions.editing import edit
from submissions.editing import responses as shape
from submissions.models import Submission
from submissions.permissions import visible_submission
from submissions.web.api_base import CONFLICT, REFUSED, PrivateView
from submissions.web.request_account import account_of
from submissions.web.request_bodies import write_operation
from validators.questionnaires import Question
from validators.questionnaires.answers import lacking

DESCRIBED = Submission.objects.select_related("system_snapshot")


class SubmissionAnswers(PrivateView):
    """The answers to the questionnaire, of the facts and of people."""

    @extend_schema(operation_id="submissions_answers_read", responses={200: shape.Answers} | REFUSED)
    def get(self, request: Request, id: UUID) -> Response:
        return Response(_answers_document(visible_submission(account_of(request), id, DESCRIBED)))

    @write_operation(
        operation_id="submissions_answers",
        request=OpenApiTypes.OBJECT,
        responses={200: shape.Answers} | REFUSED | CONFLICT,
    )
    def put(self, request: Request, id: UUID) -> Response:
        account = account_of(request)
        edit.save_answers(visible_submission(account, id), account, request.data)
        return Response(_answers_document(visible_submission(account, id, DESCRIBED)))


def _answers_document(submission: Submission) -> dict[str, Any]:
    """Also the file to download: sent back, its `answers` are taken and the rest is left alone."""
    filled = questionnaire.fill_for_submission(submission)
    return {
        "questionnaire": filled.name,
        "answers": submission.answers,
        "questions": list(_question_rows(filled)),
        "lists": {name: _list_completeness(filled, name) for name in filled.lists},
        "contradictions": [finding.as_json() for finding in filled.contradictions],
        "proposal": filled.proposal.as_json(),
        "supported": filled.supported.as_json(),
        "answered_by_recipe": filled.answered_by_recipe(),
    }


def _question_rows(filled: FilledQuestionnaire) -> Iterator[dict[str, Any]]:
    for question in filled.questionnaire["questions"]:
        yield _question_row(filled, question, None)
        for part in question.get("parts", ()):
            yield _question_row(filled, part, question["id"])


def _question_row(filled: FilledQuestionnaire, question: Question, of: str | None) -> dict[str, Any]:
    recipe_answer = filled.from_recipe.get(question["id"])
    answer = filled.answers.get(question["id"])
    value = answer.value if answer else None
    return {
        "question": question["id"],
        "of": of,
        "text": question["text"],
        "kind": question["kind"],
        "value": value,
        "source": answer.source if answer and value is not None else None,
        "evidence": [evidence.as_json() for evidence in answer.evidence] if answer else [],
        "lacking": lacking(question, value),
        "recipe": recipe_answer.as_json(question["id"] in filled.contradicted_by_recipe) if recipe_answer else None,
    }


def _list_completeness(filled: FilledQuestionnaire, name: str) -> dict[str, Any]:
    rows = [row for row in filled.missing if name in row.lists]
    return {
        "asks": name in filled.required_by,
        "complete": not rows,
        "missing": [{"question": row.question, "why": row.why} for row in rows],
    }
