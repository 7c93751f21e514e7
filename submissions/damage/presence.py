"""Whether the stored bytes of published runs are still there. A page whose bytes are gone says so."""

from __future__ import annotations

import logging

from django.db.models import F
from django.utils import timezone

from registry.query.stored_bytes import StorageAway, holds_bytes
from submissions.bundles.file_versions import files_of
from submissions.damage import stored_faults
from submissions.damage.stored_faults import STORAGES, Fault, Kind
from submissions.models import Submission

log = logging.getLogger(__name__)

AT_ONCE = 500
"""Published runs that one turn looks at, those first that were not looked at longest: one stat or HEAD a file."""


def note_missing_bytes(at_once: int = AT_ONCE) -> int:
    """Note which bytes of published results are missing, and mark these; how many results have a fault.

    A storage that is away is not one without the bytes: nothing is noted, and the next turn looks again.
    """
    published = Submission.objects.filter(result__isnull=False).select_related("result")
    rows = list(published.order_by(F("bytes_seen_at").asc(nulls_first=True), "id")[:at_once])
    try:
        stored_faults.end_repaired_faults()
        for row in rows:
            Submission.objects.filter(pk=row.pk).update(bytes_seen_at=timezone.now())
            _note_missing(row)
    except StorageAway:
        log.warning("The storage is away: whether bytes are missing was not looked at", exc_info=True)
    faults = stored_faults.open_faults()
    return sum(stored_faults.mark_result(row, faults) for row in rows)


def _note_missing(submission: Submission) -> None:
    copy = submission.require_result().public_sha256
    named = [(Kind.RECEIVED, file["sha256"]) for file in files_of(submission)] + ([(Kind.PUBLIC, copy)] if copy else [])
    for kind, sha256 in named:
        if not holds_bytes(STORAGES[kind](), sha256):
            stored_faults.note_fault(kind, sha256, Fault.MISSING)
