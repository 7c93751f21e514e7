"""Watch the numbers of systems: find their steps, and judge their runs, once what changed their results is on disk.

Whatever publishes or withdraws results says in its own transaction that their systems are due
(registry/timeseries/detected_steps.py); the scheduler has them looked at, each in a transaction of its own, so that
publishing waits for none of it and nothing is lost with a broker.
"""

from __future__ import annotations

import logging
import time

from django.db import transaction

from registry.timeseries import detected_steps
from submissions.notifications import outbox

log = logging.getLogger(__name__)

FOR_S = 5.0
"""So long one turn looks at the most; the next one begins at the next sweep."""


def detect_due_systems() -> None:
    """The steps of systems that are due, for a bounded time; one that fails is loud, holds up no other and waits."""
    end = time.monotonic() + FOR_S
    for system_id in detected_steps.due_systems():
        if time.monotonic() > end:
            break
        try:
            _find_steps_of(system_id)
        except Exception:
            log.exception("Steps of system %s were not found", system_id)
            detected_steps.postpone(system_id)


@transaction.atomic
def _find_steps_of(system_id: int) -> None:
    changed = detected_steps.detect_steps(system_id)
    outbox.notify_followers(changed.begun, changed.gone)
    outbox.notify_of_runs(changed.runs.alarms, changed.runs.settled)
