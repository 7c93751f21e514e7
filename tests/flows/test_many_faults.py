"""A thousand faults, drawn at random, while sites upload: nothing acknowledged is lost, nothing is done twice.

`./dev.py test --deep tests/flows/test_many_faults.py --faults 50 -s` draws fewer. The seed is fixed: the same faults in
the same order. What is not drawn: a full disk (tests/submissions/bundles/test_storage_outage.py) and clocks apart.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import RunningSite, started_site, wait_until
from tests.flows.faults import (
    children,
    kill_children_of_the_worker,
    kill_database,
    kill_prompt_worker,
    kill_web_process,
    kill_worker,
    lose_what_the_broker_holds,
    program,
    state_of,
    upload,
)
from tests.make_io500 import make_archive

pytestmark = [pytest.mark.services, pytest.mark.deep]

SEED = 20261124
UPLOADERS = 2
PAUSE_S = 1.0
"""Between two uploads of one client: the faults meet some that are under way, and the queue stays short."""
STOPPED_S = (0.1, 1.0)
FLIPPED_AT_MOST = 20
"""Files with a flipped bit; each is healed by the same bytes at the end."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A registry of this drill's own: it leaves damaged files behind."""
    with started_site(tmp_path_factory.mktemp("faults")) as running_site:
        yield running_site


class Uploads:
    """Clients that upload new archives until they are stopped, and what was acknowledged to them."""

    def __init__(self, site: RunningSite, token: str, folder: Path) -> None:
        self.site, self.token, self.folder = site, token, folder
        self.acknowledged: dict[str, bytes] = {}
        """The bytes by the id that a 202 or a 200 gave."""
        self.statuses: Counter[int | None] = Counter()
        self.stopping, self.turn, self.number = threading.Event(), threading.Lock(), 0
        self.threads = [threading.Thread(target=self._upload_on) for _ in range(UPLOADERS)]

    def __enter__(self) -> Uploads:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def _upload_on(self) -> None:
        while not self.stopping.wait(PAUSE_S):
            with self.turn:
                self.number += 1
                performance = 2 + self.number / 100_000
            content = make_archive(
                self.folder / f"{threading.get_ident()}.tar.gz", performance=performance
            ).read_bytes()
            answer = upload(self.site, self.token, content)
            self.statuses[answer.status if answer else None] += 1
            if answer and answer.status in (200, 202):
                self.acknowledged[answer.json["id"]] = content


def stop_for_a_moment(site: RunningSite, word: str, seconds: float) -> None:
    """Stop a program with all its processes, and let it go on."""
    first = program(site, word)
    stopped = [first, *children(first)]
    try:
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        threading.Event().wait(seconds)
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)


def flip_a_bit(site: RunningSite, uploads: Uploads, drawn: random.Random, flipped: dict[str, bytes]) -> None:
    """In the stored bytes of a submission that was checked."""
    for id, content in drawn.sample(sorted(uploads.acknowledged.items()), k=min(5, len(uploads.acknowledged))):
        path = stored_path(site, content)
        if id not in flipped and state_of(site, uploads.token, id) == "checked":
            damaged = bytearray(content)
            damaged[drawn.randrange(len(damaged))] ^= 1 << drawn.randrange(8)
            path.chmod(0o600)
            path.write_bytes(damaged)
            flipped[id] = content
            return


def stored_path(site: RunningSite, content: bytes) -> Path:
    sha256 = hashlib.sha256(content).hexdigest()
    return site.state / "bundles" / "received" / sha256[:2] / sha256[2:4] / sha256


def test_a_thousand_faults_lose_nothing(
    site: RunningSite, tmp_path: Path, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    count, drawn, flipped = request.config.getoption("--faults"), random.Random(SEED), dict[str, bytes]()
    token = site.token("grace", institution="failing-lab")
    made_faults: Counter[str] = Counter()
    with Uploads(site, token, tmp_path) as uploads:
        faults: dict[str, tuple[int, Callable[[], None]]] = {
            "kill a process of the worker": (25, lambda: kill_children_of_the_worker(site)),
            "kill the worker": (10, lambda: kill_worker(site)),
            "kill the prompt worker": (5, lambda: kill_prompt_worker(site)),
            "kill a web process": (20, lambda: kill_web_process(site)),
            "kill the database": (5, lambda: kill_database(site)),
            "empty the broker": (5, lambda: lose_what_the_broker_holds(site)),
            "stop the database": (10, lambda: stop_for_a_moment(site, "/postgres ", drawn.uniform(*STOPPED_S))),
            "stop the broker": (10, lambda: stop_for_a_moment(site, "valkey-server", drawn.uniform(*STOPPED_S))),
            "stop the worker": (8, lambda: stop_for_a_moment(site, " processing,check ", drawn.uniform(*STOPPED_S))),
            "flip a bit": (2, lambda: flip_a_bit(site, uploads, drawn, flipped)),
        }
        names, weights = list(faults), [weight for weight, _ in faults.values()]
        begun = time.monotonic()
        for name in drawn.choices(names, weights, k=count):
            if name == "flip a bit" and len(flipped) >= FLIPPED_AT_MOST:
                name = "kill a process of the worker"
            wait_until(lambda name=name: is_whole(site) and is_made(faults[name][1]))
            made_faults[name] += 1
        wait_until(lambda: is_whole(site))
        lasted_s = time.monotonic() - begun
    print(f"\n{count} faults in {lasted_s:.0f} s: {dict(made_faults)}; answers to uploads: {dict(uploads.statuses)}")
    for id in uploads.acknowledged:
        wait_until(lambda id=id: state_of(site, token, id) == "checked")
    histories = {id: site.done("GET", f"submissions/{id}/history/", token) for id in uploads.acknowledged}
    twice = {id for id, history in histories.items() if times_settled(history) != 1}
    assert twice == set(), "checked more than once"
    assert len({hashlib.sha256(content).digest() for content in uploads.acknowledged.values()}) == len(histories)
    assert set(uploads.statuses) <= {200, 202, 503, None}
    for id, content in flipped.items():
        assert stored_path(site, content).read_bytes() != content
        again = upload(site, token, content)
        assert again and (again.status, again.json["id"]) == (200, id)
    damaged = [id for id, content in uploads.acknowledged.items() if stored_path(site, content).read_bytes() != content]
    assert damaged == []
    site.manage("verify_history")


def is_made(fault: Callable[[], None]) -> bool:
    """Make a fault; False where what it meets is just being started again."""
    try:
        fault()
    except (ValueError, IndexError, OSError):
        return False
    return True


def is_whole(site: RunningSite) -> bool:
    """Whether each program runs, so that the next fault meets all of them, and the site answers."""
    try:
        for word in (" processing,check ", " prompt ", "gunicorn", "/postgres ", "valkey-server"):
            program(site, word)
        return bool(children(program(site, "gunicorn")) and children(program(site, " processing,check "))) and (
            site.ask("GET", "readyz").status == 200
        )
    except (ValueError, OSError):
        return False


def times_settled(history: object) -> int:
    """How often a check ended, by the history of a submission."""
    rows = history["results"] if isinstance(history, dict) else history
    return sum(row["to_state"] in ("checked", "invalid") for row in rows)  # type: ignore[union-attr]
