"""The Celery application: tasks carry ids only, are acknowledged after they ran, and may run twice."""

import json
import os
import time

from celery import Celery
from celery.signals import after_task_publish, beat_init, setup_logging, worker_init
from kombu.connection import Connection
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")

app = Celery("highwater")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

_HURRIED = {
    **{"socket_timeout": 0.4, "socket_connect_timeout": 0.4},
    # Kombu's own patience is 6 s by default.
    **{"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
}


def hurried_connection() -> Connection:
    """To the broker, with little patience, for somebody who waits; equal ones share a pool."""
    options = {**app.conf.broker_transport_options, **_HURRIED}
    connection: Connection = app.connection_for_write(transport_options=options)
    return connection


def keep_logging(**_: object) -> None:
    """Leave logging as the settings have it: Celery puts its own in place unless somebody answers this signal."""


setup_logging.connect(keep_logging)

# In the broker: when the scheduler last sent a task, and which process it is.
SCHEDULER_NOTE = "highwater.scheduler"
SCHEDULER_NOTE_KEPT_S = 86_400


def note_what_is_sent(**_: object) -> None:
    """In the scheduler alone: leave a note in the broker with each task."""
    after_task_publish.connect(_note_scheduler, weak=False)


beat_init.connect(note_what_is_sent)


def refuse_wrong_pooler(**_: object) -> None:
    """In workers and the scheduler, before their first task.

    Raises SystemExit, as Celery would only log another exception.
    """
    from registry import database  # the settings are read when the process begins
    from registry.database.pooling import TransactionPooling

    try:
        database.refuse_wrong_pooler()
    except TransactionPooling as refusal:
        raise SystemExit(str(refusal)) from refusal


def limit_rights(**_: object) -> None:
    """In workers, before their first task: from now on they speak with the role of the application."""
    from registry.database import rights  # the settings are read when the process begins

    rights.limit_process()


worker_init.connect(refuse_wrong_pooler)
worker_init.connect(limit_rights)
beat_init.connect(refuse_wrong_pooler)


def _note_scheduler(**_: object) -> None:
    note = json.dumps({"process": os.getpid(), "at": time.time()})
    try:
        with hurried_connection() as broker:
            broker.default_channel.client.set(SCHEDULER_NOTE, note, ex=SCHEDULER_NOTE_KEPT_S)
    except (KombuError, RedisError, OSError):
        return  # the task itself was sent, and the next note comes in two seconds


def scheduler_last_sent() -> float | None:
    """When the scheduler sent its last task, in seconds since 1970; None where no note lies in the broker."""
    with app.connection_for_read() as broker:
        broker.ensure_connection(max_retries=1, timeout=2)
        note = broker.default_channel.client.get(SCHEDULER_NOTE)
    return float(json.loads(note)["at"]) if note else None
