"""Processes that end when the launcher does, however it ends."""

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from launcher.preload import Forked, Preloaded

PR_SET_PDEATHSIG = 1  # linux/prctl.h
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Program:
    """A long-running program: what to run, and how it is told to stop."""

    name: str
    argv: Sequence[str | Path]
    environment: Mapping[str, str]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM
    # The kernel sends this one if the launcher is killed. It must end the program at once: nobody waits for it then.
    orphan_signal: signal.Signals = signal.SIGTERM
    patience_s: float = 10.0
    orphan_patience_s: float = 3.0
    user: int | None = None
    group: int | None = None
    inherited_files: Sequence[int] = field(default_factory=tuple)
    # Who forks a program that is `python -m MODULE`; both have the same environment.
    preloaded: "Preloaded | None" = None


class Running:
    """A started program, in a session of its own so that Ctrl-C reaches only the launcher."""

    def __init__(self, program: Program) -> None:
        self.program = program
        program.log.parent.mkdir(parents=True, exist_ok=True)
        program.log.touch()
        forked = program.preloaded.start(program) if program.preloaded else None
        self.process = forked or self._spawn(program)
        _tell_guardian(f"watch {self.process.pid} {program.orphan_patience_s}")

    @staticmethod
    def _spawn(program: Program) -> "subprocess.Popen[Any] | Forked":
        with program.log.open("ab") as log:
            return spawn(
                program.argv,
                orphan_signal=program.orphan_signal,
                env=dict(program.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=program.user,
                group=program.group,
                extra_groups=None if program.user is None else [],
                pass_fds=program.inherited_files,
                start_new_session=True,
            )

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def last_words(self, lines: int = 15) -> str:
        """The end of the program's log."""
        text = self.program.log.read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])


def spawn(
    argv: Sequence[str | Path], *, orphan_signal: signal.Signals = signal.SIGKILL, **options: Any
) -> subprocess.Popen[Any]:
    """Start a process that gets `orphan_signal` when the launcher dies. To be called from the main thread only.

    The kernel counts the death of the thread that forked as the death of the parent.
    """
    launcher = os.getpid()

    def die_with_the_launcher() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, int(orphan_signal), 0, 0, 0)
        if os.getppid() != launcher:
            os.kill(os.getpid(), signal.SIGKILL)

    return subprocess.Popen(argv, preexec_fn=die_with_the_launcher, **options)


def stop(group: Iterable[Running]) -> None:
    """Ask every program to stop, wait as long as each may take, then end what is left of its process group."""
    group = list(group)
    for running in group:
        if not running.ended:
            running.process.send_signal(running.program.stop_signal)
    begun = time.monotonic()
    for running in group:
        remaining_s = running.program.patience_s - (time.monotonic() - begun)
        try:
            running.process.wait(max(remaining_s, 0.1))
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()
        end_process_group(running.process.pid)
        _tell_guardian(f"forget {running.process.pid}")


def end_process_group(leader: int) -> None:
    """Kill what a program left behind in its session, if anything."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


@functools.cache
def _guardian() -> subprocess.Popen[str]:
    """The process that outlives us for as long as something of ours does; it ends when this pipe closes."""
    program = Path(__file__).with_name("guardian.py")
    return subprocess.Popen([sys.executable, "-I", program], stdin=subprocess.PIPE, text=True, start_new_session=True)


def _tell_guardian(line: str) -> None:
    pipe = _guardian().stdin
    assert pipe is not None
    with contextlib.suppress(BrokenPipeError):  # somebody ended it; the kernel's signal still stands
        pipe.write(f"{line}\n")
        pipe.flush()
