"""The registry's own processes on this machine: web, workers and scheduler."""

import hashlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from launcher.console import LauncherError, say
from launcher.databases import given_settings
from launcher.environment import Environment
from launcher.preload import Preloaded, reap_orphans
from launcher.processes import Program, Running, spawn
from launcher.state import CHECKOUT, State

PORTS_TO_TRY = 100
READY_WITHIN_S = 120.0
# A program that ended so often within a minute waits so long before each further start.
RESTARTS_AT_ONCE, RESTART_PAUSE_S = 5, 10.0
WEB_PROCESSES, WEB_THREADS = 2, 6
# The queues and the number of processes of each worker: what strangers send is read by the first alone.
WORKERS = (("worker", "processing,check", 2), ("prompt", "prompt", 2))
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
            listening.listen(2048)
        except OSError:
            listening.close()
            continue
        if candidate != port:
            say(f"port {port} is busy; using {candidate}")
        return listening
    raise LauncherError(f"no free port from {port} on")


def prepare(state: State, environment: Environment, variables: Mapping[str, str], steps: Sequence[str]) -> None:
    """Reach the servers and run the management commands that make the database ready.

    Raises LauncherError if a command fails.

    Left out when the servers are ours and nothing has changed since: somebody else's may have changed without us.
    """
    ours = not given_settings()
    current_fingerprint = fingerprint(steps)
    if ours and state.preparation.exists() and state.preparation.read_text() == current_fingerprint:
        return
    argv: list[str | Path] = [environment.python, CHECKOUT / "launcher" / "prepare.py", *steps]
    preparation = spawn(argv, env=dict(variables), stdout=sys.stderr)
    if preparation.wait() != 0:
        raise LauncherError("the database could not be made ready (see above)")
    if ours:
        state.preparation.write_text(current_fingerprint)


def fingerprint(steps: Sequence[str]) -> str:
    """What a prepared database depends on: the steps and every source file."""
    sources = [path for source in SOURCES for path in sorted((CHECKOUT / source).rglob("*"))]
    files = [(path, path.stat()) for path in sources if path.is_file() and path.suffix != ".pyc"]
    facts = [f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in files]
    return hashlib.sha256("\n".join([*steps, *facts]).encode()).hexdigest()


def programs(
    state: State, environment: Environment, variables: Mapping[str, str], listening: int, preloaded: Preloaded
) -> list[Program]:
    """Web on an inherited socket, the workers, and the scheduler."""
    # Celery drops what Django's checks find, and asking them would copy what processes share.
    celery: list[str | Path] = [environment.python, "-m", "celery", "--app", "registry", "--workdir", CHECKOUT]
    celery.append("--skip-checks")
    return [
        Program(
            name="web",
            argv=[
                *(environment.python, "-m", "gunicorn", "registry.wsgi", "--chdir", CHECKOUT),
                *("--config", CHECKOUT / "gunicorn.conf.py", "--bind", f"fd://{listening}", "--preload"),
                *("--workers", str(WEB_PROCESSES), "--threads", str(WEB_THREADS), "--graceful-timeout", "5"),
            ],
            environment=variables,
            log=state.logs / "web.log",
            orphan_signal=signal.SIGQUIT,
            inherited_files=(listening,),
            preloaded=preloaded,
        ),
        *(
            Program(
                name=name,
                argv=[
                    *celery,
                    *("worker", "--hostname", f"{name}@%h", "--queues", queues),
                    *("--loglevel", "INFO", "--concurrency", str(processes)),
                    *("--without-gossip", "--without-mingle"),  # workers have nothing to tell each other
                ],
                environment=variables,
                log=state.logs / f"{name}.log",
                orphan_signal=signal.SIGQUIT,
                preloaded=preloaded,
            )
            for name, queues, processes in WORKERS
        ),
        Program(
            name="scheduler",
            argv=[
                *celery,
                *("beat", "--loglevel", "INFO", "--pidfile="),
                *("--schedule", state.folder / "schedule"),
            ],
            environment=variables,
            log=state.logs / "scheduler.log",
            preloaded=preloaded,
        ),
    ]


def wait_until_ready(port: int, environment: Environment, started: Sequence[Running]) -> None:
    """Wait until web, every worker and the scheduler have answered.

    Raises LauncherError with the log of a program that ended, or the names of those that did not answer in time.
    """
    behind = {running.program.name: running for running in started if running.program.name != "web"}
    argv: list[str | Path] = [environment.python, CHECKOUT / "launcher" / "answers.py"]
    argv += [f"{name}={running.process.pid}" for name, running in behind.items()]
    variables = dict(started[0].program.environment)
    asking = spawn(argv, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answered: set[str] = set()
    listener = threading.Thread(target=lambda: answered.update(line.decode().strip() for line in asking.stdout or ()))
    listener.start()
    deadline = time.monotonic() + READY_WITHIN_S
    status: int | None = None
    try:
        while status != 200 or answered != set(behind):
            status = status if status == 200 else readyz(port)
            for running in started:
                if running.ended:
                    name, log = running.program.name, running.program.log
                    raise LauncherError(f"{name} ended; its log {log} ends:\n{running.last_words()}")
            if time.monotonic() > deadline:
                silent = [] if status == 200 else [f"web (/readyz: {status or 'no answer'})"]
                silent += sorted(set(behind) - answered)
                raise LauncherError(
                    f"not ready within {READY_WITHIN_S:.0f} s; no answer from {', '.join(silent)} (logs in "
                    f"{started[0].program.log.parent})"
                )
            time.sleep(0.05)
    finally:
        asking.kill()
        asking.wait()
        listener.join()


def readyz(port: int) -> int | None:
    """Status of one request, None without an answer.

    The library's own client would stay in memory with all that it loads for TLS and mail: 3 MB.
    """
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=5) as connection,
            connection.makefile("rb") as answer,
        ):
            connection.sendall(f"GET /readyz HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            status = answer.read().split()[1:2]
    except OSError:
        return None
    return int(status[0]) if status and status[0].isdigit() else None


def keep_running(*groups: list[Running]) -> None:
    """Start again whatever ends, for ever; the lists always hold what runs now."""
    restarts: dict[str, list[float]] = {}
    while True:
        time.sleep(0.3)
        reap_orphans({running.process.pid for group in groups for running in group})
        for group in groups:
            for position, running in enumerate(group):
                earlier = restarts.setdefault(running.program.name, [])
                if running.ended and is_due(earlier, time.monotonic()):
                    earlier.append(time.monotonic())
                    report_exit(running)
                    group[position] = Running(running.program)


def is_due(restarts: Sequence[float], now: float) -> bool:
    """Whether a program that was restarted at these times (s) and ended again is to be started now.

    At once, but not if it keeps ending: what ends it, such as a full disk, may pass, and the others go on meanwhile.
    """
    recent = [moment for moment in restarts if now - moment < 60]
    return len(recent) < RESTARTS_AT_ONCE or now - recent[-1] >= RESTART_PAUSE_S


def report_exit(running: Running) -> None:
    program = running.program
    say(f"{program.name} ended with status {running.process.returncode}; starting it again (log: {program.log})")
