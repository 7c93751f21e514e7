"""Questions of other submitters as the pages of a submission and of its review show them."""

from __future__ import annotations

from typing import Any

from submissions.models import Account, Submission
from submissions.review import questions
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
