"""Note how jobs of an operator ended, so that /metrics can say how old the last success is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError
from django.utils import timezone

from submissions.models import MaintenanceRun


@contextmanager
def note_outcome(job: MaintenanceRun.Job) -> Iterator[None]:
    """Notes a success of the block, or a failure when it raises anything, SystemExit among it.

    A job that did its work is no failure because the note could not be written: that is said on standard error.
    """
    try:
        yield
    except BaseException:
        _store_outcome(job, "failed_at")
        raise
    _store_outcome(job, "succeeded_at")


def _store_outcome(job: MaintenanceRun.Job, column: str) -> None:
    try:
        MaintenanceRun.objects.update_or_create(job=job, defaults={column: timezone.now()})
    except DatabaseError as error:
        print(f"The outcome of {job.value} could not be noted: {error}", file=sys.stderr)  # noqa: T201
