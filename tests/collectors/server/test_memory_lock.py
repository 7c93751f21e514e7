"""Two `verify` at once: one of them replaces what is remembered of a log, and the other waits for it, for a while."""

from __future__ import annotations

import fcntl

import pytest

from tests.collectors.server.log.made_log import MadeLog
from tests.collectors.server.test_verify import ANSWER, FACTS, LIST, envelope, memory_files, show


@pytest.fixture
def log(peer):
    """A registry with one published result and the record of a list in a log of 9."""
    log = MadeLog().fill(5)
    log.add(envelope("result", FACTS))
    log.add(envelope("list", LIST))
    show(peer, log.fill(2), facts=ANSWER)
    return log


@pytest.fixture
def lock(reader, log):
    """The path of the lock, which lies there after a first `verify`."""
    assert reader("verify", "hw-1").returncode == 0
    return reader.home / ".config" / "highwater" / "log" / ".lock"


def test_a_lock_of_another_process_is_waited_for_in_vain(every_python, reader, peer, log, lock):
    (path,) = memory_files(reader)
    before = path.read_text()
    show(peer, log.fill(3), facts=ANSWER)
    with lock.open("r+") as stream:
        fcntl.lockf(stream, fcntl.LOCK_EX)
        command = reader("verify", "hw-1", "--timeout", "1", python=every_python)
    assert (command.returncode, path.read_text()) == (3, before), command.stdout + command.stderr
    assert f"Another `verify` holds {lock} for longer than 1 s. Run it again" in command.stdout
    assert reader("verify", "hw-1", python=every_python).returncode == 0
    assert path.read_text() != before


def test_a_lock_file_that_nobody_holds_locks_nothing(reader, peer, log, lock):
    lock.write_text("of a process that was killed")
    show(peer, log.fill(3), facts=ANSWER)
    assert reader("verify", "hw-1").returncode == 0


def test_a_lock_that_leads_elsewhere_is_refused(reader, peer, log, lock, tmp_path):
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    show(peer, log.fill(3), facts=ANSWER)
    command = reader("verify", "hw-1")
    assert (command.returncode, (tmp_path / "elsewhere").exists()) == (2, False)
    assert f"{lock} cannot be written" in command.stderr


def test_a_log_without_news_takes_no_lock(reader, lock):
    with lock.open("r+") as stream:
        fcntl.lockf(stream, fcntl.LOCK_EX)
        assert reader("verify", "hw-1", "--timeout", "1").returncode == 0
