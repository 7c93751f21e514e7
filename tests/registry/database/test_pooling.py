"""A pooler in transaction mode is refused at the start of each process; one in session mode serves."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from registry.database import pooling
from tests.running import ROOT, free_port
from tests.submissions.conftest import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.services,
    pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="no pgbouncer here"),
]

Pooler = Callable[..., str]


@pytest.fixture
def start_pooler(tmp_path: Path) -> Iterator[Pooler]:
    """Starts PgBouncer before the database of the tests; gives the address that leads through it."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(mode: str, **options: str | int) -> str:
        database = connection.get_connection_params()
        port = free_port()
        lines = [
            "[databases]",
            f"pooled = host={database['host']} dbname={database['dbname']} user={database.get('user', 'highwater')}",
            "[pgbouncer]",
            *(f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any").split("\n"),
            f"pool_mode = {mode}",
            *(f"{name} = {value}" for name, value in options.items()),
        ]
        if os.getuid() == 0:
            # It reads its file as root, and serves as the account that may use PostgreSQL's socket.
            lines.append(f"user = {Path(database['host']).owner()}")
        config = tmp_path / f"{mode}.ini"
        config.write_text("\n".join(lines) + "\n")
        processes.append(subprocess.Popen(["pgbouncer", str(config)], stderr=subprocess.DEVNULL))
        wait_until(lambda: _listens(port))
        return f"postgresql://anybody@127.0.0.1:{port}/pooled"

    yield start
    for process in processes:
        process.terminate()
        process.wait(60)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def connect(url: str) -> Callable[[], psycopg.Connection]:
    return lambda: psycopg.connect(url, autocommit=True)


def test_a_direct_connection_to_postgresql_is_recognised() -> None:
    parameters = {key: value for key, value in connection.get_connection_params().items() if key != "cursor_factory"}
    with psycopg.connect(**parameters, autocommit=True) as direct:
        assert pooling.is_direct(direct)


@pytest.mark.parametrize("round_robin", [0, 1])
def test_transaction_mode_is_refused(start_pooler: Pooler, round_robin: int) -> None:
    url = start_pooler("transaction", server_round_robin=round_robin)
    with psycopg.connect(url, autocommit=True) as pooled:
        assert not pooling.is_direct(pooled)
    with pytest.raises(pooling.TransactionPooling, match="pool_mode = session"):
        pooling.refuse_transaction_pooling(connect(url))


@pytest.mark.parametrize("mode", ["transaction", "statement"])
@pytest.mark.parametrize("size", [1, 2, 20])
def test_pools_of_any_size_that_change_the_connection_are_refused(start_pooler: Pooler, mode: str, size: int) -> None:
    url = start_pooler(mode, default_pool_size=size)
    with pytest.raises(pooling.TransactionPooling):
        pooling.refuse_transaction_pooling(connect(url))


def test_a_busy_pool_that_changes_the_connection_is_refused(start_pooler: Pooler) -> None:
    """Others work meanwhile and end: what the pooler hands out next is not what it handed out before."""
    url = start_pooler("transaction", default_pool_size=8)
    with ExitStack() as stack:
        for _ in range(6):
            other = stack.enter_context(psycopg.connect(url))
            other.execute("SELECT 1")
        with pytest.raises(pooling.TransactionPooling):
            pooling.refuse_transaction_pooling(connect(url))


def test_session_mode_is_accepted(start_pooler: Pooler) -> None:
    pooling.refuse_transaction_pooling(connect(start_pooler("session")))


def test_processes_do_not_start_behind_transaction_mode(start_pooler: Pooler) -> None:
    url = start_pooler("transaction")
    for command in (
        ["manage.py", "verify_history"],
        ["-m", "gunicorn", "registry.wsgi", "--bind", f"127.0.0.1:{free_port()}", "--workers", "1"],
        ["-m", "celery", "--app", "registry", "worker", "--pool", "solo", "--queues", "nothing"],
    ):
        ended = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": url},
            capture_output=True,
            timeout=60,
        )
        assert ended.returncode != 0, command
        assert b"pool_mode = session" in ended.stdout + ended.stderr, command


def test_the_web_serves_through_session_mode(start_pooler: Pooler) -> None:
    environment = os.environ | {"DATABASE_URL": start_pooler("session", default_pool_size=1)}
    code = "import django; django.setup(); from registry import database; database.refuse_wrong_pooler()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, timeout=60)
