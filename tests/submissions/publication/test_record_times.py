"""Who writes to all tables can invent a run and its records, but not of an earlier day: the log has the time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from registry.log import appending, recording, signing
from registry.log.overview import CLOCK_SUBJECT, RESTORED_SUBJECT
from registry.log.signed_note import read_signed_time
from registry.models import LogCheckpoint, LogLeaf, LogOpening, Result
from submissions.lifecycle import private_records
from submissions.models import Event, PrivateRecord, Submission
from submissions.publication import publish, releases
from submissions.publication.verification.record_times import RecordTimes, SignedHead
from submissions.review import decisions
from tests.html import page_source
from tests.submissions.cast import submit_to

pytestmark = pytest.mark.django_db

Publish = Callable[[str], Result]


@pytest.fixture
def publish_run(cast: Any, definitions: None, checked: Any) -> Publish:
    """A run of Alice's on its whole way, in a release of its own."""

    def make(slug: str) -> Result:
        release = releases.create_release(slug, timezone.now() + timedelta(minutes=5), lists=["full", "io500"])
        submission = checked(performance=float(slug[2:]))
        submit_to(release, submission, cast.alice, ("full", "io500"))
        decisions.prepare_for_review(str(submission.pk))
        decisions.decide_run(submission, cast.dana.account, "accept", "Fine.")
        publish.publish_release(release, cast.erin.account, allow_empty=True)
        submission.refresh_from_db()
        return submission.require_result()

    return make


@pytest.fixture
def begin() -> datetime:
    return timezone.now()


@pytest.fixture
def on_day(begin: datetime) -> Callable[[int], Any]:
    return lambda number: time_machine.travel(begin + timedelta(days=number), tick=True)


@pytest.fixture
def log_of_three_days(publish_run: Publish, on_day: Any) -> None:
    """Two runs, published on the first and on the third day, and appended at once."""
    for day, slug in ((0, "sc1"), (2, "sc2")):
        with on_day(day):
            publish_run(slug)
            assert appending.append_waiting()
    assert breaks() == []


def breaks(earlier: SignedHead | None = None) -> list[str]:
    return list(RecordTimes(earlier).find_breaks())


def remove_records(*subjects: str) -> None:
    """Of all that waits for its place in the log; no trigger refuses, as for the owner of the tables."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in ("submissions_privaterecord", "registry_logopening"):
            cursor.execute(
                f"DELETE FROM {table} WHERE leaf_id IN (SELECT id FROM registry_logleaf WHERE index IS NULL)"
            )
        cursor.execute("DELETE FROM registry_logleaf WHERE index IS NULL")
        cursor.execute("SET LOCAL session_replication_role = origin")


def test_an_invented_run_of_an_earlier_day_is_named(log_of_three_days, publish_run, on_day) -> None:
    with on_day(1):
        invented = publish_run("sc3")
    with on_day(3):
        assert appending.append_waiting()
        lines = breaks()
    submission = Submission.objects.get(result=invented)
    assert any(line.startswith(f"results/{invented.public_id}: a record says ") for line in lines), lines
    assert any(line.startswith(f"Submission {submission.pk}: receipt 1: its record says ") for line in lines), lines
    assert all("does not have it" in line for line in lines), lines


def test_an_invented_run_without_records_is_named_once_the_log_takes_it_up(log_of_three_days, publish_run, on_day):
    with on_day(3):
        invented = publish_run("sc3")
        remove_records()
        recording.note_unrecorded()
        assert appending.append_waiting()
        lines = breaks()
    submission = Submission.objects.get(result=invented)
    assert any(line.startswith(f"results/{invented.public_id}: it was first recorded on ") for line in lines), lines
    assert any(line.startswith(f"Submission {submission.pk}: receipt 1: it was first recorded") for line in lines)
    assert all("have been recorded as they happen since" in line for line in lines), lines


def test_an_invented_row_of_an_earlier_day_with_a_record_of_today_is_named(log_of_three_days, checked, on_day):
    with on_day(1):
        submission = checked(performance=9.0)
    remove_records()
    with on_day(3):
        private_records.record_receipt(submission)
        private_records.record_rows((PrivateRecord.Kind.EVENT, list(Event.objects.filter(submission=submission))))
        assert appending.append_waiting()
        lines = breaks()
    assert len(lines) == submission.events.count()
    assert all(line.startswith(f"Submission {submission.pk}: event ") and "was recorded on" in line for line in lines)


def test_a_record_of_the_future_is_named(log_of_three_days, checked, on_day) -> None:
    with on_day(5):
        submission = checked(performance=9.0)
    with on_day(3):
        assert appending.append_waiting()
        lines = breaks()
    assert lines and all(line.startswith(f"Submission {submission.pk}: ") for line in lines), lines
    assert all("has it already" in line for line in lines)


def test_a_checkpoint_that_was_kept_stands_in_for_a_deleted_one(log_of_three_days, publish_run, on_day) -> None:
    last = LogCheckpoint.objects.latest("size")
    signed_at = read_signed_time(last.note, signing.verifier_keys())
    assert signed_at is not None
    with on_day(1):
        publish_run("sc3")
    LogCheckpoint.objects.filter(pk=last.pk).delete()
    with on_day(3):
        assert appending.append_waiting()
        LogCheckpoint.objects.filter(pk=last.pk).delete()
        assert breaks() == []
        assert any("does not have it" in line for line in breaks(SignedHead(last.size, signed_at)))


def test_a_record_that_is_older_than_the_log_may_be_first_recorded(publish_run, on_day) -> None:
    with on_day(0):
        publish_run("sc1")
    remove_records()
    assert not PrivateRecord.objects.exists() and not LogOpening.objects.exists() and not LogLeaf.objects.exists()
    with on_day(2):
        recording.note_unrecorded()
        publish_run("sc2")
        assert appending.append_waiting()
        assert LogOpening.objects.filter(act="first-recorded", subject__startswith="results/").count() == 1
        assert breaks() == []


def test_a_restoration_takes_up_what_has_no_record(log_of_three_days, publish_run, on_day) -> None:
    with on_day(3):
        publish_run("sc3")
        remove_records()
        recording.record_own(LogOpening.Kind.RESTORATION, {}, recording.RESTORED, RESTORED_SUBJECT)
        recording.note_unrecorded()
        assert appending.append_waiting()
        assert breaks() == []


def test_a_clock_that_is_set_back_is_no_break(log_of_three_days, publish_run, on_day) -> None:
    """What comes next has the right time, and so has its checkpoint."""
    with on_day(1):
        publish_run("sc3")
        assert appending.append_waiting()
        assert breaks() == []


def explain_times(*arguments: str, capsys: Any) -> str:
    call_command("explain_times", *arguments)
    return capsys.readouterr().out


@pytest.fixture
def moved_clock(log_of_three_days, checked, on_day) -> Submission:
    """A run whose records are two days ahead of the checkpoint that takes them up."""
    with on_day(5):
        submission = checked(performance=9.0)
    with on_day(3):
        assert appending.append_waiting()
    return submission


def test_an_operator_explains_a_moved_clock(moved_clock: Submission, on_day: Any, client: Any, capsys: Any) -> None:
    count = len(breaks())
    assert f"Submission {moved_clock.pk}: " in explain_times(capsys=capsys) and len(breaks()) == count
    with on_day(3):
        output = explain_times("--reason", "The clock of web 1  was two days ahead.", "--yes", capsys=capsys)
        assert appending.append_waiting()
    assert output == f"Recorded the reason for {count} records.\n"
    call_command("verify_record", "--without-bytes")
    line = f"{count} records do not fit the times of the log. The clock of web 1 was two days ahead.\n"
    assert line in capsys.readouterr().out
    page = page_source(client.get("/log/"))
    assert f"{count} records: The clock of web 1 was two days ahead." in " ".join(page.split())


def test_later_records_are_not_explained_with_earlier_ones(moved_clock, checked, on_day, capsys) -> None:
    with on_day(3):
        explain_times("--reason", "The clock was two days ahead.", "--yes", capsys=capsys)
    assert breaks() == []
    with on_day(6):
        later = checked(performance=8.0)
    with on_day(3):
        assert appending.append_waiting()
    assert breaks() and all(line.startswith(f"Submission {later.pk}: ") for line in breaks())


def test_an_explanation_speaks_of_no_later_entry(log_of_three_days, checked, on_day) -> None:
    """Somebody who writes to the tables could explain all that is still to come."""
    facts = {"clock": {"reason": "Any.", "entries": list(range(1000))}}
    with on_day(3):
        recording.record_own(LogOpening.Kind.CLOCK, facts, recording.EXPLAINED, CLOCK_SUBJECT)
        assert appending.append_waiting()
    with on_day(6):
        later = checked(performance=8.0)
    with on_day(3):
        assert appending.append_waiting()
    assert breaks() and all(line.startswith(f"Submission {later.pk}: ") for line in breaks())


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "a\x1b[31mb", None])
def test_a_reason_that_cannot_stand_is_refused(moved_clock: Submission, reason: str | None) -> None:
    count = len(breaks())
    with pytest.raises(CommandError, match="Give --reason in 1 to 500 characters"):
        call_command("explain_times", "--yes", reason=reason)
    assert len(breaks()) == count


def test_no_reason_is_taken_where_all_times_fit(log_of_three_days, capsys: Any) -> None:
    with pytest.raises(CommandError, match="All times fit"):
        call_command("explain_times", "--reason", "Any.", "--yes")
    assert "All times fit" in explain_times(capsys=capsys)
    assert not LogOpening.objects.filter(subject=CLOCK_SUBJECT).exists()
