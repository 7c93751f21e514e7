"""A running site for benchmarks: the same web server and worker as `./dev.py up`, on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knox.models import AuthToken

from registry.models import Site
from submissions.models import Account, Event, Membership, Submission

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def web() -> Iterator[str]:
    """gunicorn with two workers of four threads; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["registry.wsgi", "--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4"]
    with _running("gunicorn", *arguments, "--log-level", "error"):
        address = f"http://127.0.0.1:{port}"
        _wait_for(address + "/healthz")
        yield address


@contextmanager
def worker(processes: int) -> Iterator[None]:
    """A Celery worker with that many processes."""
    with _running("celery", "-A", "registry", "worker", "--concurrency", str(processes), "--loglevel", "ERROR"):
        yield


def token() -> str:
    """A token of an account that submits for the benchmark's own site."""
    site, _ = Site.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    account, _ = Account.objects.get_or_create(username="bench")
    Membership.objects.get_or_create(account=account, institution=site)
    return AuthToken.objects.create(user=account)[1]


def forget_submissions() -> None:
    """Delete what an earlier round sent, so that the same archives are new again."""
    Event.objects.all()._raw_delete(Event.objects.db)
    Submission.objects.all().delete()


@contextmanager
def _running(program: str, *arguments: str) -> Iterator[None]:
    binary = Path(sys.executable).parent / program
    process = subprocess.Popen([binary, *arguments], cwd=ROOT, env=os.environ)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(url: str, limit_s: float = 30) -> None:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer within {limit_s} s")
