"""Programs that are forked from one process that has loaded the registry: they share the memory of what it loaded.

A program that is started again runs the code that was loaded when `up` began, not a changed file.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from launcher.processes import LIBC, Program, spawn

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
SCRIPT = Path(__file__).with_name("preloaded.py")
# Longer than the command line of any program, which is written in its place.
ROOM = "-" * 1024


class Forked:
    """A child of ours that another process forked: what is used of subprocess.Popen."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            process, status = os.waitpid(self.pid, os.WNOHANG)
            if process:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait `timeout` seconds at most; returns its exit status. Raises TimeoutExpired where it still runs."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(0.02)
        return status

    def send_signal(self, number: int) -> None:
        """Send it, unless the process is known to have ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Preloaded:
    """The process that has loaded the registry. Started again when it is needed and has ended."""

    def __init__(self, python: Path, variables: Mapping[str, str], files: Sequence[int]) -> None:
        self.argv: list[str | Path] = [python, SCRIPT, ROOM, *map(str, files)]
        self.variables, self.files = dict(variables), files
        self.process = self._begin()
        self.has_loaded = False

    def _begin(self) -> "subprocess.Popen[str]":
        return spawn(
            self.argv,
            env=self.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=self.files,
            start_new_session=True,
        )

    def start(self, program: Program) -> Forked | None:
        """Fork a program, once everything is loaded. None where that cannot be: it must be started by itself."""
        if self.process.poll() is not None:
            self.process, self.has_loaded = self._begin(), False
        # What is left by its parent becomes our child.
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        order = {
            "argv": [str(part) for part in program.argv],
            "log": str(program.log),
            "orphan_signal": int(program.orphan_signal),
            "files": list(program.inherited_files),
        }
        try:
            self.has_loaded = self.has_loaded or bool(self._answer())
            self._order(json.dumps(order))
            return Forked(int(self._answer()))
        except (BrokenPipeError, EOFError):
            return None

    def _order(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def _answer(self) -> str:
        """The next line. Raises EOFError where the process has ended."""
        assert self.process.stdout is not None
        if line := self.process.stdout.readline():
            return line
        self.process.wait()
        raise EOFError

    def end(self) -> None:
        """End it, and not what it forked."""
        self.process.kill()
        self.process.wait()
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def reap_orphans(programs: Collection[int]) -> None:
    """Take leave of processes that ended programs left to us, not of the programs with these ids."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in programs:
            return
        os.waitpid(ended.si_pid, 0)
