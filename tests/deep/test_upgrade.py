"""The upgrade drill: a registry of an earlier release, filled by people, is started by this checkout.

What was published says what it said, every file comes with its bytes, what was private is private, and the earlier
command line and Python client go on working. Differences that are meant stand in tests/deep/intended.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deep import earlier_release
from tests.deep.differences import difference_of, judged
from tests.deep.intended import INTENDED, MOMENTARY
from tests.deep.observation import Observation, observe
from tests.deep.population import ACCEPTED, SECRET_NAME, People, module, run_collector
from tests.running import ROOT, Registry, free_port, running

pytestmark = [pytest.mark.deep, pytest.mark.services]

SHOUTS = re.compile(r"\b(ERROR|CRITICAL|FATAL|PANIC)\b|^\w*(Error|Exception)\b|Traceback|ended with status")
PRIVATE_WORDS = ("Zsystem", "Zdraft", "Zcomment", "Zreason", "Zanswer", "Voe", SECRET_NAME)


@pytest.fixture(scope="module")
def people(state: Path) -> People:
    return earlier_release.kept_people(state)


@pytest.fixture(scope="module")
def before(state: Path) -> Observation:
    return Observation.load(state / "drill" / "before.json")


@pytest.fixture(scope="module")
def shouted_before(state: Path, before: Observation) -> set[str]:
    """Kinds of errors in the logs of the earlier release."""
    return set(shouts(state, {}))


@pytest.fixture(scope="module")
def log_sizes(state: Path, shouted_before: set[str]) -> dict[Path, int]:
    return {path: path.stat().st_size for path in logs(state)}


@pytest.fixture(scope="module")
def upgraded(state: Path, log_sizes: dict[Path, int]) -> Iterator[Registry]:
    """This checkout on the state of the earlier release."""
    with earlier_release.receiver(), running(ROOT, state, free_port(), earlier_release.SITE_URL) as registry:
        yield registry


@pytest.fixture(scope="module")
def now(upgraded: Registry, people: People, state: Path) -> Observation:
    """What everybody sees after the upgrade, and before anybody does anything."""
    return observe(upgraded, people, state / "drill")


def test_pages_are_the_same_after_an_upgrade(before: Observation, now: Observation) -> None:
    """Numbers, ranks, states, digests, exports, commands, the status of pages, and who is refused what."""
    assert len(before.documents) > 2000 and len(before.tables["record.sqlite"]["measurements"]) > 4000
    unmeant, text = judged(difference_of(before, now), MOMENTARY + INTENDED)
    print(text)
    assert not unmeant, f"{len(unmeant)} differences that nobody means are printed above"


def test_received_bytes_are_unchanged_after_an_upgrade(state: Path, people: People, now: Observation) -> None:
    for name in ("fjord", "geest", "haar", "skerry", "tarn", "voe", "in_review", "invalid", "draft"):
        sent = hashlib.sha256((state / "drill" / people.bundles[name]).read_bytes()).hexdigest()
        received = now.downloads[f"erin submissions/{people.submissions[name]}/received/"]
        assert received == {"status": 200, "sha256": sent}, name
    for name in ("fjord", "geest", "geest_again", "haar"):
        assert now.downloads[f"nobody results/{people.results[name]}/copy.tar.gz"]["status"] == 200, name


def test_private_rows_stay_private_after_an_upgrade(people: People, now: Observation) -> None:
    public = {name: json.dumps(document) for name, document in now.documents.items() if name.startswith("anybody ")}
    public |= {f"export {name}": json.dumps(rows) for name, rows in now.tables.items()}
    secrets = [*PRIVATE_WORDS, *people.submissions.values(), *people.tokens.values()]
    secret = re.compile(rf"\b({'|'.join(secrets)})\b")
    assert {name: leaked[0] for name, text in public.items() if (leaked := secret.search(text))} == {}
    strangers = ("nobody", "nora")
    for id in people.submissions.values():
        for who in strangers:
            assert now.documents[f"{who} submissions/{id}/"]["status"] in (401, 404)
            assert now.downloads[f"{who} submissions/{id}/received/"]["status"] in (302, 404)


def test_the_history_is_valid_after_an_upgrade(upgraded: Registry, now: Observation) -> None:
    upgraded.manage("verify_history")


def test_the_record_is_valid_after_an_upgrade(upgraded: Registry, now: Observation) -> None:
    """Numbers that the rules of today read otherwise are named, and are no edits."""
    upgraded.manage("append_log")
    lines = upgraded.manage("verify_record").splitlines()
    print(*lines, sep="\n")
    assert any(line.startswith("By later rules (") for line in lines)


@pytest.fixture(scope="module")
def upload(upgraded: Registry, people: People, state: Path, now: Observation):
    """The earlier single file uploads a run; returns its exit status and what it printed.

    The runs are of today: those that the earlier release made for its tests read more bytes than they wrote.
    """
    notes = state / "drill"
    io500 = module(ROOT, "make_io500")

    def upload(name: str, token: str = people.tokens["alice"], **changes: Any) -> tuple[int, Any]:
        archive = io500.make_archive(notes / f"{name}.tar.gz", **changes)
        ran = run_collector(upgraded, notes / "highwater.pyz", token, "upload", archive, "--json")
        return ran.returncode, json.loads(ran.stdout)

    return upload


def test_the_earlier_command_uploads_a_good_run(upload) -> None:
    status, answer = upload("after", performance=4.5)
    assert (status, answer["state"], answer["status"]) == (0, "checked", "valid")
    run = module(ROOT, "make_io500").make_run(performance=4.5)
    (result,) = [content for path, content in run.items() if path.endswith("/result_summary.txt")]
    scored = float(re.search(rb"TOTAL (\S+)", result)[1])
    assert answer["scores"]["SCORE"]["value"] == pytest.approx(scored, rel=1e-5)
    assert upload("after", performance=4.5)[1]["id"] == answer["id"]


def test_a_bad_run_is_refused_as_before(upload, before: Observation, people: People) -> None:
    earlier_answer = before.documents[f"alice submissions/{people.submissions['invalid']}/"]["answer"]
    status, answer = upload("short", short="ior-easy-write", performance=1.01)
    assert (status, answer["state"]) == (1, "invalid")
    errors = [finding["code"] for finding in answer["findings"] if finding["level"] == "error"]
    assert errors == [finding["code"] for finding in earlier_answer["findings"] if finding["level"] == "error"] != []


def test_a_wrong_token_is_refused_as_before(upload) -> None:
    status, answer = upload("unsigned", token="wrong", performance=4.6)
    assert (status, answer["error"]["http_status"]) == (4, 401)


def test_the_open_release_is_published_and_older_lists_are_unchanged(
    upgraded: Registry, people: People, before: Observation, now: Observation
) -> None:
    token = people.tokens
    id = people.submissions["in_review"]
    upgraded.done("POST", f"submissions/{id}/review/", token["dana"], ACCEPTED)
    published = upgraded.done("POST", "releases/sc99/publish/", token["erin"], {"allow_empty": True})
    assert published["results"] == 2
    entries = upgraded.done("GET", "lists/sc99/full/", "")["entries"]
    assert [(row["rank"], row["system"]) for row in entries[:2]] == [(1, "Zsystem-3"), (2, "Zsystem-2")]
    for name in ("full", "historical", "io500", "ten", "fio-seq-write"):
        path = f"lists/sc98/{name}/?page_size=1000"
        frozen = before.documents[f"anybody {path}"]["answer"]["entries"]
        upgraded_entries = upgraded.done("GET", path, "")["entries"]
        assert [(row["rank"], row["result"], row["score"]) for row in upgraded_entries] == [
            (row["rank"], row["result"], row["score"]) for row in frozen
        ]
    upgraded.manage("verify_history")


def test_the_logs_have_no_new_kinds_of_errors(
    upgraded: Registry, state: Path, now: Observation, shouted_before: set[str], log_sizes: dict[Path, int]
) -> None:
    """The last of all: the logs of everything above."""
    kinds = shouts(state, log_sizes)
    for kind, times in kinds.most_common():
        print(f"{times} x {kind}")
    assert set(kinds) - shouted_before == set()


def logs(state: Path) -> list[Path]:
    return [*sorted((state / "logs").glob("*.log")), state / "up.log"]


def shouts(state: Path, sizes: dict[Path, int]) -> Counter[str]:
    """Lines that say of an error, behind these sizes (bytes) of the logs, without what differs from time to time."""
    kinds: Counter[str] = Counter()
    for path in logs(state):
        text = path.read_bytes()[sizes.get(path, 0) :].decode(errors="replace")
        for line in filter(SHOUTS.search, text.splitlines()):
            kinds[f"{path.stem}: {re.sub(r'[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+', '#', line)}"] += 1
    return kinds
