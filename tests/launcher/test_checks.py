"""How `./dev.py check` runs its steps."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from launcher.checks import Step, has_passed, run_beside


def python(name: str, code: str) -> Step:
    return Step(name, [sys.executable, "-c", code], f"mend {name}")


def run(*steps: Step) -> list[bool]:
    return [has_passed(ended) for ended in run_beside(steps, os.environ)]


def test_a_long_step_does_not_hold_up_the_ones_behind_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    held = os.open(fifo, os.O_RDWR)  # so that what is written stays there until it is read
    reading = f"reader = os.open({str(fifo)!r}, os.O_RDONLY | os.O_NONBLOCK)"
    long = python("long", f"import os, select; {reading}; assert select.select([reader], [], [], 60)[0]")
    last = python("last", f"open({str(fifo)!r}, 'w').write('the long one may end')")
    assert run(long, python("short", ""), last) == [True] * 3
    os.close(held)
    assert capfd.readouterr().out.splitlines()[0] == "ok     short"


def test_a_failed_step_shows_its_output_and_how_to_mend_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(python("bad", "print('x' * 100_000); raise SystemExit('what is wrong')")) == [False]
    output = capfd.readouterr().out
    assert output.startswith("FAILED bad\n")
    assert "what is wrong" in output and output.endswith("to mend it: mend bad\n\n")


def test_a_step_that_passes_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(python("good", "print('a warning')")) == [True]
    assert capfd.readouterr().out == "ok     good\n"


@pytest.mark.parametrize(("stored", "passes"), [(b"{}", True), (b"{ }", False)])
def test_a_generated_file_must_be_what_is_stored(tmp_path: Path, stored: bytes, passes: bool) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_bytes(b"{}")
    old.write_bytes(stored)
    assert run(Step("file", [sys.executable, "-c", ""], "generate it", must_equal=(new, old))) == [passes]
