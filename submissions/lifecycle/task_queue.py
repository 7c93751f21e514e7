"""Send tasks that carry an id only. A dead broker costs under a second and nothing else: the sweeper sends again."""

from __future__ import annotations

import logging
import time
from uuid import UUID

from django.db import transaction
from kombu.exceptions import KombuError
from kombu.pools import producers
from redis.exceptions import RedisError

from registry.celery import app, hurried_connection, waiting_tasks

log = logging.getLogger(__name__)

SILENCE_S = 5.0
"""After a failed send, so long no other one is tried: a dead broker must not slow every upload."""

_AWAY = (KombuError, RedisError, OSError)

_silent_until = 0.0


def enqueue_after_commit(task: str, submission_id: UUID) -> None:
    """Send `submissions.tasks.TASK` once the transaction is on disk."""
    transaction.on_commit(lambda: enqueue(task, str(submission_id)))


def enqueue(task: str, argument: str, *, expires_s: float | None = None) -> bool:
    """Whether the broker took the task. Never raises for a broker that is away."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return False
    try:
        with producers[hurried_connection()].acquire(block=True, timeout=1) as producer:
            app.send_task(
                f"submissions.tasks.{task}", args=[argument], retry=False, expires=expires_s, producer=producer
            )
    except _AWAY as error:
        _silent_until = time.monotonic() + SILENCE_S
        log.warning("The broker is away, %s %s was not sent: %s", task, argument, error)
        return False
    return True


def queue_length(name: str) -> int | None:
    """How many tasks wait in a queue; None where the broker does not say."""
    connection = hurried_connection()
    try:
        with connection:
            return waiting_tasks(connection, name)
    except _AWAY as error:
        log.warning("The broker is away: %s", error)
        return None
