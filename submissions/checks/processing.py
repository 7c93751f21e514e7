"""Check a received submission in a worker: claim it, run the validators in bounded time, store what they found.

A claim is a conditional UPDATE, and a PostgreSQL session lock that is held for as long as the worker lives
(docs/decisions/0003-claim-is-an-advisory-lock.md). Running a task twice is harmless.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from billiard.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.utils import timezone

from registry.dumps import db_locks
from registry.models import Release
from registry.monitoring import shared_counts
from registry.query.stored_bytes import DamagedBytes
from submissions.bundles import quarantine, signatures
from submissions.bundles.cage import client as cage
from submissions.bundles.cage import jobs, untrusted
from submissions.bundles.storage import local_path, stored_files, stored_path
from submissions.checks import finding_counts, questionnaire
from submissions.errors import NotFound, StateConflict
from submissions.lifecycle import private_records, states, task_queue
from submissions.models import Check, CheckTurn, PrivateRecord, State, Submission, SubmittedSystem
from validators import VERSION
from validators.findings import ERROR, Finding, findings_of_report
from validators.runs.report import VALID, Report

log = logging.getLogger(__name__)

ATTEMPTS = 3
LOST_AFTER = timedelta(seconds=10)
LOST_BEHIND_OTHERS_AFTER = timedelta(minutes=5)
"""While tasks wait in the queue, a late one is more likely among them than lost."""
DATABASE_PATIENCE_S = 60.0
SWEPT_AT_ONCE = 500
JOINED = ("release", "derivative", "institution", "signature")
"""What a check reads of a submission beside its own row."""
_JUDGED_FIRST = ("scc", "ten", "ten-production")
"""A run meant for several lists is judged by the rules of the narrowest."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of one check, ready to be stored; `system` are the columns of its snapshot, None without one."""

    report: dict[str, Any]
    seconds: float
    system: dict[str, Any] | None = None
    signature: signatures.Verdict | None = None
    tool: str = ""
    contradictions: int = 0
    read_files: Sequence[str] = ()
    former: Sequence[dict[str, Any]] = ()
    """Findings `bundle.secret` in files that no check has read before they were replaced."""

    @property
    def secrets(self) -> list[dict[str, Any]]:
        return [*self.report["findings"], *self.former]

    @property
    def state(self) -> State:
        return State.CHECKED if self.report["status"] == VALID else State.INVALID


RECHECKED = Q(state__in=states.UNDER_REVIEW) | Q(state=State.ACCEPTED, checked_at__lt=F("submitted_at"))
"""Submissions that are checked by the rules of their release and lists."""


def check_submission(submission_id: UUID | str) -> bool:
    """Check one submission if it waits for that and nobody else is at it; whether it was taken up."""
    with db_locks.try_advisory_lock(lock_key(UUID(str(submission_id)))) as mine:
        return mine and _check_claimed(submission_id)


def recheck_in_review(submission_id: UUID | str) -> None:
    """Check a submission under review again without changing its state: what it was submitted for has rules too.

    One that was accepted before they were checked is checked, too: what is published says how they came out. What was
    edited, or decided with that check at hand, keeps its check; who edited it has queued another one.
    """
    submission = Submission.objects.select_related(*JOINED).filter(RECHECKED, pk=submission_id).first()
    if submission is None:
        return
    checked = run_validators(submission)
    with transaction.atomic():
        unchanged = Submission.objects.select_for_update().filter(
            RECHECKED, pk=submission.pk, version=submission.version,
            submitted_at=submission.submitted_at, answers=submission.answers,
        )  # fmt: skip
        if unchanged.values_list("pk", flat=True).first():
            stored_check = _store_check(submission, checked)
            private_records.record_rows((PrivateRecord.Kind.CHECK, [stored_check]))
            unchanged.update(checked_at=stored_check.made_at)
            quarantine.act_on(submission, checked.secrets)


def check_file(key: str, declaration: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The report of stored bytes that are no submission. `declaration`: name, release facts, list and metadata.

    Raises OutOfTime after so many seconds, and the other errors of the cage.
    """
    options = {
        "name": declaration["name"],
        "release": declaration["release"],
        "list_name": declaration["list"],
        "metadata": declaration["metadata"],
    }
    with local_path(key) as path:
        answer = cage.do_job(jobs.check_bundle, [path], {"extra_files": [], "check": options}, seconds=seconds)
    report: dict[str, Any] = untrusted.require_answer(answer)["report"]
    return report


def requeue_stuck() -> None:
    """Queue again what was received but lost, and what a worker took up and did not live to finish.

    By the database's clock: with their own, a host that is ahead would leave it lost for as long as it is ahead.
    """
    if lost_submissions(Now() - LOST_AFTER):
        is_alone = task_queue.queue_length(settings.CELERY_TASK_DEFAULT_QUEUE) == 0
        patience = LOST_AFTER if is_alone else LOST_BEHIND_OTHERS_AFTER
        for submission_id in lost_submissions(Now() - patience):
            _queue_again(submission_id, Now() - patience)
    for submission_id in abandoned_submissions(Now() - LOST_AFTER):
        _queue_again(submission_id, Now() - LOST_AFTER)


def lost_submissions(before: datetime | Combinable) -> list[UUID]:
    """Submissions that were queued before that time and that no worker took up."""
    return _queued_before(before, State.RECEIVED)


def abandoned_submissions(before: datetime | Combinable) -> list[UUID]:
    """Submissions that are being processed by nobody: their worker's lock is free."""
    ids = _queued_before(before, State.PROCESSING)
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        held = {key for (key,) in cursor}
    return [pk for pk in ids if lock_key(pk) not in held]


def late_submissions() -> QuerySet[Submission]:
    """What may have to be queued again: it was queued LOST_AFTER ago, and nobody has finished it."""
    unfinished = Submission.objects.filter(state__in=(State.RECEIVED, State.PROCESSING))
    return unfinished.exclude(_queued_since(Now() - LOST_AFTER))


def _queued_before(before: datetime | Combinable, state: State) -> list[UUID]:
    late = Submission.objects.filter(state=state).exclude(_queued_since(before))
    return list(late.order_by("queued_at").values_list("pk", flat=True)[:SWEPT_AT_ONCE])


def _queued_since(before: datetime | Combinable) -> Q:
    """Queued at that time or later; not what will be queued only, as by a database whose clock was ahead.

    A sweep that began before another one queued it has an earlier now.
    """
    return Q(queued_at__gte=before, queued_at__lte=Now() + LOST_AFTER)


def lock_key(submission_id: UUID) -> int:
    """The signed 64-bit number that stands for a submission among PostgreSQL's advisory locks."""
    return int.from_bytes(submission_id.bytes[:8], signed=True)


def release_facts(release: Release | None) -> dict[str, Any]:
    """What rules may ask of a release."""
    if release is None:
        return {}
    deadline = release.deadline.isoformat() if release.deadline else None
    return {"slug": release.slug, "benchmark_versions": release.benchmark_versions, "deadline": deadline}


def judged_list(lists: list[str]) -> str | None:
    """The list whose rules a run meant for `lists` is held to."""
    narrow = [name for name in _JUDGED_FIRST if name in lists]
    return next(iter(narrow or lists), None)


# One attempt


def _check_claimed(submission_id: UUID | str) -> bool:
    submission = _claim_submission(submission_id)
    if submission is None:
        return False
    if submission.attempts > ATTEMPTS:
        checked = _gave_up()
    else:
        try:
            checked = run_validators(submission)
        except DamagedBytes as damaged:
            checked = _damaged_bytes(damaged)
        except Exception:
            log.exception("Check of %s failed (attempt %d)", submission_id, submission.attempts)
            if submission.attempts < ATTEMPTS:
                return True  # It stays `processing` without a lock, so the sweeper sends it again.
            checked = _gave_up()
    _until_the_database_answers(lambda: _finish_check(submission, checked))
    return True


def _claim_submission(submission_id: UUID | str) -> Submission | None:
    """Take it up, if it waits: a row that is `processing` while the lock was free has lost its worker.

    That its account had its turn is part of the same commit.
    """
    submission = Submission.objects.select_related(*JOINED).filter(pk=submission_id).first()
    if submission is None or submission.state not in states.UNFINISHED:
        return None
    submission.attempts += 1
    reason = "" if submission.state == State.RECEIVED else "The worker that had it is gone."
    turn = CheckTurn(account_id=submission.account_id, began_at=timezone.now())
    with transaction.atomic(savepoint=False):
        try:
            states.transition(
                submission.pk, [State(submission.state)], State.PROCESSING, reason=reason, attempts=submission.attempts
            )
        except (StateConflict, NotFound):
            return None
        CheckTurn.objects.bulk_create(
            [turn], update_conflicts=True, unique_fields=["account"], update_fields=["began_at"]
        )
    return submission


def run_validators(submission: Submission) -> CheckOutcome:
    """Have the stored bytes checked in the cage, within CHECK_SECONDS. Time or memory that ran out is a finding.

    Raises JobFailed where the answer is none, and what storage raises.
    """
    begun = time.monotonic()
    judged = quarantine.judged_files(submission)
    if blocked := quarantine.blocked_report(submission, judged):
        return CheckOutcome(blocked.as_json(), 0.0)
    try:
        return _examine_bundle(submission, judged.cleared, begun)
    except (cage.OutOfTime, SoftTimeLimitExceeded):
        report = _timeout_report()
    except cage.TooMuch as error:
        report = _too_much_report(str(error))
    return CheckOutcome(report.as_json(), time.monotonic() - begun)


def _examine_bundle(submission: Submission, cleared: Set[str], begun: float) -> CheckOutcome:
    signed, verdict = signatures.verification_inputs(submission), None
    with stored_path(submission.sha256) as path, stored_files(submission.beside) as extra_files:
        files = [{"name": name, "sha256": file.sha256} for name, file in extra_files.items()]
        paths = [path, *(file.path for file in extra_files.values())]
        answer = untrusted.require_answer(
            cage.do_job(
                jobs.check_bundle,
                paths,
                {"extra_files": files, "check": _check_options(submission, cleared)},
                seconds=_rest_s(begun),
            )
        )
        report, system = answer["report"], answer["system"]
        if signed is not None:
            verdict = signatures.verify_signature(signed, path, _rest_s(begun))
            untrusted.add_finding(report, verdict.finding)
    former = quarantine.search_former(submission, _rest_s(begun))
    run = questionnaire.primary_run(submission, report)
    against = questionnaire.fill_questionnaires(submission, {}, system and system["document"], run).contradictions
    tool = run["tool"] if run else ""
    return CheckOutcome(
        report, time.monotonic() - begun, system, verdict, tool, len(against), answer["read_files"], former
    )


def _check_options(submission: Submission, cleared: Set[str]) -> dict[str, Any]:
    """What the rules are told beside the bundle; see `validators.checks.check`."""
    return {
        "name": submission.filename,
        "release": release_facts(submission.release),
        "list_name": judged_list(submission.lists),
        "metadata": submission.metadata,
        "answers": submission.answers,
        "submitted_at": _submitted_at(submission),
        "institution": submission.institution.name if submission.institution else "",
        "sha256": submission.sha256,
        "cleared": sorted(cleared),
    }


def _rest_s(begun: float) -> float:
    """What is left of the seconds of a check that began then. Raises OutOfTime where nothing is."""
    rest = settings.CHECK_SECONDS - (time.monotonic() - begun)
    if rest <= 0:
        raise cage.OutOfTime
    return rest


def _submitted_at(submission: Submission) -> str | None:
    """When the run was submitted to its release; a correction of what that release published is not late for it."""
    while submission.revises is not None and submission.revises.release_id == submission.release_id:
        submission = submission.revises
    return submission.submitted_at.isoformat() if submission.submitted_at else None


def _finish_check(submission: Submission, checked: CheckOutcome) -> None:
    """Store the check and move on; nothing is stored where another worker took it up meanwhile."""
    try:
        with transaction.atomic():
            stored_check = _store_check(submission, checked)
            reason = states.with_failure(_summary_text(stored_check), _finding_codes(checked.report))
            reason = quarantine.act_on(submission, checked.secrets) or reason
            states.transition(
                submission.pk,
                [State.PROCESSING],
                checked.state,
                reason=reason,
                also_recorded=[(PrivateRecord.Kind.CHECK, [stored_check])],
                unchanged={"attempts": submission.attempts, "version": submission.version},
                checked_at=stored_check.made_at,
            )
    except (StateConflict, NotFound):
        return
    shared_counts.count_event("highwater_checks", stored_check.status)


def _store_check(submission: Submission, checked: CheckOutcome) -> Check:
    """Store what a check found; its record is written by who calls this, with what else the same change records."""
    if checked.system is None and submission.checked_at is not None:
        SubmittedSystem.objects.filter(submission=submission).delete()
    elif checked.system is not None:
        SubmittedSystem.objects.update_or_create(submission=submission, defaults=checked.system)
    if checked.signature is not None:
        signatures.store_verdict(submission, checked.signature)
    counted = finding_counts.count_report(submission, checked.report)
    return Check.objects.create(
        submission=submission,
        version=submission.version,
        validators_version=VERSION,
        status=checked.report["status"],
        errors=counted.errors,
        warnings=counted.warnings,
        seconds=checked.seconds,
        tool=checked.tool,
        contradictions=checked.contradictions,
        report=checked.report,
        read_files=list(checked.read_files),
    )


def _finding_codes(report: dict[str, Any]) -> set[str]:
    """The codes of all findings, on the archive and on every run."""
    return {finding["code"] for finding in findings_of_report(report)}


def _summary_text(check: Check) -> str:
    counts = ((check.errors, "error"), (check.warnings, "warning"))
    texts = [f"{count} {word if count == 1 else word + 's'}" for count, word in counts]
    return f"{check.status}: {', '.join(texts)}"


def _timeout_report() -> Report:
    return _fault_report(
        "processing.timeout",
        f"The check took longer than {settings.CHECK_SECONDS} s and was stopped.",
        "Leave out what no check reads, such as per-rank tables of every phase, and upload again.",
    )


def _too_much_report(why: str) -> Report:
    return _fault_report(
        "processing.too-much",
        f"The check was stopped. {why}",
        "Leave out what no check reads, such as per-rank tables of every phase, and upload again.",
    )


def _gave_up() -> CheckOutcome:
    report = _fault_report(
        "processing.failed",
        f"The check failed {ATTEMPTS} times through a fault of the registry.",
        "Nothing for you to do: the bytes are kept. It is logged, and administrators get an email.",
    )
    return CheckOutcome(report.as_json(), 0.0)


def _damaged_bytes(damaged: DamagedBytes) -> CheckOutcome:
    report = _fault_report(
        damaged.code,
        f"{damaged.title}: {damaged.detail} Nothing was read.",
        "Upload the same file again to repair it, then check it again. Administrators are notified.",
    )
    return CheckOutcome(report.as_json(), 0.0)


def _fault_report(code: str, message: str, hint: str) -> Report:
    return Report(findings=[Finding(code, ERROR, message, hint)])


# Lost connections


def _until_the_database_answers(store: Callable[[], None]) -> None:
    """Store over a new connection if the database was restarted meanwhile; the claim tells whether it is still ours."""
    deadline = time.monotonic() + DATABASE_PATIENCE_S
    while True:
        try:
            return store()
        except (OperationalError, InterfaceError):
            connection.close()
            if time.monotonic() > deadline:
                raise
            log.warning("The database is away, trying again")
            time.sleep(0.5)


def _queue_again(submission_id: UUID, before: datetime | Combinable) -> None:
    """Mark it as queued, then send it: of several schedulers at once, one finds it still late."""
    late = Submission.objects.filter(pk=submission_id, state__in=states.UNFINISHED).exclude(_queued_since(before))
    if late.update(queued_at=Now()) and task_queue.enqueue("process", str(submission_id)):
        log.info("Queued %s again", submission_id)
