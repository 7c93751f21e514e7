"""Ids on the command line: whole, by their beginning, or public; and the lists that show them."""

import json

import pytest

from tests.collectors.registry_peer import refuse

FIRST = "784c6d71-3cb3-4da8-b5c5-f60b044e0da8"
SECOND = "784c6d71-9999-4da8-b5c5-f60b044e0da8"
ROW = {
    "id": FIRST,
    "state": "checked",
    "name": "Fjord",
    "score": 81.3260853,
    "release": "next",
    "result": None,
    "waits_for": "submitter",
    "test": False,
}


@pytest.fixture
def listed(peer):
    peer.listed = [ROW, dict(ROW, id=SECOND, state="published", score=None, result="hw-7", waits_for=None)]
    for row in peer.listed:
        peer.private[f"/api/v1/submissions/{row['id']}/"] = dict(row, findings=[], scores={})
    return peer


@pytest.mark.parametrize("text", [FIRST, FIRST.upper(), FIRST[:13], "784C6D71-3CB3"])
def test_a_submission_is_shown_by_its_id_or_the_beginning(oldest_and_this_python, alice, listed, text):
    done = alice("status", text, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert f"(submission {FIRST})" in done.stdout
    assert "next    waits for you or your institution" in done.stdout


def test_a_submission_is_shown_by_the_public_id_of_its_result(alice, listed):
    assert f"(submission {SECOND})" in alice("status", "hw-7").stdout


def test_a_beginning_of_several_ids_lists_them(alice, listed):
    done = alice("show", "784c6")
    assert done.returncode == 2
    assert "collector.ambiguous" in done.stderr
    assert FIRST in done.stderr and SECOND in done.stderr


def test_a_beginning_of_none_is_told(alice, listed):
    done = alice("show", "ffff")
    assert done.returncode == 2
    assert "collector.id" in done.stderr


@pytest.mark.parametrize("id", ["../../x", 7, None, "784c6d71"])
def test_an_id_of_the_server_that_is_none_is_not_asked_for(alice, peer, id):
    peer.private["/api/v1/submissions/"] = {}
    peer.misbehaviours.append(lambda handler: (handler.read_request(), handler.answer(200, {"results": [{"id": id}]})))
    done = alice("status", "784c")
    assert done.returncode == 4
    assert "collector.not-the-api" in done.stderr
    assert len(peer.received) == 1


def test_a_list_says_name_score_release_and_what_is_waited_for(every_python, alice, listed):
    done = alice("list", python=every_python)
    assert done.stdout.splitlines() == [
        f"{FIRST}  checked    Fjord  score 81.3260853  next  waits for you or your institution",
        f"{SECOND}  published  Fjord                    next",
    ]


def test_a_list_is_narrowed_by_the_registry(alice, listed):
    assert alice("list", "--state", "checked", "--release", "next").returncode == 0
    assert "state=checked" in listed.received[0].path and "release=next" in listed.received[0].path


def test_a_list_that_is_cut_says_so(alice, listed):
    done = alice("list", "--limit", "1", "--json")
    assert json.loads(done.stdout) == {"submissions": [ROW], "more": True}
    assert "--limit 0" in done.stderr


def test_a_refused_filter_is_told_with_its_code(alice, peer):
    peer.misbehaviours.append(refuse(400, code="query.invalid-value", detail="one of draft, checked"))
    done = alice("list", "--state", "best")
    assert (done.returncode, done.stdout) == (1, "")
    assert "query.invalid-value" in done.stderr


def test_names_cannot_move_the_terminal(alice, listed):
    listed.listed = [dict(ROW, name="\x1b]0;gone\x07" + "x" * 500, waits_for="\x1b[2J")]
    done = alice("list")
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout
    assert len(done.stdout) < 300


def test_a_result_is_shown_without_a_token(collector, peer):
    peer.public["/api/v1/results/hw-7/"] = {"id": "hw-7", "tool": "io500", "institution": "North Lab", "tasks": None}
    collector.environ["HIGHWATER_URL"] = peer.url
    done = collector("show", "hw-7")
    assert done.returncode == 0, done.stderr
    assert "institution     North Lab" in done.stdout
    assert "tasks           not known" in done.stdout
    assert f"url     {peer.url}/results/hw-7/" in done.stdout
    assert peer.received[0].headers.get("Authorization") is None


def test_a_file_goes_before_an_id(alice, peer):
    (alice.cwd / "abcd").write_text("{")
    assert alice("show", "abcd").returncode == 1
    assert peer.received == []
