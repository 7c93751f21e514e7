"""`submit`, `withdraw` and `answer`: what is sent, what must be said first, and what a lost answer leads to."""

import json

import pytest

from tests.collectors.registry_peer import busy, refuse

ID = "784c6d71-3cb3-4da8-b5c5-f60b044e0da8"
PATH = f"/api/v1/submissions/{ID}/"
STORED = {"id": ID, "state": "checked", "name": "Fjord", "release": "next", "lists": ["full"], "waits_for": "submitter"}
HANDED_IN = dict(STORED, state="submitted", waits_for="review")
QUESTIONS = {
    "questionnaire": "reproducibility.1",
    "answers": {"client_nodes": 10},
    "questions": [
        {"question": "system_purpose", "of": None, "text": "What for?", "kind": "text", "value": None, "source": None,
         "lacking": "no answer"},
        {"question": "cpu", "of": "system_purpose", "text": "Which?", "kind": "text", "value": "EPYC",
         "source": "collected", "lacking": ""},
    ],
    "lists": {"production": {"asks": True, "complete": False, "missing": [{"question": "system_purpose", "why": ""}]}},
    "contradictions": [],
}  # fmt: skip


@pytest.fixture
def stored(peer):
    peer.private[PATH] = STORED
    peer.private[PATH + "submit/"] = HANDED_IN
    peer.private[PATH + "withdraw/"] = dict(STORED, state="withdrawn", waits_for=None)
    peer.private[PATH + "answers/"] = QUESTIONS
    return peer


def sent(peer, method):
    return [(received.path, received.json) for received in peer.received if received.method == method]


def test_a_run_is_submitted_with_what_was_acknowledged(every_python, alice, stored):
    done = alice("submit", ID, "--release", "sc26", "--list", "io500,ten", "--acknowledge", python=every_python)
    assert done.returncode == 0, done.stderr
    body = {
        "release": "sc26",
        "lists": ["io500", "ten"],
        "acknowledge_rules": True,
        "acknowledge_publication": True,
    }
    assert sent(stored, "POST") == [(PATH + "submit/", body)]
    assert "next    waits for review" in done.stdout


def test_release_and_lists_of_the_upload_count_where_none_are_given(alice, stored):
    assert alice("submit", ID, "--acknowledge").returncode == 0
    assert [body["lists"] for _path, body in sent(stored, "POST")] == [["full"]]
    stored.private[PATH] = dict(STORED, release=None)
    done = alice("submit", ID, "--acknowledge")
    assert done.returncode == 2
    assert "collector.release" in done.stderr
    assert len(sent(stored, "POST")) == 1


def test_nothing_is_submitted_that_was_not_acknowledged(alice, stored):
    done = alice("submit", ID, "--release", "sc26", "--list", "full", typed="yes\nyes\n")
    assert done.returncode == 2
    assert "collector.acknowledge" in done.stderr
    assert stored.received == []


def test_an_answer_that_was_lost_is_found(alice, stored):
    stored.private[PATH] = HANDED_IN
    stored.misbehaviours.append(busy(503, "0"))
    stored.misbehaviours.append(refuse(409, code="state.conflict", detail="It is submitted, not checked."))
    done = alice("submit", ID, "--release", "next", "--list", "full", "--acknowledge")
    assert done.returncode == 0, done.stderr
    assert "submitted already" in done.stderr


@pytest.mark.parametrize(
    "stored_now", [dict(HANDED_IN, lists=["ten"]), dict(HANDED_IN, release="sc25"), dict(STORED, state="rejected")]
)
def test_another_submission_is_no_lost_answer(alice, stored, stored_now):
    stored.private[PATH] = stored_now
    stored.misbehaviours.append(refuse(409, code="state.conflict", detail="It is elsewhere."))
    done = alice("submit", ID, "--release", "next", "--list", "full", "--acknowledge")
    assert (done.returncode, done.stdout) == (1, "")
    assert "state.conflict" in done.stderr


def test_a_refusal_keeps_its_code_and_hint(alice, stored):
    stored.misbehaviours.append(refuse(422, code="submit.release-closed", detail="It is closed.", hint="Choose next."))
    done = alice("submit", ID, "--release", "old", "--list", "full", "--acknowledge", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "submit.release-closed"
    assert "Choose next." in done.stderr


def test_a_run_is_withdrawn_with_its_reason(oldest_and_this_python, alice, stored):
    done = alice("withdraw", ID, "--reason", "Wrong system.", "--yes", python=oldest_and_this_python)
    assert done.returncode == 0, done.stderr
    assert sent(stored, "POST") == [(PATH + "withdraw/", {"reason": "Wrong system."})]
    assert "state   withdrawn" in done.stdout


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--reason", " ", "--yes"], "collector.reason"),
        (["--reason", "x" * 4001, "--yes"], "collector.reason"),
        (["--reason", "Wrong."], "collector.not-confirmed"),
        ([], "usage:"),
    ],
)
def test_nothing_is_withdrawn_without_reason_and_consent(alice, stored, more, code):
    done = alice("withdraw", ID, *more)
    assert (done.returncode, stored.received) == (2, [])
    assert code in done.stderr


def test_withdrawing_twice_is_no_error(alice, stored):
    stored.private[PATH] = dict(STORED, state="withdrawn")
    stored.misbehaviours.append(refuse(409, code="state.conflict", detail="It is withdrawn."))
    assert alice("withdraw", ID, "--reason", "Wrong.", "--yes").returncode == 0
    stored.private[PATH] = dict(STORED, state="rejected")
    stored.misbehaviours.append(refuse(409, code="state.conflict", detail="It is rejected."))
    assert alice("withdraw", ID, "--reason", "Wrong.", "--yes").returncode == 1


def test_questions_are_shown_with_the_origin_of_their_answers(every_python, alice, stored):
    done = alice("answer", ID, python=every_python)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "system_purpose  What for?",
        "  no answer",
        "  open: no answer",
        "  cpu  Which?",
        "    EPYC  (collected on the machines)",
        "list    production still asks for: system_purpose",
    ]
    assert sent(stored, "PUT") == []


def test_answers_of_a_file_or_of_standard_input_are_sent(alice, stored, tmp_path):
    path = tmp_path / "answers.json"
    path.write_text('{"system_purpose": "Climate models."}')
    assert alice("answer", ID, "--file", path).returncode == 0
    assert alice("answer", ID, "--file", "-", typed=path.read_text()).returncode == 0
    assert sent(stored, "PUT") == [(PATH + "answers/", {"system_purpose": "Climate models."})] * 2


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", '{"a": NaN}', "[" * 100000, '{"a": "' + "x" * 300000 + '"}'])
def test_a_file_without_answers_is_not_sent(alice, stored, text):
    done = alice("answer", ID, "--file", "-", typed=text)
    assert (done.returncode, stored.received) == (2, [])
    assert "collector.answers" in done.stderr


def test_nobody_is_asked_where_there_is_no_terminal(alice, stored):
    done = alice("answer", ID, "--ask", typed="Climate\n")
    assert (done.returncode, stored.received) == (2, [])


@pytest.mark.parametrize("verb", [["answer"], ["submit", "--acknowledge"], ["withdraw", "--reason", "x", "--yes"]])
@pytest.mark.parametrize("document", [[], 7, "text"])
def test_an_answer_of_another_form_is_told(alice, stored, verb, document):
    for path in list(stored.private):
        stored.private[path] = document
    done = alice(verb[0], ID, *verb[1:])
    assert done.returncode == 4
    assert "collector.not-the-api" in done.stderr
