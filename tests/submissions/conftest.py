"""The cast: Alice submits for a site, Bob shares it, Charlie is a stranger, Dana reviews, Erin edits, Fay rules."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from registry.celery import _HURRIED, app
from registry.definitions import read_definitions
from registry.models import ListDefinition, Release, Site
from submissions import drafts, processing, queue, releases, review, tokens
from submissions.models import Account, Membership, Submission, Token
from tests.make_io500 import make_archive

ROOT = Path(__file__).resolve().parents[2]
API = "/api/v1/"


@dataclass
class Person:
    """An account with a token, and how it speaks to the API."""

    account: Account
    client: APIClient = field(default_factory=APIClient)

    def __post_init__(self) -> None:
        made, self.token = tokens.make(self.account, "tests", Token.Scope.values)
        Token.objects.filter(pk=made.pk).update(last_used_at=timezone.now())  # so that no request notes a first use
        self.client.credentials(HTTP_AUTHORIZATION=f"Token {self.token}")

    def get(self, path: str) -> Any:
        return self.client.get(API + path)

    def post(self, path: str, document: object = None) -> Any:
        return self.client.post(API + path, document, format="json")

    def put(self, path: str, document: object) -> Any:
        return self.client.put(API + path, document, format="json")

    def patch(self, path: str, document: object) -> Any:
        return self.client.patch(API + path, document, format="json")

    def upload(self, content: bytes, *, name: str = "run.tar.gz", to: str = "submissions/", **fields: Any) -> Any:
        fields = {"sha256": hashlib.sha256(content).hexdigest()} | fields
        told = {name: value for name, value in fields.items() if value is not None}
        return self.client.post(API + to, told | {"bundle": SimpleUploadedFile(name, content)}, format="multipart")


@dataclass
class Cast:
    alice: Person
    bob: Person
    charlie: Person
    dana: Person
    erin: Person
    fay: Person
    stranger: APIClient = field(default_factory=APIClient)


@pytest.fixture(autouse=True)
def bundles(settings, tmp_path: Path) -> Path:
    """Storage folders of this test alone; nobody is throttled."""
    folder = tmp_path / "bundles"
    stores = dict(settings.STORAGES)
    for kind in ("received", "public"):
        options = dict(stores[kind]["OPTIONS"], location=str(folder / kind))
        stores[kind] = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    settings.STORAGES = stores
    settings.THROTTLE_RATES = dict.fromkeys(settings.THROTTLE_RATES, ("100000/s", "100000/s"))
    return folder


@pytest.fixture
def cast(db) -> Cast:
    north = Site.objects.create(slug="north-lab", name="North Lab")
    south = Site.objects.create(slug="south-lab", name="South Lab")
    west = Site.objects.create(slug="west-lab", name="West Lab")
    people = {
        "alice": ("submitter", north),
        "bob": ("submitter", north),
        "charlie": ("submitter", south),
        "dana": ("reviewer", west),
        "erin": ("editor", None),
        "fay": ("admin", None),
    }
    made = {}
    for name, (role, site) in people.items():
        account = Account.objects.create(username=name, role=role)
        if site is not None:
            Membership.objects.create(account=account, institution=site)
        made[name] = Person(account)
    return Cast(**made)


@pytest.fixture(scope="session")
def bodies() -> list[dict[str, Any]]:
    """Every list definition, read once."""
    return read_definitions()


@pytest.fixture
def definitions(db, bodies) -> None:
    ListDefinition.objects.bulk_create(
        ListDefinition(name=body["name"], version=body["version"], body=body) for body in bodies
    )


@pytest.fixture
def release(definitions) -> Release:
    return releases.create("sc99", timezone.now() + timedelta(days=30), name="SC99")


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
        processing.process(answer.json()["id"])
        return Submission.objects.get(pk=answer.json()["id"])

    return make


def submit_to(release: Release, submission: Submission, person: Person, lists: tuple[str, ...] = ("full",)) -> None:
    """Submit a checked run with all that has to be said, and read it anew."""
    said = {"acknowledge_rules": True, "acknowledge_publication": True}
    review.submit(submission, person.account, release=release.slug, lists=lists, **said)
    submission.refresh_from_db()


TOLD = "Weather forecasts, climate models and what students try on it, every day."
COMPLETE = dict.fromkeys(
    ("system_purpose", "availability", "storage_system_software", "runtime_environment", "fault_tolerance_mechanisms",
     "execution", "caching", "data_source", "trust"), TOLD
) | {
    "usage": "production", "software_availability": "open_source", "single_point_of_failure": False,
    "exclusive_cluster_usage": True, "caches_dropped": True, "storage_role": "primary", "persistence_verified": True,
    "reproducibility": "limited",
}  # fmt: skip
"""Everything that a production list asks of a bundle that tells nothing of its system."""


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
            drafts.answer(submission, (person or cast.alice).account, answers)
            submission.refresh_from_db()
        submit_to(release, submission, person or cast.alice, lists)
        return submission

    return make


# Real services


@dataclass
class Worker:
    """A Celery worker on the test's own database, broker and storage."""

    process: subprocess.Popen

    def kill(self) -> None:
        """SIGKILL, for it and its children."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)


@pytest.fixture
def broker(transactional_db) -> Iterator[None]:
    """An empty broker and cache; a failed send of an earlier test is forgotten."""
    queue._silent_until = 0.0
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

    def start(processes: int = 1, **environment: str) -> Worker:
        command = [sys.executable, "-m", "celery", "-A", "registry", "worker", "--loglevel", "INFO"]
        command += ["--concurrency", str(processes), "--without-gossip", "--without-mingle", "--without-heartbeat"]
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


def wait_until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
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
