"""The scheduler keeps its intervals when the clock is put ahead or back, and fills no queue. A failed worker ends."""

from __future__ import annotations

import gc
import pickle
import runpy
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from celery.signals import worker_before_create_process
from django.conf import settings

from registry.celery import (
    MOST_WAITING,
    SCHEDULER_NOTE,
    ModestScheduler,
    SteadyEntry,
    app,
    scheduler_last_sent,
    steady_now,
    waiting_tasks,
)
from tests.running import ROOT, wait_until


def entry_that_ran(seconds_ago: float) -> SteadyEntry:
    last_run_at = steady_now() - timedelta(seconds=seconds_ago)
    return SteadyEntry(task="registry.tasks.append_log", schedule=60.0, last_run_at=last_run_at, app=app)


@pytest.mark.parametrize("days", [-400, -1, 1, 400])
def test_an_interval_is_kept_when_the_clock_is_moved(days: int) -> None:
    fresh, old = entry_that_ran(0), entry_that_ran(61)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=days), tick=True):
        is_due, seconds = fresh.is_due()
        assert (is_due, 55 < seconds <= 60) == (False, True)
        assert old.is_due().is_due
        assert abs(next(old).last_run_at - steady_now()) < timedelta(seconds=5)


def test_a_last_run_to_come_counts_as_just_now() -> None:
    """It was kept by an earlier process, whose clock was ahead."""
    is_due, seconds = entry_that_ran(-86_400).is_due()
    assert (is_due, 55 < seconds <= 60) == (False, True)


def test_an_entry_is_kept_between_two_runs() -> None:
    entry = pickle.loads(pickle.dumps(entry_that_ran(10)))
    assert (type(entry), entry.schedule.seconds, entry.schedule.nowfun) == (SteadyEntry, 60, steady_now)


def test_no_periodic_task_has_a_time_of_expiry() -> None:
    assert all("options" not in entry for entry in settings.CELERY_BEAT_SCHEDULE.values())


def test_a_full_queue_gets_no_more_tasks(tmp_path: Path) -> None:
    scheduler = ModestScheduler(app, schedule_filename=str(tmp_path / "schedule"), lazy=True)
    entry = entry_that_ran(61)
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("prompt")
        try:
            for _ in range(MOST_WAITING + 5):
                scheduler.apply_async(entry, advance=False)
            assert waiting_tasks(broker, "prompt") == MOST_WAITING
            assert waiting_tasks(broker, "nobody-declared") == 0
            broker.default_channel.queue_purge("prompt")
            assert scheduler.apply_async(entry, advance=False) is not None
        finally:
            broker.default_channel.queue_purge("prompt")


WEDGED_WORKER = """
import os, signal, sys
from celery import bootsteps
from registry.celery import app

class Unfinished:  # a task in hand, as the pool keeps it
    _worker_lost = None
    def ready(self):
        return False

class Failing(bootsteps.StartStopStep):
    requires = {"celery.worker.components:Pool"}

    def start(self, worker):
        pool = worker.pool._pool
        pool._cache[1] = Unfinished()
        for process in list(pool._pool):
            os.write(process.outq._writer.fileno(), b"\\0\\0\\0\\x40half a message")
            print("process", process.pid, flush=True)
            os.kill(process.pid, signal.SIGKILL if sys.argv[1] == "killed" else 0)
        raise OSError(28, "No space left on device")

app.steps["worker"].add(Failing)
app.worker_main(["worker", "--queues", "nobody", "--concurrency", "2", "--without-gossip", "--without-mingle"])
"""


@pytest.mark.parametrize("processes", ["killed", "alive"])
def test_a_worker_that_cannot_go_on_ends_at_once(processes: str) -> None:
    """Celery's own waits for the rest of a message that a killed process began."""
    done = subprocess.run(
        [sys.executable, "-c", WEDGED_WORKER, processes], capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    assert done.returncode == 1, done.stderr
    pids = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("process ")]
    assert len(pids) == 2
    wait_until(lambda: not any(is_alive(pid) for pid in pids), "the processes of the worker to end")


WORKER_WITH_LIMITS = """
import sys
from billiard.compat import mem_rss
from celery import bootsteps
from registry.celery import app

class Telling(bootsteps.StartStopStep):
    requires = {"celery.worker.components:Pool"}

    def start(self, worker):
        print("limit", worker.pool._pool._max_memory_per_child, mem_rss(), flush=True)
        raise OSError(28, "No space left on device")

app.steps["worker"].add(Telling)
app.worker_main(["worker", "--queues", sys.argv[1], "--concurrency", "1", "--without-gossip", "--without-mingle"])
"""


@pytest.mark.parametrize("queues", ["prompt", "processing,check", "prompt,check"])
def test_processes_for_prompt_tasks_give_back_what_a_large_one_took(queues: str) -> None:
    """Those that read what strangers sent have a warm process, which would be started again each time."""
    # A shell in between: a program begins with the peak of memory of who started it, and this process is large.
    started = ["sh", "-c", '"$@"; exit', "sh", sys.executable, "-c", WORKER_WITH_LIMITS, queues]
    done = subprocess.run(started, capture_output=True, text=True, timeout=120, cwd=ROOT)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("limit "))
    limit_kib, used_kib = map(int, line.split()[1:])
    usual_kib = settings.CELERY_WORKER_MAX_MEMORY_PER_CHILD
    if queues == "prompt":
        assert used_kib < limit_kib + 4096 and limit_kib < min(usual_kib, used_kib + 16 * 1024)
    else:
        assert limit_kib == usual_kib


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_new_processes_share_what_is_loaded() -> None:
    before = gc.get_freeze_count()
    try:
        worker_before_create_process.send(sender=None)
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()


def test_web_processes_share_what_is_loaded(monkeypatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "none")
    settings_of_gunicorn = runpy.run_path(str(ROOT / "gunicorn.conf.py"))
    before = gc.get_freeze_count()
    try:
        settings_of_gunicorn["pre_fork"](None, None)
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()


SCHEDULER_AT_WORK = """
import sys
from registry.celery import app

app.Beat(quiet=True).init_loader()
print(sorted(name for name in sys.modules if name.startswith(("registry.models", "registry.tasks", "submissions"))))
"""


def test_the_scheduler_loads_no_tasks_and_no_models() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCHEDULER_AT_WORK], capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_the_scheduler_leaves_a_note_with_what_it_sends(tmp_path: Path) -> None:
    scheduler = ModestScheduler(app, schedule_filename=str(tmp_path / "schedule"), lazy=True)
    with app.connection_for_write() as broker:
        broker.default_channel.client.delete(SCHEDULER_NOTE)
        try:
            assert scheduler_last_sent() is None
            before = time.time()
            scheduler.apply_async(entry_that_ran(61), advance=False)
            assert before <= (scheduler_last_sent() or 0) <= time.time()
        finally:
            broker.default_channel.queue_purge("prompt")
