"""Delete what an interrupted request left behind: half an upload, bytes held for a check that nobody waits for."""

from __future__ import annotations

from datetime import timedelta

from django.core.files.storage import Storage
from django.utils import timezone

from submissions.bundles.storage import HELD, SCRATCH, public_storage, received_storage
from submissions.lifecycle.quotas import delete_old_uses

__all__ = ["delete_old_leftovers", "delete_old_uses"]

LEFT_BEHIND_AFTER = timedelta(hours=1)


def delete_old_leftovers() -> int:
    """Delete leftovers older than an hour; how many there were."""
    leftovers = [
        (storage, name) for storage in (received_storage(), public_storage()) for name in _left_behind(storage)
    ]
    for storage, name in leftovers:
        storage.delete(name)
    return len(leftovers)


def _left_behind(storage: Storage) -> list[str]:
    before = timezone.now() - LEFT_BEHIND_AFTER
    names = [f"{folder}/{name}" for folder in (SCRATCH, HELD) for name in _list_files(storage, folder)]
    return [name for name in names if storage.exists(name) and storage.get_modified_time(name) < before]


def _list_files(storage: Storage, folder: str) -> list[str]:
    try:
        return storage.listdir(folder)[1]
    except FileNotFoundError:
        return []
