"""A whole registry as a user starts it: `./dev.py up` on a state folder of its own, once for all flow tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import running
from tests.running import ROOT, Registry

WITHIN_S = 300.0


class RunningSite(Registry):
    """The registry of this checkout, and the collector of a site that speaks to it."""

    def token(self, username: str, role: str = "submitter", institution: str = "") -> str:
        where = ["--institution", institution] if institution else []
        return self.manage("create_token", username, "--role", role, *where).split()[-1]

    def tokens(self, **people: list[str]) -> dict[str, str]:
        """A token for each name, by what `create_token` takes besides; one start of Django for all."""
        calls = "; ".join(f"call_command('create_token', *{[name, *options]})" for name, options in people.items())
        output = self.manage("shell", "-v", "0", "-c", f"from django.core.management import call_command; {calls}")
        return {name: line.split()[-1] for name, line in zip(people, output.splitlines(), strict=True)}

    def collector(self, *arguments: object, token: str) -> subprocess.CompletedProcess[str]:
        """`python -m collectors ...` as a site runs it."""
        environment = self.environment | {"HIGHWATER_URL": self.url, "HIGHWATER_TOKEN": token}
        command = [sys.executable, "-m", "collectors", *map(str, arguments)]
        return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with started_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@contextmanager
def started_site(state: Path, environment: Mapping[str, str] | None = None) -> Iterator[RunningSite]:
    """A registry on a state folder, with more variables if given, until the end of the `with`."""
    with running.running(ROOT, state, port=0, more_environment=environment) as registry:
        yield RunningSite(registry.url, registry.checkout, registry.state, registry.environment)


def wait_until(condition: Callable[[], bool]) -> None:
    running.wait_until(condition, within_s=WITHIN_S)
