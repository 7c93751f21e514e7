"""Deep tests: left out and counted without --deep, run and counted with it, in one process and in several."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from launcher import commands

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import pytest

@pytest.mark.deep
def test_long(): pass

@pytest.mark.deep
def test_long_without_what_it_needs(): pytest.skip("not here")

def test_short(request): print("requests", request.config.getoption("--fuzz"))
"""
LEFT_OUT = "deep tests: 2 left out; ./dev.py test --deep runs them, too"
REAL_DATA = "real-data tests: 0 ran, 0 skipped"


@pytest.fixture
def run(tmp_path: Path):
    """pytest on three tests, two of them deep, with the options that all tests of the project have."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = deep\naddopts = --strict-markers\n")
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_of_both.py").write_text(TESTS)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-p", "no:django", "-p", "no:cacheprovider", "-s", *arguments]
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = variables | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_without_the_option_deep_tests_are_left_out_and_counted(run) -> None:
    done = run()
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout and "requests 1\n" in done.stdout
    assert done.stdout.splitlines()[-2:] == [LEFT_OUT, REAL_DATA]


def test_with_the_option_deep_tests_run_with_more_requests(run) -> None:
    done = run("--deep")
    assert "2 passed, 1 skipped" in done.stdout and "requests 25\n" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["deep tests: 1 ran, 1 skipped", REAL_DATA]


@pytest.mark.deep
@pytest.mark.parametrize(("options", "line"), [([], LEFT_OUT), (["--deep"], "deep tests: 1 ran, 1 skipped")])
def test_a_run_in_several_processes_counts_each_test_once(run, options: list[str], line: str) -> None:
    assert run("-n", "2", *options).stdout.splitlines()[-2:] == [line, REAL_DATA]


def test_naming_a_deep_test_does_not_run_it(run) -> None:
    done = run("test_of_both.py::test_long")
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert done.stdout.splitlines()[-2] == LEFT_OUT.replace("2", "1")


def test_deselected_deep_tests_are_not_counted(run) -> None:
    done = run("-k", "short", "--deep", "--fuzz", "7").stdout
    assert "requests 7\n" in done and "deep tests: 0 ran, 0 skipped" in done


def test_a_deep_test_may_take_an_hour() -> None:
    assert commands.patience(["tests/deep", "--deep"]) == ["-o", "faulthandler_timeout=3600"]
    assert commands.patience(["tests"]) == []
