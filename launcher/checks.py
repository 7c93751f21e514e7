"""What `./dev.py check` looks at: each step one line, all of them run, and how to mend what failed."""

import os
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

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
    """All checks, the quick ones first."""
    manage = [python, CHECKOUT / "manage.py"]
    openapi = scratch / "openapi.json"
    spectacular = ["spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn", "--file"]
    return [
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
        Step("types", [python, "-m", "mypy"], "mend the types named above"),
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


def run_all(environment: Environment) -> bool:
    """Run every step, print a line for each; True if all passed."""
    variables = environment.variables() | PRODUCTION
    with tempfile.TemporaryDirectory() as scratch:
        variables["HIGHWATER_STATE"] = scratch
        begun = start_ahead(steps(environment.python, Path(scratch)), variables)
        passed = [has_passed(step, process) for step, process in begun]
    return all(passed)


def start_ahead(
    all_steps: Iterable[Step], variables: Mapping[str, str]
) -> Iterator[tuple[Step, subprocess.Popen[str]]]:
    """Every step with its process, in their order; the next ones have begun when one is given."""
    begun: deque[tuple[Step, subprocess.Popen[str]]] = deque()
    for step in all_steps:
        begun.append((step, begin(step, variables)))
        if len(begun) == AT_ONCE:
            yield begun.popleft()
    yield from begun


def begin(step: Step, variables: Mapping[str, str]) -> subprocess.Popen[str]:
    return spawn(
        step.argv,
        cwd=CHECKOUT,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def has_passed(step: Step, process: subprocess.Popen[str]) -> bool:
    """Wait for the end of a step and print its line; its own output is shown only if it failed."""
    output, _ = process.communicate()
    passed = process.returncode == 0
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
