"""A thousand faults, drawn at random, while sites upload: nothing acknowledged is lost, nothing is done twice.

Faults come in rounds of several at once. After each round the registry must be whole again, with few uploads that wait,
but for its clocks: each program may have another time of day until the end. The seed is fixed: the same faults in the
same rounds. `--faults 50 -s` draws fewer, and prints each round.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.flows.clocks import Clocks, make_clocks
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
from tests.flows.small_disks import fill_for_a_moment, mounted
from tests.make_io500 import make_archive

pytestmark = [pytest.mark.services, pytest.mark.deep]

SEED = 20261124
AT_ONCE = 8
"""Faults of one round. With more of them the programs are down most of the time, and there is little left to break."""
WAITING_AT_MOST = 20
"""Uploads that wait for their check when a round begins: else the worker is killed again before it did anything."""
ACKNOWLEDGED_PER_FAULT = 1
"""The least, before the next round begins: a fault that meets no upload proves nothing of uploads."""
UPLOADERS = 2
PAUSE_S = 1.0
"""Between two uploads of one client: the faults meet some that are under way, and the queue stays short."""
MOMENT_S = (0.1, 1.0)
"""How long a program is stopped, or a disk is full."""
APART_S = (1, 100_000)
"""How far a clock is put from the right time, to either side: up to a day and some hours."""
FLIPPED_AT_MOST = 20
"""Files with a flipped bit; each is healed by the same bytes at the end."""
WEB, WORKER, PROMPT, SCHEDULER = "gunicorn", " processing,check ", " prompt ", " beat "
DATABASE, BROKER = "/postgres ", "valkey-server"
MOVED_CLOCK = re.compile(
    r": (?:it is of [^,]+, and was recorded on |(?:its|a) record says [^,]+, and the checkpoint of )"
    r"|^And \d+ more records do not fit the times of the log\.$"
)
"""What verify_record says of the time of a record."""
PROGRAMS = (WEB, WORKER, PROMPT, SCHEDULER, DATABASE, BROKER)
"""Each by a word of its command line."""
DISK_MIB, ARCHIVE_DISK_MIB = 2048, 512


@dataclass(frozen=True)
class Drill:
    site: RunningSite
    clocks: Clocks
    drawn: random.Random

    @property
    def archive_disk(self) -> Path:
        return self.site.state / "bundles"


@pytest.fixture(scope="module")
def drill() -> Iterator[Drill]:
    """A registry of this drill's own, on small disks: one for archives, one for all else that it writes."""
    folder = Path(tempfile.mkdtemp(prefix="hw-"))
    folder.chmod(0o755)  # PostgreSQL runs as another account where we are root
    state = folder / "state"
    try:
        clocks = make_clocks(folder)
        with mounted(state, DISK_MIB), mounted(state / "bundles", ARCHIVE_DISK_MIB):
            (state / "scratch").mkdir()
            with started_site(state, clocks.environment | {"TMPDIR": str(state / "scratch")}) as site:
                yield Drill(site, clocks, random.Random(SEED))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Uploads:
    """Clients that upload new archives until they are stopped, and what was acknowledged to them."""

    def __init__(self, site: RunningSite, token: str, folder: Path) -> None:
        self.site, self.token, self.folder = site, token, folder
        self.acknowledged: dict[str, bytes] = {}
        """The bytes by the id that a 202 or a 200 gave."""
        self.unchecked: deque[str] = deque()
        """Their ids, oldest first, until they are seen to be checked."""
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
            if len(self.unchecked) > WAITING_AT_MOST:
                continue  # a slow machine checks no faster than this
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
                self.unchecked.append(answer.json["id"])

    def count_waiting(self) -> int:
        """How many wait for their check; asks for the oldest alone."""
        while self.unchecked and state_of(self.site, self.token, self.unchecked[0]) == "checked":
            self.unchecked.popleft()
        return len(self.unchecked)


def stop_for_a_moment(site: RunningSite, word: str, seconds: float) -> None:
    """Stop a program with all its processes, and let it go on."""
    first = program(site, word)
    stopped = [first, *children(first)]
    try:
        for process in stopped:
            send(process, signal.SIGSTOP)
        threading.Event().wait(seconds)
    finally:
        for process in stopped:
            send(process, signal.SIGCONT)


def send(process: int, number: signal.Signals) -> None:
    """A signal; nothing happens where another fault was faster and the process has ended."""
    with suppress(ProcessLookupError):
        os.kill(process, number)


def flip_a_bit(drill: Drill, uploads: Uploads, flipped: dict[str, bytes]) -> None:
    """In the stored bytes of a submission that was checked."""
    drawn, candidates = drill.drawn, sorted(uploads.acknowledged.items())
    for id, content in drawn.sample(candidates, k=min(5, len(candidates))):
        is_free = len(flipped) < FLIPPED_AT_MOST and id not in flipped
        if is_free and state_of(drill.site, uploads.token, id) == "checked":
            damaged = bytearray(content)
            damaged[drawn.randrange(len(damaged))] ^= 1 << drawn.randrange(8)
            path = stored_path(drill.site, content)
            path.chmod(0o600)
            path.write_bytes(damaged)
            flipped[id] = content
            return


def stored_path(site: RunningSite, content: bytes) -> Path:
    sha256 = hashlib.sha256(content).hexdigest()
    return site.state / "bundles" / "received" / sha256[:2] / sha256[2:4] / sha256


def put_clock_apart(drill: Drill) -> None:
    """That of one program, until its next start or until it is drawn again: by seconds, minutes, hours or a day."""
    least, most = APART_S
    apart = drill.drawn.choice((-1, 1)) * least * (most / least) ** drill.drawn.random()
    drill.clocks.shift(program(drill.site, drill.drawn.choice(PROGRAMS)), round(apart))


def kinds_of_faults(
    drill: Drill, uploads: Uploads, flipped: dict[str, bytes]
) -> dict[str, tuple[int, Callable[[], None]]]:
    """How often each is drawn, and what makes it."""
    site = drill.site

    def stop(word: str) -> Callable[[], None]:
        return lambda: stop_for_a_moment(site, word, drill.drawn.uniform(*MOMENT_S))

    def fill(disk: Path) -> Callable[[], None]:
        """To the last byte, or until less is free than the registry keeps in reserve."""
        return lambda: fill_for_a_moment(
            disk, drill.drawn.uniform(*MOMENT_S), free_bytes=drill.drawn.choice((0, 0, 10 * 1024**2))
        )

    return {
        "kill a process of the worker": (20, partial(kill_children_of_the_worker, site)),
        "kill the worker": (8, partial(kill_worker, site)),
        "kill the prompt worker": (5, partial(kill_prompt_worker, site)),
        "kill a web process": (14, partial(kill_web_process, site)),
        "kill the database": (5, partial(kill_database, site)),
        "empty the broker": (5, partial(lose_what_the_broker_holds, site)),
        "stop the database": (8, stop(DATABASE)),
        "stop the broker": (7, stop(BROKER)),
        "stop the worker": (6, stop(WORKER)),
        "put a clock apart": (10, partial(put_clock_apart, drill)),
        "fill the disk of archives": (6, fill(drill.archive_disk)),
        "fill the disk of the database": (4, fill(site.state)),
        "flip a bit": (2, partial(flip_a_bit, drill, uploads, flipped)),
    }


def test_no_upload_is_lost_by_a_thousand_faults(drill: Drill, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    site, flipped = drill.site, dict[str, bytes]()
    count: int = request.config.getoption("--faults")
    token = site.token("grace", institution="failing-lab")
    with Uploads(site, token, tmp_path) as uploads, ThreadPoolExecutor(AT_ONCE) as pool:
        faults = kinds_of_faults(drill, uploads, flipped)
        names = drill.drawn.choices(list(faults), [weight for weight, _ in faults.values()], k=count)
        begun = time.monotonic()
        for first in range(0, count, AT_ONCE):
            several = names[first : first + AT_ONCE]
            futures = [pool.submit(wait_until, partial(is_made, faults[name][1])) for name in several]
            for future in futures:
                future.result()
            wait_until(partial(is_next_round_due, site, uploads, (first + len(several)) * ACKNOWLEDGED_PER_FAULT))
            seconds = round(time.monotonic() - begun)
            print(f"{first + len(several)} faults in {seconds} s: {dict(uploads.statuses)}", flush=True)
        lasted_s = time.monotonic() - begun
        drill.clocks.put_right()
    print(f"\n{count} faults in {lasted_s:.0f} s: {dict(Counter(names))}; answers to uploads: {dict(uploads.statuses)}")
    assert len(uploads.acknowledged) >= count * ACKNOWLEDGED_PER_FAULT
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
    site.manage("append_log")
    explain_moved_clocks(site)
    site.manage("verify_record")


def explain_moved_clocks(site: RunningSite) -> None:
    """Say why times do not fit, as an operator does: a clock may be moved between two moments of one transaction.

    docs/log.md warns of such times; any other misfit stays for verify_record to name.
    """
    *misplaced, _ = site.manage("explain_times").splitlines()
    print(f"{len(misplaced)} lines about records whose clock was moved: {misplaced}")
    assert all(MOVED_CLOCK.search(line) for line in misplaced), misplaced
    if misplaced:
        site.manage("explain_times", "--reason", "This drill moves clocks by up to a day.", "--yes")
        site.manage("append_log")


def is_next_round_due(site: RunningSite, uploads: Uploads, acknowledged: int) -> bool:
    """Whether the registry is whole, few uploads wait, and so many were acknowledged since the beginning."""
    return is_whole(site) and uploads.count_waiting() <= WAITING_AT_MOST and len(uploads.acknowledged) >= acknowledged


def is_made(fault: Callable[[], None]) -> bool:
    """Make a fault; False where what it meets is just being started again."""
    try:
        fault()
    except (ValueError, IndexError, OSError):
        return False
    return True


def is_whole(site: RunningSite) -> bool:
    """Whether each program runs, so that the next round meets all of them, and the site answers."""
    try:
        for word in PROGRAMS:
            program(site, word)
        return bool(children(program(site, WEB)) and children(program(site, WORKER))) and (
            site.ask("GET", "readyz").status == 200
        )
    except (ValueError, OSError):
        return False


def times_settled(history: object) -> int:
    """How often a check ended, by the history of a submission."""
    rows = history["results"] if isinstance(history, dict) else history
    return sum(row["to_state"] in ("checked", "invalid") for row in rows)  # type: ignore[union-attr]
