"""Programs of `up` are forked from one process, and behave as if each had been started by itself."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.preload import Preloaded, reap_orphans
from launcher.processes import Program, Running, stop
from tests.launcher.conftest import Up, processes_of, wait_until

pytestmark = pytest.mark.services

PROGRAM = """
import json, os, signal, sys
print(json.dumps({
    "argv": sys.argv, "name": __name__, "parent": os.getppid(), "session": os.getsid(0), "process": os.getpid(),
    "standard input": os.read(0, 1).decode(), "files": list(map(int, os.listdir("/proc/self/fd"))),
    "loaded": "registry.models" in sys.modules, "modules": list(sys.modules),
}), flush=True)
if sys.argv[1] == "leave":
    if os.fork() == 0:
        os.setpgid(0, 0)
        signal.pause()
    os._exit(3)
signal.pause()
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory) -> Iterator[str]:
    """A program that tells how it was started."""
    folder = tmp_path_factory.mktemp("module")
    (folder / "tell_start.py").write_text(PROGRAM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        yield "tell_start"


@pytest.fixture(scope="module")
def inherited() -> Iterator[int]:
    with Path(os.devnull).open() as file:
        yield file.fileno()


@pytest.fixture(scope="module")
def preloaded(module: str, inherited: int) -> Iterator[Preloaded]:
    running = Preloaded(Path(sys.executable), os.environ, [inherited])
    yield running
    running.end()


@pytest.fixture
def begin(preloaded: Preloaded, module: str, tmp_path: Path) -> Iterator:
    """Start the program with a word; returns it with its report."""
    begun = []

    def start(word: str, files: tuple[int, ...] = ()) -> tuple[Running, dict]:
        log = tmp_path / f"{len(begun)}.log"
        argv = [Path(sys.executable), "-m", module, word, "/tmp/with space"]
        begun.append(Running(Program("told", argv, os.environ, log, inherited_files=files, preloaded=preloaded)))
        wait_until(lambda: log.read_text().endswith("\n"), "it has reported")
        return begun[-1], json.loads(log.read_text())

    yield start
    stop(begun)


def test_a_forked_program_is_a_child_of_the_launcher_in_a_session_of_its_own(begin, inherited: int) -> None:
    running, report = begin("stay", (inherited,))
    assert report["name"] == "__main__"
    assert report["argv"][1:] == ["stay", "/tmp/with space"]
    assert report["parent"] == os.getpid()
    assert report["process"] == report["session"] == running.process.pid
    assert report["standard input"] == ""
    assert inherited in report["files"]
    assert report["loaded"]


def test_modules_that_each_process_of_a_worker_needs_are_loaded_before_it_begins(begin) -> None:
    """The last one reads C for Celery, which sets a signal in each process of a worker."""
    needed = {"celery.worker.consumer.consumer", "celery.worker.strategy", "billiard.popen_fork", "pycparser.c_parser"}
    assert needed <= set(begin("stay")[1]["modules"])


def test_a_forked_program_has_the_command_line_of_its_own(begin) -> None:
    running, _ = begin("stay")
    words = Path(f"/proc/{running.process.pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    assert [os.fsdecode(word) for word in words] == [sys.executable, "-m", "tell_start", "stay", "/tmp/with space"]


def test_files_of_other_programs_are_closed(begin, inherited: int) -> None:
    assert inherited not in begin("stay")[1]["files"]


def test_the_end_of_a_forked_program_is_noticed(begin) -> None:
    running, _ = begin("stay")
    assert not running.ended
    with pytest.raises(subprocess.TimeoutExpired):
        running.process.wait(0)
    running.process.send_signal(signal.SIGUSR1)
    assert running.process.wait(60) == -signal.SIGUSR1
    assert running.ended


def test_an_ended_loader_is_started_again(begin, preloaded: Preloaded) -> None:
    survivor, _ = begin("stay")
    preloaded.process.kill()
    preloaded.process.wait()
    assert begin("stay")[1]["loaded"]
    assert not survivor.ended


def test_a_program_starts_by_itself_where_the_registry_cannot_be_loaded(module: str, tmp_path: Path) -> None:
    broken = Preloaded(Path(sys.executable), os.environ | {"DJANGO_SETTINGS_MODULE": "absent"}, [])
    log = tmp_path / "log"
    running = Running(Program("told", [sys.executable, "-m", module, "stay"], os.environ, log, preloaded=broken))
    try:
        wait_until(lambda: log.read_text().endswith("\n"), "it has reported")
        assert not json.loads(log.read_text())["loaded"]
    finally:
        stop([running])
        broken.end()


def test_children_that_a_program_left_are_reaped_and_its_own_end_is_not(begin) -> None:
    running, _ = begin("leave")
    reap_orphans({running.process.pid})
    assert running.process.wait(60) == 3
    (orphan,) = map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[-1:])
    os.kill(orphan, signal.SIGKILL)
    wait_until(lambda: Path(f"/proc/{orphan}/stat").read_text().rpartition(") ")[2][0] == "Z", "it has ended")
    reap_orphans(())
    assert not Path(f"/proc/{orphan}").exists()


def test_programs_of_up_share_most_of_their_memory(up: Up) -> None:
    """Each loads more than 100 MB, of which it has less than half for itself."""
    modules = ("-m gunicorn", "-m celery")
    programs = [process for process, words in processes_of(up.state).items() if any(map(words.__contains__, modules))]
    assert len(programs) >= 4
    for process in programs:
        memory = dict(re.findall(r"^(\w+): +(\d+) kB$", Path(f"/proc/{process}/smaps_rollup").read_text(), re.M))
        assert int(memory["Pss"]) < int(memory["Rss"]) / 2
