"""A running site for benchmarks: the same web server and worker as `./dev.py up`, on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from registry.celery import app
from registry.models import Site
from submissions.accounts import tokens
from submissions.models import Account, Membership, Submission

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
    """A Celery worker with that many processes, which has answered a ping."""
    with _running("celery", "-A", "registry", "worker", "--concurrency", str(processes), "--loglevel", "ERROR"):
        for _ in range(30):
            if app.control.ping(timeout=1):
                break
        yield


def token() -> str:
    """A token of an account that submits for the benchmark's own site."""
    site, _ = Site.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    account, _ = Account.objects.get_or_create(username="bench")
    Membership.objects.get_or_create(account=account, institution=site)
    return tokens.create_token(account)[1]


def forget_submissions() -> None:
    """Delete what an earlier round sent, so that the same archives are new again."""
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {Submission._meta.db_table} CASCADE")  # history is guarded against DELETE


@contextmanager
def _running(program: str, *arguments: str) -> Iterator[None]:
    binary = Path(sys.executable).parent / program
    process = subprocess.Popen([binary, *arguments], cwd=ROOT, env=os.environ, stdout=sys.stderr)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(url: str, limit_s: float = 30) -> None:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer within {limit_s} s")
