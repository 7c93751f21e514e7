"""Between `migrate` and the restart: the web of the earlier release goes on serving on the new schema.

Migrations expand first: what the earlier code reads and writes stays for one release (docs/operate.md, Upgrade).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deep import earlier_release
from tests.deep.differences import difference_of, judged
from tests.deep.intended import MOMENTARY, NO_DIGEST
from tests.deep.observation import Observation, observe
from tests.deep.population import module
from tests.running import ROOT, Registry, environment_for, free_port, running

pytestmark = [pytest.mark.deep, pytest.mark.services]


@pytest.fixture(scope="module")
def migrated(state: Path) -> Iterator[Registry]:
    """The earlier release at work, after this checkout's `migrate`."""
    checkout = state / "drill" / "checkout"
    with earlier_release.receiver(), running(checkout, state, free_port(), earlier_release.SITE_URL) as registry:
        command = [sys.executable, "dev.py", "manage", "--state", state, "migrate", "--no-input"]
        subprocess.run(command, cwd=ROOT, env=environment_for(ROOT), check=True, timeout=600)
        yield registry


def test_the_earlier_release_serves_the_same_pages_on_the_new_schema(state: Path, migrated: Registry) -> None:
    people = earlier_release.kept_people(state)
    before = Observation.load(state / "drill" / "before.json")
    unmeant, text = judged(difference_of(before, observe(migrated, people, state / "drill")), (*MOMENTARY, NO_DIGEST))
    assert not unmeant, text


def test_the_earlier_release_accepts_and_checks_a_run_on_the_new_schema(state: Path, migrated: Registry) -> None:
    people = earlier_release.kept_people(state)
    archive = module(ROOT, "make_io500").make_archive(state / "drill" / "between.tar.gz", performance=5.5)
    sent = migrated.send_file(
        "api/v1/submissions/", people.tokens["alice"], "bundle", archive.name, archive.read_bytes()
    )
    assert sent.status == 202, sent.body
    checked = migrated.settled(sent.json["id"], people.tokens["alice"])
    assert checked["state"] == "checked"


def test_the_earlier_release_creates_a_token_on_the_new_schema(state: Path, migrated: Registry) -> None:
    people = earlier_release.kept_people(state)
    assert migrated.ask("GET", "api/v1/submissions/", people.tokens["alice"]).status == 200
    answer = migrated.ask("POST", "api/v1/tokens/", people.tokens["alice"], {"name": "between", "scopes": ["read"]})
    assert answer.status == 201, answer.body
