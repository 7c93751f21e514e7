"""The web server as it runs in production, with settings of the test's own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.submissions.conftest import ROOT, wait_until


@contextmanager
def serving_with(environment: dict[str, str], threads: int = 8, processes: int = 2) -> Iterator[str]:
    with started_server(environment, threads, processes) as (address, _):
        yield address


@contextmanager
def started_server(
    environment: dict[str, str], threads: int = 8, processes: int = 2
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a web server, and its first process."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        bound = listening.fileno()
        command = [sys.executable, "-m", "gunicorn", "registry.wsgi", "--bind", f"fd://{bound}", "--preload"]
        command += ["--workers", str(processes), "--threads", str(threads), "--log-level", "critical"]
        options = {"env": os.environ | environment, "pass_fds": [bound], "start_new_session": True}
        process = subprocess.Popen(command, cwd=ROOT, **options)
    try:
        wait_until(lambda: _answers(address))
        yield address, process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def _answers(address: str) -> bool:
    """Whether it serves at all, healthy or not."""
    try:
        urllib.request.urlopen(f"{address}/livez", timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
