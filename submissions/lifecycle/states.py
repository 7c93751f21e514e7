"""The life of a submission: which change of state is permitted, and the one way to make it.

A change is a conditional UPDATE that expects one row, and its history row, in one transaction: of two that try the
same change one wins and the other is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from submissions.errors import NotFound, ReasonNeeded, StateConflict
from submissions.lifecycle import private_records
from submissions.models import Account, Event, Notice, PrivateRecord, State, Submission

PERMITTED: dict[State, frozenset[State]] = {
    State.DRAFT: frozenset({State.RECEIVED, State.WITHDRAWN}),
    # To itself, and from processing: its files changed meanwhile.
    State.RECEIVED: frozenset({State.RECEIVED, State.PROCESSING, State.WITHDRAWN}),
    # To itself: the worker was lost and another one takes it up.
    State.PROCESSING: frozenset({State.RECEIVED, State.PROCESSING, State.CHECKED, State.INVALID, State.WITHDRAWN}),
    State.INVALID: frozenset({State.RECEIVED, State.WITHDRAWN}),
    State.CHECKED: frozenset({State.RECEIVED, State.SUBMITTED, State.WITHDRAWN}),
    # To received: its submitter edits it before the deadline.
    State.SUBMITTED: frozenset(
        {State.RECEIVED, State.IN_REVIEW, State.CHANGES_REQUESTED, State.ACCEPTED, State.REJECTED, State.WITHDRAWN}
    ),
    State.IN_REVIEW: frozenset({State.CHANGES_REQUESTED, State.ACCEPTED, State.REJECTED, State.WITHDRAWN}),
    State.CHANGES_REQUESTED: frozenset({State.RECEIVED, State.SUBMITTED, State.WITHDRAWN}),
    State.ACCEPTED: frozenset({State.PUBLISHED, State.WITHDRAWN}),
    State.REJECTED: frozenset(),
    State.PUBLISHED: frozenset({State.WITHDRAWN}),
    State.WITHDRAWN: frozenset(),
}
FAILURES_OF_OURS = ("processing.failed", "bundle.reader-failed", "storage.damaged")
"""Finding codes of checks that failed through a fault of the registry; they end the reason of the event."""
UNFINISHED = (State.RECEIVED, State.PROCESSING)
UNDER_REVIEW = (State.SUBMITTED, State.IN_REVIEW)
WAITS_FOR: dict[State, str | None] = {
    State.DRAFT: "submitter",
    State.RECEIVED: "check",
    State.PROCESSING: "check",
    State.INVALID: "submitter",
    State.CHECKED: "submitter",
    State.SUBMITTED: "review",
    State.IN_REVIEW: "review",
    State.CHANGES_REQUESTED: "submitter",
    State.ACCEPTED: "publication",
    State.REJECTED: None,
    State.PUBLISHED: None,
    State.WITHDRAWN: None,
}
"""Who or what moves a submission next; None where it stays as it is."""


def source_states(state: State) -> frozenset[State]:
    """The states from which `state` may be reached."""
    return frozenset(origin for origin, targets in PERMITTED.items() if state in targets)


def require_state(submission: Submission, expected: Collection[State]) -> None:
    """Before anything else is looked at; `move` itself decides once more. Raises StateConflict in any other state."""
    if submission.state not in expected:
        raise StateConflict(_state_words(submission.state, expected))


def _state_words(current: str, expected: Collection[str]) -> str:
    """Why a change is refused, with the states as pages name them."""
    needed = " or ".join(sorted(State(state).label for state in expected))
    return f"Its state is {State(current).label}. This is possible only in the state {needed}."


def require_reason(text: str) -> str:
    """A reason in words, as PostgreSQL stores it: a form may carry NUL.

    Raises ReasonNeeded where nothing is left of it.
    """
    text = text.replace("\0", "\ufffd").strip()
    if not text:
        raise ReasonNeeded
    return text


def transition(
    submission_id: UUID | str,
    expected: Collection[State],
    to: State,
    actor: Account | None = None,
    reason: str = "",
    also_recorded: Sequence[private_records.RowsOfKind] = (),
    unchanged: Mapping[str, Any] | None = None,
    **fields: Any,
) -> None:
    """Change one submission from one of the `expected` states, with `fields` set beside it, and write its history.

    `also_recorded` are rows that the change records in the log beside its history, `unchanged` fields with the values
    that they must still have. `actor` None is the registry itself. Raises StateConflict if it is in another state or
    has other values, NotFound if it is not there, ValueError for a change that PERMITTED does not have.
    """
    _require_permitted(expected, to)
    with transaction.atomic(savepoint=False):
        for origin in expected:
            if Submission.objects.filter(pk=submission_id, state=origin, **unchanged or {}).update(state=to, **fields):
                write_history(
                    [Event(submission_id=submission_id, actor=actor, from_state=origin, to_state=to, reason=reason)],
                    also_recorded,
                )
                return
    current_state = Submission.objects.filter(pk=submission_id).values_list("state", flat=True).first()
    if current_state is None:
        raise NotFound
    raise StateConflict(_state_words(current_state, expected))


def note_event(
    submission: Submission, actor: Account | None, text: str, *, notify: bool = False, editors: bool = False
) -> None:
    """Write into the history what happened without a change of state, such as an assignment.

    `notify`: its submitter gets a letter about it, and with `editors` they do, too.
    """
    with transaction.atomic():
        state = Submission.objects.select_for_update().values_list("state", flat=True).get(pk=submission.pk)
        event = Event.objects.create(submission=submission, actor=actor, from_state=state, to_state=state, reason=text)
        private_records.record_rows((PrivateRecord.Kind.EVENT, [event]))
        if notify:
            Notice.objects.create(event=event, editors=editors)


def is_note(event: Event) -> bool:
    """Whether it came without a change of state. What is received or taken up again changed, though not by name."""
    return event.from_state == event.to_state and event.to_state not in UNFINISHED


def with_failure(reason: str, codes: Collection[str]) -> str:
    """The reason of a check's event, which says by its end where a fault of the registry was met."""
    failure = next((code for code in FAILURES_OF_OURS if code in codes), "")
    return f"{reason}; {failure}" if failure else reason


def failure_of_ours(event: Event) -> str:
    """The code of the registry's fault that a check's event tells of; nothing for all others."""
    if event.actor_id is not None or event.to_state not in (State.CHECKED, State.INVALID):
        return ""
    return next((code for code in FAILURES_OF_OURS if event.reason.endswith(f"; {code}")), "")


def transition_many(
    submission_ids: Iterable[UUID], expected: State, to: State, actor: Account | None, reason: str, **fields: Any
) -> None:
    """Change many at once, with `fields` set beside it, all or none.

    Raises StateConflict if one of them is in another state.
    """
    _require_permitted([expected], to)
    ids = list(submission_ids)
    with transaction.atomic():
        changed = Submission.objects.filter(pk__in=ids, state=expected).update(state=to, **fields)
        if changed != len(ids):
            raise StateConflict(f"{len(ids) - changed} of {len(ids)} are no longer {expected}.")
        write_history(
            [Event(submission_id=pk, actor=actor, from_state=expected, to_state=to, reason=reason) for pk in ids]
        )


def write_history(events: list[Event], also_recorded: Sequence[private_records.RowsOfKind] = ()) -> None:
    """Write and record rows of history, and whom to tell of them; in the transaction of the change itself.

    `also_recorded` are rows that the change records in the log beside its history.
    """
    written = Event.objects.bulk_create(events)
    private_records.record_rows((PrivateRecord.Kind.EVENT, written), *also_recorded)
    Notice.objects.bulk_create(Notice(event=event) for event in written if event.to_state != State.PROCESSING)


def _require_permitted(expected: Iterable[State], to: State) -> None:
    wrong = [state for state in expected if to not in PERMITTED[State(state)]]
    if wrong:
        raise ValueError(f"no change from {', '.join(wrong)} to {to} is permitted")
