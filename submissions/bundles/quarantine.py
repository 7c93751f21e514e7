"""Stored files with a private key or a live token: who loses them, who keeps them, and what editors decide.

Bytes lie under their sha256 and are shared: two accounts that send the same file have one copy. So a file is never
deleted because of what one submission says of it; a *reference* is dropped, and the bytes go with the last one.

- A draft, or a run that is being checked, loses its file (`blocked`): its account may not send it again, and the bytes
  are deleted once no other submission refers to them.
- What is under review or published keeps its bytes. They are withheld (`quarantined`) until an editor looks.
- What is under review or published and holds bytes in which the check of *another* submission found a secret is only
  `reported` to editors. What one account uploads never changes what another one can download.
- An editor may lift any of these with a reason (`cleared`); the file is not searched again.

Decision 35 tells why. The row of the submission, its check and its history hold nothing of the secret.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from registry.errors import Problem
from registry.models import Result
from registry.query import cursor_pages, stored_bytes
from registry.query.questions import filters
from registry.query.stored_bytes import key_of
from submissions.bundles.cage import client as cage
from submissions.bundles.cage import jobs, untrusted
from submissions.bundles.file_versions import files_of, submissions_with_file
from submissions.bundles.storage import public_storage, received_storage, remove_bytes, stored_path
from submissions.errors import ConflictOfInterest, FileGone, FileQuarantined, HoldsSecret, NoSecretFile, StateConflict
from submissions.lifecycle import states, task_queue
from submissions.models import Account, ScrubbedCopy, SecretFile, State, Submission, Version
from submissions.permissions import conflict_reason, require_role
from validators.bundle import secret_scan
from validators.findings import ERROR, Finding
from validators.runs.report import Report

log = logging.getLogger(__name__)

Outcome = SecretFile.Outcome

PROTECTED = (State.SUBMITTED, State.IN_REVIEW, State.CHANGES_REQUESTED, State.ACCEPTED, State.PUBLISHED)
"""People work with these, or quote them: nothing automatic deletes their bytes."""
OPEN = (Outcome.QUARANTINED, Outcome.REPORTED)
WITHHELD = (Outcome.QUARANTINED, Outcome.BLOCKED)
REFUSED = "Refused: it holds a private key or a live token. This account's copy of the file was deleted."
QUARANTINED = (
    "Put into quarantine: today's rules find a private key or a live token in a stored file. It is kept and not shown "
    "to anybody until an editor decides. If the secret is real, revoke it."
)
REPORTED = (
    "Today's rules find a private key or a live token in a stored file. Nothing changes until an editor decides. "
    "If the secret is real, revoke it."
)
FILTERS: dict[str, filters.Condition] = {
    "outcome": lambda value: Q(outcome=filters.parse_choice(Outcome.values, value)),
}
_JOINED = ("submission__institution", "submission__result", "account", "decided_by")
_TURN = 0x68777366  # "hwsf"
_REPORTED_AT_MOST = 100
_SEARCHED_AT_ONCE = 20
_DELETED_AT_ONCE = 500


# Storing and deleting


@contextmanager
def storing_bytes(account: Account, sha256: str) -> Iterator[None]:
    """A transaction in which bytes are stored and referred to, while nobody deletes them as unreferenced.

    Raises HoldsSecret where the account lost them before; also where that happened while they were being received.
    """
    with transaction.atomic():
        _lock_digest(sha256)
        if SecretFile.objects.filter(account=account, sha256=sha256, outcome=Outcome.BLOCKED).exists():
            raise HoldsSecret
        yield


def delete_unless_held(sha256: str) -> bool:
    """Delete stored bytes that no submission refers to any more; whether they are gone.

    Raises StorageAway, or what the storage's library raises.
    """
    with transaction.atomic():
        _lock_digest(sha256)
        if is_held(sha256):
            return False
        if stored_bytes.holds_bytes(received_storage(), sha256):
            remove_bytes(key_of(sha256))
        undeleted = SecretFile.objects.filter(sha256=sha256, outcome=Outcome.BLOCKED, bytes_deleted_at=None)
        undeleted.update(bytes_deleted_at=timezone.now())
    return True


def is_held(sha256: str) -> bool:
    """Whether a submission refers to these bytes that neither lost them nor expired."""
    lost = SecretFile.objects.filter(submission=OuterRef("pk"), sha256=sha256, outcome=Outcome.BLOCKED)
    holding = submissions_with_file(sha256).exclude(state=State.WITHDRAWN, expired_at__isnull=False)
    return holding.filter(~Exists(lost)).exists()


def delete_leftovers() -> int:
    """Delete refused bytes that a killed worker or an unreachable storage left behind; how many files went.

    In any order, so that files that others hold, or one that can't be deleted, never keep the rest waiting for ever.
    """
    secret_files = SecretFile.objects.filter(outcome=Outcome.BLOCKED, bytes_deleted_at=None)
    digests = secret_files.order_by("?").values_list("sha256", flat=True)[:_DELETED_AT_ONCE]
    return sum(delete_unless_held(sha256) for sha256 in dict.fromkeys(digests))


def dropped_files() -> set[str]:
    """The sha256 of files of which at least one reference was dropped."""
    return set(SecretFile.objects.filter(outcome=Outcome.BLOCKED).values_list("sha256", flat=True))


def _lock_digest(sha256: str) -> None:
    """Until the transaction ends. Two digests that share 32 bits wait for each other, which does no harm."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, %s)", [_TURN, int.from_bytes(bytes.fromhex(sha256[:8]), signed=True)]
        )


# What a check found


def is_protected(submission: Submission) -> bool:
    """Whether it is under review or published, also withdrawn after that."""
    return submission.state in PROTECTED or submission.result_id is not None


@dataclass(frozen=True, slots=True)
class JudgedFiles:
    """Of the files of a submission, by sha256, those that its account lost and those that an editor cleared."""

    blocked: Set[str]
    cleared: Set[str]


def judged_files(submission: Submission) -> JudgedFiles:
    """What was decided about its files, whenever its account sent them. One query."""
    rows = _secret_files(submission, (file["sha256"] for file in files_of(submission)))
    decided = set(rows.values_list("outcome", "sha256"))
    return JudgedFiles(
        blocked={sha256 for outcome, sha256 in decided if outcome == Outcome.BLOCKED},
        cleared={sha256 for outcome, sha256 in decided if outcome == Outcome.CLEARED},
    )


def blocked_report(submission: Submission, judged: JudgedFiles) -> Report | None:
    """What a check says where the account lost one of the files before; None where the files may be read."""
    if is_protected(submission):
        return None
    files = {file["sha256"]: file["name"] for file in files_of(submission)}
    digests = sorted(judged.blocked)
    message = "This account sent this file before: there is a private key or a live token in it."
    hint = "Revoke what was sent: it left your site. Then pack with the collector, which takes such things out."
    findings = [Finding(secret_scan.CODE, ERROR, message, hint, files[sha256], sha256=sha256) for sha256 in digests]
    return Report(findings=findings) if findings else None


def _secret_files(submission: Submission, sha256s: Iterable[str]) -> QuerySet[SecretFile]:
    """What was found in these files whenever the account of the submission sent them."""
    return SecretFile.objects.filter(account=submission.account_id, sha256__in=list(sha256s)).order_by()


def act_on(submission: Submission, findings: Iterable[Mapping[str, Any]]) -> str:
    """Withhold or drop the stored files with secrets; in the transaction that stores the check.

    `findings`: their files are those that the archive's opener read, by sha256: what a sender called them
    does not matter. Returns what the history says of it, "" where nothing was withheld or dropped.
    """
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for finding in findings:
        if finding["code"] == secret_scan.CODE:
            by_file.setdefault(finding.get("sha256", ""), []).append(finding)
    if not by_file:
        return ""
    own = {file["sha256"] for files in (files_of(submission), *_former_files(submission)) for file in files}
    outcomes = {_act_on(submission, sha256, by_file[sha256]) for sha256 in sorted(own & by_file.keys())}
    if Outcome.BLOCKED in outcomes:
        return REFUSED
    return QUARANTINED if Outcome.QUARANTINED in outcomes else ""


def search_former(submission: Submission, seconds: float) -> list[dict[str, Any]]:
    """Findings in files that were replaced before a check had read them; of the newest _SEARCHED_AT_ONCE such files.

    Raises OutOfTime after so many seconds, and the other errors of the cage.
    """
    if submission.version == 1:
        return []
    checked = _former_files(submission, number__in=submission.checks.values("version"))
    searched = {file["sha256"] for files in (files_of(submission), *checked) for file in files}
    searched |= {*SecretFile.objects.filter(submission=submission).values_list("sha256", flat=True)}
    names = {file["sha256"]: file["name"] for files in _former_files(submission) for file in files}
    unread = [sha256 for sha256 in names if sha256 not in searched]
    files, paths = list[dict[str, str]](), list[Path]()
    with ExitStack() as opened:
        for sha256 in unread[-_SEARCHED_AT_ONCE:]:
            with suppress(FileNotFoundError, stored_bytes.DamagedBytes):
                paths.append(opened.enter_context(stored_path(sha256)))
                files.append({"name": names[sha256], "sha256": sha256})
        if not files:
            return []
        cleared = _secret_files(submission, unread).filter(outcome=Outcome.CLEARED)
        arguments = {"files": files, "cleared": sorted(set(cleared.values_list("sha256", flat=True))), "partly": True}
        return untrusted.require_findings(cage.do_job(jobs.find_secrets, paths, arguments, seconds=seconds))


def _former_files(submission: Submission, **narrower: Any) -> list[list[dict[str, Any]]]:
    """The files of each earlier version, oldest first."""
    rows = Version.objects.filter(submission=submission, **narrower).order_by("number")
    return list(rows.values_list("files", flat=True))


def _act_on(submission: Submission, sha256: str, findings: list[Mapping[str, Any]]) -> str:
    """What became of the file now."""
    where = "\n".join(f"{finding['message']} {finding['where']}" for finding in findings)
    protected = is_protected(submission)
    row, new = SecretFile.objects.get_or_create(
        submission=submission,
        sha256=sha256,
        defaults={
            "account_id": submission.account_id,
            "where": where,
            "outcome": Outcome.QUARANTINED if protected else Outcome.BLOCKED,
        },
    )
    if not new and row.outcome == Outcome.REPORTED:  # now found in a check of its own
        SecretFile.objects.filter(pk=row.pk).update(outcome=Outcome.QUARANTINED if protected else Outcome.BLOCKED)
        new = True
    if new and protected:
        _withhold_copy(submission)
        states.note_event(submission, None, QUARANTINED, notify=True, editors=True)
    _report_others(submission, sha256, "\n".join(sorted({str(finding["message"]) for finding in findings})))
    # What can't be deleted now is deleted by the scheduler; what else follows the commit must not wait for it.
    transaction.on_commit(lambda: delete_unless_held(sha256), robust=True)
    return SecretFile.objects.values_list("outcome", flat=True).get(pk=row.pk)


def _report_others(submission: Submission, sha256: str, where: str) -> None:
    """Tell editors which other submissions under review, or published, hold the same bytes.

    `where` has no names: they are those of another sender. Rows are locked in one order, as two checks may meet.
    """
    listed = SecretFile.objects.filter(submission=OuterRef("pk"), sha256=sha256)
    under_protection = Q(state__in=PROTECTED) | Q(result__isnull=False)
    others = submissions_with_file(sha256).filter(under_protection, ~Exists(listed)).exclude(pk=submission.pk)
    for other in others.order_by("pk")[:_REPORTED_AT_MOST]:
        _, new = SecretFile.objects.get_or_create(
            submission=other,
            sha256=sha256,
            defaults={"account_id": other.account_id, "where": where, "outcome": Outcome.REPORTED},
        )
        if new:
            states.note_event(other, None, REPORTED, notify=True, editors=True)


# What is served


def withheld_files(submission: Submission) -> dict[str, SecretFile.Outcome]:
    """What became of files that it lost or that are in quarantine, by sha256."""
    rows = SecretFile.objects.filter(submission=submission, outcome__in=WITHHELD)
    return {sha256: Outcome(outcome) for sha256, outcome in rows.values_list("sha256", "outcome")}


def require_not_withheld(submission: Submission, *sha256s: str) -> None:
    """Raises FileQuarantined, and FileGone for files that the submission lost."""
    _require_not_expired(submission)
    _require_not_withheld(withheld_files(submission), sha256s)


def require_served(submission: Submission, *sha256s: str) -> None:
    """As `require_not_withheld`, and raises FileGone for files that are not in the storage, StorageAway."""
    _require_not_expired(submission)
    _require_served(withheld_files(submission), sha256s)


def unserved_problem(submission: Submission, withheld: Mapping[str, SecretFile.Outcome]) -> Problem | None:
    """Why the files of the current version can't be read, to be said on a page; None where they can."""
    try:
        _require_not_expired(submission)
        _require_served(withheld, [file["sha256"] for file in files_of(submission)])
    except (FileQuarantined, FileGone, stored_bytes.StorageAway) as problem:
        return problem
    return None


def _require_not_expired(submission: Submission) -> None:
    """Also where the bytes are still there, for another submission or for an hour."""
    if submission.expired_at is not None and submission.sha256:
        raise FileGone(
            f"The submission expired on {submission.expired_at:%Y-%m-%d}, and its files were deleted.",
            hint="Send the same bytes again: they become a new submission.",
        )


def _require_served(withheld: Mapping[str, SecretFile.Outcome], sha256s: Iterable[str]) -> None:
    _require_not_withheld(withheld, sha256s)
    if missing := [sha256 for sha256 in sha256s if not stored_bytes.holds_bytes(received_storage(), sha256)]:
        raise FileGone(f"The storage no longer holds {len(missing)} of its files; sha256 {missing[0]}.")


def _require_not_withheld(withheld: Mapping[str, SecretFile.Outcome], sha256s: Iterable[str]) -> None:
    outcomes = {withheld[sha256] for sha256 in sha256s if sha256 in withheld}
    if Outcome.BLOCKED in outcomes:
        raise FileGone(
            "It held a private key or a live token, so the copy of this submission was deleted.",
            hint="Revoke the secret and pack without it: the same bytes are refused. If it is none, ask an editor.",
        )
    if outcomes:
        raise FileQuarantined


# What editors decide


def count_waiting() -> int:
    """How many files wait for an editor."""
    return SecretFile.objects.filter(outcome__in=OPEN).count()


def list_secret_files(query: QueryDict, size: int) -> tuple[list[SecretFile], str | None]:
    """Files that meet FILTERS, newest first, so many, and the cursor of the page after them; by default what waits.

    Raises UnknownParameter, InvalidValue and BadCursor.
    """
    filters.refuse_unknown(query, (*FILTERS, "cursor"))
    chosen = SecretFile.objects.filter(filters.parse_conditions(query, FILTERS))
    if not query.get("outcome"):
        chosen = chosen.filter(outcome__in=OPEN)
    chosen = chosen.select_related(*_JOINED)
    page = cursor_pages.take_objects(chosen, cursor_pages.NEWEST_IDS, query.get("cursor", ""), size)
    return page.rows, page.cursor


def find_secret_file(secret_file_id: int) -> SecretFile:
    """The reported file of an id. Raises NoSecretFile where there is none."""
    row = SecretFile.objects.select_related(*_JOINED).filter(pk=secret_file_id).first()
    if row is None:
        raise NoSecretFile
    return row


def clear_file(row: SecretFile, editor: Account, reason: str) -> None:
    """Say that the file holds no secret: it is served again, and its account may send it again.

    A run under review is checked again: the check that found the secret read nothing else.
    Raises Forbidden, ConflictOfInterest, ReasonNeeded, StateConflict where somebody else was faster.
    """
    note = "An editor looked at the file: it may stay."
    with transaction.atomic():
        _record_decision(row, editor, reason, (Outcome.BLOCKED, *OPEN), Outcome.CLEARED, note)
        others = SecretFile.objects.filter(account=row.account_id, sha256=row.sha256, outcome=Outcome.BLOCKED)
        others.update(outcome=Outcome.CLEARED, decided_at=row.decided_at, decided_by=editor, reason=row.reason)
        if row.submission.result_id is not None and not is_quarantined(row.submission):
            Result.objects.filter(pk=row.submission.result_id).update(copy_withheld_at=None)
        if row.submission.state in states.UNDER_REVIEW:
            task_queue.enqueue_after_commit("prepare_review", row.submission_id)


def withhold_file(row: SecretFile, editor: Account, reason: str) -> None:
    """Put into quarantine what was reported, or what an editor cleared before.

    Raises Forbidden for who is no editor, ConflictOfInterest where this one may not decide, StateConflict where the
    submission is neither under review nor published, or the file stands otherwise.
    """
    if not is_protected(row.submission):
        raise StateConflict("It is neither under review nor published any more.")
    note = "An editor put a stored file into quarantine: it is kept and not shown to anybody."
    with transaction.atomic():
        _record_decision(row, editor, reason, (Outcome.REPORTED, Outcome.CLEARED), Outcome.QUARANTINED, note)
        _withhold_copy(row.submission)


def _record_decision(
    row: SecretFile, editor: Account, reason: str, expected: Iterable[str], outcome: Outcome, note: str
) -> None:
    """In the transaction of the caller; the note locks the submission, so that decisions on its files take turns."""
    require_role(editor, Account.Role.EDITOR)
    if why := conflict_reason(editor, row.submission):
        raise ConflictOfInterest(why)
    reason = states.require_reason(reason)
    waits = SecretFile.objects.filter(pk=row.pk, outcome__in=list(expected))
    if not waits.update(outcome=outcome, decided_at=timezone.now(), decided_by=editor, reason=reason):
        raise StateConflict("Somebody else has decided that.")
    states.note_event(row.submission, editor, f"{note} {reason}", notify=True)
    row.refresh_from_db()


def copy_withheld_at(submission: Submission) -> datetime | None:
    """Now, if the scrubbed copy of a submission in quarantine still holds a secret; else None."""
    if not is_quarantined(submission):
        return None
    derivative = ScrubbedCopy.objects.filter(submission=submission).first()
    return timezone.now() if derivative and _copy_holds_secret(derivative.sha256) else None


def is_quarantined(submission: Submission) -> bool:
    return bool(quarantined_among([submission.pk]))


def quarantined_among(submission_ids: Iterable[UUID]) -> set[UUID]:
    """Those of which a file is in quarantine."""
    rows = SecretFile.objects.filter(submission__in=list(submission_ids), outcome=Outcome.QUARANTINED)
    return set(rows.values_list("submission", flat=True))


def _withhold_copy(submission: Submission) -> None:
    """Take the scrubbed copy from the public as well, if the secret is still in it."""
    if submission.result_id is not None and (now := copy_withheld_at(submission)):
        Result.objects.filter(pk=submission.result_id, copy_withheld_at=None).update(copy_withheld_at=now)


def _copy_holds_secret(sha256: str) -> bool:
    """Also True for a copy that can't be searched: nobody knows then."""
    try:
        arguments = {"files": [{"name": "", "sha256": sha256}], "cleared": [], "partly": False}
        with stored_path(sha256, public_storage()) as path:
            return bool(cage.do_job(jobs.find_secrets, [path], arguments, seconds=settings.CHECK_SECONDS))
    except Exception:  # each storage library has errors of its own
        log.warning("The scrubbed copy %s can't be searched", sha256, exc_info=True)
        return True
