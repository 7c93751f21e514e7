"""When a draft or a test upload expires that nobody works on. All else is kept for ever.

The clock begins with the last change, which the database notes (submissions/migrations/0037_expiry.py). Nothing
expires before its owner was told and had NOTICE to answer: of a notice that came late, or was overtaken by other
settings, the time counts anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from submissions.models import EXPIRING_DRAFT, EXPIRING_TRIAL, State, Submission

NOTICE = timedelta(days=14)
"""From the notice to the end."""
NOTICE_COUNTS = 2 * NOTICE
"""A notice that is older is forgotten: what it said may not hold any more."""


def list_kinds() -> list[tuple[Mapping[str, object], timedelta]]:
    """Which submissions expire, as conditions of a query, and after how long; a kind that never does is left out."""
    kinds = ((EXPIRING_DRAFT, settings.DRAFT_DAYS), (EXPIRING_TRIAL, settings.TRIAL_DAYS))
    return [(condition, timedelta(days=days)) for condition, days in kinds if days]


def expires_at(submission: Submission) -> datetime | None:
    """Before when it does not expire, if nobody changes it; None for what never does by today's settings."""
    if submission.test:
        days = settings.TRIAL_DAYS if State(submission.state) in EXPIRING_TRIAL["state__in"] else 0
    else:
        days = settings.DRAFT_DAYS if submission.state == EXPIRING_DRAFT["state"] else 0
    if not days:
        return None
    now = timezone.now()
    told_at = submission.expiry_told_at
    if told_at is None or told_at <= now - NOTICE_COUNTS:
        told_at = now
    return max(submission.changed_at + timedelta(days=days), told_at + NOTICE)


def renew_time(submission: Submission) -> bool:
    """Begin its time anew, with its row locked by the caller; whether it is one that expires."""
    if expires_at(submission) is None:
        return False
    submission.changed_at, submission.expiry_told_at = timezone.now(), None
    submission.save(update_fields=["changed_at", "expiry_told_at"])
    return True
