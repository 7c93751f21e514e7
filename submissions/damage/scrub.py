"""Read all stored bytes, hash them, and tell administrators of those that are damaged or missing.

The scheduler reads every night, in short turns, so that a run holds up no mail and goes on after a restart.
`manage scrub_storage` reads all of it at once. docs/operate-data.md tells what to do about what is found.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from smtplib import SMTPException
from uuid import UUID

from django.conf import settings
from django.core.files.storage import Storage
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import timezone

from registry.dumps import db_locks
from registry.models import Result
from registry.query.stored_bytes import StorageAway
from submissions.bundles.file_versions import files_of
from submissions.damage import stored_faults
from submissions.damage.stored_faults import Fault, Kind
from submissions.lifecycle import task_queue
from submissions.models import Account, ScrubbedCopy, ScrubRun, StoredFault, Submission

log = logging.getLogger(__name__)

LOCK = 0x68777362  # "hwsb": one process at a time reads
HOUR_UTC = 2
TURN_S = 10.0
"""So long one turn of the scheduler reads at the most; the next one begins half a minute after this one began."""
PAGE = 50
"""Submissions, or copies, after which a run notes how far it is."""
NAMED_IN_LETTER = 50

Progress = Callable[[str], None]


def continue_nightly() -> None:
    """One turn of the scheduler: faults that ended, the letter about new ones, and some reading where a run is due."""
    with db_locks.try_advisory_lock(LOCK) as mine:
        if not mine:
            return
        try:
            stored_faults.end_repaired_faults()
            if run := _open_run() or _begin_if_due(timezone.now()):
                _read_on(run, time.monotonic() + TURN_S)
        except StorageAway:
            log.warning("The storage is away: stored bytes are read later", exc_info=True)
        mail_administrators()


def read_everything(progress: Progress) -> ScrubRun | None:
    """Read all stored bytes now, from the first; what was found. None where the scheduler is reading just now.

    Raises StorageAway.
    """
    with db_locks.try_advisory_lock(LOCK) as mine:
        if not mine:
            return None
        ScrubRun.objects.filter(ended_at=None).delete()
        run = ScrubRun.objects.create()
        while run.ended_at is None:
            _read_on(run, time.monotonic() + TURN_S)
            progress(f"{run.objects_read} objects, {run.bytes_read} bytes read")
        mail_administrators()
    return run


def examine_reported(storage_kind: str, sha256: str) -> None:
    """Look at bytes that somebody found damaged. Nothing is read again of what is known and was not written since."""
    kind = Kind(storage_kind)
    noted = StoredFault.objects.filter(kind=kind, sha256=sha256, fault=Fault.DAMAGED, ended_at=None)
    if noted.exists():
        return
    try:
        stored_faults.examine_bytes(kind, sha256)
    except StorageAway:
        log.warning("The storage is away: %s %s was not looked at", kind, sha256, exc_info=True)
    mail_administrators()


def report_damage(storage: Storage, sha256: str, **_: object) -> None:
    """Whoever met damaged bytes has a worker look at them; where the broker is away, the night does."""
    if kind := stored_faults.kind_of(storage):
        log.error("Stored bytes are damaged: %s %s", kind, sha256)
        task_queue.enqueue("examine_bytes", f"{kind}:{sha256}")


def mail_administrators() -> None:
    """One letter about all faults that no letter told of yet. What can't be sent is sent at the next turn."""
    untold = list(StoredFault.objects.filter(told_at=None, ended_at=None))
    if not untold:
        return
    operators = Account.objects.filter(is_active=True, role=Account.Role.ADMIN).exclude(email="").order_by("pk")
    addresses = list(operators.values_list("email", flat=True))
    context = {"faults": untold[:NAMED_IN_LETTER], "more": len(untold[NAMED_IN_LETTER:]), "site": settings.SITE_URL}
    body = render_to_string("damage/stored_faults.txt", context)
    subject = f"Highwater: {len(untold)} stored files are damaged or missing"
    headers = {"Auto-Submitted": "auto-generated"}
    try:
        if addresses:
            EmailMessage(subject, body, settings.EMAIL_FROM, bcc=addresses, headers=headers).send()
    except (OSError, SMTPException) as error:
        log.warning("The letter about damaged or missing files was not sent: %s", error)
        return
    StoredFault.objects.filter(pk__in=[row.pk for row in untold]).update(told_at=timezone.now())


def _open_run() -> ScrubRun | None:
    return ScrubRun.objects.filter(ended_at=None).first()


def _begin_if_due(now: datetime) -> ScrubRun | None:
    """A new run, once the hour has come after the day on which the last one began; a missed night is made up for."""
    due = now.replace(hour=HOUR_UTC, minute=0, second=0, microsecond=0)
    last = ScrubRun.objects.values_list("began_at", flat=True).first()
    if now < due or (last is not None and last >= due):
        return None
    return ScrubRun.objects.create()


def _read_on(run: ScrubRun, end: float) -> None:
    """Read pages until the time is up or all is read."""
    while run.ended_at is None and time.monotonic() < end:
        kind = Kind(run.kind)
        places = list(_received_after(run.after) if kind == Kind.RECEIVED else _public_after(run.after))
        for sha256 in dict.fromkeys(sha256 for _, sha256s in places for sha256 in sha256s):
            fault, read = stored_faults.examine_bytes(kind, sha256)
            run.objects_read += fault is None and read > 0
            run.bytes_read += read
            run.damaged += fault == Fault.DAMAGED
            run.missing += fault == Fault.MISSING
        if places:
            run.after = places[-1][0]
        elif kind == Kind.RECEIVED:
            run.kind, run.after = Kind.PUBLIC, ""
        else:
            run.ended_at = timezone.now()
        run.save()


def _received_after(after: str) -> Iterator[tuple[str, list[str]]]:
    """The next submissions with the sha256 of all their files, of former versions too."""
    rows = Submission.objects.order_by("id").prefetch_related("former_versions")
    if after:
        rows = rows.filter(pk__gt=UUID(after))
    for submission in rows[:PAGE]:
        files = [*files_of(submission), *(file for former in submission.former_versions.all() for file in former.files)]
        yield str(submission.pk), [file["sha256"] for file in files]


def _public_after(after: str) -> Iterator[tuple[str, list[str]]]:
    copies = ScrubbedCopy.objects.filter(sha256__gt=after).values_list("sha256", flat=True)
    published = Result.objects.order_by().filter(public_sha256__gt=after).values_list("public_sha256", flat=True)
    for sha256 in copies.order_by().union(published).order_by("sha256")[:PAGE]:
        yield sha256, [sha256]
