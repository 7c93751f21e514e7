"""Whether the stored bytes of published runs are still there. A page whose bytes are gone says so."""

from __future__ import annotations

import logging

from django.db.models import F
from django.utils import timezone

from registry.models import Result
from registry.query.stored_bytes import StorageAway, holds_bytes
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import public_storage, received_storage
from submissions.models import Submission

log = logging.getLogger(__name__)

AT_ONCE = 500
"""Published runs that one turn looks at, those first that were not looked at longest: one stat or HEAD a file."""


def note_missing_bytes(at_once: int = AT_ONCE) -> int:
    """Note on published results which bytes are missing, and which are back; how many results have some missing.

    A storage that is away is not one without the bytes: nothing is noted, and the next turn looks again.
    """
    published = Submission.objects.filter(result__isnull=False).select_related("result")
    missing = 0
    for row in list(published.order_by(F("bytes_seen_at").asc(nulls_first=True), "id")[:at_once]):
        Submission.objects.filter(pk=row.pk).update(bytes_seen_at=timezone.now())
        try:
            missing += _note_presence(row)
        except StorageAway:
            log.warning("The storage is away: whether bytes are missing was not looked at", exc_info=True)
            break
    return missing


def _note_presence(submission: Submission) -> bool:
    result = submission.require_result()
    archive_gone = not all(holds_bytes(received_storage(), file["sha256"]) for file in files_of(submission))
    copy_gone = bool(result.public_sha256) and not holds_bytes(public_storage(), result.public_sha256)
    for field, gone in (("archive_missing_since", archive_gone), ("copy_missing_since", copy_gone)):
        results = Result.objects.filter(pk=result.pk, **{f"{field}__isnull": gone})
        results.update(**{field: timezone.now() if gone else None})
    return archive_gone or copy_gone
