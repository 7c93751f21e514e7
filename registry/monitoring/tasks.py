"""Tasks: each is counted with its outcome and time, and its log lines name it.

Periodic ones, which come every few seconds, are silent unless they fail.
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.conf import settings

from registry.monitoring import shared_counts
from registry.monitoring.log_lines import log_context

log = logging.getLogger("registry.task")

_at_work: dict[str, tuple[float, ExitStack]] = {}
"""When the tasks of this process began, by id, with the context of their log lines."""


def begin_task(task_id: str, task: Any, **_: Any) -> None:
    stack = ExitStack()
    stack.enter_context(log_context(task=task.name, task_id=task_id))
    _at_work[task_id] = time.perf_counter(), stack


def end_task(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
    """Count it. A periodic task that went well is not counted and not logged: it comes every few seconds."""
    begun, stack = _at_work.pop(task_id, (time.perf_counter(), ExitStack()))
    seconds, succeeded = time.perf_counter() - begun, state == "SUCCESS"
    with stack:
        if succeeded and task.name in periodic_tasks():
            return
        shared_counts.count_task(task.name, "succeeded" if succeeded else "failed", seconds)
        log.info(
            "%s %s", task.name, "succeeded" if succeeded else "failed", extra={"duration_ms": round(seconds * 1000)}
        )


def periodic_tasks() -> set[str]:
    return {str(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}


def connect_signals() -> None:
    """In every process that runs tasks."""
    task_prerun.connect(begin_task, weak=False, dispatch_uid="highwater.begin")
    task_postrun.connect(end_task, weak=False, dispatch_uid="highwater.end")
