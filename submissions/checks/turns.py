"""Whose submission is checked next: accounts take turns, however many each of them has sent.

A task says that something waits, and not what is to be done: whoever takes it up checks what has waited longest of the
account whose last check began longest ago. The turns are rows, so that they outlive workers and the broker.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from submissions.checks import processing
from submissions.lifecycle import task_queue
from submissions.models import CheckTurn, State, Submission

_CANDIDATES = 32
"""More than there are workers: each may be at one of them, or about to be."""
_OF_ONE_ACCOUNT = 16
_WAITING = """
SELECT waiting.id FROM (
  SELECT id, account_id, queued_at, received_at,
         row_number() OVER (PARTITION BY account_id ORDER BY received_at, id) AS place
  FROM submissions_submission WHERE state = 'received'
) AS waiting LEFT JOIN submissions_checkturn AS turn ON turn.account_id = waiting.account_id
WHERE waiting.place <= %s
ORDER BY turn.began_at NULLS FIRST, waiting.account_id, waiting.place LIMIT %s
"""
_TAKEN_UP = "SELECT account_id FROM submissions_submission WHERE id = %s AND state = 'processing'"


def serve_task(submission_id: UUID | str) -> None:
    """Check what is next. A submission whose worker was lost takes its account's turn like any other."""
    account_id = _abandoned_account(submission_id)
    if account_id is None:
        check_next()
    elif _is_behind_others(account_id) and check_next():
        task_queue.enqueue("process", str(submission_id))
    else:
        processing.check_submission(submission_id)


def check_next() -> bool:
    """Check the submission that is next; whether there was one that nobody else was at."""
    return any(processing.check_submission(submission_id) for submission_id in list_waiting())


def list_waiting() -> list[UUID]:
    """Submissions that wait for a worker, those that are next first; no more than workers could be at."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [_OF_ONE_ACCOUNT, _CANDIDATES])
        return [submission_id for (submission_id,) in cursor]


def _abandoned_account(submission_id: UUID | str) -> int | None:
    """Whose submission it is, if a worker took it up and may be lost; in plain SQL, as every check begins with it."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN_UP, [submission_id])
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def _is_behind_others(account_id: int) -> bool:
    """Whether somebody else waits whose last check began before the last one of this account."""
    turn = CheckTurn.objects.filter(account=account_id).values_list("began_at", flat=True).first()
    others = Submission.objects.filter(state=State.RECEIVED).exclude(account=account_id)
    waiting = set(others.order_by().values_list("account", flat=True).distinct())
    return turn is not None and waiting > set(
        CheckTurn.objects.filter(account__in=waiting, began_at__gt=turn).values_list("account", flat=True)
    )
