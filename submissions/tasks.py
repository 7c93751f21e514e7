"""Edges of the worker: a task takes an id and calls one function of its stage."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings

from submissions import (
    checking,
    presence,
    processing,
    publication,
    quarantine,
    retention,
    revalidation,
    review,
    telling,
    watching,
)

log = logging.getLogger(__name__)


@shared_task(soft_time_limit=settings.CHECK_SECONDS, time_limit=settings.CHECK_SECONDS + 30)
def process(submission_id: str) -> None:
    """Check what was received."""
    processing.process(submission_id)


@shared_task
def prepare_review(submission_id: str) -> None:
    """Make ready what was submitted."""
    review.prepare(submission_id)


@shared_task(soft_time_limit=settings.CHECK_SECONDS, time_limit=settings.CHECK_SECONDS + 30)
def recheck(submission_id: str) -> None:
    """Tell what today's rules find otherwise."""
    revalidation.recheck(submission_id)


@shared_task(soft_time_limit=checking.DEADLINE_S, time_limit=checking.DEADLINE_S + 10, acks_late=False)
def check_held(held: str) -> None:
    """Check bytes of which nothing is kept."""
    checking.answer(held)


@shared_task
def sweep() -> None:
    """What has to happen now: tasks that were lost, derivatives that are missing, releases that are due."""
    processing.sweep()
    review.sweep()
    publication.publish_due()


@shared_task
def find_steps() -> None:
    """Steps in the numbers of systems whose results changed."""
    watching.find_steps()


@shared_task
def tell() -> None:
    """Mail and webhooks that are due."""
    telling.tell()


@shared_task
def tidy() -> None:
    """Delete what an interrupted request left behind, and what must not be kept; look for what must be there.

    What one of them can't do stops no other.
    """
    for step in (retention.tidy, quarantine.delete_leftovers, presence.look):
        try:
            step()
        except Exception:
            log.exception("%s.%s failed", step.__module__, step.__name__)
