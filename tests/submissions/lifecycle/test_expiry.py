"""Drafts and test uploads expire after a notice; nothing else does, and no work on them is lost."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry import environment
from submissions.bundles import quarantine
from submissions.errors import StateConflict
from submissions.lifecycle import expiry, states
from submissions.models import Delivery, Event, Notice, SecretFile, State, Submission
from submissions.notifications import outbox
from submissions.operations import backup, retention
from submissions.publication.verification import private_records
from tests.submissions.cast import leftovers
from tests.submissions.editing.test_files import put

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def draft_of(person) -> Submission:
    answer = person.client.post("/api/v1/submissions/", {"draft": "true"})
    assert answer.status_code in (201, 202), answer.content
    return Submission.objects.get(pk=answer.json()["id"])


def trial_of(checked, person=None, **changes) -> Submission:
    return checked(person, fields={"test": "true"}, **changes)


def age(submission: Submission, days: float, told_days: float | None = None) -> Submission:
    """Its last change so many days back, and its owner told so many."""
    now = timezone.now()
    told_at = None if told_days is None else now - told_days * DAY
    Submission.objects.filter(pk=submission.pk).update(changed_at=now - days * DAY, expiry_told_at=told_at)
    submission.refresh_from_db()
    return submission


def let_expire(submission: Submission) -> Submission:
    age(submission, 91, told_days=15)
    assert retention.withdraw_expired() == 1
    submission.refresh_from_db()
    return submission


def test_drafts_and_test_uploads_expire_90_days_after_the_last_change(cast, checked) -> None:
    for submission in (draft_of(cast.alice), trial_of(checked)):
        stated = cast.alice.get(f"submissions/{submission.pk}/").json()["expires_at"]
        assert datetime.fromisoformat(stated) == submission.changed_at + 90 * DAY
        age(submission, 89.9, told_days=14.1)
        assert retention.withdraw_expired() == 0
        let_expire(submission)
        assert submission.state == State.WITHDRAWN
        event = submission.events.last()
        assert event.actor is None and event.reason.startswith("Expired: a ") and "90 days" in event.reason
        assert cast.alice.get(f"submissions/{submission.pk}/").json()["expires_at"] is None


def test_other_submissions_never_expire(cast, checked, submitted) -> None:
    runs = [checked(), submitted(cast.charlie)]
    broken = Submission.objects.create(account=cast.bob.account, sha256="1" * 64, size=1, state=State.INVALID)
    waiting = Submission.objects.create(account=cast.bob.account, sha256="2" * 64, size=1, test=True)
    for submission in (*runs, broken, waiting):
        age(submission, 5000, told_days=15)
        assert expiry.expires_at(submission) is None
    before = list(Submission.objects.order_by("pk").values_list("state", flat=True))
    assert retention.notify_of_expiry() == retention.withdraw_expired() == retention.delete_expired_bytes() == 0
    assert list(Submission.objects.order_by("pk").values_list("state", flat=True)) == before


@pytest.mark.parametrize("state", [state for state in State if state not in (State.DRAFT, State.PUBLISHED)])
def test_a_run_for_publication_never_expires(cast, state: State) -> None:
    row = Submission.objects.create(account=cast.bob.account, sha256="1" * 64, size=1, state=state)
    age(row, 5000, told_days=15)
    assert retention.notify_of_expiry() == retention.withdraw_expired() == 0
    row.refresh_from_db()
    assert (row.state, row.expired_at, expiry.expires_at(row)) == (state, None, None)


def test_a_file_in_quarantine_prevents_expiry(cast, checked) -> None:
    trial = age(trial_of(checked), 91, told_days=15)
    SecretFile.objects.create(
        submission=trial, account=trial.account, sha256=trial.sha256, where="", outcome=SecretFile.Outcome.QUARANTINED
    )
    assert retention.withdraw_expired() == 0


def test_the_owner_is_notified_once_14_days_before_expiry(cast) -> None:
    cast.alice.account.email = "alice@north.example"
    cast.alice.account.save()
    draft = age(draft_of(cast.alice), 75.9)
    assert retention.notify_of_expiry() == 0
    age(draft, 76.1)
    Notice.objects.all().delete()
    assert [retention.notify_of_expiry() for _ in range(3)] == [1, 0, 0]
    outbox._take_notices()
    (letter,) = Delivery.objects.all()
    assert letter.account == cast.alice.account and letter.webhook is None
    draft.refresh_from_db()
    assert f"{expiry.expires_at(draft):%Y-%m-%d}" in letter.event.reason and "Keep" in letter.event.reason


def test_no_submission_expires_without_a_notice(cast) -> None:
    draft = age(draft_of(cast.alice), 400)
    assert retention.withdraw_expired() == 0
    assert expiry.expires_at(draft) > timezone.now() + 13.9 * DAY
    retention.notify_of_expiry()
    assert retention.withdraw_expired() == 0
    with time_machine.travel(timezone.now() + 13.9 * DAY):
        assert retention.withdraw_expired() == 0
    with time_machine.travel(timezone.now() + 14.1 * DAY):
        assert retention.withdraw_expired() == 1


def test_a_notice_outdated_by_settings_is_sent_again(cast, settings) -> None:
    draft = age(draft_of(cast.alice), 400, told_days=300)
    assert retention.withdraw_expired() == 0
    assert expiry.expires_at(draft) > timezone.now() + 13.9 * DAY
    assert retention.notify_of_expiry() == 1


def test_a_setting_of_zero_days_disables_expiry(cast, checked, settings) -> None:
    for submission in (draft_of(cast.alice), trial_of(checked)):
        age(submission, 5000, told_days=15)
    settings.DRAFT_DAYS = 0
    assert retention.withdraw_expired() == 1
    assert Submission.objects.get(test=False).state == State.DRAFT
    Submission.objects.update(changed_at=timezone.now() - 5000 * DAY)
    settings.TRIAL_DAYS = 0
    assert retention.notify_of_expiry() == retention.withdraw_expired() == 0


@pytest.mark.parametrize("text", ["1", "14", "-1", "90.5", "ninety", "1000000"])
def test_days_that_leave_no_time_for_a_notice_are_refused(monkeypatch, text: str) -> None:
    monkeypatch.setenv("DRAFT_DAYS", text)
    with pytest.raises(ImproperlyConfigured, match="DRAFT_DAYS must be"):
        environment.read_days("DRAFT_DAYS", 90)


@pytest.mark.parametrize(("text", "days"), [("0", 0), ("15", 15), ("3650", 3650)])
def test_the_setting_of_days_is_read(monkeypatch, text: str, days: int) -> None:
    monkeypatch.setenv("TRIAL_DAYS", text)
    assert environment.read_days("TRIAL_DAYS", 90) == days


# Work on it


def test_every_edit_restarts_the_period(cast, archive) -> None:
    draft = draft_of(cast.alice)
    address = f"submissions/{draft.pk}/"
    edits = (
        lambda: cast.alice.put(f"{address}answers/", {"usage": "production"}),
        lambda: cast.alice.post(f"{address}revalidate/", {"metadata": {"note": "new"}}),
        lambda: put(cast.alice, draft, b"a job script", "job.sh"),
    )
    for edit in edits:
        age(draft, 91, told_days=15)
        answer = edit()
        assert answer.status_code in (200, 202), answer.content
        draft.refresh_from_db()
        assert draft.changed_at > timezone.now() - DAY and draft.expiry_told_at is None
    assert retention.withdraw_expired() == 0


def test_sending_the_same_bytes_restarts_the_period(cast, checked, archive) -> None:
    trial = age(trial_of(checked), 91, told_days=15)
    assert cast.alice.upload(archive(), test="true").json()["id"] == str(trial.pk)
    assert retention.withdraw_expired() == 0


def test_notes_of_the_scheduler_do_not_restart_the_period(cast, checked) -> None:
    trial = age(trial_of(checked), 50)
    Submission.objects.update(bytes_seen_at=timezone.now(), queued_at=timezone.now(), attempts=2)
    changed_at = trial.changed_at
    trial.refresh_from_db()
    assert trial.changed_at == changed_at


def test_keep_restarts_the_period_and_is_recorded(cast, client) -> None:
    draft = age(draft_of(cast.alice), 89, told_days=13)
    answer = cast.alice.post(f"submissions/{draft.pk}/keep/")
    assert answer.status_code == 200, answer.content
    assert datetime.fromisoformat(answer.json()["expires_at"]) > timezone.now() + 89.9 * DAY
    note = draft.events.last()
    assert note.actor == cast.alice.account and note.reason.startswith("Kept until ")
    client.force_login(cast.alice.account)
    age(draft, 89, told_days=13)
    page = client.get(f"/submissions/{draft.pk}/").content.decode()
    draft.refresh_from_db()
    assert f"{expiry.expires_at(draft):%Y-%m-%d %H:%M} UTC" in page and "/keep/" in page
    assert client.post(f"/submissions/{draft.pk}/keep/").status_code == 302
    draft.refresh_from_db()
    assert draft.expiry_told_at is None and draft.changed_at > timezone.now() - DAY


def test_keep_is_refused_for_other_submissions(cast, checked, client) -> None:
    run, draft = checked(), draft_of(cast.alice)
    assert cast.alice.post(f"submissions/{run.pk}/keep/").json()["code"] == "state.conflict"
    assert cast.charlie.post(f"submissions/{draft.pk}/keep/").status_code == 404
    assert cast.stranger.post(f"/api/v1/submissions/{draft.pk}/keep/").status_code == 401
    let_expire(draft)
    assert cast.alice.post(f"submissions/{draft.pk}/keep/").json()["code"] == "state.conflict"
    client.force_login(cast.alice.account)
    assert client.post(f"/submissions/{run.pk}/keep/").status_code == 409
    assert "/keep/" not in client.get(f"/submissions/{run.pk}/").content.decode()


def test_an_edit_of_an_expired_submission_is_refused(cast) -> None:
    draft = let_expire(draft_of(cast.alice))
    assert cast.alice.put(f"submissions/{draft.pk}/answers/", {}).json()["code"] == "state.conflict"
    assert put(cast.alice, draft, b"late", "late.txt").json()["code"] == "state.conflict"


# At the same time


@pytest.mark.django_db(transaction=True)
def test_a_submission_edited_during_the_batch_does_not_expire(cast) -> None:
    """The edit holds the row: the turn leaves it, and the next turn finds it changed."""
    draft = age(draft_of(cast.alice), 91, told_days=15)
    edited, looked = threading.Event(), threading.Event()

    def edit() -> None:
        with transaction.atomic():
            Submission.objects.filter(pk=draft.pk, state=State.DRAFT).update(answers={"a": 1})
            edited.set()
            assert looked.wait(20)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        editing = pool.submit(edit)
        assert edited.wait(20)
        assert retention.withdraw_expired() == 0
        looked.set()
        editing.result()
    assert retention.withdraw_expired() == 0
    assert Submission.objects.get(pk=draft.pk).state == State.DRAFT


@pytest.mark.django_db(transaction=True)
def test_concurrent_expiry_and_edits_end_consistently(cast) -> None:
    """A file sent while it expires makes it a run, or is refused: no row is both, none has two ends."""
    drafts = [age(draft_of(cast.alice), 91, told_days=15) for _ in range(4)]

    def send(draft: Submission) -> int:
        status = put(cast.alice, draft, f"run of {draft.pk}".encode(), "run.txt").status_code
        connection.close()
        return status

    def turn(_: int) -> int:
        count = retention.withdraw_expired()
        connection.close()
        return count

    with ThreadPoolExecutor(4) as pool:
        turns = [pool.submit(turn, number) for number in range(2)]
        statuses = [pool.submit(send, draft) for draft in drafts]
        withdrawn = sum(turn.result() for turn in turns)
    for draft, status in zip(drafts, statuses, strict=True):
        draft.refresh_from_db()
        ends = draft.events.filter(to_state=State.WITHDRAWN).count()
        assert (status.result() == 202, ends) in ((True, 0), (False, 1)), (draft.state, status.result(), ends)
    assert withdrawn == Event.objects.filter(to_state=State.WITHDRAWN).count()


def test_a_changed_state_cancels_the_whole_batch(cast) -> None:
    draft = draft_of(cast.alice)
    with pytest.raises(StateConflict):
        states.transition_many([draft.pk], State.CHECKED, State.WITHDRAWN, None, "", expired_at=timezone.now())
    draft.refresh_from_db()
    assert draft.expired_at is None


# Bytes


def test_bytes_of_all_versions_are_deleted(cast, checked, check, client, bundles: Path) -> None:
    trial = trial_of(checked)
    assert put(cast.alice, trial, b"a second file", "note.txt").status_code == 202
    assert put(cast.alice, trial, b"another second file", "note.txt").status_code == 202
    check(trial.pk)
    assert len(leftovers(bundles)) == 3
    let_expire(trial)
    assert len(leftovers(bundles)) == 3  # until the step that deletes
    assert [retention.delete_expired_bytes() for _ in range(2)] == [1, 0]
    assert leftovers(bundles) == []
    client.force_login(cast.alice.account)
    refused = client.get(f"/submissions/{trial.pk}/received/")
    assert refused.status_code == 410 and "files.gone" in refused.content.decode()
    assert "expired on" in client.get(f"/submissions/{trial.pk}/").content.decode()


def test_bytes_shared_with_another_submission_are_kept(cast, checked, client, bundles: Path) -> None:
    trial, run = trial_of(checked), checked(cast.charlie)
    assert trial.sha256 == run.sha256
    let_expire(trial)
    assert retention.delete_expired_bytes() == 1
    assert len(leftovers(bundles)) == 1
    for person, submission, status in ((cast.charlie, run, 200), (cast.alice, trial, 410)):
        client.force_login(person.account)
        assert client.get(f"/submissions/{submission.pk}/received/").status_code == status


def test_bytes_sent_again_before_deletion_are_kept(cast, checked, archive, bundles: Path) -> None:
    trial = let_expire(trial_of(checked))
    again = cast.alice.upload(archive(), test="true")
    assert again.status_code == 202 and again.json()["id"] != str(trial.pk)
    assert retention.delete_expired_bytes() == 1
    assert len(leftovers(bundles)) == 1
    assert quarantine.is_held(trial.sha256)


def test_bytes_are_deleted_after_a_storage_outage(cast, checked, bundles: Path) -> None:
    trial = let_expire(trial_of(checked))
    folder = bundles / "received"
    folder.rename(bundles / "away")
    with pytest.raises(Exception, match=r".*"):
        retention.delete_expired_bytes()
    (bundles / "away").rename(folder)
    assert retention.delete_expired_bytes() == 1
    assert leftovers(bundles) == []
    trial.refresh_from_db()
    assert trial.expired_bytes_deleted_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_backup_does_not_report_expired_bytes(cast, checked, tmp_path: Path) -> None:
    let_expire(trial_of(checked))
    retention.delete_expired_bytes()
    assert backup.make_backup(tmp_path / "whole.tar", lambda _: None) == []


# Its cost


def test_a_batch_costs_the_same_queries_for_many(cast) -> None:
    def turn_queries(count: int) -> list[int]:
        rows = [draft_of(cast.alice) for _ in range(count)]
        queries = []
        for step in (retention.notify_of_expiry, retention.withdraw_expired):
            for row in rows:
                age(row, 91, told_days=None if step is retention.notify_of_expiry else 15)
            with CaptureQueriesContext(connection) as context:
                assert step() == count
            queries.append(len(context))
        return queries

    assert turn_queries(1) == turn_queries(7)


def test_the_oldest_drafts_are_found_by_an_index(cast) -> None:
    with connection.cursor() as cursor:
        # What is left is to read them in the order of an index.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off")
        for condition, index in zip(expiry.list_kinds(), ("draft", "trial"), strict=True):
            rows = Submission.objects.filter(**condition[0], changed_at__lte=timezone.now()).order_by("changed_at")
            assert f"submission_{index}_by_change" in rows.explain()


def test_the_period_of_older_rows_begins_with_the_upgrade(cast) -> None:
    """Its code names none of the new columns; the default is the time of the statement that adds the column."""
    draft = draft_of(cast.alice)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE submissions_submission SET received_at = now() - interval '3 years'")
        cursor.execute(
            "SELECT column_default, is_nullable FROM information_schema.columns"
            " WHERE table_name = 'submissions_submission' AND column_name = 'changed_at'"
        )
        assert cursor.fetchone() == ("statement_timestamp()", "NO")
    draft.refresh_from_db()
    assert expiry.expires_at(draft) > timezone.now() + 89 * DAY
    assert retention.notify_of_expiry() == retention.withdraw_expired() == 0


def test_a_mark_of_expiry_by_hand_deletes_nothing_and_is_named(checked) -> None:
    submission = checked()
    Submission.objects.filter(pk=submission.pk).update(expired_at=timezone.now())
    assert retention.delete_expired_bytes() == 0
    assert not quarantine.delete_unless_held(submission.sha256)
    assert any("marked as expired" in line for line in private_records.record_breaks())
