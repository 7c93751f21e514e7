"""Publication without a name: the submitter asks, an editor decides, the submitter may take it back at any time.

What asked for it is never published by name without its submitter's word: not while nobody decided, not when it was
refused. A published result gets its name by a dated amendment of the lists that it stands on.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from registry.log import name_records, recording
from submissions.errors import NamedAlready, NothingAsked
from submissions.lifecycle import states
from submissions.models import Account, Anonymity, State, Submission
from submissions.permissions import require_own, require_review, require_role
from submissions.publication import amendments, snapshot

ASKABLE = tuple(state for state in State if state not in (State.PUBLISHED, State.REJECTED, State.WITHDRAWN))


def is_askable(submission: Submission) -> bool:
    """Whether its submitter may ask, `anonymity` joined."""
    anonymity = getattr(submission, "anonymity", None)
    waits = anonymity is not None and anonymity.granted is not False
    return not waits and submission.revises_id is None and submission.state in ASKABLE


def is_nameable(submission: Submission) -> bool:
    """Whether its submitter may agree to be named, `anonymity` joined."""
    anonymity = getattr(submission, "anonymity", None)
    named = anonymity is None or anonymity.lifted_at is not None
    return not named and submission.state in (*ASKABLE, State.PUBLISHED)


def ask_anonymity(submission: Submission, account: Account, reason: str) -> Anonymity:
    """Ask for it, or again after a refusal.

    Raises NotYours for another's, StateConflict where it is too late, ReasonNeeded without a reason, NamedAlready for a
    revision.
    """
    require_own(account, submission)
    reason = states.require_reason(reason)
    if submission.revises_id:
        raise NamedAlready
    with transaction.atomic():
        _lock_submission(submission, ASKABLE)
        anonymity, _ = Anonymity.objects.get_or_create(submission=submission, defaults={"reason": reason})
        if anonymity.granted is not True:
            Anonymity.objects.filter(pk=anonymity.pk).update(reason=reason, granted=None, decision="")
            anonymity.refresh_from_db()
            states.note_event(submission, account, f"Asked to be published anonymously: {reason}")
    return anonymity


def decide_anonymity(submission: Submission, editor: Account, *, granted: bool, reason: str) -> Anonymity:
    """An editor's word, once, on what is asked; its submitter gets a letter.

    Raises Forbidden or ConflictOfInterest for who may not decide, ReasonNeeded without a reason, NothingAsked where
    nothing waits.
    """
    require_role(editor, Account.Role.EDITOR)
    require_review(editor, submission)
    reason = states.require_reason(reason)
    with transaction.atomic():
        _lock_submission(submission, ASKABLE)
        anonymities = Anonymity.objects.filter(submission=submission, granted=None)
        if not anonymities.update(granted=granted, decision=reason):
            raise NothingAsked
        words = "granted" if granted else "refused"
        states.note_event(submission, editor, f"Anonymous publication {words}: {reason}", notify=True)
    return Anonymity.objects.get(submission=submission)


def take_back(submission: Submission, account: Account) -> None:
    """Agree to be named: before publication nothing is asked any more, after it the result gets its name.

    Raises NotYours for another's, NothingAsked where there is nothing to take back, StateConflict in a state that
    allows neither.
    """
    require_own(account, submission)
    with transaction.atomic():
        amendments.lock_publication()
        state = _lock_submission(submission, (*ASKABLE, State.PUBLISHED))
        anonymities = Anonymity.objects.filter(submission=submission, lifted_at=None)
        if state != State.PUBLISHED:
            gone, _ = anonymities.delete()
            words = "Anonymous publication is no longer asked for."
        else:
            gone = anonymities.filter(granted=True).update(lifted_at=timezone.now())
            words = "Named by its submitter."
        if not gone:
            raise NothingAsked
        states.note_event(submission, account, words)
        if state == State.PUBLISHED:
            named_results = snapshot.restore_names(_published_with(submission))
            named_ids = [result.pk for result in named_results]
            recording.record_results(named_ids, recording.NAMED)
            name_records.record_names(name_records.names_of_results(named_ids), recording.NAMED)
            amendments.note_named_results(named_results)


def _lock_submission(submission: Submission, expected: tuple[State, ...]) -> State:
    """Its state, which stays until the end of the transaction. Raises StateConflict."""
    row = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
    states.require_state(row, expected)
    return State(row.state)


def _published_with(submission: Submission) -> list[Submission]:
    """It and its revisions, as far as they are published, oldest first."""
    submissions: list[Submission] = []
    following = Submission.objects.select_related("institution", "account", "result", "release", "revises__result")
    next_one: Submission | None = following.get(pk=submission.pk)
    while next_one is not None:
        submissions.append(next_one)
        next_one = following.filter(revises=next_one, result__isnull=False).first()
    return submissions
