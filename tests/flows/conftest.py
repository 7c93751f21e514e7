"""A whole registry as a user starts it: `./dev.py up` on a state folder of its own, once for all flow tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
WITHIN_S = 60.0
OF_THE_TESTS = (
    "DATABASE_URL", "BROKER_URL", "CACHE_URL", "SECRET_KEY", "HIGHWATER_STATE", "BUNDLE_STORAGE_URL",
    "DJANGO_SETTINGS_MODULE",
)  # fmt: skip
"""Settings of the services that tests in this process use; the registry under test has services of its own."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class RunningSite:
    """Where it listens, where its state lies, and how one speaks to it."""

    url: str
    state: Path
    environment: dict[str, str]

    def ask(self, method: str, path: str, token: str = "", document: object = None) -> Answer:
        """One call of the API or of a page; refusals are answers too."""
        request = urllib.request.Request(self.url + path.removeprefix("/"), method=method)
        if token:
            request.add_header("Authorization", f"Token {token}")
        if document is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(document).encode()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, dict(refusal.headers), refusal.read())

    def manage(self, *arguments: str) -> str:
        """What a management command prints."""
        command = [sys.executable, ROOT / "dev.py", "--state", self.state, "manage", *arguments]
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def token(self, username: str, role: str = "submitter", institution: str = "") -> str:
        where = ["--institution", institution] if institution else []
        return self.manage("create_token", username, "--role", role, *where).split()[-1]

    def tokens(self, **people: list[str]) -> dict[str, str]:
        """A token for each name, by what `create_token` takes besides; one start of Django for all."""
        made = "; ".join(f"call_command('create_token', *{[name, *options]})" for name, options in people.items())
        said = self.manage("shell", "-v", "0", "-c", f"from django.core.management import call_command; {made}")
        return {name: line.split()[-1] for name, line in zip(people, said.splitlines(), strict=True)}

    def collector(self, *arguments: object, token: str) -> subprocess.CompletedProcess[str]:
        """`python -m collectors ...` as a site runs it."""
        environment = self.environment | {"HIGHWATER_URL": self.url, "HIGHWATER_TOKEN": token}
        command = [sys.executable, "-m", "collectors", *map(str, arguments)]
        return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with started_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@contextmanager
def started_site(state: Path) -> Iterator[RunningSite]:
    """A registry on a state folder, until the end of the `with`."""
    environment = {name: value for name, value in os.environ.items() if name not in OF_THE_TESTS}
    environment["HIGHWATER_VENV"] = sys.prefix
    command = [sys.executable, ROOT / "dev.py", "up", "--port", "0", "--state", state]
    with (
        (state / "up.log").open("w") as log,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True) as up,
    ):
        try:
            ready = next((line for line in up.stdout if line.startswith("ready ")), "")
            assert ready, (state / "up.log").read_text()
            yield RunningSite(ready.split()[1], state, environment)
        finally:
            up.terminate()
            up.wait(WITHIN_S)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {WITHIN_S} s"
        time.sleep(0.1)
