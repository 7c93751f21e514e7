"""Delete what nobody waits for: halves of uploads, bytes held for a check, drafts and test uploads left alone.

What expires is withdrawn by the registry first; its bytes go in a step of its own, which is made up for where a worker
was killed or the storage was away.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import HELD, SCRATCH, public_storage, received_storage
from submissions.lifecycle import expiry, states
from submissions.lifecycle.quotas import delete_old_uses
from submissions.models import Event, SecretFile, State, Submission

__all__ = ["delete_expired_bytes", "delete_old_leftovers", "delete_old_uses", "notify_of_expiry", "withdraw_expired"]

LEFT_BEHIND_AFTER = timedelta(hours=1)
AT_ONCE = 200
"""Submissions of one kind that one turn tells of, withdraws, or deletes the bytes of."""
EXPIRED = {
    False: "Expired: a draft that nobody changed for {days} days.",
    True: "Expired: a test upload that nobody changed for {days} days. Its files are deleted.",
}
"""The reason in the history, by whether it is a test upload."""


def delete_old_leftovers() -> int:
    """Delete leftovers older than an hour; how many there were."""
    leftovers = [
        (storage, name) for storage in (received_storage(), public_storage()) for name in _left_behind(storage)
    ]
    for storage, name in leftovers:
        storage.delete(name)
    return len(leftovers)


def notify_of_expiry() -> int:
    """Tell owners of what expires soon, once for each time that it would; how many submissions there were."""
    now = timezone.now()
    untold = Q(expiry_told_at=None) | Q(expiry_told_at__lte=now - expiry.NOTICE_COUNTS)
    count = 0
    for condition, age in expiry.list_kinds():
        with transaction.atomic():
            rows = _lock_oldest(condition, untold, changed_at__lte=now - age + expiry.NOTICE)
            Submission.objects.filter(pk__in=[row.pk for row in rows]).update(expiry_told_at=now)
            for row in rows:
                row.expiry_told_at = now
            states.write_history([_notice_of(row) for row in rows])
            count += len(rows)
    return count


def withdraw_expired() -> int:
    """Withdraw drafts and test uploads whose owners were told in time and did nothing; how many there were."""
    now = timezone.now()
    in_time = Q(expiry_told_at__gt=now - expiry.NOTICE_COUNTS, expiry_told_at__lte=now - expiry.NOTICE)
    count = 0
    for condition, age in expiry.list_kinds():
        with transaction.atomic():
            rows = _lock_oldest(condition, in_time, changed_at__lte=now - age)
            for state in sorted({row.state for row in rows}):
                ids = [row.pk for row in rows if row.state == state]
                reason = EXPIRED[rows[0].test].format(days=age.days)
                states.transition_many(ids, State(state), State.WITHDRAWN, None, reason, expired_at=now)
            count += len(rows)
    return count


def delete_expired_bytes() -> int:
    """Delete the bytes of expired submissions that no other one refers to; of how many submissions that is done.

    In any order, so that one file that can't be deleted never keeps the rest waiting for ever. Raises StorageAway, or
    what the storage's library raises; the next turn goes on.
    """
    waiting = Submission.objects.filter(state=State.WITHDRAWN, expired_at__isnull=False, expired_bytes_deleted_at=None)
    rows = list(waiting.order_by("?").prefetch_related("former_versions")[:AT_ONCE])
    for row in rows:
        former = (file for version in row.former_versions.all() for file in version.files)
        for sha256 in sorted({file["sha256"] for file in (*files_of(row), *former)}):
            quarantine.delete_unless_held(sha256)
        Submission.objects.filter(pk=row.pk).update(expired_bytes_deleted_at=timezone.now())
    return len(rows)


def _lock_oldest(condition: Mapping[str, object], *narrower: Q, **fields: object) -> list[Submission]:
    """Those of a kind that were not changed longest, locked; what somebody else works on now is left for later."""
    rows = Submission.objects.filter(*narrower, **condition, **fields, submitted_at=None)
    doubtful = SecretFile.objects.filter(submission=OuterRef("pk"), outcome__in=quarantine.OPEN)
    return list(rows.filter(~Exists(doubtful)).order_by("changed_at").select_for_update(skip_locked=True)[:AT_ONCE])


def _notice_of(row: Submission) -> Event:
    what = "This test upload" if row.test else "This draft"
    reason = (
        f"{what} expires on {expiry.expires_at(row):%Y-%m-%d} at {expiry.expires_at(row):%H:%M} UTC. "
        "To keep it, press Keep on its page or change it."
    )
    return Event(submission=row, from_state=row.state, to_state=row.state, reason=reason)


def _left_behind(storage: Storage) -> list[str]:
    before = timezone.now() - LEFT_BEHIND_AFTER
    names = [f"{folder}/{name}" for folder in (SCRATCH, HELD) for name in _list_files(storage, folder)]
    return [name for name in names if storage.exists(name) and storage.get_modified_time(name) < before]


def _list_files(storage: Storage, folder: str) -> list[str]:
    try:
        return storage.listdir(folder)[1]
    except FileNotFoundError:
        return []
