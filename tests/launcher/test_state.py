"""Who holds a state folder, and who waits for whom."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from launcher.console import LauncherError
from launcher.state import ServicesRun, State


class Waiting:
    """Another launcher that wants the folder, in a thread; `ended` has what came of it."""

    def __init__(self, state: State, **how: str) -> None:
        self.state, self.how = state, how
        self.ended: list[object] = []
        self.thread = threading.Thread(target=self._hold, daemon=True)
        self.thread.start()

    def _hold(self) -> None:
        try:
            with self.state.held("manage", **self.how):
                self.ended.append("held")
        except (ServicesRun, LauncherError) as error:
            self.ended.append(error)

    def wait(self) -> object:
        self.thread.join(30)
        return self.ended[0]


@pytest.fixture
def announced(capfd: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Wait until a launcher has output these words."""

    def wait(words: str) -> None:
        output = ""
        for _ in range(600):
            output += capfd.readouterr().err
            if words in output:
                return
            threading.Event().wait(0.05)
        raise AssertionError(output)

    return wait


def test_a_command_shares_the_services_of_an_up_that_becomes_ready(tmp_path: Path, announced) -> None:
    """Somebody who types `manage` while `up` starts need not stop it first."""
    state = State(tmp_path)
    with state.held("up") as lock:
        waiting = Waiting(state, share="up")
        announced("waiting until ./dev.py up")
        assert waiting.ended == []
        lock.publish({"DATABASE_URL": "postgresql:///highwater"})
        ended = waiting.wait()
    assert isinstance(ended, ServicesRun)
    assert ended.environment == {"DATABASE_URL": "postgresql:///highwater"}


def test_a_command_waits_for_the_end_of_another(tmp_path: Path, announced) -> None:
    state = State(tmp_path)
    with state.held("manage"):
        waiting = Waiting(state, share="up")
        announced("waiting until ./dev.py manage")
        assert waiting.ended == []
    assert waiting.wait() == "held"


def test_a_second_up_is_refused(tmp_path: Path) -> None:
    state = State(tmp_path)
    with state.held("up") as lock:
        lock.publish({})
        ended = Waiting(state, refuse="up").wait()
    assert isinstance(ended, LauncherError)
    assert "already running: ./dev.py up" in str(ended)
