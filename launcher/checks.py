"""What `./dev.py check` looks at: each step one line, all of them run, and how to mend what failed."""

import os
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from launcher.environment import Environment
from launcher.processes import spawn
from launcher.state import CHECKOUT

AT_ONCE = 2
"""Steps that run beside each other; most keep one core busy."""
OPENAPI = CHECKOUT / "docs" / "openapi.json"
# Settings as on a public host. No step opens a connection, so the addresses lead nowhere.
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "registry.settings",
    "SECRET_KEY": "only-for-the-checks-0123456789-abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "registry.example.org",
    "DATABASE_URL": "postgresql:///highwater?host=/nonexistent",
    "BROKER_URL": "redis+socket:///nonexistent?virtual_host=0",
    "CACHE_URL": "unix:///nonexistent?db=1",
    "OPERATOR": "Example Computing Centre",
    "CONTACT": "registry@example.org",
    "DATABASE_APP_ROLE": "highwater_app",
    "DATABASE_PUBLIC_ROLE": "highwater_public",
    "INSECURE_LOCAL": "false",
    "DEBUG": "false",
    "RUFF_OUTPUT_FORMAT": "concise",
}


REPLACED = ("dataclasses.dataclass(slots)", "zip(strict)", "itertools.pairwise", "datetime.UTC")
"""What the rules use of Python 3.10 and 3.11; validators/older_python.py makes it where it is missing."""


@dataclass(frozen=True)
class Step:
    """One check: the command, and what to type if it fails."""

    name: str
    argv: Sequence[str | Path]
    mend: str
    must_equal: tuple[Path, Path] | None = field(default=None)


def steps(python: Path, scratch: Path) -> list[Step]:
    """All checks. The longest begins first, so that others run beside it to its end."""
    manage = [python, CHECKOUT / "manage.py"]
    openapi = scratch / "openapi.json"
    spectacular = ["spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn", "--file"]
    return [
        Step("types", [python, "-m", "mypy"], "mend the types named above"),
        Step("format", [python, "-m", "ruff", "format", "--check", "."], "./dev.py exec ruff format ."),
        Step("lint", [python, "-m", "ruff", "check", "."], "./dev.py exec ruff check --fix ."),
        Step(
            "Python 3.6",
            ["vermin", "-t=3.6-", "--violations", "--eval-annotations", "--no-tips", "collectors"],
            "write what is named above in Python 3.6, which the collector must run on",
        ),
        Step(
            "Python 3.9",
            # What validators/older_python.py puts in place is not missed.
            [
                *("vermin", "-t=3.9-", "--violations", "--eval-annotations", "--no-tips"),
                *(part for name in REPLACED for part in ("--exclude", name)),
                "validators",
            ],
            "write what is named above in Python 3.9, with which sites check offline",
        ),
        Step("templates", [python, "-m", "djlint", "templates", "--lint"], "mend the lines named above"),
        Step("migrations", [*manage, "makemigrations", "--check", "--dry-run"], "./dev.py manage makemigrations"),
        Step(
            "OpenAPI file",
            [*manage, *spectacular, openapi],
            f"./dev.py manage {' '.join(spectacular)} docs/openapi.json",
            must_equal=(openapi, OPENAPI),
        ),
        Step("documentation", [python, "-m", "pytest", "-q", "tests/docs"], "mend the pages named above"),
        Step("deployment", [*manage, "check", "--deploy", "--fail-level", "WARNING"], "mend the settings named above"),
    ]


@dataclass(frozen=True)
class Begun:
    """A step that was begun, and the file that it writes to."""

    step: Step
    process: subprocess.Popen[bytes]
    output: IO[bytes]


def run_all(environment: Environment) -> bool:
    """Run every step, print a line for each; True if all passed."""
    variables = environment.variables() | PRODUCTION
    with tempfile.TemporaryDirectory() as scratch:
        variables["HIGHWATER_STATE"] = scratch
        passed = [has_passed(ended) for ended in run_beside(steps(environment.python, Path(scratch)), variables)]
    return all(passed)


def run_beside(all_steps: Iterable[Step], variables: Mapping[str, str]) -> Iterator[Begun]:
    """Every step once it has ended. As soon as one has, the next begins."""
    waiting, running = deque(all_steps), list[Begun]()
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            running.append(begin(waiting.popleft(), variables))
        ended = [begun for begun in running if begun.process.poll() is not None]
        running = [begun for begun in running if begun not in ended]
        yield from ended
        if not ended:
            time.sleep(0.05)


def begin(step: Step, variables: Mapping[str, str]) -> Begun:
    output = tempfile.TemporaryFile()  # noqa: SIM115  # closed when it was read
    process = spawn(
        step.argv,
        cwd=CHECKOUT,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    return Begun(step, process, output)


def has_passed(ended: Begun) -> bool:
    """Print the line of a step; its own output is shown only if it failed."""
    with ended.output as written:
        written.seek(0)
        output = written.read().decode(errors="replace")
    step, passed = ended.step, ended.process.returncode == 0
    if passed and step.must_equal is not None and not same_bytes(*step.must_equal):
        passed, output = False, f"{os.path.relpath(step.must_equal[1], CHECKOUT)} is not what the code says\n"
    print(f"{'ok    ' if passed else 'FAILED'} {step.name}", flush=True)
    if not passed:
        print(f"{first_lines(output)}\nto mend it: {step.mend}\n", flush=True)
    return passed


def first_lines(output: str, most: int = 40) -> str:
    lines = output.strip().splitlines()
    rest = [f"... and {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join(lines[:most] + rest)


def same_bytes(new: Path, stored: Path) -> bool:
    return stored.exists() and new.read_bytes() == stored.read_bytes()
