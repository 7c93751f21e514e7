"""The questionnaire of a submission: pre-filled from its bundle, answered in part, judged on the server by list."""

from __future__ import annotations

import json

import pytest

from registry.models import ListDefinition
from submissions.checks import processing
from submissions.models import Submission
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_class, make_parameter, make_system

WORDS = "Weather forecasts, climate models and what students try on it, every day."
OPEN = dict.fromkeys(("system_purpose", "availability", "fault_tolerance_mechanisms", "caching"), WORDS)
ANSWERS = OPEN | {
    "software_availability": "open_source",
    "runtime_environment": WORDS,
    "trust": WORDS,
    "storage_role": "primary",
    "persistence_verified": True,
    "reproducibility": "limited",
}
"""What neither the bundle of `described` nor its run tells, for a list that asks the least."""


@pytest.fixture
def described(cast, tmp_path):
    """A checked submission of Alice whose bundle describes its system."""

    def make(system=None) -> Submission:
        content = pack(tmp_path / "bag.tar.gz", make_bag(make_run(), make_system() if system is None else system))
        answer = cast.alice.upload(content.read_bytes())
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        return Submission.objects.get(pk=answer.json()["id"])

    return make


@pytest.fixture
def asking(definitions) -> None:
    """The full list has a new version that asks for the questionnaire."""
    newest = ListDefinition.objects.filter(name="full").latest("version")
    asks = {"fact": "answers", "is_not": "incomplete", "code": "answers-incomplete", "otherwise": "Not answered."}
    eligible = [*newest.body["eligible"], asks]
    body = newest.body | {
        "version": newest.version + 1, "questionnaire": "reproducibility.1", "eligible": eligible
    }  # fmt: skip
    ListDefinition.objects.create(name="full", version=body["version"], body=body)


def submit(person, submission, *lists: str):
    body = {"release": "sc99", "lists": lists, "acknowledge_rules": True, "acknowledge_publication": True}
    return person.post(f"submissions/{submission.pk}/submit/", body)


def answers_of(person, submission) -> dict:
    return person.get(f"submissions/{submission.pk}/answers/").json()


def rows(document: dict) -> dict[str, dict]:
    return {row["question"]: row for row in document["questions"]}


# What the bundle answers


def test_facts_of_bundle_and_run_are_answers_with_sources(cast, described) -> None:
    questions = rows(answers_of(cast.alice, described()))
    assert (questions["client_nodes"]["value"], questions["client_nodes"]["source"]) == (10, "benchmark")
    assert (questions["data_targets"]["value"], questions["data_targets"]["source"]) == (4, "collected")
    assert questions["storage_system_software"]["source"] == "collected"
    assert "Lustre on the clients: 2.15.4" in questions["storage_system_software"]["value"]
    assert {"label": "Lustre on the clients", "text": "2.15.4", "where": "lustre.version", "source": "collected"} in (
        questions["storage_system_software"]["evidence"]
    )
    assert (questions["availability"]["value"], questions["availability"]["source"]) == (None, None)
    assert questions["availability"]["lacking"] == "There is no answer."


def test_a_bundle_without_a_description_leaves_most_questions_open(cast, checked) -> None:
    questions = rows(answers_of(cast.alice, checked()))
    assert {row["source"] for row in questions.values()} <= {"benchmark", None}
    assert (questions["tasks"]["value"], questions["runtime_environment"]["value"]) == (160, None)


def test_an_unchecked_submission_has_no_answers(cast, archive) -> None:
    pk = cast.alice.upload(archive()).json()["id"]
    questionnaire = cast.alice.get(f"submissions/{pk}/answers/").json()
    assert {row["value"] for row in questionnaire["questions"]} == {None}
    assert questionnaire["proposal"]["level"] == "undefined"


def test_the_recipe_answers_how_it_was_run_with_evidence(cast, described) -> None:
    submission = described()
    document = answers_of(cast.alice, submission)
    assert document["answered_by_recipe"] == ["execution", "client_nodes", "tasks"]
    recipe = rows(document)["execution"]["recipe"]
    assert recipe["is_answered"] and not recipe["contradicted"]
    assert "io500 config.ini" in recipe["evidence"][0]["text"]
    places = {fact["label"]: fact["where"] for fact in recipe["evidence"]}
    assert places["Client nodes"].endswith(".txt:" + places["Client nodes"].rpartition(":")[2])
    assert rows(document)["fault_tolerance_mechanisms"]["recipe"] is None
    status_document = cast.alice.get(f"submissions/{submission.pk}/").json()
    assert status_document["answered_by_recipe"] == ["execution", "client_nodes", "tasks"]


def test_facts_alone_support_a_level_without_what_people_wrote(cast, described) -> None:
    submission = described()
    before = answers_of(cast.alice, submission)["supported"]
    cast.alice.put(f"submissions/{submission.pk}/answers/", ANSWERS)
    document = answers_of(cast.alice, submission)
    assert document["supported"] == before
    assert document["proposal"]["points"] > document["supported"]["points"]
    reasons = {item["id"]: item["why"] for item in before["items"]}
    assert reasons["purpose"] == "There is no answer."


def test_an_answer_that_differs_from_the_recipe_is_kept_and_shown(cast, described) -> None:
    submission = described()
    cast.alice.put(f"submissions/{submission.pk}/answers/", {"tasks": 999})
    document = answers_of(cast.alice, submission)
    row = rows(document)["tasks"]
    assert (row["value"], row["source"]) == (999, "submitter")
    assert (row["recipe"]["value"], row["recipe"]["contradicted"]) == (160, True)
    about = [finding["code"] for finding in document["contradictions"] if finding["where"] == "answers.tasks"]
    assert set(about) == {"questionnaire.answer-differs"}


# What people answer


def test_an_answer_overrides_facts_and_names_its_author(cast, described) -> None:
    submission = described()
    answer = cast.bob.put(f"submissions/{submission.pk}/answers/", {"data_targets": 5, "trust": WORDS})
    assert answer.status_code == 200
    questions = rows(answer.json())
    assert (questions["data_targets"]["value"], questions["data_targets"]["source"]) == (5, "submitter")
    assert questions["trust"]["source"] == "submitter"
    assert answer.json()["answers"] == {"data_targets": 5, "trust": WORDS}
    assert answer.json() == answers_of(cast.alice, submission)


def test_downloaded_answers_can_be_edited_and_sent_back(cast, described) -> None:
    submission = described()
    document = answers_of(cast.alice, submission)
    document["answers"]["trust"] = WORDS
    assert cast.alice.put(f"submissions/{submission.pk}/answers/", document).status_code == 200
    submission.refresh_from_db()
    assert submission.answers == {"trust": WORDS}


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ({"reproducibility": "excellent", "trust": WORDS}, ["reproducibility"]),
        ({"exclusive_cluster_usage": "perhaps", "client_nodes": -1}, ["exclusive_cluster_usage", "client_nodes"]),
        ({"usable_capacity": {"value": 1, "unit": "furlong"}}, ["usable_capacity"]),
        ({"trust": ["a", "list"]}, ["trust"]),
    ],
)
def test_an_answer_of_another_kind_is_refused_with_its_question(cast, described, sent, wrong) -> None:
    submission = described()
    refused = cast.alice.put(f"submissions/{submission.pk}/answers/", sent)
    assert (refused.status_code, refused.json()["code"]) == (422, "answers.invalid")
    assert sorted(refused.json()["errors"]) == sorted(wrong)
    submission.refresh_from_db()
    assert submission.answers == {}


@pytest.mark.parametrize("whole", [False, True])
def test_an_answer_to_no_question_is_refused_with_the_nearest(cast, described, whole) -> None:
    submission = described()
    answers = {"trsut": WORDS, "trust": WORDS}
    sent = {"questionnaire": "reproducibility.1", "answers": answers} if whole else answers
    refused = cast.alice.put(f"submissions/{submission.pk}/answers/", sent)
    assert (refused.status_code, refused.json()["code"]) == (422, "answers.invalid")
    assert refused.json()["errors"] == {"trsut": ["Did you mean trust?"]}
    submission.refresh_from_db()
    assert submission.answers == {}


def test_an_answer_to_a_removed_question_can_be_sent_back(cast, described) -> None:
    submission = described()
    Submission.objects.filter(pk=submission.pk).update(answers={"of_yesterday": [1]})
    document = answers_of(cast.alice, submission)
    document["answers"]["trust"] = WORDS
    assert cast.alice.put(f"submissions/{submission.pk}/answers/", document).status_code == 200
    submission.refresh_from_db()
    assert submission.answers == {"of_yesterday": [1], "trust": WORDS}


@pytest.mark.parametrize(
    "sent",
    [
        {"questionnaire": "reproducibility.99", "answers": {}},
        {"questionnaire": ["reproducibility.1"], "answers": {}},
        {"questionnaire": "reproducibility.1"},
        {"questionnaire": "reproducibility.1", "answers": "none"},
    ],
)
def test_a_file_of_no_known_questionnaire_is_refused(cast, checked, sent) -> None:
    refused = cast.alice.put(f"submissions/{checked().pk}/answers/", sent)
    assert (refused.status_code, refused.json()["code"]) == (422, "answers.invalid")


def test_a_contradiction_is_reported_without_blocking(cast, release, described) -> None:
    busy = make_class(parameters=[make_parameter("node.load_before", 200.0, key="load_1min")])
    submission = described(make_system(node_classes=[busy]))
    path = f"submissions/{submission.pk}/answers/"
    contradictions = cast.alice.put(path, {"exclusive_cluster_usage": True, "tasks": 8}).json()["contradictions"]
    assert sorted((row["code"], row["where"]) for row in contradictions) == [
        ("questionnaire.answer-differs", "answers.tasks"),
        ("questionnaire.answer-differs", "answers.tasks"),
        ("questionnaire.load-found", "answers.exclusive_cluster_usage"),
    ]
    assert submit(cast.alice, submission, "full").status_code == 200


def test_the_check_for_the_reviewer_counts_words_of_texts_only(cast, release, described) -> None:
    submission = described()
    cast.alice.put(f"submissions/{submission.pk}/answers/", ANSWERS | {"client_nodes": 10, "feedback": "Fine."})
    submit(cast.alice, submission, "full")
    processing.recheck_in_review(submission.pk)
    rules = {row["code"]: row for row in cast.dana.get(f"submissions/{submission.pk}/").json()["rules"]}
    assert rules["io500.questionnaire"]["outcome"] == "satisfied"
    assert rules["io500.questionnaire"]["why"] == "All 6 answers have 10 words or more."


# What lists ask for


def test_a_list_without_questions_accepts_a_run_without_answers(cast, release, described) -> None:
    submission = described()
    of_full = answers_of(cast.alice, submission)["lists"]["full"]
    assert (of_full["asks"], of_full["complete"]) == (False, False)
    assert submit(cast.alice, submission, "full").status_code == 200


def test_a_list_with_questions_accepts_incomplete_answers_without_ranking(cast, asking, release, described):
    submission = described()
    partly = {name: answer for name, answer in ANSWERS.items() if name != "storage_role"} | {"trust": "Trust us."}
    cast.alice.put(f"submissions/{submission.pk}/answers/", partly)
    taken = submit(cast.alice, submission, "full", "io500")
    assert (taken.status_code, taken.json()["answers_missing"]) == (200, {"full": ["storage_role", "trust"]})
    accepted = {"decision": "accept", "reproducibility": "fully", "reason": "A sound run."}
    excluded = cast.dana.post(f"submissions/{submission.pk}/review/", accepted).json()["excluded"]
    assert {name: why["code"] for name, why in excluded.items()} == {"full": "answers-incomplete"}
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert [len(cast.erin.get(f"lists/sc99/{name}/").json()["entries"]) for name in ("full", "io500")] == [0, 1]


def test_facts_count_as_required_answers(cast, asking, release, described) -> None:
    submission = described()
    cast.alice.put(f"submissions/{submission.pk}/answers/", ANSWERS)
    of_full = answers_of(cast.alice, submission)["lists"]["full"]
    assert of_full == {"asks": True, "complete": True, "missing": []}
    assert submit(cast.alice, submission, "full").status_code == 200


def test_markup_does_not_count_as_words(cast, asking, release, described) -> None:
    submission = described()
    cast.alice.put(f"submissions/{submission.pk}/answers/", ANSWERS | {"trust": "<p>" + "<b></b> " * 40 + "</p>"})
    assert submit(cast.alice, submission, "full").json()["answers_missing"] == {"full": ["trust"]}


@pytest.mark.parametrize("name", ["production", "ten-production"])
def test_only_production_lists_require_answers(cast, release, described, name) -> None:
    missing_by_list = submit(cast.alice, described(), "full", "io500", "ten", name).json()["answers_missing"]
    assert list(missing_by_list) == [name]
    assert {"system_purpose", "usage", "single_point_of_failure"} < set(missing_by_list[name])


# What is published of the answers


def publish(cast, submission) -> dict:
    """The answers in the public record after release day."""
    review = {"decision": "accept", "reproducibility": "limited", "reason": "A sound run."}
    assert cast.dana.post(f"submissions/{submission.pk}/review/", review).status_code == 200
    assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
    submission.refresh_from_db()
    return cast.stranger.get(f"/api/v1/results/{submission.result.public_id}/").json()["answers"]


def test_answers_are_published_with_sources_and_without_feedback(cast, release, described) -> None:
    submission = described()
    answers = ANSWERS | {"trust": f"{WORDS}\nLogs: /home/anna/logs", "feedback": "Ask anna less.", "usage": "research"}
    cast.alice.put(f"submissions/{submission.pk}/answers/", answers)
    submit(cast.alice, submission, "full")
    questionnaire = publish(cast, submission)
    questions = {row["question"]: row for row in questionnaire["rows"]}
    assert (questionnaire["questionnaire"], questionnaire["state"], questionnaire["missing"]) == (
        "reproducibility.1",
        None,
        {},
    )
    assert (questions["client_nodes"]["answer"], questions["client_nodes"]["source"]) == ("10", "benchmark")
    assert (questions["usage"]["answer"], questions["usage"]["source"]) == ("research", "submitter")
    assert (questions["persistence_verified"]["answer"], questions["storage_system_software"]["source"]) == (
        "yes",
        "collected",
    )
    assert WORDS in questions["trust"]["answer"]
    assert "anna" not in json.dumps(questionnaire)
    page = cast.stranger.get(f"/results/{submission.result.public_id}/").content.decode()
    assert "Weather forecasts" in page
    assert "anna" not in page


def test_optional_answers_that_are_missing_are_not_published(cast, release, described) -> None:
    submission = described()
    submit(cast.alice, submission, "full")
    assert publish(cast, submission) == {}


# The file


def test_the_questionnaire_and_its_schema_are_public(client) -> None:
    listed = client.get("/api/v1/questionnaires/").json()["results"]
    assert [row["name"] for row in listed] == ["reproducibility.1"]
    document = client.get(listed[0]["url"]).json()
    assert json.dumps(document["questions"][0]["id"]) == '"system_purpose"'
    assert client.get("/api/v1/schemas/questionnaire.1/").status_code == 200
    missing = client.get("/api/v1/questionnaires/reproducibilty.1/")
    assert missing.status_code == 404
    assert "reproducibility.1" in missing.json()["hint"]
