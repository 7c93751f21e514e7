"""The latest check of a submission."""

from __future__ import annotations

from submissions.models import Check, Submission


def latest_check(submission: Submission) -> Check | None:
    return submission.checks.order_by("-made_at", "-id").first()
