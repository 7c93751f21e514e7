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


def test_an_ambiguous_beginning_lists_its_ids(alice, listed):
    done = alice("show", "784c6")
    assert done.returncode == 2
    assert "collector.ambiguous" in done.stderr
    assert FIRST in done.stderr and SECOND in done.stderr


def test_a_beginning_without_a_submission_is_reported(alice, listed):
    listed.private["/api/v1/shelf/"] = {"next": None, "results": []}
    done = alice("show", "ffff")
    assert done.returncode == 2
    assert "collector.id" in done.stderr


UNKNOWN = "784c6d71-0000-4000-8000-000000000000"
VERBS = [
    *(["status", UNKNOWN], ["show", UNKNOWN], ["show", "hw-9"], ["compare", "hw-8", "hw-9"], ["answer", UNKNOWN]),
    *(["receipt", UNKNOWN], ["recipe", "hw-9"], ["verify", "hw-9"], ["submit", UNKNOWN, "--acknowledge"]),
    *(["withdraw", UNKNOWN, "--reason", "x", "--yes"], ["gate", "hw-9", "--baseline", "hw-8"]),
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize(
    ("code", "status"),
    [("submission.not-found", 2), ("request.not-found", 4), (None, 4)],
    ids=["id", "address", "page"],
)
def test_an_unknown_id_ends_with_2_and_an_unknown_address_with_4(alice, peer, verb, code, status):
    """By whatever verb; a page of somebody else is no answer about an id."""
    document = {"code": code, "title": "Not Found"} if code else {}
    peer.misbehaviours.extend([lambda handler: (handler.read_request(), handler.answer(404, document))] * 9)
    done = alice(*verb)
    assert (done.returncode, "404" in done.stderr) == (status, True), done.stderr


def test_a_record_that_the_log_does_not_have_yet_is_unknown(alice, peer):
    """The result is there: its id is not wrong, and its proof comes within a minute."""
    document = {"code": "log.not-recorded", "title": "The log has no record of it yet."}
    peer.misbehaviours.extend([lambda handler: (handler.read_request(), handler.answer(404, document))] * 9)
    done = alice("verify", "hw-9")
    assert (done.returncode, "log.not-recorded" in done.stderr) == (3, True), done.stderr


@pytest.mark.parametrize("text", ["zzz", "nothing", "hw", "784x"])
@pytest.mark.parametrize("verb", [["status"], ["open", "--no-browser"], ["withdraw", "--reason", "x", "--yes"]])
def test_text_that_is_no_id_is_refused_before_anything_is_sent(alice, peer, verb, text):
    """The registry answered 404, which ended with 4: as if it had not been reached."""
    done = alice(*verb, text)
    assert (done.returncode, done.stdout) == (2, "")
    assert "collector.id" in done.stderr and f"{text} is no id" in done.stderr


@pytest.mark.parametrize("id", ["../../x", 7, None, "784c6d71"])
def test_an_invalid_id_from_the_server_is_not_requested(alice, peer, id):
    peer.private["/api/v1/submissions/"] = {}
    peer.misbehaviours.append(lambda handler: (handler.read_request(), handler.answer(200, {"results": [{"id": id}]})))
    done = alice("status", "784c")
    assert done.returncode == 4
    assert "collector.not-the-api" in done.stderr
    assert len(peer.received) == 1


def test_a_list_shows_name_score_release_and_next_step(every_python, alice, listed):
    done = alice("list", python=every_python)
    assert done.stdout.splitlines() == [
        f"{FIRST}  checked    Fjord  score 81.3260853  next  waits for you or your institution",
        f"{SECOND}  published  Fjord                    next",
    ]


def test_filters_of_a_list_are_sent_to_the_registry(alice, listed):
    assert alice("list", "--state", "checked", "--release", "next").returncode == 0
    assert "state=checked" in listed.received[0].path and "release=next" in listed.received[0].path


def test_a_shortened_list_has_a_note(alice, listed):
    done = alice("list", "--limit", "1", "--json")
    assert json.loads(done.stdout) == {"submissions": [ROW], "more": True}
    assert "--limit 0" in done.stderr


def test_a_refused_filter_is_reported_with_its_code(alice, peer):
    peer.misbehaviours.append(refuse(400, code="query.invalid-value", detail="one of draft, checked"))
    done = alice("list", "--state", "best")
    assert (done.returncode, done.stdout) == (1, "")
    assert "query.invalid-value" in done.stderr


def test_control_sequences_of_names_are_removed(alice, listed):
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


def test_an_existing_file_is_preferred_to_an_id(alice, peer):
    (alice.cwd / "abcd").write_text("{")
    assert alice("show", "abcd").returncode == 1
    assert peer.received == []


RUN = {
    "id": "9bd8aeec-1d43-5b0c-8a68-1c5c4a0f3f11",
    "submission": FIRST,
    "name": "Fjord",
    "run": "data/results/read/fio.json",
    "state": "checked",
    "tool": "fio",
    "labels": ["tuned", "new firmware"],
    "score": None,
    "numbers": "Read bandwidth 3 GiB/s",
}


@pytest.fixture
def shelved(peer):
    peer.listed = []
    peer.private["/api/v1/shelf/"] = {"next": None, "results": [RUN]}
    peer.private[f"/api/v1/shelf/{RUN['id']}/"] = RUN
    return peer


@pytest.mark.parametrize("text", [RUN["id"], "9BD8"])
def test_a_run_of_an_upload_of_many_is_shown_by_its_own_id(oldest_and_this_python, alice, shelved, text):
    if text == RUN["id"]:
        shelved.public[f"/api/v1/submissions/{text}/"] = None
    done = alice("show", text, python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert RUN["run"] in done.stdout and FIRST in done.stdout and "tuned, new firmware" in done.stdout
    assert "numbers     Read bandwidth 3 GiB/s\n" in done.stdout


def test_the_shelf_is_listed_with_numbers_and_scores(alice, shelved):
    ranked = dict(RUN, id="0" * 8 + RUN["id"][8:], score=40.66304, numbers="")
    shelved.private["/api/v1/shelf/"] = {"next": None, "results": [RUN, ranked]}
    done = alice("list", "--scope", "own")
    first, second = done.stdout.splitlines()
    assert first.endswith("Read bandwidth 3 GiB/s") and "score 40.66" in second, done.stdout


@pytest.mark.parametrize("text", [RUN["id"], RUN["id"].upper(), "9BD8"])
def test_a_run_of_an_upload_of_many_is_opened(oldest_and_this_python, alice, shelved, text):
    done = alice("open", text, python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, f"{shelved.url}/shelf/runs/{RUN['id']}/\n"), done.stderr


@pytest.mark.parametrize(("runs", "code"), [([], "collector.id"), ([RUN, dict(RUN, id=FIRST)], "collector.ambiguous")])
def test_no_page_is_opened_for_an_id_of_none_or_several(alice, shelved, runs, code):
    shelved.private["/api/v1/shelf/"] = {"next": None, "results": runs}
    done = alice("open", "9bd8")
    assert (done.returncode, done.stdout, code in done.stderr) == (2, "", True)


def test_a_run_of_an_upload_of_many_is_compared(alice, shelved):
    shelved.public["/api/v1/compare/"] = {}
    assert alice("compare", "9bd8", "hw-2").returncode == 0
    assert shelved.received[-1].path == f"/api/v1/compare/?results={RUN['id']}%2Chw-2&scope=all"


@pytest.mark.parametrize(
    ("verb", "text"),
    [("compare", RUN["id"]), ("show", RUN["id"]), ("compare", "9bd8"), ("show", "9bd8"), ("open", "9bd8")],
)
def test_an_id_of_nobody_is_named(oldest_and_this_python, alice, shelved, verb, text):
    """Or of somebody else: a registry says the same of both."""
    shelved.private["/api/v1/shelf/"] = {"next": None, "results": []}
    shelved.public[f"/api/v1/submissions/{RUN['id']}/"] = None
    done = alice(verb, text, *["hw-2"] * (verb == "compare"), python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert f"No submission and no run on a shelf that you may see has the id {text}." in done.stderr


def test_a_beginning_of_several_runs_lists_their_ids(alice, shelved):
    other = dict(RUN, id="9bd8aeec-0000-5b0c-8a68-1c5c4a0f3f11")
    shelved.private["/api/v1/shelf/"] = {"next": None, "results": [RUN, other]}
    done = alice("show", "9bd8")
    assert (done.returncode, RUN["id"] in done.stderr, other["id"] in done.stderr) == (2, True, True)


def test_an_earlier_registry_has_no_ids_of_runs(alice, shelved):
    shelved.public["/api/v1/shelf/"] = None
    done = alice("show", "9bd8")
    assert done.returncode == 2
    assert "No submission that you may see" in done.stderr


def test_an_empty_shelf_is_named(alice, shelved):
    shelved.private["/api/v1/shelf/"] = {"next": None, "results": []}
    assert "no runs on the shelf yet" in alice("list", "--scope", "own").stderr
