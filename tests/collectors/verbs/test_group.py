"""`group`: which runs an id means, what is sent, and what is refused before anything is changed."""

import json

import pytest

from tests.collectors.registry_peer import refuse

SHELF = "/api/v1/shelf/"
ID = "784c6d71-3cb3-4da8-b5c5-f60b044e0da8"
RUN = "dcc1ee4e-6a3d-5287-9d5c-b2dd46338425"


def row(id):
    return {"id": id, "state": "checked", "name": "Fjord", "project": "", "labels": []}


@pytest.fixture
def shelf(peer):
    """A shelf with runs of one upload, of which one is asked for by its own id."""
    peer.listed = [row(ID)]
    peer.private[SHELF] = {"next": None, "results": [row(RUN)], "runs": 3}
    peer.private[SHELF + RUN + "/"] = row(RUN)
    return peer


def sent(peer):
    return [(received.path, received.json) for received in peer.received if received.method == "PATCH"]


def test_all_runs_of_a_submission_are_grouped(oldest_and_this_python, alice, shelf) -> None:
    done = alice(
        "group", "784c6d71", "--project", "Acceptance", "--label", "a", "--label", "b", python=oldest_and_this_python
    )
    assert (done.returncode, done.stdout) == (0, "grouped 3 runs\n"), done.stderr
    assert sent(shelf) == [(f"{SHELF}?submission={ID}", {"project": "Acceptance", "labels": ["a", "b"]})]


def test_one_run_is_grouped_by_its_id(alice, shelf) -> None:
    done = alice("group", RUN, "--label", "", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"runs": 1}), done.stderr
    assert sent(shelf) == [(f"{SHELF}{RUN}/", {"labels": [""]})]


def test_an_unknown_id_leaves_all_runs_as_they_are(alice, shelf) -> None:
    shelf.private[SHELF] = {"next": None, "results": []}
    done = alice("group", RUN, "0000", "--project", "Acceptance")
    assert done.returncode == 2
    assert "No submission and no run on a shelf that you may see has the id 0000." in done.stderr
    assert sent(shelf) == []


def test_a_submission_without_runs_on_the_shelf_is_reported(alice, shelf) -> None:
    shelf.private[SHELF] = {"next": None, "results": []}
    done = alice("group", ID, "--project", "Acceptance", "--json")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "collector.not-on-shelf")
    assert sent(shelf) == []


@pytest.mark.parametrize("words", [[ID], ["--project", "x"], [], [ID, "--label"]])
def test_an_incomplete_command_asks_nothing(alice, shelf, words) -> None:
    assert alice("group", *words).returncode == 2
    assert shelf.received == []


@pytest.mark.parametrize("name", ["../x", "a b", "hw-1/../../x", "-"])
def test_a_wrong_id_reaches_no_address(alice, shelf, name) -> None:
    assert alice("group", "--project", "x", "--", name).returncode == 2
    assert sent(shelf) == []


def test_a_refusal_is_passed_on(alice, shelf) -> None:
    shelf.misbehaviours.append(refuse(422, code="shelf.refused", detail="At most 20 labels.", hint="Fix it."))
    done = alice("group", RUN, "--label", "x")
    assert done.returncode == 1 and "At most 20 labels." in done.stderr


@pytest.mark.parametrize("answer", [{"runs": "3"}, {"runs": True}, {}])
def test_an_answer_without_a_count_is_reported(alice, shelf, answer) -> None:
    shelf.private[SHELF] = {"next": None, "results": [row(RUN)]} | answer
    done = alice("group", ID, "--project", "x")
    assert done.returncode == 4 and "counted no runs" in done.stderr
