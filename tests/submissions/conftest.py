"""The cast: Alice submits for a site, Bob shares it, Charlie is a stranger, Dana reviews, Erin edits, Fay rules."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from registry.celery import _HURRIED, app
from registry.lists.definitions import read_definitions
from registry.models import Release
from submissions.bundles.cage import client as cage_client
from submissions.bundles.cage import plain_json
from submissions.checks import processing
from submissions.editing import edit
from submissions.lifecycle import task_queue
from submissions.models import Submission
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from submissions.review import decisions
from tests.make_io500 import make_archive
from tests.registry.conftest import empty_cache  # noqa: F401
from tests.submissions.cast import Cast, Person, define, leftovers, make_cast, submit_to, unhindered
from tests.submissions.receiver import receiver  # noqa: F401
from tests.submissions.stage import stage  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bundle_folder(tmp_path: Path) -> Path:
    """A folder of this test alone; modules with a server of their own have one that the server knows."""
    return tmp_path / "bundles"


@pytest.fixture(autouse=True)
def bundles(settings, bundle_folder: Path) -> Iterator[Path]:
    """Storage folders, empty when a test begins; nobody is throttled."""
    for name, value in unhindered(bundle_folder).items():
        setattr(settings, name, value)
    yield bundle_folder
    for path in leftovers(bundle_folder):
        path.unlink()


@pytest.fixture
def cast(db) -> Cast:
    return make_cast()


@pytest.fixture(scope="session")
def bodies() -> list[dict[str, Any]]:
    """Every list definition, read once."""
    return read_definitions()


@pytest.fixture
def definitions(db, bodies) -> None:
    define(bodies)


@pytest.fixture
def release(definitions) -> Release:
    return releases.create_release("sc99", timezone.now() + timedelta(days=30), name="SC99")


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., bytes]:
    """Bytes of an IO500 run, valid unless asked to be broken (tests/make_io500.py)."""

    def make(kind: str = "run.tar.gz", **changes: Any) -> bytes:
        return make_archive(tmp_path / kind, **changes).read_bytes()

    return make


@pytest.fixture
def checked(cast: Cast, archive) -> Callable[..., Submission]:
    """A submission of Alice's (or another's) run that went through a check, in this process."""

    def make(person: Person | None = None, fields: dict[str, Any] | None = None, **changes: Any) -> Submission:
        answer = (person or cast.alice).upload(archive(**changes), **(fields or {}))
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        return Submission.objects.get(pk=answer.json()["id"])

    return make


@pytest.fixture
def submitted(cast: Cast, release: Release, checked) -> Callable[..., Submission]:
    """A checked run that was submitted to the release."""

    def make(
        person: Person | None = None,
        lists: tuple[str, ...] = ("full", "io500", "ten"),
        answers: dict[str, Any] | None = None,
        **changes: Any,
    ) -> Submission:
        submission = checked(person, **changes)
        if answers is not None:
            edit.save_answers(submission, (person or cast.alice).account, answers)
            submission.refresh_from_db()
        submit_to(release, submission, person or cast.alice, lists)
        return submission

    return make


@pytest.fixture
def check(django_capture_on_commit_callbacks) -> Callable[..., Submission]:
    """Has a worker check a submission, with all that follows its commit."""

    def check(submission_id: object) -> Submission:
        with django_capture_on_commit_callbacks(execute=True):
            processing.check_submission(submission_id)
        return Submission.objects.get(pk=submission_id)

    return check


@pytest.fixture
def without_cage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of the cage run in this process, where a test can count their lines or break a reader."""

    def here(job, paths, arguments, *, seconds, out=None, wait_s=-1):
        plain = json.loads(json.dumps(arguments))
        return json.loads(plain_json.to_text(job(paths, plain, **({} if out is None else {"out": out}))))

    monkeypatch.setattr(cage_client, "do_job", here)


@pytest.fixture
def published(cast, submitted, release) -> Submission:
    submission = submitted(lists=("full", "io500"))
    decisions.prepare_for_review(str(submission.pk))
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    publication_publish.publish_release(release, None)
    submission.refresh_from_db()
    return submission


# Real services


@dataclass
class Worker:
    """A Celery worker on the test's own database, broker and storage."""

    process: subprocess.Popen

    def kill(self) -> None:
        """SIGKILL, for it and its children."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)


@pytest.fixture
def broker(transactional_db) -> Iterator[None]:
    """An empty broker and cache; a failed send of an earlier test is forgotten."""
    task_queue._silent_until = 0.0
    app.control.purge()
    cache.clear()
    yield
    app.control.purge()


@pytest.fixture
def start_worker(broker, bundles: Path, tmp_path: Path, monkeypatch) -> Iterator[Callable[..., Worker]]:
    """Starts a worker and returns once it is ready for tasks.

    No scheduler runs beside it, so a send that a busy machine makes late must not be given up: nobody would repeat it.
    """
    monkeypatch.setitem(_HURRIED, "socket_timeout", 30)
    started: list[Worker] = []

    def start(processes: int = 1, queues: str = "", **environment: str) -> Worker:
        command = [sys.executable, "-m", "celery", "-A", "registry", "worker", "--loglevel", "INFO"]
        command += ["--concurrency", str(processes), "--without-gossip", "--without-mingle", "--without-heartbeat"]
        command += ["--hostname", f"{len(started)}@%h"] + (["--queues", queues] if queues else [])
        log = tmp_path / f"worker-{len(started)}.log"
        with log.open("w") as written:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | services_environment(bundles) | environment,
                stdout=subprocess.DEVNULL,
                stderr=written,
                start_new_session=True,
            )
        started.append(Worker(process))
        wait_until(lambda: " ready.\n" in log.read_text() or process.poll() is not None, 60)
        assert process.poll() is None, log.read_text()
        return started[-1]

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.kill()
    for log in sorted(tmp_path.glob("worker-*.log")):
        print(log.read_text())  # pytest shows it where the test failed


def services_environment(bundles: Path) -> dict[str, str]:
    """What another process needs to work on the test's database and storage."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    if not parts.netloc:
        database = database.replace(f"{parts.scheme}:/", f"{parts.scheme}:///", 1).replace("////", "///")
    return {
        "DATABASE_URL": database,
        "BUNDLE_STORAGE_URL": bundles.as_uri(),
        "SECRET_KEY": django_settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "registry.settings",
    }


def wait_until(condition: Callable[[], Any], seconds: float = 300.0) -> Any:
    """The first true value of a condition, asked again and again; fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)
    return value


def somebody_waits() -> bool:
    """Whether a transaction waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT exists(SELECT FROM pg_locks WHERE NOT granted)")
        return cursor.fetchone()[0]
