"""Running the benchmark's command: nothing of ours lives beside it but one process that waits.

The child has our standard streams, environment, folder, session and process group, so that it is what it would be
without us: a terminal's Ctrl-C reaches it directly, and what is sent to us alone is handed on.
"""

import os
import signal
import subprocess
import time
from collections import namedtuple

NOT_FOUND, NOT_EXECUTABLE = 127, 126
HANDED_ON = tuple(getattr(signal, "SIG" + name) for name in "INT TERM HUP QUIT USR1 USR2 TSTP CONT XCPU".split())
# The kernel's si_code is positive for signals of its own. Those of a terminal reached the child as well.
LARGEST_CODE_OF_A_PROCESS = 0

Ended = namedtuple("Ended", "exit_status signal started_s ended_s duration_s")
Ended.__doc__ = """How a command ended: its exit status as a shell tells it (128 + n after signal n), the signal or
None, when it began and ended (seconds since 1970), and its duration (seconds, by a clock that nobody sets)."""


class NotStarted(Exception):
    """The command did not start; `exit_status` is what a shell would give."""

    def __init__(self, message, exit_status):
        super().__init__(message)
        self.exit_status = exit_status


def run_command(argv):
    """Run a command, wait for it, return how it Ended. Raises NotStarted."""
    here = os.getcwd()
    # Whoever ignores SIGCHLD never learns how a child ended.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON + (signal.SIGCHLD,))
    try:
        started_s, started = time.time(), time.monotonic()
        child = start(argv, before)
        # A folder that somebody stands in cannot be unmounted.
        os.chdir("/")
        status = wait_for_child(child.pid)
        child.returncode = status
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        exit_status = os.WEXITSTATUS(status) if number is None else 128 + number
        return Ended(exit_status, number, started_s, time.time(), time.monotonic() - started)
    finally:
        return_to(here)
        forget_pending()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(argv, mask):
    """Start a child with the signal mask that we were started with. Raises NotStarted where it cannot be."""
    try:
        return subprocess.Popen(argv, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
    except FileNotFoundError:
        raise NotStarted(argv[0] + ": command not found", NOT_FOUND)
    except OSError as error:
        raise NotStarted("%s: %s" % (argv[0], error.strerror), NOT_EXECUTABLE)
    except ValueError as error:
        raise NotStarted("%s: %s" % (argv[0], error), NOT_EXECUTABLE)


def wait_for_child(pid):
    """Wait until the child has ended, handing signals on; return its wait status."""
    while True:
        # Looked at first: it may have ended before the signals were waited for.
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        signal_info = signal.sigwaitinfo(HANDED_ON + (signal.SIGCHLD,))
        if signal_info.si_signo != signal.SIGCHLD:
            forward_signal(signal_info, pid)


def forward_signal(signal_info, pid):
    if signal_info.si_code <= LARGEST_CODE_OF_A_PROCESS:
        try:
            os.kill(pid, signal_info.si_signo)
        except ProcessLookupError:
            return
    if signal_info.si_signo == signal.SIGTSTP:
        # We stop beside the child, or the shell would not know that the job has.
        os.kill(os.getpid(), signal.SIGSTOP)


def return_to(folder):
    try:
        os.chdir(folder)
    except OSError:
        # It went while the benchmark ran; every path that we still need is absolute.
        pass


def forget_pending():
    """Drop what was sent to the benchmark in its last moment: it is not about us."""
    while signal.sigtimedwait(HANDED_ON, 0) is not None:
        pass
