"""The history proves itself: what was changed past the database's refusal is named."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction

from submissions.lifecycle import states
from submissions.models import Event, State, Submission


def verify() -> str:
    out = StringIO()
    try:
        call_command("verify_history", stdout=out)
    except CommandError as error:
        return f"{out.getvalue()}{error}"
    return out.getvalue()


def past_the_trigger(statement: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM submissions_notice")  # who was told of a row keeps it from being deleted as well
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE submissions_event DISABLE TRIGGER event_is_final")
        cursor.execute(statement, values)
        cursor.execute("ALTER TABLE submissions_event ENABLE TRIGGER event_is_final")


def test_an_untouched_history_is_whole(cast, submitted) -> None:
    submission, other = submitted(), submitted(cast.charlie, performance=2.0)
    assert submission.events.count() + other.events.count() == 8
    assert verify() == "The history is whole: 8 rows of 2 submissions.\n"


def test_texts_of_any_kind_are_hashed_the_same_by_database_and_command(cast, checked) -> None:
    submission = checked()
    reason = 'Ünï "quoted" \\ back\n\ttab \x01 \x7f / 🌊 </script>'
    states.transition(submission.pk, [State.CHECKED], State.WITHDRAWN, cast.alice.account, reason)
    assert "is whole" in verify()


@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize(
    "change",
    ["reason = 'Somebody else said so.'", "at = at - interval '1 microsecond'", "actor_id = NULL, reason = '!'"],
)
def test_a_changed_row_is_named(submitted, place, change) -> None:
    row = submitted().events.all()[place]
    past_the_trigger(f"UPDATE submissions_event SET {change} WHERE id = %s", row.pk)
    assert f"Event {row.pk} of submission {row.submission_id} was changed" in verify()


def test_a_recomputed_hash_breaks_the_next_row(submitted) -> None:
    from submissions.lifecycle.audit_chain import hash_of

    first, second, *_ = submitted().events.all()
    forged = Event.objects.filter(pk=first.pk).values().get() | {"reason": "Forged."}
    past_the_trigger(
        "UPDATE submissions_event SET reason = 'Forged.', hash = %s WHERE id = %s", hash_of("", forged), first.pk
    )
    assert f"Event {second.pk} " in verify()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_deleted_row_is_detected(submitted, place) -> None:
    row, following = submitted().events.all()[place : place + 2]
    past_the_trigger("DELETE FROM submissions_event WHERE id = %s", row.pk)
    assert f"Event {following.pk} " in verify()


def test_a_deleted_last_row_is_detected_by_the_state(submitted) -> None:
    submission = submitted()
    past_the_trigger("DELETE FROM submissions_event WHERE id = %s", submission.events.last().pk)
    assert f"Submission {submission.pk} is submitted, and its last event" in verify()


def test_a_submission_without_history_is_detected(submitted) -> None:
    submission = submitted()
    past_the_trigger("DELETE FROM submissions_event WHERE submission_id = %s", submission.pk)
    assert f"Submission {submission.pk} has no history." in verify()


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_make_one_chain(cast) -> None:
    """The id of the second is drawn before it waits for the first; the chain still follows the ids."""
    submission = Submission.objects.create(account=cast.alice.account, filename="a", sha256="0" * 64, size=1)

    def note(number: int) -> None:
        try:
            with transaction.atomic():
                Event.objects.create(submission=submission, to_state=State.RECEIVED, reason=str(number))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(note, range(24)))
    assert verify() == "The history is whole: 24 rows of 1 submissions.\n"
