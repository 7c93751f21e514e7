"""What a submitter may change while nobody reviews it, and the revision of what is published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from registry.query.differences.revision_diff import RevisionChange, document_differences
from submissions.bundles import quarantine
from submissions.bundles.file_versions import File, files_of
from submissions.bundles.storage import Incoming
from submissions.checks import questionnaire
from submissions.errors import (
    AlreadyRevised,
    AnswersChanged,
    AnswersInvalid,
    DeadlinePassed,
    FileInUse,
    FilesOfRevision,
    LastFile,
    NoSuchFile,
    StateConflict,
    TooLarge,
    TooManyFiles,
)
from submissions.intake import receive
from submissions.lifecycle import private_records, quotas, states, task_queue
from submissions.models import CLOSED, Account, Event, Review, ScrubbedCopy, Signature, State, Submission, Version
from submissions.permissions import require_own

AGAIN = (State.CHECKED, State.INVALID, State.CHANGES_REQUESTED)
ANSWERABLE = (State.DRAFT, *AGAIN, *states.UNFINISHED)
EDITABLE = (*ANSWERABLE, State.SUBMITTED)
"""Until the deadline, and until a reviewer takes it up, what was submitted can be edited too."""
ANSWERS_LIMIT_BYTES = 256 * 1024
FILES_LIMIT = 20


def save_metadata_and_recheck(
    submission: Submission,
    account: Account,
    *,
    release: str | None = None,
    lists: Iterable[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Check again, with what is said beside the bytes changed where given; what was submitted is taken back for it.

    Raises NotYours, StateConflict, DeadlinePassed, IntakeRefused.
    """
    require_own(account, submission)
    require_in_time(submission)
    slug = release if release is not None else submission.release.slug if submission.release else ""
    declared = receive.parse_declared(
        slug,
        submission.lists if lists is None else lists,
        submission.metadata if metadata is None else metadata,
    )
    fields: dict[str, Any] = {
        "release": declared.release,
        "lists": declared.lists,
        "metadata": declared.metadata,
    }
    if Submission.objects.filter(pk=submission.pk, state=State.DRAFT).update(**fields):
        return  # without a file there is nothing to check
    if declared.release != submission.release:
        fields["submitted_at"] = None
    states.transition(
        submission.pk,
        (*AGAIN, State.SUBMITTED),
        State.RECEIVED,
        account,
        "Taken back to be edited." if submission.state == State.SUBMITTED else "Check again.",
        attempts=0,
        chosen_primary=submission.chosen_primary if submission.revises_id else None,
        queued_at=Now(),
        **fields,
    )
    task_queue.enqueue_after_commit("process", submission.pk)


def save_answers(submission: Submission, account: Account, sent: Any, base: str | None = None) -> None:
    """Store the answers to the questionnaire, one object, while nobody reviews the run; a submitted one stays so.

    `base` is the digest of the answers that were edited; without it what is stored is replaced, whatever it is.
    Raises NotYours for another's, StateConflict while somebody reviews it, DeadlinePassed after the deadline,
    AnswersInvalid for answers of another kind, AnswersChanged where others than those of `base` are stored.
    """
    require_own(account, submission)
    states.require_state(submission, EDITABLE)
    require_in_time(submission)
    answers = _storable_metadata(sent, submission)
    rows = Submission.objects.filter(pk=submission.pk, state__in=EDITABLE)
    if base is not None:
        if digest_answers(submission.answers) != base:
            raise AnswersChanged
        rows = rows.filter(answers=submission.answers)
    if not rows.update(answers=answers):
        if base is None:
            raise StateConflict
        raise AnswersChanged
    if submission.state == State.SUBMITTED:
        task_queue.enqueue_after_commit("prepare_review", submission.pk)


def digest_answers(answers: Mapping[str, Any]) -> str:
    """A short text that tells one state of the answers from another."""
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()[:16]


def is_before_deadline(submission: Submission) -> bool:
    """Whether its deadline permits an edit: after it, only what reviewers asked for or editors admitted is edited.

    An edit is in time by when it came, however long its check takes. What was never submitted, or corrects what is
    published, has no deadline.
    """
    release = submission.release
    if submission.submitted_at is None or release is None or release.deadline is None or is_correction(submission):
        return True
    if timezone.now() <= release.deadline or submission.late_entries.filter(release=release).exists():
        return True
    return submission.reviews.filter(decision=Review.Decision.REQUEST_CHANGES).exists()


def require_in_time(submission: Submission) -> None:
    """Raises DeadlinePassed after the deadline of the submission's release."""
    release = submission.release
    if release and release.deadline and not is_before_deadline(submission):
        raise DeadlinePassed(f"The deadline of {release.name} was {release.deadline:%Y-%m-%d %H:%M} UTC.")


def is_correction(submission: Submission) -> bool:
    """Whether it revises a result within the release that published it, whose frozen lists stay as they are."""
    return submission.revises is not None and submission.release_id == submission.revises.release_id


def put_file(
    submission: Submission,
    account: Account,
    sent: UploadedFile[Any] | Incoming | None,
    sha256: str = "",
    *,
    replaces: str = "",
    version: int | None = None,
) -> bool:
    """Add a file, or put it in the place of the one called `replaces` or like itself; whether that changed anything.

    The files are a new version of the submission, which is checked as a whole; older ones stay stored. `version` is the
    one that the caller knows, if it must not have changed meanwhile.
    Raises NotYours, StateConflict, DeadlinePassed, IntakeRefused, Unavailable, FilesOfRevision, FileInUse, NoSuchFile,
    TooManyFiles.
    """
    _require_files_open(submission, account)
    sender = submission.account
    with receive.open_upload(sent, sha256) as incoming, quarantine.storing_bytes(sender, incoming.sha256):
        return _put(submission, account, incoming, replaces, version)


def _put(submission: Submission, account: Account, incoming: Incoming, replaces: str, version: int | None) -> bool:
    """The bytes are stored once nothing stands against them: of refused ones nothing is kept."""
    name = receive.file_name(incoming.name)
    file = {"name": name, "sha256": incoming.sha256, "size": incoming.size}

    def changed(files: list[File]) -> list[File]:
        place = (
            _file_place(files, replaces)
            if replaces
            else next((index for index, other in enumerate(files) if other["name"] == name), len(files))
        )
        if any(other["name"] == name for index, other in enumerate(files) if index != place):
            raise FileInUse(f"There is a file {name!r} beside it.")
        return [*files[:place], file, *files[place + 1 :]]

    def store() -> None:
        quotas.use_bytes(submission.account, submission.institution, incoming.size)
        incoming.keep()

    return _change_files(submission, account, changed, f"File {name}", version, store=store)


def remove_file(submission: Submission, account: Account, name: str, *, version: int | None = None) -> bool:
    """Take a file out of the current version; without the bundle, the next file is the bundle.

    Raises NotYours, StateConflict, FilesOfRevision, NoSuchFile, LastFile.
    """
    _require_files_open(submission, account)

    def changed(files: list[File]) -> list[File]:
        place = _file_place(files, name)
        if len(files) == 1:
            raise LastFile
        return files[:place] + files[place + 1 :]

    return _change_files(submission, account, changed, f"Without {name}", version)


def _file_place(files: list[File], name: str) -> int:
    for index, file in enumerate(files):
        if file["name"] == name:
            return index
    raise NoSuchFile(f"There is no file {name[:60]!r}.", hint="GET files/ lists them.")


def _require_files_open(submission: Submission, account: Account) -> None:
    require_own(account, submission)
    states.require_state(submission, EDITABLE)
    require_in_time(submission)
    if submission.revises_id:
        raise FilesOfRevision


def _change_files(
    submission: Submission,
    account: Account,
    changed: Callable[[list[File]], list[File]],
    reason: str,
    expected: int | None,
    store: Callable[[], object] | None = None,
) -> bool:
    """Of two at once, both make a version, one after the other; who named a version that is not current is told."""
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        states.require_state(row, EDITABLE)
        if expected is not None and expected != row.version:
            raise StateConflict(f"Its files changed meanwhile: version {row.version} is the current one.")
        before = files_of(row)
        files = changed(before)
        if files == before:
            return False
        if len(files) > FILES_LIMIT:
            raise TooManyFiles
        if sum(file["size"] for file in files) > settings.UPLOAD_LIMIT_BYTES:
            raise TooLarge(f"All files together have more than {settings.UPLOAD_LIMIT_BYTES} bytes.")
        if store is not None:
            store()
        if before:
            Version.objects.create(submission=row, number=row.version, files=before, replaced_by=account)
        ScrubbedCopy.objects.filter(submission=row).delete()
        _store_files(row, account, files, f"{reason}: version {row.version + 1 if before else 1}.")
        if files[:1] != before[:1]:
            Signature.objects.filter(submission=row).delete()
    return True


def _store_files(row: Submission, account: Account, files: list[File], reason: str) -> None:
    bundle, *extra_files = files
    try:
        states.transition(
            row.pk,
            [State(row.state)],
            State.RECEIVED,
            account,
            reason,
            filename=bundle["name"],
            sha256=bundle["sha256"],
            size=bundle["size"],
            beside=extra_files,
            version=row.version + 1 if row.sha256 else 1,
            attempts=0,
            chosen_primary=None,
            queued_at=Now(),
        )
    except IntegrityError as error:
        raise FileInUse("Another submission of this account has these bytes.") from error
    private_records.record_receipt(Submission.objects.get(pk=row.pk))
    task_queue.enqueue_after_commit("process", row.pk)


def start_revision(
    submission: Submission,
    account: Account,
    reason: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    answers: Any = None,
) -> Submission:
    """Begin a new revision of a published result: the same bytes, with metadata and answers to be corrected.

    It is checked, submitted and reviewed like any other; until it is published the older one stands. Raises NotYours
    for another's, StateConflict where it is not published, ReasonNeeded without a reason, BadMetadata or AnswersInvalid
    for what the schemas refuse, AlreadyRevised where there is a revision already.
    """
    require_own(account, submission)
    states.require_state(submission, (State.PUBLISHED,))
    reason = states.require_reason(reason)
    revised_metadata = submission.metadata if metadata is None else receive.read_metadata(metadata)
    answered = submission.answers if answers is None else _storable_metadata(answers, submission)
    with transaction.atomic():
        older = Submission.objects.select_for_update(of=("self",)).select_related("result").get(pk=submission.pk)
        states.require_state(older, (State.PUBLISHED,))
        if newer := pending_revision(older):
            raise AlreadyRevised(f"Submission {newer.pk} revises it and is {newer.get_state_display()}.")
        revision = Submission.objects.create(
            account_id=older.account_id,
            institution_id=older.institution_id,
            filename=older.filename,
            sha256=older.sha256,
            size=older.size,
            beside=older.beside,
            metadata=revised_metadata,
            answers=answered,
            release_id=older.release_id,
            lists=older.lists,
            chosen_primary=older.chosen_primary,
            reproduces_id=older.reproduces_id,
            revises=older,
            revision_reason=reason,
            queued_at=Now(),
        )
        event_reason = f"Revision of {older.require_result().public_id}: {reason}"
        states.write_history([Event(submission=revision, actor=account, to_state=State.RECEIVED, reason=event_reason)])
        private_records.record_receipt(revision)
        task_queue.enqueue_after_commit("process", revision.pk)
    return revision


def pending_revision(submission: Submission) -> Submission | None:
    """The revision of a published submission that is on its way or published; None where there is none."""
    dead = {"state__in": CLOSED, "result": None}
    return Submission.objects.filter(revises=submission).exclude(**dead).first()


def changes_from_original(submission: Submission) -> list[RevisionChange]:
    """What a revision says otherwise than what it revises, with `revises` joined; [] for what revises nothing."""
    if submission.revises is None:
        return []
    return document_differences(_declared_values(submission.revises), _declared_values(submission))


def _declared_values(submission: Submission) -> dict[str, Any]:
    metadata = {f"metadata.{name}": value for name, value in submission.metadata.items()}
    answers = {f"answers.{name}": value for name, value in submission.answers.items()}
    return metadata | answers | {"lists": submission.lists}


def _storable_metadata(sent: Any, submission: Submission) -> dict[str, Any]:
    answers = questionnaire.read_answers(sent, submission.answers)
    if not receive.is_storable(answers, ANSWERS_LIMIT_BYTES):
        raise AnswersInvalid
    return answers
