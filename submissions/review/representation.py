"""Reviews as JSON."""

from __future__ import annotations

from typing import Any

from submissions.checks import questionnaire
from submissions.checks.representation import latest_check
from submissions.models import DeadlineException, Review, Submission
from submissions.publication.publishable import list_exclusions


def review_document(row: Review) -> dict[str, Any]:
    return {
        "decision": row.decision,
        "reproducibility": row.reproducibility,
        "production": row.production,
        "reason": row.reason,
        "findings": row.findings,
        "reviewer": row.reviewer.username,
        "made_at": row.made_at,
    }


def assigned_reviewers(submission: Submission) -> list[str]:
    """Usernames of the reviewers who are to decide."""
    return list(submission.assignments.values_list("reviewer__username", flat=True))


def excluded_lists(submission: Submission, review: Review) -> dict[str, dict[str, str]]:
    """By list, why the run that counts could not rank there."""
    check = latest_check(submission)
    run = questionnaire.primary_run(submission, check.report) if check else None
    exclusions = list_exclusions(submission, run, review.production, review.reproducibility)
    return {name: {"code": why.code, "why": why.why} for name, why in exclusions.items() if why}


def late_entry_document(row: DeadlineException) -> dict[str, Any]:
    """`row` with its release and who decided joined."""
    return {
        "id": str(row.submission_id),
        "release": row.release.slug,
        "reason": row.reason,
        "decided_by": row.decided_by.username,
        "decided_at": row.decided_at,
    }
