"""Edges of the worker: a task takes an id and calls one function of its stage.

The cage stops a check after its seconds; the limits here are for a worker that hangs elsewhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from registry.database import public_writes
from registry.database.any_rows import AnyRows, MakeRows
from registry.timeseries import detected_steps
from submissions.accounts import account_requests
from submissions.bundles import copy_preview, quarantine
from submissions.change_points import detection
from submissions.checks import dry_check, processing, revalidation, turns
from submissions.damage import presence, scrub
from submissions.notifications import outbox
from submissions.operations import retention
from submissions.publication import publish
from submissions.reproduction import judging
from submissions.review import decisions
from submissions.shelf import groups as shelf_groups
from submissions.shelf import rows as shelf_rows

log = logging.getLogger(__name__)


@shared_task(soft_time_limit=settings.CHECK_SECONDS + 15, time_limit=settings.CHECK_SECONDS + 45)
def process(submission_id: str) -> None:
    """Check what was received, in turns of accounts."""
    turns.serve_task(submission_id)
    shelf_rows.shelve_due()


@shared_task
def prepare_review(submission_id: str) -> None:
    """Make ready what was submitted; an upload that waits is checked before."""
    turns.check_next()
    decisions.prepare_for_review(submission_id)


@shared_task
def make_copy(submission_id: str) -> None:
    """Make the public copy that somebody wants to see before; an upload that waits is checked before."""
    turns.check_next()
    copy_preview.make_requested_copy(submission_id)


@shared_task(soft_time_limit=settings.CHECK_SECONDS + 15, time_limit=settings.CHECK_SECONDS + 45)
def recheck(submission_id: str) -> None:
    """Tell what today's rules find otherwise; an upload that waits is checked before."""
    turns.check_next()
    revalidation.compare_recheck(submission_id)


@shared_task(soft_time_limit=dry_check.DEADLINE_S + 5, time_limit=dry_check.DEADLINE_S + 15, acks_late=False)
def check_held(held: str) -> None:
    """Check bytes of which nothing is kept."""
    dry_check.serve_dry_check(held)


@shared_task
def sweep() -> None:
    """What has to happen now: due and lost tasks, missing derivatives, releases that are due, marks, shelves.

    What there is to do is asked at once, before anything is done: a registry at rest asks one query, and no more.
    """
    waiting = iter(_ANY_ROWS.ask_all(timezone.now()))
    for act, makers in _ACTS:
        are_any = [next(waiting) for _ in makers]
        if any(are_any):
            act()


@shared_task
def find_steps() -> None:
    """Steps in the numbers of systems whose results changed."""
    detection.detect_due_systems()


@shared_task
def tell() -> None:
    """Mail and webhooks that are due, and answers to who asked for an account or another password."""
    account_requests.answer_due()
    outbox.send_due()


@shared_task
def scrub_storage() -> None:
    """A turn of reading all stored bytes, where it is due."""
    scrub.continue_nightly()


@shared_task
def examine_bytes(place: str) -> None:
    """Look at stored bytes that somebody found damaged; `place` is KIND:SHA256."""
    kind, _, sha256 = place.partition(":")
    scrub.examine_reported(kind, sha256)


@shared_task
def tidy() -> None:
    """Delete what an interrupted request left behind, and what must not be kept; look for what must be there.

    What one of them can't do stops no other.
    """
    for step in (
        retention.delete_old_uses,
        retention.delete_old_leftovers,
        retention.withdraw_expired,
        retention.notify_of_expiry,
        retention.delete_expired_bytes,
        quarantine.delete_leftovers,
        shelf_groups.delete_ended_shares,
        presence.note_missing_bytes,
        public_writes.forget_old_writes,
    ):
        try:
            step()
        except Exception:
            log.exception("%s.%s failed", step.__module__, step.__name__)


_ACTS: Sequence[tuple[Callable[[], object], Sequence[MakeRows]]] = (
    # What may take its time has a task of its own.
    (lambda: find_steps.delay(), [detected_steps.due_rows]),
    (
        lambda: tell.delay(),
        [account_requests.due_requests, lambda _: outbox.untold_notices(), outbox.due_deliveries],
    ),
    (processing.requeue_stuck, [lambda _: processing.late_submissions()]),
    (decisions.requeue_unprepared, [lambda _: decisions.unprepared_submissions()]),
    (publish.publish_due, [publish.due_releases]),
    (judging.judge_due, [judging.due_submissions]),
    (shelf_rows.shelve_due, [lambda _: shelf_rows.due_submissions()]),
)
"""What a sweep does, each with the rows that wait for it: without any there is nothing to do."""
_ANY_ROWS = AnyRows(*(maker for _, makers in _ACTS for maker in makers))
