"""`./dev.py up`: one command, and nothing left of it afterwards."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from launcher.console import LauncherError
from launcher.environment import Environment
from launcher.processes import Program, Running, stop
from launcher.site import RESTARTS_AT_ONCE, is_due, wait_until_ready
from tests.launcher.conftest import RUNNING, Up, processes_of, run, wait_until

pytestmark = pytest.mark.services


@pytest.fixture
def stopped(state: Path) -> Path:
    """A state folder in which nothing runs."""
    for running in RUNNING:
        running.end()
    wait_until(lambda: not processes_of(state), "the earlier registry is gone")
    return state


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def healthy(address: str) -> bool:
    with urllib.request.urlopen(f"{address}healthz") as answer:
        return answer.status == 200 and json.load(answer)["ok"]


def pids(state: Path, word: str) -> list[int]:
    """Processes of the state folder whose command line holds the word, oldest first."""
    return [process for process, command in processes_of(state).items() if word in command]


def test_the_address_is_printed_once_it_answers(up: Up) -> None:
    assert up.first_line == f"ready {up.address}"
    assert healthy(up.address)


def test_ready_waits_for_worker_and_scheduler_and_names_a_silent_one(up: Up, monkeypatch) -> None:
    """The registry that runs has a worker and a scheduler, which are not those that are asked for here."""
    monkeypatch.setattr("launcher.site.READY_WITHIN_S", 3.0)
    variables = json.loads((up.state / "lock").read_text())["environment"]
    deaf = [
        Running(Program(name, ["sleep", "600"], variables, up.state / "logs" / f"{name}.log"))
        for name in ("web", "worker", "prompt-worker", "scheduler")
    ]
    port = int(up.address.rstrip("/").rpartition(":")[2])
    try:
        with pytest.raises(LauncherError, match="no answer from prompt-worker, scheduler, worker "):
            wait_until_ready(port, Environment(Path(sys.prefix)), deaf)
    finally:
        stop(deaf)


def test_without_the_demo_the_record_is_empty(up: Up) -> None:
    with urllib.request.urlopen(f"{up.address}api/v1/releases/") as answer:
        assert json.load(answer)["results"] == []
    create_run = run(up.state, "manage", "create_release", "first", "--deadline", "2099-01-01T00:00:00Z")
    assert "io500" in create_run.stdout, create_run.stderr
    deleted = "from registry.models import Release; Release.objects.all().delete()"
    assert run(up.state, "manage", "shell", "-v", "0", "-c", deleted).returncode == 0


def settings_of(state: Path, word: str) -> dict[str, str]:
    """The environment of the first process with this word in its command line."""
    text = Path(f"/proc/{pids(state, word)[0]}/environ").read_text()
    return dict(line.split("=", 1) for line in text.split("\0") if line)


@pytest.mark.parametrize("word", ["gunicorn", "worker", "beat"])
def test_web_workers_and_scheduler_log_in_as_who_owns_nothing(up: Up, word: str) -> None:
    with psycopg.connect(settings_of(up.state, word)["DATABASE_URL"], autocommit=True) as connection:
        assert connection.execute("SELECT session_user").fetchone() == ("highwater_web",)
        connection.execute("SET ROLE highwater_app")
        assert connection.execute("SELECT count(*) >= 0 FROM submissions_event").fetchone() == (True,)
        for before in ("SET ROLE highwater_app", "RESET ROLE"):
            for statement in ("UPDATE registry_result SET score = 0", "DELETE FROM submissions_event"):
                connection.execute(before)
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET ROLE highwater")


def test_metrics_tell_that_the_web_owns_no_tables(up: Up) -> None:
    with urllib.request.urlopen(f"{up.address}metrics") as answer:
        assert b"\nhighwater_database_login_owns_tables 0.0\n" in answer.read()


def test_services_listen_on_unix_sockets_that_nobody_else_may_open(up: Up) -> None:
    sockets = up.state / "sockets"
    assert {path.name for path in sockets.rglob("*") if path.is_socket()} == {".s.PGSQL.5432", "valkey.sock"}
    assert [oct(path.stat().st_mode & 0o777) for path in sorted(sockets.iterdir())] == ["0o700", "0o700"]


def test_a_second_up_of_the_same_state_is_refused(up: Up) -> None:
    second = run(up.state, "up", "--port", "0")
    assert second.returncode == 1
    assert f"already running: ./dev.py up (process {up.process.pid}" in second.stderr
    assert healthy(up.address)


def test_manage_uses_the_services_that_run(up: Up) -> None:
    shell_run = run(up.state, "manage", "shell", "-v", "0", "-c", "import os; print(os.environ['DATABASE_URL'])")
    assert shell_run.returncode == 0, shell_run.stderr
    assert shell_run.stdout == f"postgresql:///highwater?host={up.state}/sockets/postgres&user=highwater\n"
    assert healthy(up.address)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "word"), [("worker", "celery"), ("web", "gunicorn"), ("valkey", "valkey-server")])
def test_killed_processes_are_started_again(up: Up, name: str, word: str) -> None:
    killed = pids(up.state, word)[0]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: f"{name} ended with status -9; starting it again" in up.said.read_text(), "it is noticed")
    wait_until(lambda: pids(up.state, word) and killed not in pids(up.state, word), "it runs again")
    wait_until(lambda: answers(up.address), "the registry is healthy again")


@pytest.mark.deep
def test_a_failing_process_does_not_stop_the_registry(up: Up) -> None:
    """As the worker does while the disk is full: it is tried again and again, and web and servers go on."""
    log_length = len(up.said.read_text())
    for _ in range(RESTARTS_AT_ONCE + 1):
        wait_until(lambda: pids(up.state, " beat "), "the scheduler runs again")
        (scheduler,) = pids(up.state, " beat ")
        os.kill(scheduler, signal.SIGKILL)
        wait_until(lambda ended=scheduler: ended not in pids(up.state, " beat "), "it has ended")
    wait_until(lambda: pids(up.state, " beat "), "the scheduler runs again")
    assert up.process.poll() is None
    # A worker may end, too, some time after the test above killed its broker.
    assert up.said.read_text()[log_length:].count("scheduler ended ") == RESTARTS_AT_ONCE + 1
    assert healthy(up.address)


@pytest.mark.parametrize(
    ("ended_ago", "due"),
    [([], True), ([1, 2, 3, 4], True), ([1, 2, 3, 4, 5], False), ([11, 12, 13, 14, 15], True), ([1, *[70] * 9], True)],
)
def test_a_failing_process_waits_before_further_starts(ended_ago: list[float], due: bool) -> None:
    now = 1000.0
    assert is_due(sorted(now - seconds for seconds in ended_ago), now) is due


def answers(address: str) -> bool:
    try:
        return healthy(address)
    except OSError:
        return False


def test_sigterm_stops_all_processes_in_order(up: Up) -> None:
    assert up.end(signal.SIGTERM) == 0
    assert up.process.stdout.read() == ""
    assert processes_of(up.state) == {}


def test_a_registry_whose_web_owned_the_tables_starts_with_the_new_login(stopped: Path) -> None:
    """As `up` left it before: no log-in of that name, and rights over whole tables."""
    former = "DROP OWNED BY highwater_web; DROP ROLE highwater_web; GRANT UPDATE ON registry_result TO highwater_app"
    code = f"from django.db import connection as c; c.cursor().execute({former!r})"
    former_run = run(stopped, "manage", "shell", "-v", "0", "-c", code)
    assert former_run.returncode == 0, former_run.stderr
    again = Up(stopped, "--port", "0", "--no-demo")
    try:
        assert healthy(again.address)
        with psycopg.connect(settings_of(again.state, "gunicorn")["DATABASE_URL"], autocommit=True) as connection:
            connection.execute("SET ROLE highwater_app")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("UPDATE registry_result SET score = 0")
    finally:
        again.end()


def test_the_next_port_is_used_for_a_busy_one(stopped: Path, busy_port: int) -> None:
    running = Up(stopped, "--port", str(busy_port), "--no-demo")
    try:
        assert f"port {busy_port} is busy; using " in running.said.read_text()
        assert running.address != f"http://127.0.0.1:{busy_port}/"
        assert healthy(running.address)
    finally:
        assert running.end(signal.SIGINT) == 0


@pytest.mark.parametrize("setting", ["DATABASE_URL", "BROKER_URL"])
def test_an_unreachable_server_is_named_without_its_password(stopped: Path, setting: str) -> None:
    scheme = {"DATABASE_URL": "postgresql", "BROKER_URL": "redis"}[setting]
    # Port 1 is reserved, and nothing listens there.
    refused = run(stopped, "up", "--port", "0", env={setting: f"{scheme}://alice:s3cret@127.0.0.1:1/0"})
    assert refused.returncode == 1
    assert f"cannot reach the server of {setting}" in refused.stderr
    assert "s3cret" not in refused.stderr
    assert refused.stdout == ""
    assert processes_of(stopped) == {}


@pytest.mark.deep
def test_sigkill_leaves_nothing_running_and_loses_nothing(stopped: Path) -> None:
    running = Up(stopped, "--port", "0", "--no-demo")
    run(stopped, "manage", "shell", "-v", "0", "-c", "from registry.models import Site; Site.objects.create(slug='a')")
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    wait_until(lambda: not processes_of(stopped), "nothing runs")
    delete_run = run(
        stopped,
        "manage",
        "shell",
        "-v",
        "0",
        "-c",
        "from registry.models import Site; print(Site.objects.filter(slug='a').delete())",
    )
    assert delete_run.stdout.startswith("(1,"), delete_run.stderr
