"""What others say of a run, as its pages show it: questions of other submitters, and what becomes of findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from submissions.models import Account, Disposition, Submission
from submissions.review import dispositions, questions
from submissions.review.forms import AnswerForm


def questions_context(submission: Submission, account: Account, answer_url: str) -> dict[str, Any]:
    """The questions about a run, each with a form to answer it; for its institution and who may review it."""
    rows = [
        {
            "question": question,
            "number": str(question.pk),
            "form": AnswerForm(initial={"number": question.pk}, auto_id=f"answer-{question.pk}-%s"),
        }
        for question in questions.questions_about(submission, account)
    ]
    return {"questions": rows, "answer_url": answer_url}


def consent_context(submission: Submission) -> dict[str, Any]:
    """Whether its institution may open a run to questions, and whether it is open."""
    release = submission.release
    waits = submission.state in questions.WAITING and not submission.test
    may_consent = release is not None and release.published_at is None and waits
    return {"may_consent": may_consent, "open_to_questions": may_consent and questions.is_open(submission)}


def points_context(submission: Submission, report: Mapping[str, Any]) -> dict[str, Any]:
    """What reviewers said becomes of findings, for its institution; `withdrawal` is what asks for the whole run."""
    points = dispositions.list_points(submission, report)
    made_dispositions = [point.disposition for point in points if point.disposition is not None]
    return {
        "points": [{"point": point} for point in points],
        "open_points": sum(point.is_open for point in points),
        "withdrawal": next((row for row in made_dispositions if row.kind == Disposition.Kind.WITHDRAW), None),
    }
