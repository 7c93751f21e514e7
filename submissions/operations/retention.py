"""Delete what an interrupted request left behind: half an upload, bytes held for a check that nobody waits for."""

from __future__ import annotations

from datetime import timedelta

from django.core.files.storage import Storage
from django.utils import timezone

from submissions.bundles.storage import SCRATCH, public, received
from submissions.checks.dry_check import HELD

LEFT_BEHIND_AFTER = timedelta(hours=1)


def tidy() -> int:
    """Delete leftovers older than an hour; how many there were."""
    found = [(storage, name) for storage in (received(), public()) for name in _left_behind(storage)]
    for storage, name in found:
        storage.delete(name)
    return len(found)


def _left_behind(storage: Storage) -> list[str]:
    before = timezone.now() - LEFT_BEHIND_AFTER
    names = [f"{folder}/{name}" for folder in (SCRATCH, HELD) for name in _files(storage, folder)]
    return [name for name in names if storage.exists(name) and storage.get_modified_time(name) < before]


def _files(storage: Storage, folder: str) -> list[str]:
    try:
        return storage.listdir(folder)[1]
    except FileNotFoundError:
        return []
