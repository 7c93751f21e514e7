"""The Celery application: tasks carry ids only, are acknowledged after they ran, and may run twice.

Periodic tasks keep their intervals whatever happens to clocks.
"""

import gc
import json
import os
import signal
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from billiard import active_children
from billiard.compat import mem_rss
from celery import Celery, states
from celery.apps.beat import Beat
from celery.apps.worker import Worker
from celery.beat import PersistentScheduler, ScheduleEntry
from celery.platforms import EX_FAILURE
from celery.signals import (
    setup_logging,
    task_postrun,
    task_prerun,
    worker_before_create_process,
    worker_init,
)
from django.conf import settings
from django.db import close_old_connections, connections
from django.utils.log import configure_logging
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


PROMPT_QUEUE = "prompt"
PROMPT_GROWTH_KIB = 4096
"""How much more than the worker itself a process for prompt tasks may have taken, before another one takes its place.

It begins some 20 MB below, as it has mapped no files yet. Writing an edition of 600 results goes 15 MB above.
"""


class EndingWorker(Worker):  # type: ignore[misc]  # Celery has no types
    """A worker that ends at once where it cannot go on, so that it is started again.

    Celery's own first waits for the results of its processes. Where one of them was killed in the middle of a message,
    it waits for ever: neither dead nor at work. Where it does prompt tasks alone, it gives back what a large one took.
    """

    def setup_defaults(self, **options: Any) -> None:
        """As Celery's own, with the limit of memory beyond which a process is replaced after its task."""
        super().setup_defaults(**options)
        if options.get("queues") in (PROMPT_QUEUE, [PROMPT_QUEUE]):
            usual_kib: int = self.app.conf.worker_max_memory_per_child
            self.max_memory_per_child = min(usual_kib, mem_rss() + PROMPT_GROWTH_KIB)

    def stop(self, in_sighandler: bool = False, exitcode: int | None = None) -> None:
        """As Celery's own where it was asked to stop; tasks that are cut short are done again."""
        if exitcode == EX_FAILURE and not in_sighandler:
            for process in active_children():
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
            os._exit(EX_FAILURE)
        super().stop(in_sighandler=in_sighandler, exitcode=exitcode)


app.Worker = app.subclass_with_self(EndingWorker, reverse="Worker")


class NamesOnlyBeat(Beat):  # type: ignore[misc]  # as above
    """A scheduler that sends tasks by their names: it loads none of them, no models, and asks no database."""

    def init_loader(self) -> None:
        """Set up logging, and nothing of what a worker needs."""
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        self.app.finalize()


app.Beat = app.subclass_with_self(NamesOnlyBeat, reverse="Beat")

# In the broker: when the scheduler last sent a task, and which process it is.
SCHEDULER_NOTE = "highwater.scheduler"
SCHEDULER_NOTE_KEPT_S = 86_400


def refuse_wrong_pooler(**_: object) -> None:
    """In workers, before their first task.

    Raises SystemExit, as Celery would only log another exception.
    """
    from registry import database  # the settings are read when the process begins
    from registry.database.pooling import TransactionPooling

    try:
        database.refuse_wrong_pooler()
    except TransactionPooling as refusal:
        raise SystemExit(str(refusal)) from refusal


def limit_rights(**_: object) -> None:
    """In workers, when they begin: from now on they speak with the role of the application."""
    from registry.database import rights  # the settings are read when the process begins

    rights.limit_process()


worker_init.connect(refuse_wrong_pooler)
worker_init.connect(limit_rights)


app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize
"""Celery's own closes the connections to the database before and after each task; keep_connections does instead."""


def keep_connections(sender: Any, state: str = states.SUCCESS, **_: object) -> None:
    """Before and after a task: leave what can be used to the next one, as Django does between requests.

    What a task held that failed or was cut short, such as a lock of its session, falls with its connection.
    """
    if getattr(sender.request, "is_eager", False):
        return
    if state == states.SUCCESS:
        close_old_connections()
    else:
        connections.close_all()


task_prerun.connect(keep_connections)
task_postrun.connect(keep_connections)


def share_memory(**_: object) -> None:
    """Leave what is loaded alone: a collection would write to its pages, and each process would have a copy of them."""
    gc.collect()
    gc.freeze()


worker_before_create_process.connect(share_memory)


def scheduler_last_sent() -> float | None:
    """When the scheduler sent its last task, in seconds since 1970; None where no note lies in the broker."""
    with app.connection_for_read() as broker:
        broker.ensure_connection(max_retries=1, timeout=2)
        note = broker.default_channel.client.get(SCHEDULER_NOTE)
    return float(json.loads(note)["at"]) if note else None


# Periodic tasks

MOST_WAITING = 100
"""Tasks in a queue, beyond which no more are sent: they would be done one after another for nothing."""
_BEGUN, _BEGUN_S = datetime.now(UTC), time.monotonic()


def steady_now() -> datetime:
    """When this process began, and the time that passed since: a clock that is put right does not move it."""
    return _BEGUN + timedelta(seconds=time.monotonic() - _BEGUN_S)


class SteadyEntry(ScheduleEntry):  # type: ignore[misc]  # Celery has no types
    """A periodic task. Celery's own goes by the clock: put back by a day, nothing is sent for a day."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.schedule.nowfun = steady_now

    def is_due(self) -> Any:
        """Whether it is due, and in how many seconds to look again; a last run to come counts as just now.

        Such a time is kept from an earlier process, whose clock was ahead.
        """
        return self.schedule.is_due(min(self.last_run_at, steady_now()))


class ModestScheduler(PersistentScheduler):  # type: ignore[misc]  # as above
    """Sends nothing to a queue where many tasks wait.

    Tasks with a time of expiry would do the same, but a worker whose clock is ahead takes each of them for too old.
    """

    Entry = SteadyEntry

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **options: Any) -> Any:
        """Send a task, unless its queue is full, and leave a note in the broker."""
        queue = self.app.conf.task_routes[entry.task]["queue"]
        if waiting_tasks(self.connection, queue) >= MOST_WAITING:
            return None
        sent = super().apply_async(entry, producer=producer, advance=advance, **options)
        self._note_sending()
        return sent

    def _note_sending(self) -> None:
        note = json.dumps({"process": os.getpid(), "at": time.time()})
        with suppress(KombuError, RedisError, OSError):  # the task itself was sent, and the next note is near
            self.connection.default_channel.client.set(SCHEDULER_NOTE, note, ex=SCHEDULER_NOTE_KEPT_S)


def waiting_tasks(broker: Connection, queue: str) -> int:
    """How many tasks wait in a queue."""
    try:
        return int(broker.default_channel.queue_declare(queue, passive=True).message_count)
    except broker.channel_errors:
        return 0  # nothing was ever sent to it
