"""Changes of state: permitted ones, one winner, a history that nobody rewrites."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection, transaction

from submissions.errors import NotFound, StateConflict
from submissions.lifecycle import states
from submissions.models import Event, State, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def submission(cast) -> Submission:
    return Submission.objects.create(account=cast.alice.account, filename="run.tar.gz", sha256="0" * 64, size=1)


def test_every_state_has_its_row_in_the_table() -> None:
    assert set(states.PERMITTED) == set(State)


@pytest.mark.parametrize("final", [State.REJECTED, State.WITHDRAWN])
def test_rejected_and_withdrawn_are_final_states(final) -> None:
    assert not states.PERMITTED[final]


def test_only_an_accepted_run_is_published() -> None:
    assert states.source_states(State.PUBLISHED) == {State.ACCEPTED}


def test_a_change_writes_its_history(submission, cast) -> None:
    states.transition(submission.pk, [State.RECEIVED], State.WITHDRAWN, cast.alice.account, "Wrong file.")
    submission.refresh_from_db()
    event = submission.events.get()
    assert submission.state == "withdrawn"
    assert (event.from_state, event.to_state, event.actor, event.reason) == (
        "received",
        "withdrawn",
        cast.alice.account,
        "Wrong file.",
    )


def test_a_change_from_another_state_is_a_conflict_and_leaves_no_trace(submission) -> None:
    with pytest.raises(StateConflict) as refusal:
        states.transition(submission.pk, [State.PROCESSING], State.CHECKED)
    assert refusal.value.code == "state.conflict"
    assert refusal.value.detail == "Its state is received. This is possible only in the state being checked."
    assert not Event.objects.exists()


def test_an_undefined_transition_is_a_programming_error(submission) -> None:
    with pytest.raises(ValueError, match="received to published"):
        states.transition(submission.pk, [State.RECEIVED], State.PUBLISHED)


def test_unknown_submissions_are_not_found() -> None:
    with pytest.raises(NotFound):
        states.transition(uuid.uuid4(), [State.RECEIVED], State.PROCESSING)


def test_several_submissions_change_together_or_not_at_all(submission, cast) -> None:
    other = Submission.objects.create(
        account=cast.bob.account, filename="b", sha256="1" * 64, size=1, state=State.CHECKED
    )
    with pytest.raises(StateConflict):
        states.transition_many([submission.pk, other.pk], State.RECEIVED, State.WITHDRAWN, None, "")
    submission.refresh_from_db()
    assert submission.state == "received"


@pytest.mark.django_db(transaction=True)
def test_one_of_many_concurrent_transitions_succeeds(submission) -> None:
    def claim(_: int) -> bool:
        try:
            states.transition(submission.pk, [State.RECEIVED], State.PROCESSING)
        except StateConflict:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(claim, range(8)))
    assert won.count(True) == 1
    assert submission.events.count() == 1


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda: Event.objects.update(reason="something else"),
        lambda: Event.objects.all().delete(),
        lambda: Event.objects.all()._raw_delete("default"),
    ],
)
def test_the_database_refuses_to_rewrite_history(submission, rewrite) -> None:
    states.transition(submission.pk, [State.RECEIVED], State.WITHDRAWN, reason="Wrong file.")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        rewrite()
    assert submission.events.get().reason == "Wrong file."
