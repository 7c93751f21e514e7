"""Stored bytes that are damaged or missing: found by whoever reads them, kept as rows, marked on published results.

A storage that is away tells nothing: no fault is noted, and none ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TypeAlias

from django.core.files.storage import Storage
from django.db.models import F
from django.utils import timezone

from registry.models import Result
from registry.query import stored_bytes
from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of, submissions_with_file
from submissions.bundles.storage import public_storage, received_storage
from submissions.models import ScrubbedCopy, State, StoredFault, Submission

log = logging.getLogger(__name__)

Kind: TypeAlias = StoredFault.Kind
Fault: TypeAlias = StoredFault.Fault
Open: TypeAlias = Mapping[tuple[str, str], StoredFault]
"""Faults that have not ended, by kind and sha256."""
STORAGES: dict[Kind, Callable[[], Storage]] = {Kind.RECEIVED: received_storage, Kind.PUBLIC: public_storage}
LOOKED_AT_ONCE = 500


def kind_of(storage: Storage) -> Kind | None:
    """Which bytes a storage has; None for any other storage."""
    return next((kind for kind, find in STORAGES.items() if find() is storage), None)


def examine_bytes(kind: Kind, sha256: str) -> tuple[Fault | None, int]:
    """Read and hash the bytes, and note what is wrong with them; the fault, None for whole ones, and the bytes read.

    Raises StorageAway where the storage can't tell.
    """
    storage, read = STORAGES[kind](), 0
    try:
        file = stored_bytes.open_bytes(storage, sha256, tell=False)
        for piece in stored_bytes.checked_chunks(file, storage, sha256, tell=False):
            read += len(piece)
    except FileNotFoundError:
        fault = Fault.MISSING if is_needed(kind, sha256) else None
    except stored_bytes.DamagedBytes:
        fault = Fault.DAMAGED
    else:
        fault = None
    note_fault(kind, sha256, fault)
    return fault, read


def note_fault(kind: Kind, sha256: str, fault: Fault | None) -> None:
    """Keep what is known of these bytes now, and mark the results that rest on them."""
    rows = StoredFault.objects.filter(kind=kind, sha256=sha256, ended_at=None)
    if fault is None:
        changed = rows.update(ended_at=timezone.now()) > 0
    else:
        row, new = StoredFault.objects.get_or_create(kind=kind, sha256=sha256, ended_at=None, defaults={"fault": fault})
        changed = new or row.fault != fault
        rows.update(fault=fault, modified_at=_modified_at(kind, sha256) if fault == Fault.DAMAGED else None)
        if changed:
            log.error("Stored bytes are %s: %s %s", fault, kind, sha256)
    if changed:
        for submission in _published_with(kind, sha256):
            mark_result(submission, open_faults(_digests_of(submission)))


def end_repaired_faults() -> None:
    """End faults whose bytes came again, or are needed no more: only what the storage has otherwise now is read."""
    rows = StoredFault.objects.filter(ended_at=None).order_by(F("looked_at").asc(nulls_first=True), "id")
    for row in list(rows[:LOOKED_AT_ONCE]):
        kind = Kind(row.kind)
        StoredFault.objects.filter(pk=row.pk).update(looked_at=timezone.now())
        if not is_needed(kind, row.sha256):
            note_fault(kind, row.sha256, None)
        elif not stored_bytes.holds_bytes(STORAGES[kind](), row.sha256):
            note_fault(kind, row.sha256, Fault.MISSING)
        elif row.fault == Fault.MISSING or _modified_at(kind, row.sha256) != row.modified_at:
            examine_bytes(kind, row.sha256)


def open_faults(sha256s: Iterable[str] | None = None) -> Open:
    """The faults of these bytes that have not ended; of all, where none are named."""
    rows = StoredFault.objects.filter(ended_at=None)
    if sha256s is not None:
        rows = rows.filter(sha256__in=list(sha256s))
    return {(row.kind, row.sha256): row for row in rows}


def is_needed(kind: Kind, sha256: str) -> bool:
    """Whether a row names these bytes that did not give them up; of withdrawn runs an operator may delete them."""
    if kind == Kind.PUBLIC:
        copies = ScrubbedCopy.objects.filter(sha256=sha256)
        return copies.exists() or Result.objects.filter(public_sha256=sha256).exists()
    naming = submissions_with_file(sha256).exclude(state=State.WITHDRAWN, result=None)
    return naming.exists() and quarantine.is_held(sha256)


def mark_result(submission: Submission, faults: Open) -> bool:
    """Say on its result what is wrong with its bytes, with the date; whether there is anything."""
    result = submission.require_result()
    archive = [faults[key] for file in files_of(submission) if (key := (Kind.RECEIVED, file["sha256"])) in faults]
    copy = [faults[key] for key in [(Kind.PUBLIC, result.public_sha256)] if key in faults]
    marks = {
        f"{name}_{fault}_since": min((row.found_at for row in rows if row.fault == fault), default=None)
        for name, rows in (("archive", archive), ("copy", copy))
        for fault in Fault.values
    }
    changes: dict[str, datetime | None] = {
        field: since for field, since in marks.items() if (getattr(result, field) is None) != (since is None)
    }
    if changes:
        Result.objects.filter(pk=result.pk).update(**changes)
    return any(marks.values())


def damage_problem(submission: Submission) -> stored_bytes.DamagedBytes | None:
    """What is known to be damaged of the files of the current version, to be said before anybody reads them."""
    faults = open_faults(file["sha256"] for file in files_of(submission))
    damaged = [row for row in faults.values() if row.fault == Fault.DAMAGED and row.kind == Kind.RECEIVED]
    if not damaged:
        return None
    since = f"{damaged[0].found_at:%Y-%m-%d %H:%M} UTC"
    return stored_bytes.DamagedBytes(f"Damaged, as seen on {since}: sha256 {damaged[0].sha256}.")


def _digests_of(submission: Submission) -> list[str]:
    return [*(file["sha256"] for file in files_of(submission)), submission.require_result().public_sha256]


def _published_with(kind: Kind, sha256: str) -> Iterable[Submission]:
    published = Submission.objects.select_related("result").filter(result__isnull=False)
    if kind == Kind.PUBLIC:
        return published.filter(result__public_sha256=sha256)
    return published.filter(pk__in=submissions_with_file(sha256))


def _modified_at(kind: Kind, sha256: str) -> datetime | None:
    """When the stored file was last written; None for one that can't be opened, for its rights may change alone."""
    storage = STORAGES[kind]()
    try:
        with stored_bytes.open_bytes(storage, sha256, tell=False):
            return storage.get_modified_time(stored_bytes.key_of(sha256))
    except (FileNotFoundError, stored_bytes.DamagedBytes):
        return None
