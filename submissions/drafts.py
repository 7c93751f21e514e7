"""What a submitter may change while nobody reviews it, and the revision of what is published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.revisions import Change, differences
from submissions import intake, questionnaire, queue, states
from submissions.errors import AlreadyRevised, AnswersInvalid, StateConflict
from submissions.models import Account, Event, State, Submission
from submissions.permissions import require_own

AGAIN = (State.CHECKED, State.INVALID, State.CHANGES_REQUESTED)
ANSWERABLE = (*AGAIN, *states.UNFINISHED)
ANSWERS_LIMIT_BYTES = 256 * 1024


def revalidate(
    submission: Submission,
    account: Account,
    *,
    release: str | None = None,
    lists: Iterable[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Check again, with what is said beside the bytes changed where given. Raises NotYours, StateConflict."""
    require_own(account, submission)
    slug = release if release is not None else submission.release.slug if submission.release else ""
    said = intake.declared(
        slug,
        submission.lists if lists is None else lists,
        submission.metadata if metadata is None else metadata,
    )
    now = timezone.now()
    states.move(
        submission.pk,
        AGAIN,
        State.RECEIVED,
        account,
        "Check again.",
        release=said.release,
        lists=said.lists,
        metadata=said.metadata,
        attempts=0,
        chosen_primary=submission.chosen_primary if submission.revises_id else None,
        queued_at=now,
    )
    queue.after_commit("process", submission.pk)


def answer(submission: Submission, account: Account, sent: Any) -> None:
    """Store the answers to the questionnaire, one object, while the run is not under review."""
    require_own(account, submission)
    states.require(submission, ANSWERABLE)
    answers = _storable(sent)
    if not Submission.objects.filter(pk=submission.pk, state__in=ANSWERABLE).update(answers=answers):
        raise StateConflict


def revise(
    submission: Submission,
    account: Account,
    reason: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    answers: Any = None,
) -> Submission:
    """Begin a new revision of a published result: the same bytes, with metadata and answers to be corrected.

    It is checked, submitted and reviewed like any other; until it is published the older one stands.
    Raises NotYours, StateConflict, ReasonNeeded, BadMetadata, AnswersInvalid, AlreadyRevised.
    """
    require_own(account, submission)
    states.require(submission, (State.PUBLISHED,))
    reason = states.require_reason(reason)
    said = submission.metadata if metadata is None else intake.read_metadata(metadata)
    answered = submission.answers if answers is None else _storable(answers)
    with transaction.atomic():
        older = Submission.objects.select_for_update(of=("self",)).select_related("result").get(pk=submission.pk)
        states.require(older, (State.PUBLISHED,))
        if newer := revision_of(older):
            raise AlreadyRevised(f"Submission {newer.pk} revises it and is {newer.get_state_display()}.")
        revision = Submission.objects.create(
            account_id=older.account_id,
            institution_id=older.institution_id,
            filename=older.filename,
            sha256=older.sha256,
            size=older.size,
            metadata=said,
            answers=answered,
            release_id=older.release_id,
            lists=older.lists,
            chosen_primary=older.chosen_primary,
            revises=older,
            revision_reason=reason,
            queued_at=timezone.now(),
        )
        told = f"Revision of {older.result.public_id}: {reason}"
        states.record([Event(submission=revision, actor=account, to_state=State.RECEIVED, reason=told)])
        queue.after_commit("process", revision.pk)
    return revision


def revision_of(submission: Submission) -> Submission | None:
    """The revision of a published submission that is on its way or published; None where there is none."""
    dead = {"state__in": (State.REJECTED, State.WITHDRAWN), "result": None}
    return Submission.objects.filter(revises=submission).exclude(**dead).first()


def revised(submission: Submission) -> list[Change]:
    """What a revision says otherwise than what it revises, with `revises` joined; [] for what revises nothing."""
    if submission.revises is None:
        return []
    return differences(_said(submission.revises), _said(submission))


def _said(submission: Submission) -> dict[str, Any]:
    metadata = {f"metadata.{name}": value for name, value in submission.metadata.items()}
    answers = {f"answers.{name}": value for name, value in submission.answers.items()}
    return metadata | answers | {"lists": submission.lists}


def _storable(sent: Any) -> dict[str, Any]:
    answers = questionnaire.read(sent)
    if not intake.is_storable(answers, ANSWERS_LIMIT_BYTES):
        raise AnswersInvalid
    return answers
