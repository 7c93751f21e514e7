"""A running site for benchmarks: the same web server and worker as `./dev.py up`, on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from registry.celery import app
from registry.models import Site
from submissions.accounts import tokens
from submissions.models import Account, Membership, Submission

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Running:
    """A started program; `address` where it answers HTTP."""

    pid: int
    address: str = ""

    def cpu_s(self) -> float:
        """Seconds of CPU that it and the processes below it used so far, those that ended and were waited for, too."""
        stats = _process_stats()
        below, ticks = [self.pid], 0
        while below:
            pid = below.pop()
            ticks += stats[pid][1] if pid in stats else 0
            below += [child for child, (parent, _) in stats.items() if parent == pid]
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def web() -> Iterator[Running]:
    """gunicorn with two workers of four threads."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["registry.wsgi", "--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4"]
    with _running("gunicorn", *arguments, "--log-level", "error") as pid:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address + "/healthz")
        yield Running(pid, address)


@contextmanager
def worker(processes: int) -> Iterator[Running]:
    """A Celery worker with that many processes, which has answered a ping."""
    with _running("celery", "-A", "registry", "worker", "--concurrency", str(processes), "--loglevel", "ERROR") as pid:
        for _ in range(30):
            if app.control.ping(timeout=1):
                break
        yield Running(pid)


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
def _running(program: str, *arguments: str) -> Iterator[int]:
    binary = Path(sys.executable).parent / program
    process = subprocess.Popen([binary, *arguments], cwd=ROOT, env=os.environ, stdout=sys.stderr)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _process_stats() -> dict[int, tuple[int, int]]:
    """By process its parent and the clock ticks that it used, with those of children that it waited for."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            stats[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    return stats


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
