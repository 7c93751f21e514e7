"""What a worker does with a received submission, called here in this process on a real database."""

from __future__ import annotations

import io
import signal
import tarfile
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
import time_machine
from billiard.exceptions import SoftTimeLimitExceeded
from django.core.files.storage import FileSystemStorage
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from submissions.bundles import storage
from submissions.bundles.cage import plain_json
from submissions.checks import processing
from submissions.models import Check, State, Submission

pytestmark = pytest.mark.django_db


def report_of(submission: Submission) -> dict:
    return submission.checks.get().report


def codes(submission: Submission) -> list[str]:
    report = report_of(submission)
    return [finding["code"] for finding in report["findings"] + [f for run in report["runs"] for f in run["findings"]]]


def test_a_valid_run_is_checked(checked) -> None:
    submission = checked(performance=1.25)
    check = submission.checks.get()
    assert (submission.state, submission.attempts, check.status, check.errors) == ("checked", 1, "valid", 0)
    assert submission.checked_at == check.made_at
    assert [event.to_state for event in submission.events.order_by("id")] == ["received", "processing", "checked"]
    score = check.report["runs"][0]["scores"]["SCORE"]
    assert score["value"] == pytest.approx(score["printed"], rel=1e-5)


def test_a_short_stonewall_makes_a_run_invalid(checked) -> None:
    submission = checked(short="ior-easy-write")
    assert submission.state == "invalid"
    assert "io500.stonewall.short" in codes(submission)


@pytest.mark.parametrize("content", [b"\0\1\2" * 100, b"hello\n", b"\x1f\x8b\x08broken", b"PK\x03\x04broken"])
def test_unreadable_uploads_are_invalid_with_a_finding(cast, content) -> None:
    submission = Submission.objects.get(pk=cast.alice.upload(content).json()["id"])
    processing.check_submission(submission.pk)
    submission.refresh_from_db()
    assert submission.state == "invalid"
    assert submission.checks.get().status == "unreadable"
    assert codes(submission)


def test_a_single_file_is_called_as_it_was_sent(cast) -> None:
    pk = cast.alice.upload(b"\0\1" * 100, name='my "run".bin').json()["id"]
    processing.check_submission(pk)
    submission = Submission.objects.get()
    assert submission.sha256 not in str(report_of(submission))
    assert 'my "run".bin' in [finding["where"] for finding in report_of(submission)["findings"]]


def test_declared_nodes_are_compared(checked) -> None:
    submission = checked(fields={"metadata": '{"client_nodes": 11}'})
    assert "io500.nodes.declared" in codes(submission)


def test_a_second_processing_changes_nothing(checked) -> None:
    submission = checked()
    processing.check_submission(submission.pk)
    submission.refresh_from_db()
    assert (submission.attempts, submission.checks.count(), submission.events.count()) == (1, 1, 3)


def test_a_worker_that_lost_its_lock_stores_nothing(cast, archive) -> None:
    """Its connection broke while it checked, so another one took the submission up."""
    pk = cast.alice.upload(archive()).json()["id"]
    first = processing._claim_submission(pk)
    outcome = processing.run_validators(first)
    second = processing._claim_submission(pk)
    assert (first.attempts, second.attempts) == (1, 2)
    processing._finish_check(first, outcome)
    assert (Submission.objects.get().state, Check.objects.count()) == ("processing", 0)
    processing._finish_check(second, outcome)
    processing._finish_check(first, outcome)
    assert (Submission.objects.get().state, Check.objects.count()) == ("checked", 1)


@pytest.mark.django_db(transaction=True)
def test_two_workers_of_which_both_took_a_submission_up_store_one_check(cast, archive) -> None:
    """As where a pooler gave both the same lock: each checks, and one of them stores what it found."""
    pk = cast.alice.upload(archive()).json()["id"]
    start = Barrier(2)

    def work(_: int) -> None:
        try:
            start.wait()
            claimed = processing._claim_submission(pk)
            start.wait()
            if claimed is not None:
                processing._finish_check(claimed, processing.run_validators(claimed))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    submission = Submission.objects.get()
    assert (submission.state, submission.checks.count()) == ("checked", 1)
    assert list(submission.events.order_by("id").values_list("to_state", flat=True))[-1] == "checked"
    assert submission.events.filter(to_state="checked").count() == 1


@pytest.mark.parametrize("state", [State.CHECKED, State.SUBMITTED, State.WITHDRAWN, State.ACCEPTED])
def test_only_waiting_submissions_are_processed(cast, archive, state) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    Submission.objects.update(state=state)
    processing.check_submission(pk)
    assert Submission.objects.get().state == state
    assert not Check.objects.exists()


def test_a_task_for_a_missing_submission_ends_quietly() -> None:
    processing.check_submission(uuid.uuid4())


def test_a_run_withdrawn_during_its_check_stays_withdrawn(cast, archive) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    submission = processing._claim_submission(pk)
    assert cast.alice.post(f"submissions/{pk}/withdraw/", {"reason": "Wrong file."}).status_code == 200
    processing._finish_check(submission, processing.run_validators(submission))
    assert Submission.objects.get().state == "withdrawn"
    assert not Check.objects.exists()


def test_an_internal_failure_is_reported_after_three_attempts(cast, archive) -> None:
    content = archive()
    pk = cast.alice.upload(content).json()["id"]
    submission = Submission.objects.get()
    key = storage.key_of(submission.sha256)
    path = storage.received_storage().path(key)
    moved = f"{path}.away"
    storage.Path(path).rename(moved)
    for attempt in (1, 2):
        processing.check_submission(pk)
        submission.refresh_from_db()
        assert (submission.state, submission.attempts) == ("processing", attempt)
    processing.check_submission(pk)
    submission.refresh_from_db()
    assert submission.state == "invalid"
    assert codes(submission) == ["processing.failed"]
    assert storage.Path(moved).read_bytes() == content


def test_a_bundle_that_kills_workers_is_not_retried_for_ever(cast, archive) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    Submission.objects.update(state=State.PROCESSING, attempts=processing.ATTEMPTS)
    processing.check_submission(pk)
    submission = Submission.objects.get()
    assert (submission.state, codes(submission)) == ("invalid", ["processing.failed"])


class RingingStorage(FileSystemStorage):
    """Stored bytes that set an alarm, of 0.3 s, when a check opens them."""

    armed = False

    def path(self, name: str) -> str:
        if RingingStorage.armed:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
        return super().path(name)


def test_a_timeout_of_a_check_is_a_finding(cast, settings, monkeypatch) -> None:
    """Celery's soft limit raises in the middle of the check; an alarm does so here, while 900 MB are unpacked."""
    store = settings.STORAGES["received"] | {"BACKEND": f"{__name__}.RingingStorage"}
    settings.STORAGES = settings.STORAGES | {"received": store}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("results/result_summary.txt")
        member.size = 900_000_000
        archive.addfile(member, _Noise(member.size))
    pk = cast.alice.upload(packed.getvalue()).json()["id"]

    def ring(*_: object) -> None:
        raise SoftTimeLimitExceeded

    usual = signal.signal(signal.SIGALRM, ring)
    monkeypatch.setattr(RingingStorage, "armed", True)
    try:
        processing.check_submission(pk)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    submission = Submission.objects.get()
    assert (submission.state, codes(submission)) == ("invalid", ["processing.timeout"])


class _Noise:
    """Bytes that pack to a sixtieth, so that the archive is not refused for its ratio."""

    def __init__(self, size: int) -> None:
        import random

        self.left = size
        self.random = random.Random(1)

    def read(self, size: int) -> bytes:
        size = min(size, self.left)
        self.left -= size
        return self.random.randbytes(size // 60) + bytes(size - size // 60)


@pytest.mark.parametrize(
    ("setting", "limit", "code"),
    [("CHECK_SECONDS", 0.004, "processing.timeout"), ("CHECK_MEMORY_BYTES", 20 * 1024**2, "processing.too-much")],
)
def test_a_check_out_of_time_or_memory_is_not_retried(cast, archive, settings, setting, limit, code) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    setattr(settings, setting, limit)
    processing.check_submission(pk)
    submission = Submission.objects.get()
    assert (submission.state, submission.attempts, codes(submission)) == ("invalid", 1, [code])


def test_values_unknown_to_jsonb_are_replaced_before_storing(checked) -> None:
    document = {"a": [float("nan"), float("inf"), 1.5], "b\0": "x\0y", "c": "\ud800", "d": {"e": None}}
    assert plain_json.to_jsonb_safe(document) == {
        "a": [None, None, 1.5],
        "b\ufffd": "x\ufffdy",
        "c": "?",
        "d": {"e": None},
    }


@pytest.mark.parametrize(
    ("lists", "judged"),
    [([], None), (["io500"], "io500"), (["full", "io500", "ten"], "ten"), (["ten", "scc"], "scc")],
)
def test_the_strictest_list_decides_the_check(lists, judged) -> None:
    assert processing.judged_list(lists) == judged


# Sweeping


@pytest.fixture
def lost(cast, archive) -> Submission:
    """Received a minute ago, its task never sent."""
    cast.alice.upload(archive())
    Submission.objects.update(queued_at=timezone.now() - timedelta(minutes=10))
    return Submission.objects.get()


@pytest.mark.django_db(transaction=True)
def test_a_lost_task_is_sent_again_once(broker, lost) -> None:
    from submissions.lifecycle import task_queue

    task_queue.app.control.purge()
    processing.requeue_stuck()
    processing.requeue_stuck()
    assert task_queue.queue_length("processing") == 1


@pytest.mark.django_db(transaction=True)
def test_recently_queued_submissions_are_not_requeued(broker, lost) -> None:
    from submissions.lifecycle import task_queue

    task_queue.app.control.purge()
    Submission.objects.update(queued_at=timezone.now())
    processing.requeue_stuck()
    assert task_queue.queue_length("processing") == 0


def test_only_submissions_without_a_worker_are_abandoned(lost) -> None:
    Submission.objects.update(state=State.PROCESSING)
    assert processing.abandoned_submissions(timezone.now()) == [lost.pk]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [processing.lock_key(lost.pk)])
        assert processing.abandoned_submissions(timezone.now()) == []
        cursor.execute("SELECT pg_advisory_unlock(%s)", [processing.lock_key(lost.pk)])


def test_lock_keys_of_high_and_low_ids_are_recognised(cast) -> None:
    for first in ("ffffffff", "7fffffff", "80000000", "00000000"):
        pk = uuid.UUID(first + "-ffff-4fff-bfff-ffffffffffff")
        Submission.objects.create(
            pk=pk, account=cast.alice.account, filename="x", sha256=first * 8, size=1, state=State.PROCESSING
        )
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [processing.lock_key(pk)])
            assert pk not in processing.abandoned_submissions(timezone.now())
            cursor.execute("SELECT pg_advisory_unlock(%s)", [processing.lock_key(pk)])
        assert pk in processing.abandoned_submissions(timezone.now())


def test_a_check_costs_a_fixed_number_of_queries(cast, archive, django_assert_num_queries) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    # lock; look-up, with release, copy, institution and signature; claim and its history; turn of the account; refused
    # before or cleared; in a savepoint check, digest of its report, state, history and its notice; unlock.
    # The log: leaf and record of the claim, leaves and records of the check and its history.
    with django_assert_num_queries(18):
        processing.check_submission(pk)


@pytest.mark.parametrize("days", [-400, -1, 1, 300])
def test_a_lost_task_is_found_after_an_upload_by_a_host_with_a_wrong_clock(cast, days: int) -> None:
    with time_machine.travel(timezone.now() + timedelta(days=days), tick=True):
        lost = cast.alice.upload(b"hello\n").json()["id"]
    assert processing.lost_submissions(Now() - timedelta(seconds=30)) == []
    assert processing.lost_submissions(Now()) == [uuid.UUID(lost)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", [State.RECEIVED, State.PROCESSING])
def test_a_task_queued_by_a_database_whose_clock_was_ahead_is_sent_again(broker, lost, state: State) -> None:
    """Else it would wait until the right clock gets there."""
    from submissions.lifecycle import task_queue

    ahead = timezone.now() + timedelta(hours=5)
    Submission.objects.update(state=state, queued_at=ahead)
    task_queue.app.control.purge()
    processing.requeue_stuck()
    assert task_queue.queue_length("processing") == 1
    assert Submission.objects.get().queued_at < ahead
    processing.requeue_stuck()
    assert task_queue.queue_length("processing") == 1
