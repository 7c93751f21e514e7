"""The private PostgreSQL and Valkey, on machines that make it hard."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from launcher import databases
from launcher.console import LauncherError
from launcher.environment import Environment
from launcher.state import State, own_folder
from tests.launcher.conftest import DEV, WITHIN_S, processes_of, run, variables

NOBODY = 65534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run things as another account")
WHO = "from django.db import connection as c; u = c.cursor(); u.execute('SELECT current_user'); print(u.fetchone()[0])"
ASK = ("manage", "shell", "-v", "0", "-c", WHO)


@pytest.mark.services
def test_manage_starts_the_services_and_stops_them_after(folder: Path) -> None:
    query_run = run(folder / "manage", *ASK)
    assert query_run.stdout == "highwater\n", query_run.stderr
    assert processes_of(folder / "manage") == {}


@pytest.mark.services
def test_manage_passes_on_the_exit_status(folder: Path) -> None:
    assert run(folder / "manage", "manage", "shell", "-c", "raise SystemExit(7)").returncode == 7


@pytest.mark.services
def test_a_path_too_long_for_a_socket_moves_the_sockets(folder: Path) -> None:
    state = folder / ("long-" * 20)
    query_run = run(state, *ASK)
    moved = own_folder(Path("/tmp"), state)
    try:
        assert query_run.stdout == "highwater\n", query_run.stderr
        assert (moved / "postgres").is_dir()
        assert not (state / "sockets").exists()
    finally:
        shutil.rmtree(moved)


@AS_ROOT
@pytest.mark.services
def test_a_closed_folder_stays_closed(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    query_run = run(home / "state", *ASK)
    copied = [own_folder(Path("/var/tmp"), home / "state"), own_folder(Path("/tmp"), home / "state")]
    try:
        assert query_run.stdout == "highwater\n", query_run.stderr
        assert oct(home.stat().st_mode & 0o777) == "0o700"
        assert not list((home / "state").glob("postgres*"))
        assert [path.name for path in copied[0].glob("postgres*")] == ["postgres18"]
    finally:
        for copy in copied:
            shutil.rmtree(copy)


@AS_ROOT
@pytest.mark.services
def test_the_services_run_for_an_unprivileged_account(folder: Path) -> None:
    state = folder / "nobody"
    state.mkdir()
    os.chown(state, NOBODY, NOBODY)
    python = Path(os.path.realpath("/usr/bin/python3"))
    query_run = subprocess.run(
        [python, DEV, *ASK],
        env=variables(state, HOME=str(state)),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
    )
    if "Permission denied" in query_run.stderr:
        pytest.skip("another account may not run this environment")
    assert query_run.stdout == "highwater\n", query_run.stderr
    assert (state / "postgres18").stat().st_uid == NOBODY


def test_without_any_server_the_line_that_installs_one_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LauncherError, match="apt-get install redis-server"):
        databases.find_valkey(Environment(tmp_path))


def test_servers_that_are_named_are_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example.org/highwater")
    monkeypatch.setenv("BROKER_URL", "redis://queue.example.org/0")
    assert databases.servers(State(tmp_path), Environment(tmp_path), durable=True) == []


@pytest.mark.parametrize(
    ("broker", "cache"),
    [
        ("redis://queue.example.org:6379/0", "redis://queue.example.org:6379/1"),
        ("rediss://:word@queue.example.org/0", "rediss://:word@queue.example.org/1"),
        ("redis+socket:///run/valkey.sock?virtual_host=0", "unix:///run/valkey.sock?db=1"),
    ],
)
def test_the_cache_lies_beside_a_given_broker(broker: str, cache: str) -> None:
    assert databases.cache_beside(broker) == cache


def test_a_folder_that_somebody_else_made_is_refused(tmp_path: Path) -> None:
    ours = own_folder(tmp_path, Path("/any"))
    ours.rmdir()
    ours.symlink_to(tmp_path)
    with pytest.raises(LauncherError, match="belongs to somebody else"):
        own_folder(tmp_path, Path("/any"))
