"""A scheduler whose clock is wrong goes on: what was lost is found, whatever time it thinks it is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.clocks import Clocks, make_clocks
from tests.flows.conftest import RunningSite, started_site, wait_until
from tests.flows.faults import lose_what_the_broker_holds, program, state_of, upload
from tests.make_io500 import make_archive

pytestmark = [pytest.mark.services, pytest.mark.deep]


@pytest.fixture(scope="module")
def clocks() -> Iterator[Clocks]:
    folder = Path(tempfile.mkdtemp(prefix="hw-"))
    folder.chmod(0o755)  # PostgreSQL runs as another account where we are root
    try:
        yield make_clocks(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def site(clocks: Clocks) -> Iterator[RunningSite]:
    with started_site(clocks.folder / "state", clocks.environment) as running_site:
        yield running_site


@pytest.mark.parametrize("seconds", [86_400, -86_400, 0])
def test_a_lost_task_is_sent_again(site: RunningSite, clocks: Clocks, tmp_path: Path, seconds: int) -> None:
    """In this order: a clock that was a day ahead is put back by two days, too."""
    token = site.token("grace", institution="failing-lab")
    clocks.shift(program(site, " beat "), seconds)
    answers = []
    for number in range(2):
        content = make_archive(tmp_path / "run.tar.gz", performance=3 + number / 100 + seconds / 1e7).read_bytes()
        answers.append(upload(site, token, content))
        lose_what_the_broker_holds(site)
        wait_until(lambda: site.ask("GET", "readyz").status == 200)
    for answer in answers:
        assert answer and answer.status == 202
        wait_until(lambda id=answer.json["id"]: state_of(site, token, id) == "checked")
