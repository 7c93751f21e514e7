"""The history of submissions proves itself: each row carries a hash over itself and the hash of the row before.

The database computes it (migration 0007), one chain for each submission; here it is computed again from what the rows
hold now, by code that shares nothing with the trigger. docs/review.md says what is hashed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from submissions.models import Event, Submission

_COLUMNS = ("submission_id", "id", "at", "actor_id", "from_state", "to_state", "reason", "hash", "submission__state")
_AT_ONCE = 2000


def find_breaks() -> Iterator[str]:
    """What does not fit, a sentence for each submission: the first row of a broken chain, or a state no row led to."""
    last: dict[str, Any] | None = None
    previous, sound = "", True
    for row in Event.objects.order_by("submission_id", "id").values(*_COLUMNS).iterator(_AT_ONCE):
        if last is None or row["submission_id"] != last["submission_id"]:
            if last is not None and sound:
                yield from _unexplained_state(last)
            previous, sound = "", True
        if sound and row["hash"] != hash_of(previous, row):
            sound = False
            yield f"Event {row['id']} of submission {row['submission_id']} was changed, or one before it is gone."
        previous, last = row["hash"], row
    if last is not None and sound:
        yield from _unexplained_state(last)
    for pk in Submission.objects.filter(events=None).values_list("pk", flat=True).iterator(_AT_ONCE):
        yield f"Submission {pk} has no history."


def count_rows() -> tuple[int, int]:
    """How many rows there are, of how many submissions."""
    return Event.objects.count(), Submission.objects.exclude(events=None).count()


def hash_of(previous: str, row: dict[str, Any]) -> str:
    """The hash that a row must have: sha256 of a JSON array, `previous` the hash of the row before; "" at first."""
    at = row["at"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    hashed_values = [
        previous,
        row["id"],
        str(row["submission_id"]),
        at,
        row["actor_id"],
        row["from_state"],
        row["to_state"],
    ]
    return hashlib.sha256(json.dumps([*hashed_values, row["reason"]], ensure_ascii=False).encode()).hexdigest()


def _unexplained_state(last: dict[str, Any]) -> Iterator[str]:
    """The last row says where the submission stands; another state means that rows after it are gone."""
    if last["to_state"] != last["submission__state"]:
        yield (
            f"Submission {last['submission_id']} is {last['submission__state']}, and its last event {last['id']}"
            f" says {last['to_state']}."
        )
