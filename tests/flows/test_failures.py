"""Whatever is killed while sites upload: what was accepted is checked, what was refused is told when to come back."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from tests.flows.conftest import WITHIN_S, RunningSite, wait_until
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
from tests.running import Answer

pytestmark = [pytest.mark.services, pytest.mark.deep]

CLIENTS = 3


@pytest.fixture(scope="module")
def token(site: RunningSite) -> str:
    return site.token("grace", institution="failing-lab")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    """Ever new archives of valid runs."""
    folder = tmp_path_factory.mktemp("archives")
    return (make_archive(folder / "run.tar.gz", performance=2 + number / 1000).read_bytes() for number in count())


FAILURES = [
    kill_children_of_the_worker,
    kill_worker,
    kill_prompt_worker,
    kill_web_process,
    kill_database,
    lose_what_the_broker_holds,
]


@pytest.mark.parametrize("fail", FAILURES)
def test_accepted_uploads_are_checked(
    site: RunningSite, token: str, archives: Iterator[bytes], fail: Callable[[RunningSite], None]
) -> None:
    turn, begun, failed = threading.Lock(), threading.Semaphore(0), threading.Event()

    def client(_: int) -> list[Answer | None]:
        """Upload before and through the failure, until two in a row are accepted after it."""
        answers: list[Answer | None] = []
        accepted_after, deadline = 0, time.monotonic() + WITHIN_S
        while accepted_after < 2:
            assert time.monotonic() < deadline, "no upload was accepted after the failure"
            with turn:
                content = next(archives)
            after = failed.is_set()
            answers.append(answer := upload(site, token, content))
            accepted_after = accepted_after + 1 if after and answer and answer.status == 202 else 0
            begun.release()
        return answers

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(client, number) for number in range(CLIENTS)]
        assert all(begun.acquire(timeout=WITHIN_S) for _ in range(2 * CLIENTS))
        fail(site)
        failed.set()
    answers = [answer for future in clients for answer in future.result() if answer]
    for refused in (answer for answer in answers if answer.status != 202):
        assert (refused.status, refused.headers["Content-Type"]) == (503, "application/problem+json")
        assert int(refused.headers["Retry-After"]) > 0
    for id in (answer.json["id"] for answer in answers if answer.status == 202):
        wait_until(lambda id=id: state_of(site, token, id) == "checked")
    wait_until(lambda: site.ask("GET", "healthz").status == 200)
    stored = list((site.state / "bundles" / "received").glob("??/??/*"))
    assert [path for path in stored if hashlib.sha256(path.read_bytes()).hexdigest() != path.name] == []


def test_a_hanging_cache_or_broker_stops_no_host(site: RunningSite, token: str, archives: Iterator[bytes]) -> None:
    """They neither answer nor hang up: pages are answered, uploads kept, and only /metrics tells."""
    broker = program(site, "valkey-server")
    os.kill(broker, signal.SIGSTOP)
    try:
        answer = upload(site, token, next(archives))
        pages = [site.ask("GET", path).status for path in ("readyz", "healthz", "livez", "", "releases/", "login/")]
        figures = site.ask("GET", "metrics").body.decode()
    finally:
        os.kill(broker, signal.SIGCONT)
    assert pages == [200] * 6
    for source in ("queues", "scheduler", "caching"):
        assert f'highwater_source_up{{source="registry.metrics.{source}"}} 0.0' in figures
    assert answer and answer.status == 202
    wait_until(lambda: state_of(site, token, answer.json["id"]) == "checked")


def test_a_hanging_database_is_reported_until_it_recovers(site: RunningSite, token: str) -> None:
    """Its processes are stopped in the middle of what they do, so nobody refuses a connection or closes one."""
    database = program(site, "/postgres ")
    stopped = [database, *children(database)]
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        answers = {path: site.ask("GET", path, token) for path in ("livez", "readyz", "releases/", "api/v1/releases/",
                                                                   "login/", "api/v1/submissions/")}  # fmt: skip
    finally:
        for process in reversed(stopped):
            os.kill(process, signal.SIGCONT)
    assert answers.pop("livez").status == 200
    assert answers.pop("readyz").status == 503
    for path, answer in answers.items():
        assert (answer.status, answer.headers["Retry-After"]) == (503, "10"), path
    wait_until(lambda: site.ask("GET", "releases/").status == 200)
