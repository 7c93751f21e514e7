"""The registry's own processes on this machine: web, worker and scheduler."""

import hashlib
import http.client
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence

from launcher.console import LauncherError, say
from launcher.databases import given_settings
from launcher.environment import Environment
from launcher.processes import Program, Running, spawn
from launcher.state import CHECKOUT, State

PORTS_TO_TRY = 100
READY_WITHIN_S = 60.0
# A program that ended so often within a minute waits so long before each further start.
RESTARTS_AT_ONCE, RESTART_PAUSE_S = 5, 10.0
WEB_PROCESSES, WEB_THREADS, WORKER_PROCESSES = 2, 6, 2
# Where code or data lies that decides what the database must hold.
SOURCES = ("registry", "submissions", "validators")


def listen(port: int) -> socket.socket:
    """Take the port on loopback, or the next free one, and say so. The web server inherits the open socket.

    Held by the launcher, the address stays ours while the web server restarts. Raises LauncherError if none is free.
    """
    for candidate in range(port, min(port + PORTS_TO_TRY, 65536)) if port else [0]:
        listening = socket.socket(socket.AF_INET)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", candidate))
            listening.listen(128)
        except OSError:
            listening.close()
            continue
        if candidate != port:
            say(f"port {port} is busy; using {candidate}")
        return listening
    raise LauncherError(f"no free port from {port} on")


def prepare(state: State, environment: Environment, variables: Mapping[str, str], steps: Sequence[str]) -> None:
    """Reach the servers and run the management commands that make the database ready. Raises LauncherError.

    Left out when the servers are ours and nothing has changed since: somebody else's may have changed without us.
    """
    ours = not given_settings()
    wanted = fingerprint(steps)
    if ours and state.preparation.exists() and state.preparation.read_text() == wanted:
        return
    argv = [environment.python, CHECKOUT / "launcher" / "prepare.py", *steps]
    preparation = spawn(argv, env=dict(variables), stdout=sys.stderr)
    if preparation.wait() != 0:
        raise LauncherError("the database could not be made ready (see above)")
    if ours:
        state.preparation.write_text(wanted)


def fingerprint(steps: Sequence[str]) -> str:
    """What a prepared database depends on: the steps and every source file."""
    sources = [path for source in SOURCES for path in sorted((CHECKOUT / source).rglob("*"))]
    files = [(path, path.stat()) for path in sources if path.is_file() and path.suffix != ".pyc"]
    facts = [f"{path} {found.st_size} {found.st_mtime_ns}" for path, found in files]
    return hashlib.sha256("\n".join([*steps, *facts]).encode()).hexdigest()


def programs(state: State, environment: Environment, variables: Mapping[str, str], listening: int) -> list[Program]:
    """Web on an inherited socket, a worker, and the scheduler."""
    celery = [environment.python, "-m", "celery", "--app", "registry", "--workdir", CHECKOUT]
    return [
        Program(
            name="web",
            argv=[
                *(environment.python, "-m", "gunicorn", "registry.wsgi", "--chdir", CHECKOUT),
                *("--bind", f"fd://{listening}", "--worker-class", "gthread", "--preload", "--no-control-socket"),
                *("--workers", str(WEB_PROCESSES), "--threads", str(WEB_THREADS)),
                *("--timeout", "60", "--graceful-timeout", "5"),
            ],
            environment=variables,
            log=state.logs / "web.log",
            orphan_signal=signal.SIGQUIT,
            inherited_files=(listening,),
        ),
        Program(
            name="worker",
            argv=[
                *(*celery, "worker", "--loglevel", "INFO", "--concurrency", str(WORKER_PROCESSES)),
                *("--without-gossip", "--without-mingle"),  # there is no other worker to greet for a second
            ],
            environment=variables,
            log=state.logs / "worker.log",
            orphan_signal=signal.SIGQUIT,
        ),
        Program(
            name="scheduler",
            argv=[
                *(*celery, "beat", "--loglevel", "INFO", "--pidfile="),
                *("--schedule", state.folder / "schedule"),
            ],
            environment=variables,
            log=state.logs / "scheduler.log",
        ),
    ]


def wait_until_healthy(port: int, started: Sequence[Running]) -> None:
    """Wait for /healthz to answer 200. Raises LauncherError with the log of a program that ended instead."""
    deadline = time.monotonic() + READY_WITHIN_S
    while (answer := healthz(port)) != 200:
        for running in started:
            if running.ended:
                name, log = running.program.name, running.program.log
                raise LauncherError(f"{name} ended; its log {log} ends:\n{running.last_words()}")
        if time.monotonic() > deadline:
            raise LauncherError(f"/healthz did not answer 200 within {READY_WITHIN_S:.0f} s (last answer: {answer})")
        time.sleep(0.05)


def healthz(port: int) -> int | None:
    """Status of one request, None without an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def keep_running(*groups: list[Running]) -> None:
    """Start again whatever ends, for ever; the lists always hold what runs now."""
    restarts: dict[str, list[float]] = {}
    while True:
        time.sleep(0.3)
        for group in groups:
            for position, running in enumerate(group):
                earlier = restarts.setdefault(running.program.name, [])
                if running.ended and is_due(earlier, time.monotonic()):
                    earlier.append(time.monotonic())
                    say_that_it_ended(running)
                    group[position] = Running(running.program)


def is_due(restarts: Sequence[float], now: float) -> bool:
    """Whether a program that was restarted at these times (s) and ended again is to be started now.

    At once, but not if it keeps ending: what ends it, such as a full disk, may pass, and the others go on meanwhile.
    """
    recent = [moment for moment in restarts if now - moment < 60]
    return len(recent) < RESTARTS_AT_ONCE or now - recent[-1] >= RESTART_PAUSE_S


def say_that_it_ended(running: Running) -> None:
    program = running.program
    say(f"{program.name} ended with status {running.process.returncode}; starting it again (log: {program.log})")
