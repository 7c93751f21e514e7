"""Real launchers, in state folders of their own; the environment they use is the one that is there already."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DEV = ROOT / "dev.py"
OURS = ("DATABASE_URL", "BROKER_URL", "CACHE_URL", "SECRET_KEY", "ALLOWED_HOSTS", "INSECURE_LOCAL", "HIGHWATER_STATE")
WITHIN_S = 300.0


def variables(state: Path, **more: str) -> dict[str, str]:
    """The environment of a person who has set nothing but the state folder."""
    plain = {name: value for name, value in os.environ.items() if name not in OURS and name != "DJANGO_SETTINGS_MODULE"}
    return {"HIGHWATER_VENV": sys.prefix, **plain, "HIGHWATER_STATE": str(state), **more}


def run(
    state: Path, *arguments: str | Path, env: Mapping[str, str] | None = None, **options
) -> subprocess.CompletedProcess:
    """Run ./dev.py to its end."""
    environment = variables(state, **(env or {}))
    return subprocess.run(
        [DEV, *arguments], env=environment, capture_output=True, text=True, timeout=WITHIN_S, **options
    )


def processes_of(state: Path) -> dict[int, str]:
    """Process ids and command lines of all that was started with this state folder, oldest first."""
    command_by_id = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if command and os.fsencode(state) in command + (process / "environ").read_bytes():
                command_by_id[int(process.name)] = command.replace(b"\0", b" ").decode()
    return dict(sorted(command_by_id.items()))


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {WITHIN_S} s: {what}"
        time.sleep(0.05)


RUNNING: list[Up] = []
"""What `up` started, for tests that need it gone."""


class Up:
    """A running `./dev.py up`."""

    def __init__(self, state: Path, *arguments: str) -> None:
        self.state = state
        self.said = state / "said"
        with self.said.open("w") as log:
            self.process = subprocess.Popen(
                [DEV, "up", *arguments], env=variables(state), stdout=subprocess.PIPE, stderr=log, text=True
            )
        self.first_line = self.process.stdout.readline().strip()
        assert self.first_line, self.said.read_text()
        self.address = self.first_line.removeprefix("ready ")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait; returns the exit status."""
        self.process.send_signal(number)
        return self.process.wait(WITHIN_S)


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder under /tmp that any account may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="hw-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def state(folder: Path) -> Path:
    """One state folder for the tests that need not begin with an empty one."""
    state = folder / "state"
    state.mkdir()
    return state


@pytest.fixture(scope="module")
def up(state: Path) -> Iterator[Up]:
    """A registry that runs for the tests of a module."""
    running = Up(state, "--port", "0", "--no-demo")
    RUNNING.append(running)
    yield running
    running.end()
    RUNNING.remove(running)
