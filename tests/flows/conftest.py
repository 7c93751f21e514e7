"""A whole registry as a user starts it: `./dev.py up` on a state folder of its own, once for all flow tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class SharedSite(RunningSite):
    """Its management commands run in one process: each is done sooner than Django has started."""

    commands: subprocess.Popen[str]

    def manage(self, *arguments: str) -> str:
        assert self.commands.stdin is not None and self.commands.stdout is not None
        print(json.dumps(arguments), file=self.commands.stdin, flush=True)
        answer = self.commands.stdout.readline()
        assert answer, (self.state / "commands.log").read_text()
        output: str = json.loads(answer)
        return output


RUN_COMMANDS = """
import contextlib, io, json, sys
from django.core.management import call_command
for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        call_command(*json.loads(line))
    print(json.dumps(output.getvalue()), flush=True)
"""
"""What runs commands, one in each line of standard input, until that ends or one of them fails."""


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedSite]:
    with started_site(tmp_path_factory.mktemp("site")) as running:
        command = [sys.executable, "dev.py", "--state", running.state, "manage", "shell", "-v", "0", "-c", RUN_COMMANDS]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with (
            (running.state / "commands.log").open("w") as log,
            subprocess.Popen(command, env=running.environment, cwd=running.checkout, stderr=log, **pipes) as commands,
        ):
            yield SharedSite(running.url, running.checkout, running.state, running.environment, commands)


@contextmanager
def started_site(state: Path, environment: Mapping[str, str] | None = None) -> Iterator[RunningSite]:
    """A registry on a state folder, with more variables if given, until the end of the `with`."""
    with running.running(ROOT, state, port=0, more_environment=environment) as registry:
        yield RunningSite(registry.url, registry.checkout, registry.state, registry.environment)


def wait_until(condition: Callable[[], bool]) -> None:
    running.wait_until(condition, within_s=WITHIN_S)
