"""Reviews as JSON."""

from __future__ import annotations

from typing import Any

from submissions.checks import finding_counts
from submissions.checks.representation import latest_check
from submissions.models import LateEntry, Review, Submission
from submissions.review.decisions import list_exclusions


def review(row: Review) -> dict[str, Any]:
    return {
        "decision": row.decision,
        "reproducibility": row.reproducibility,
        "production": row.production,
        "reason": row.reason,
        "findings": row.findings,
        "reviewer": row.reviewer.username,
        "made_at": row.made_at,
    }


def assigned(submission: Submission) -> list[str]:
    """Usernames of the reviewers who are to decide."""
    return list(submission.assignments.values_list("reviewer__username", flat=True))


def excluded(submission: Submission, review: Review) -> dict[str, dict[str, str]]:
    """By list, why the run that counts could not rank there."""
    check = latest_check(submission)
    primary = finding_counts.chosen_run(submission, check.report) if check else None
    run = check.report["runs"][primary] if primary is not None else {}
    found = list_exclusions(submission, run, review.production, review.reproducibility)
    return {name: {"code": why.code, "why": why.why} for name, why in found.items() if why}


def late_entry_document(row: LateEntry) -> dict[str, Any]:
    """`row` with its release and who decided joined."""
    return {
        "id": str(row.submission_id),
        "release": row.release.slug,
        "reason": row.reason,
        "decided_by": row.decided_by.username,
        "decided_at": row.decided_at,
    }
