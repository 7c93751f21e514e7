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


def test_submit_sends_the_acknowledgements(every_python, alice, stored):
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


def test_submit_uses_release_and_lists_of_the_upload_by_default(alice, stored):
    assert alice("submit", ID, "--acknowledge").returncode == 0
    assert [body["lists"] for _path, body in sent(stored, "POST")] == [["full"]]
    stored.private[PATH] = dict(STORED, release=None)
    done = alice("submit", ID, "--acknowledge")
    assert done.returncode == 2
    assert "collector.release" in done.stderr
    assert len(sent(stored, "POST")) == 1


def test_a_run_without_acknowledgements_is_not_submitted(alice, stored):
    done = alice("submit", ID, "--release", "sc26", "--list", "full", typed="yes\nyes\n")
    assert done.returncode == 2
    assert "collector.acknowledge" in done.stderr
    assert stored.received == []


def test_a_lost_answer_of_submit_is_recovered(alice, stored):
    stored.private[PATH] = HANDED_IN
    stored.misbehaviours.append(busy(503, "0"))
    stored.misbehaviours.append(refuse(409, code="state.conflict", detail="It is submitted, not checked."))
    done = alice("submit", ID, "--release", "next", "--list", "full", "--acknowledge")
    assert done.returncode == 0, done.stderr
    assert "submitted already" in done.stderr


@pytest.mark.parametrize(
    "stored_now", [dict(HANDED_IN, lists=["ten"]), dict(HANDED_IN, release="sc25"), dict(STORED, state="rejected")]
)
def test_another_submission_is_not_taken_for_a_lost_answer(alice, stored, stored_now):
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


def test_status_numbers_the_runs_to_choose_from(oldest_and_this_python, alice, stored) -> None:
    runs = [{"tool": "fio", "path": f"outputs/fio-{number}.json"} for number in range(12)]
    stored.private[PATH] = dict(STORED, runs=runs, primary=None)
    done = alice("status", ID, python=oldest_and_this_python)
    assert "run     0  fio outputs/fio-0.json\n" in done.stdout and "run     9  fio" in done.stdout
    assert "and 2 more" in done.stdout and "submit ID --run N" in done.stdout
    stored.private[PATH + "submit/"] = HANDED_IN
    assert alice("submit", ID, "--acknowledge", "--run", "3").returncode == 0
    assert [body["primary"] for _path, body in sent(stored, "POST")] == [3]


@pytest.mark.parametrize("changes", [{"primary": 1}, {"state": "published"}, {"runs": [{"tool": "fio"}]}, {"runs": 7}])
def test_status_offers_no_choice_where_one_run_counts(alice, stored, changes) -> None:
    stored.private[PATH] = dict(STORED, runs=[{"tool": "fio"}] * 3, primary=None) | changes
    assert "choose" not in alice("status", ID).stdout


def test_a_run_that_has_to_be_chosen_is_asked_for_in_words_of_the_terminal(alice, stored) -> None:
    stored.misbehaviours.extend(
        [refuse(422, code="review.primary-needed", detail="Choose one.", hint="Send `primary`.")]
    )
    done = alice("submit", ID, "--release", "sc26", "--list", "full", "--acknowledge")
    assert (done.returncode, "--run N" in done.stderr, "primary`" in done.stderr) == (1, True, False), done.stderr


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
def test_withdrawing_needs_a_reason_and_confirmation(alice, stored, more, code):
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


def test_an_answer_of_several_lines_has_several_lines(alice, stored):
    question = dict(QUESTIONS["questions"][1], value="Nodes: 10\nProcesses: 160\r\n\x1b[31mred")
    stored.private[PATH + "answers/"] = dict(QUESTIONS, questions=[question], lists={})
    done = alice("answer", ID)
    assert done.stdout.splitlines() == [
        "  cpu  Which?",
        "    Nodes: 10",
        "    Processes: 160",
        "    \\x1b[31mred  (collected on the machines)",
    ]


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


RECIPE = {
    "is_answered": True, "value": 8, "why_not": "", "contradicted": True,
    "evidence": [{"label": "Processes", "text": "8\n\x1b[31m", "where": "run/ior.txt:7", "source": "benchmark"}],
}  # fmt: skip


def test_questions_say_what_the_recipe_answers(every_python, alice, stored):
    questions = [dict(QUESTIONS["questions"][1], recipe=RECIPE), dict(QUESTIONS["questions"][0], recipe=None)]
    stored.private[PATH + "answers/"] = dict(QUESTIONS, questions=questions)
    done = alice("answer", ID, python=every_python)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("answered by the recipe: ") == 1 and "(run/ior.txt:7)" in done.stdout
    assert "what was written counts" in done.stdout and "\x1b" not in done.stdout


@pytest.mark.parametrize("recipe", [None, [], "x", {"is_answered": True, "evidence": [1]}, {"is_answered": False}, 7])
def test_a_recipe_of_another_form_is_not_shown(alice, stored, recipe):
    stored.private[PATH + "answers/"] = dict(QUESTIONS, questions=[dict(QUESTIONS["questions"][1], recipe=recipe)])
    done = alice("answer", ID)
    assert done.returncode == 0 and "EPYC" in done.stdout and "Traceback" not in done.stderr


def test_status_says_which_questions_the_recipe_answers(every_python, alice, stored):
    stored.private[PATH] = dict(STORED, answered_by_recipe=["execution", "tasks"])
    done = alice("status", ID, python=every_python)
    assert "recipe  answers execution, tasks" in done.stdout
    stored.private[PATH] = dict(STORED, answered_by_recipe=[])
    assert "recipe  answers" not in alice("status", ID).stdout


def test_answers_of_a_file_or_of_standard_input_are_sent(alice, stored, tmp_path):
    path = tmp_path / "answers.json"
    path.write_text('{"system_purpose": "Climate models."}')
    assert alice("answer", ID, "--file", path).returncode == 0
    assert alice("answer", ID, "--file", "-", typed=path.read_text()).returncode == 0
    of_one_name = '{"answers": {"system_purpose": "Climate models."}}'
    assert alice("answer", ID, "--file", "-", typed=of_one_name).returncode == 0
    assert sent(stored, "PUT") == [(PATH + "answers/", {"system_purpose": "Climate models."})] * 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"answers": {}}',
        '{"answers": 1}',
        "{",
        '{"a": NaN}',
        "[" * 100000,
        '{"a": "' + "x" * 300000 + '"}',
    ],
)
def test_a_file_without_answers_is_not_sent(alice, stored, text):
    done = alice("answer", ID, "--file", "-", typed=text)
    assert (done.returncode, stored.received) == (2, [])
    assert "collector.answers" in done.stderr


def test_questions_are_not_asked_without_a_terminal(alice, stored):
    done = alice("answer", ID, "--ask", typed="Climate\n")
    assert (done.returncode, stored.received) == (2, [])


@pytest.mark.parametrize("verb", [["answer"], ["submit", "--acknowledge"], ["withdraw", "--reason", "x", "--yes"]])
@pytest.mark.parametrize("document", [[], 7, "text"])
def test_an_answer_of_another_form_is_reported(alice, stored, verb, document):
    for path in list(stored.private):
        stored.private[path] = document
    done = alice(verb[0], ID, *verb[1:])
    assert done.returncode == 4
    assert "collector.not-the-api" in done.stderr


RULES, PUBLICATION = "I know the rules of the release. [yes/no] ", "published with its scrubbed files. [yes/no] "


def test_a_person_at_a_terminal_acknowledges_both_statements(oldest_and_this_python, alice, stored):
    answers = [(RULES, "yes\n"), (PUBLICATION, "Y\n")]
    command = ["submit", ID, "--release", "sc26", "--list", "full"]
    status, screen = alice.at_terminal(*command, answers=answers, python=oldest_and_this_python)
    assert status == 0, screen
    assert [body["acknowledge_publication"] for _path, body in sent(stored, "POST")] == [True]
    assert "next    waits for review" in screen


@pytest.mark.parametrize(
    "answers",
    [
        [(RULES, "no\n")],
        [(RULES, "\n")],
        [(RULES, "\x04")],
        [(RULES, "yes please\n")],
        [(RULES, "yes\n"), (PUBLICATION, "no\n")],
        [(RULES, "yes\n"), (PUBLICATION, "\x04")],
    ],
)
def test_anything_but_two_times_yes_submits_nothing(alice, stored, answers):
    status, screen = alice.at_terminal("submit", ID, "--release", "sc26", "--list", "full", answers=answers)
    assert (status, sent(stored, "POST")) == (2, []), screen
    assert "collector.acknowledge" in screen


@pytest.mark.parametrize(("typed", "status"), [("yes\n", 0), ("no\n", 2), ("\x04", 2), ("\x03", 130)])
def test_withdrawing_asks_once_more_at_a_terminal(alice, stored, typed, status):
    ended, screen = alice.at_terminal("withdraw", ID, "--reason", "Wrong system.", answers=[("[yes/no] ", typed)])
    assert ended == status, screen
    assert len(sent(stored, "POST")) == (status == 0)


def test_open_questions_are_asked_and_what_was_answered_is_kept(alice, stored):
    status, screen = alice.at_terminal("answer", ID, "--ask", answers=[("leave open): ", "Climate models.\n")])
    assert status == 0, screen
    assert sent(stored, "PUT") == [(PATH + "answers/", {"client_nodes": 10, "system_purpose": "Climate models."})]


def test_a_question_that_is_left_open_changes_no_answer(alice, stored):
    status, screen = alice.at_terminal("answer", ID, "--ask", answers=[("leave open): ", "\n")])
    assert (status, sent(stored, "PUT")) == (0, []), screen


def test_a_prompt_shows_no_signs_that_move_the_terminal(alice, stored):
    questions = [dict(QUESTIONS["questions"][0], text="What\x1b[2J for?")]
    stored.private[PATH + "answers/"] = dict(QUESTIONS, questions=questions)
    _status, screen = alice.at_terminal("answer", ID, "--ask", answers=[("leave open): ", "\n")])
    assert "\x1b[2J" not in screen and "\\x1b[2J" in screen
