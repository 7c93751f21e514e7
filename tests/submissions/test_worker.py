"""Nothing acknowledged is lost: real worker, broker, database and server, killed, stopped and crowded."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import signal
import socket
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone

from launcher.site import WORKERS
from registry.celery import app
from registry.models import Release
from submissions.checks import processing
from submissions.lifecycle import task_queue
from submissions.models import Account, Check, Delivery, State, Submission
from tests.submissions.cast import leftovers
from tests.submissions.conftest import services_environment, somebody_waits, wait_until
from tests.submissions.web_server import serving_with

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]

UNFINISHED = (State.RECEIVED, State.PROCESSING)


@pytest.fixture(scope="module")
def bundle_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bundles")


def make_it_late() -> None:
    Submission.objects.update(queued_at=timezone.now() - timedelta(minutes=10))


def sweep_once() -> None:
    """In a thread, which has a connection of its own."""
    try:
        processing.requeue_stuck()
    finally:
        connection.close()


def finished() -> bool:
    return not Submission.objects.filter(state__in=UNFINISHED).exists()


def swept() -> bool:
    """As the scheduler does it again and again: what is late is queued, until all is finished."""
    make_it_late()
    processing.requeue_stuck()
    return finished()


def test_a_worker_checks_what_is_uploaded(cast, archive, start_worker) -> None:
    start_worker()
    answer = cast.alice.upload(archive(performance=1.5))
    assert answer.status_code == 202
    wait_until(finished)
    assert cast.alice.get(f"submissions/{answer.json()['id']}/").json()["state"] == "checked"


def test_uploads_during_a_worker_outage_are_checked_later(cast, archive, start_worker) -> None:
    cast.alice.upload(archive())
    start_worker()
    wait_until(finished)
    assert Submission.objects.get().state == "checked"


@pytest.mark.deep
def test_a_worker_killed_in_the_middle_loses_nothing(cast, archive, start_worker) -> None:
    content = archive()
    first = start_worker()
    with psycopg.connect(services_connection()) as blocker:
        blocker.execute("LOCK TABLE submissions_check IN EXCLUSIVE MODE")
        cast.alice.upload(content)
        # It has claimed the run and checked it, and now it can't store what it found.
        wait_until(somebody_waits)
        assert processing.abandoned_submissions(timezone.now()) == []
        first.kill()
    make_it_late()
    wait_until(lambda: processing.abandoned_submissions(timezone.now()))
    app.control.purge()
    start_worker()
    wait_until(swept)
    submission = Submission.objects.get()
    assert (submission.state, submission.attempts, submission.checks.count()) == ("checked", 2, 1)
    assert [event.to_state for event in submission.events.order_by("id")] == [
        "received",
        "processing",
        "processing",
        "checked",
    ]


@pytest.mark.deep
def test_a_child_killed_in_the_middle_is_replaced(cast, archive, start_worker) -> None:
    worker = start_worker()
    with psycopg.connect(services_connection()) as blocker:
        blocker.execute("LOCK TABLE submissions_check IN EXCLUSIVE MODE")
        cast.alice.upload(archive())
        wait_until(somebody_waits)
        (child,) = children(worker.process.pid)
        os.kill(child, signal.SIGKILL)
    wait_until(swept)
    assert Submission.objects.get().state == "checked"
    assert worker.process.poll() is None


@pytest.mark.deep
def test_a_database_that_drops_its_connections_loses_nothing(cast, archive, start_worker) -> None:
    """As at a restart of the server: every connection of the worker ends in the middle of its work."""
    start_worker()
    with psycopg.connect(services_connection(), autocommit=True) as blocker, blocker.transaction():
        blocker.execute("LOCK TABLE submissions_check IN EXCLUSIVE MODE")
        cast.alice.upload(archive())
        wait_until(somebody_waits)
        blocker.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid NOT IN (%s, %s)",
            [blocker.info.backend_pid, connection.connection.info.backend_pid],
        )
    wait_until(finished)
    submission = Submission.objects.get()
    assert (submission.state, submission.attempts, submission.checks.count()) == ("checked", 1, 1)
    # And the same worker goes on with the next one.
    cast.alice.upload(archive(performance=2.5))
    wait_until(finished)


@pytest.mark.parametrize("broker_is", ["refusing", "silent", "gone"])
def test_a_dead_broker_fails_no_upload_and_is_tried_once(cast, archive, broker, monkeypatch, caplog, broker_is) -> None:
    """The second upload doesn't try it. One that waited for a silent broker would wait for ever."""
    monkeypatch.setattr(task_queue, "SILENCE_S", 3600.0)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        if broker_is == "silent":
            listening.listen(1)
        port = listening.getsockname()[1]
        dead = "redis+socket:///nonexistent.sock" if broker_is == "gone" else f"redis://127.0.0.1:{port}/0"
        monkeypatch.setattr(app.conf, "broker_write_url", dead)
        assert cast.alice.upload(archive()).status_code == 202
        assert cast.alice.upload(archive(performance=2)).status_code == 202
    assert set(Submission.objects.values_list("state", flat=True)) == {State.RECEIVED}
    assert caplog.text.count("The broker is away") == 1


def test_submissions_missed_by_a_dead_broker_are_queued_by_the_sweeper(
    cast, archive, broker, monkeypatch, start_worker
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(app.conf, "broker_write_url", "redis+socket:///nonexistent.sock")
        cast.alice.upload(archive())
    assert task_queue.queue_length("processing") == 0
    task_queue._silent_until = 0.0
    make_it_late()
    start_worker()
    processing.requeue_stuck()
    wait_until(finished)
    assert Submission.objects.get().state == "checked"


def test_several_schedulers_run_a_task_once(cast, archive, broker) -> None:
    for performance in (1.5, 2.5, 3.5):
        cast.alice.upload(archive(performance=performance))
    app.control.purge()
    make_it_late()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: sweep_once(), range(6)))
    assert task_queue.queue_length("processing") == 3


def test_a_sweep_that_began_earlier_does_not_send_what_another_one_sent(cast, archive, broker) -> None:
    cast.alice.upload(archive())
    app.control.purge()
    make_it_late()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Submission.objects.select_for_update().get()
            earlier = pool.submit(sweep_once)
            wait_until(somebody_waits)
            processing.requeue_stuck()
            assert task_queue.queue_length("processing") == 1
        earlier.result()
    assert task_queue.queue_length("processing") == 1


@pytest.mark.deep
def test_two_workers_and_every_task_twice_check_each_run_once(cast, archive, start_worker) -> None:
    ids = [cast.alice.upload(archive(performance=1 + place / 10)).json()["id"] for place in range(10)]
    for submission_id in ids:
        task_queue.enqueue("process", submission_id)
    start_worker(2)
    wait_until(finished)
    wait_until(lambda: task_queue.queue_length("processing") == 0)
    assert Check.objects.count() == 10
    assert set(Submission.objects.values_list("attempts", flat=True)) == {1}


# Many clients at once, against a server of its own


@pytest.fixture(scope="module")
def serving(django_db_setup, bundle_folder: Path) -> Iterator[str]:
    """The web server as it runs in production, on the tests' database."""
    with serving_with(services_environment(bundle_folder)) as address:
        yield address


@pytest.fixture
def server(broker, serving: str) -> str:
    return serving


def send(address: str, token: str, content: bytes, path: str = "submissions/", sha256: str = "") -> tuple[int, dict]:
    boundary = uuid.uuid4().hex
    sha256 = sha256 or hashlib.sha256(content).hexdigest()
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="sha256"\r\n\r\n{sha256}\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="bundle"; filename="run.tar.gz"\r\n\r\n'
    )
    request = urllib.request.Request(f"{address}/api/v1/{path}", method="POST")
    request.data = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
    request.add_header("Authorization", f"Token {token}")
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


def test_an_unreachable_database_is_reported(cast, archive, bundles: Path) -> None:
    with serving_with(services_environment(bundles) | {"DATABASE_URL": "postgresql:///x?host=/nonexistent"}) as address:
        status, problem = send(address, cast.alice.token, archive())
    assert (status, problem["code"]) == (503, "database.unavailable")
    assert leftovers(bundles) == []


def test_twenty_clients_with_the_same_archive_make_one_submission(cast, archive, server, bundles: Path) -> None:
    content = archive()
    together = threading.Barrier(20)

    def upload(_: int) -> tuple[int, str]:
        together.wait()
        status, document = send(server, cast.alice.token, content)
        return status, document["id"]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(upload, range(20)))
    assert len({submission_id for _, submission_id in answers}) == 1
    assert sorted(status for status, _ in answers) == [200] * 19 + [202]
    assert Submission.objects.get().events.count() == 1
    assert [path.read_bytes() for path in leftovers(bundles)] == [content]


def test_an_aborted_upload_leaves_no_files(cast, server, bundles: Path) -> None:
    host, port = server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(
            f"POST /api/v1/submissions/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Token {cast.alice.token}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n"
            '--x\r\nContent-Disposition: form-data; name="bundle"; filename="run"\r\n\r\n'.encode()
            + b"a" * 400_000
        )
    assert send(server, cast.alice.token, b"", sha256="x")[0] == 422  # answered after the one that hung up
    assert leftovers(bundles) == []
    assert not Submission.objects.exists()


def test_too_many_bytes_are_refused_by_the_server_in_bounded_memory(cast, server, bundles: Path) -> None:
    status, problem = send(server, cast.alice.token, bytes(64 * 1024 * 1024 + 1))
    assert (status, problem["code"]) == (413, "bundle.too-large")
    assert leftovers(bundles) == []


def _send_all(server: str, pieces: list[bytes], headers: dict[str, str], **options: bool) -> tuple[int, str]:
    """Send a whole body before reading the answer, as simple clients do: (status, code)."""
    head = b'--x\r\nContent-Disposition: form-data; name="bundle"; filename="run"\r\n\r\n'
    client = http.client.HTTPConnection(server.removeprefix("http://"), timeout=600)
    headers = {"Content-Type": "multipart/form-data; boundary=x", **headers}
    body = iter([head, *pieces])
    client.request("POST", "/api/v1/submissions/", body if options else b"".join(body), headers, **options)
    answer = client.getresponse()
    return answer.status, json.loads(answer.read())["code"]


def test_a_client_refused_while_sending_reads_the_reason(cast, server, bundles: Path) -> None:
    pieces = [bytes(1024 * 1024)] * 70
    token = {"Authorization": f"Token {cast.alice.token}"}
    assert _send_all(server, pieces, token) == (413, "bundle.too-large")
    assert _send_all(server, pieces, {}) == (401, "auth.required")
    chunked = token | {"Transfer-Encoding": "chunked"}
    assert _send_all(server, pieces, chunked, encode_chunked=True) == (413, "bundle.too-large")
    assert leftovers(bundles) == []


# Whoever holds all processes that read what strangers send


@pytest.mark.deep
def test_slow_checks_delay_neither_publication_nor_email(cast, archive, submitted, release, start_worker) -> None:
    """As two hostile uploads of one account do; the workers are those that `./dev.py up` starts."""
    accepted = submitted()
    review = {"decision": "accept", "reason": "Sound.", "reproducibility": "fully"}
    assert cast.dana.post(f"submissions/{accepted.pk}/review/", review).status_code == 200
    Account.objects.filter(username="alice").update(email="alice@example.org")
    app.control.purge()
    for _, queues, processes in WORKERS:
        start_worker(processes, queues)
    with psycopg.connect(services_connection()) as blocker:
        blocker.execute("LOCK TABLE submissions_check IN EXCLUSIVE MODE")
        for number in range(max(processes for _, _, processes in WORKERS) + 1):
            assert cast.alice.upload(archive(performance=3 + number)).status_code == 202
        wait_until(lambda: checks_that_wait() == 2)
        Release.objects.update(publishes=timezone.now())
        send_as_scheduled("sweep")
        wait_until(lambda: Submission.objects.filter(pk=accepted.pk, result__release=release).exists())
        wait_until(mail_was_sent)
        assert checks_that_wait() == 2
    wait_until(finished)


def send_as_scheduled(task: str) -> None:
    """As the scheduler sends it, but for its expiry: nobody sends it again here."""
    app.send_task(f"submissions.tasks.{task}")


def mail_was_sent() -> bool:
    """As the scheduler does again and again, until what is due was sent; no letter waits for more of its kind."""
    Delivery.objects.filter(state=Delivery.State.WAITING).update(due_at=timezone.now())
    send_as_scheduled("tell")
    return Delivery.objects.filter(state=Delivery.State.DELIVERED).exists()


def checks_that_wait() -> int:
    """How many workers checked a run and can't store what they found."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'submissions_check'::regclass")
        return cursor.fetchone()[0]


# check/


def test_a_dry_check_equals_the_command_line_and_stores_nothing(cast, archive, server, start_worker, bundles) -> None:
    start_worker()
    status, report = send(server, cast.alice.token, archive(short="ior-easy-write"), "check/")
    assert status == 200, report
    assert (report["status"], report["primary"]) == ("invalid", 0)
    assert "io500.stonewall.short" in [finding["code"] for finding in report["runs"][0]["findings"]]
    assert leftovers(bundles) == []
    assert not Submission.objects.exists()


def test_a_dry_check_of_junk_is_unreadable(cast, server, start_worker) -> None:
    start_worker()
    status, report = send(server, cast.alice.token, b"\0" * 100, "check/")
    assert (status, report["status"], report["runs"]) == (200, "unreadable", [])
    assert report["findings"]


def test_a_dry_check_without_a_worker_is_refused(cast, archive, server, bundles, monkeypatch) -> None:
    status, problem = send(server, cast.alice.token, archive(), "check/")
    assert (status, problem["code"]) == (503, "check.unavailable")
    assert leftovers(bundles) == []


def test_a_dry_check_of_other_bytes_than_declared_is_refused(cast, archive, server, bundles) -> None:
    status, problem = send(server, cast.alice.token, archive(), "check/", sha256="0" * 64)
    assert (status, problem["code"]) == (422, "intake.sha256-mismatch")
    assert leftovers(bundles) == []


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def services_connection() -> str:
    """The test database for psycopg."""
    settings = connection.settings_dict
    names = {"dbname": "NAME", "host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    return psycopg.conninfo.make_conninfo(**{name: settings[key] for name, key in names.items() if settings[key]})
