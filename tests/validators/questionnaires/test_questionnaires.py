"""The questionnaire as data: what facts answer, what is missing, what contradicts, and the level that is proposed."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.make_system import make_class, make_parameter, make_system
from tests.unpacking import extract
from validators import schema
from validators.parameters import parameters
from validators.questionnaires import each_question, load, questionnaires
from validators.questionnaires.answers import combined, missing, prefill, problems
from validators.questionnaires.contradictions import contradicted, contradictions
from validators.questionnaires.proposal import propose

ROOT = Path(__file__).resolve().parents[3]
TEN = [
    "system_purpose",
    "availability",
    "storage_system_software",
    "runtime_environment",
    "fault_tolerance_mechanisms",
    "execution",
    "caching",
    "data_source",
    "trust",
    "reproducibility",
]
WORDS = "Weather forecasts, climate models and what students try on it, every day."
RUN: dict[str, Any] = {
    "parameters": {"client_nodes": 10, "tasks": 160, "drop_caches": False, "job_scripts": ["job.sh"]},
    "scores": {"SCORE": {"value": 12.5, "bandwidth_gib_per_s": 2.5, "rate_kiops": 62.5}},
}
SERVER = make_class(
    role=["oss"],
    count=4,
    parameters=[
        make_parameter("cpu.model", "Processor 32"),
        make_parameter("drive.model", "Drive Y"),
        make_parameter("lustre.server.backend", "ldiskfs"),
        make_parameter("lustre.server.read_cache", False, instances=8),
        make_parameter("raid.layout", "8+2"),
        make_parameter("lustre.server.ha_state", True),
    ],
)


def client(*more: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A class of clients with some facts more than those of make_class."""
    parameters = make_class()["parameters"] + [
        make_parameter("cpu.model", "Processor 64"),
        make_parameter("kernel.version", "5.14.0"),
        make_parameter("mem.total", 536870912),
        make_parameter("nic.rate", 200),
    ]
    return make_class(**({"parameters": [*parameters, *more]} | changes))


def found(answers: dict[str, Any], system: dict[str, Any] | None = None, run: dict[str, Any] | None = RUN) -> list[Any]:
    questionnaire = load()
    document = make_system() if system is None else system
    combined_answers = combined(questionnaire, prefill(questionnaire, document, run), answers)
    return contradictions(questionnaire, combined_answers, document, run)


def codes(*args: Any, **kwargs: Any) -> list[tuple[str, str]]:
    return [
        (contradiction.code.removeprefix("questionnaire."), contradiction.where.removeprefix("answers."))
        for contradiction in found(*args, **kwargs)
    ]


def level(answers: dict[str, Any], system: dict[str, Any]) -> Any:
    questionnaire = load()
    combined_answers = combined(questionnaire, prefill(questionnaire, system, RUN), answers)
    against = contradicted(contradictions(questionnaire, combined_answers, system, RUN))
    return propose(questionnaire, combined_answers, against, system, RUN)


COMPLETE = dict.fromkeys(TEN[:-1], WORDS) | {
    "usage": "production",
    "software_availability": "open_source",
    "exclusive_cluster_usage": True,
    "caches_dropped": False,
    "storage_role": "primary",
    "persistence_verified": "yes",
    "single_point_of_failure": "no",
    "scripts_provided": "yes",
    "reproducibility": "fully",
}


# The files


@pytest.mark.parametrize("name", questionnaires())
def test_every_questionnaire_is_valid_by_its_schema(name: str) -> None:
    document = load(name)
    assert [(error.json_path, error.message) for error in schema.errors(document, "questionnaire.1")] == []
    assert name == f"{document['name']}.{document['version']}"


def test_the_ten_questions_are_asked_in_their_order_and_feedback_is_free() -> None:
    assert [question["id"] for question in load()["questions"]] == [*TEN, "feedback"]
    assert load()["questions"][-1]["required"] == "never"


def test_no_question_has_the_id_of_another_and_the_proposal_knows_all_that_it_names() -> None:
    ids = [question["id"] for question in each_question(load())]
    assert len(ids) == len(set(ids))
    proposal = load()["proposal"]
    assert {row["question"] for row in proposal["items"] if "question" in row} <= set(ids)
    items = {row["id"] for row in proposal["items"]}
    assert all(set(level["needs"]) <= items for level in proposal["levels"])


def test_facts_name_parameters_that_exist() -> None:
    facts = [fact for question in each_question(load()) for fact in question.get("facts", ())]
    facts += [fact for row in load()["proposal"]["items"] for fact in row.get("facts", ())]
    assert {fact["parameter"] for fact in facts if "parameter" in fact} <= set(parameters())
    prefixes = {fact["parameters"] for fact in facts if "parameters" in fact}
    assert [prefix for prefix in prefixes if not any(name.startswith(prefix) for name in parameters())] == []


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "essay"},
        {"required": "sometimes"},
        {"id": "Not An Id"},
        {"facts": [{"label": "Two places", "parameter": "lustre.version", "pointer": "/job"}]},
        {"facts": [{"label": "No place"}]},
        {"hint": "an unknown word"},
    ],
)
def test_an_invalid_questionnaire_is_refused(change: dict[str, Any]) -> None:
    broken = copy.deepcopy(dict(load()))
    broken["questions"][0] |= change
    assert schema.errors(broken, "questionnaire.1")


# What the facts answer


def test_without_facts_no_question_is_answered() -> None:
    assert prefill(load(), None, None) == {}


def test_answers_name_their_source() -> None:
    answers = prefill(load(), make_system(node_classes=[client()]), RUN)
    assert (answers["tasks"].value, answers["tasks"].source) == (160, "benchmark")
    assert (answers["usable_capacity"].value, answers["usable_capacity"].source) == (
        {"value": 1.5, "unit": "PiB"},
        "collected",
    )
    assert (answers["exclusive_cluster_usage"].value, answers["exclusive_cluster_usage"].source) == (True, "submitter")
    (version,) = [
        evidence for evidence in answers["storage_system_software"].evidence if evidence.where == "lustre.version"
    ]
    assert (version.label, version.text, version.source) == ("Lustre on the clients", "2.15.4", "collected")
    assert "Lustre on the clients: 2.15.4" in answers["storage_system_software"].value.splitlines()


def test_too_few_facts_are_shown_and_answer_nothing() -> None:
    system = make_system(system={"usage": "production", "installed": "2024-05"})
    answers = prefill(load(), system, None)
    assert answers["system_purpose"].value is None
    assert [evidence.text for evidence in answers["system_purpose"].evidence] == ["production"]
    assert answers["usage"].value == "production"
    assert [evidence.text for evidence in answers["availability"].evidence] == ["2024-05"]


def test_declared_values_are_not_marked_as_collected() -> None:
    declared = make_parameter("raid.layout", "8+2") | {"source": "declared"}
    system = make_system(node_classes=[client(), SERVER | {"parameters": [declared]}])
    (evidence,) = prefill(load(), system, None)["fault_tolerance_mechanisms"].evidence
    assert (evidence.text, evidence.source) == ("8+2", "submitter")


def test_drives_of_clients_answer_no_question_about_servers() -> None:
    system = make_system(node_classes=[client(make_parameter("raid.layout", "mirror"))])
    assert "fault_tolerance_mechanisms" not in prefill(load(), system, None)


def test_answers_of_people_override_facts_which_stay_visible() -> None:
    answers = combined(load(), prefill(load(), make_system(), RUN), {"tasks": 161, "trust": "  "})
    assert (answers["tasks"].value, answers["tasks"].source) == (161, "submitter")
    assert [evidence.text for evidence in answers["tasks"].evidence] == ["160", "160"]


def test_a_document_of_thousands_of_values_gives_texts_of_bounded_length() -> None:
    many = [make_parameter("vm.sysctl", number, key=f"vm.made_up_{number}") for number in range(5000)]
    system = make_system(node_classes=[make_class(parameters=many)])
    answers = prefill(load(), system, RUN)
    assert max(len(evidence.text) for answer in answers.values() for evidence in answer.evidence) <= 2000


def test_the_description_of_the_lustre_root_answers_half_of_the_ten_questions(shared: Path, tmp_path: Path) -> None:
    with tarfile.open(shared / "data/collector/fakeroots/lustre-client-rhel8.tar.gz") as archive:
        extract(archive, tmp_path, filter="tar")
    root = next(tmp_path.rglob("commands.json")).parent
    out = tmp_path / "system.json"
    line = [sys.executable, "-m", "collectors", "collect", "--root", root / "sysroot"]
    line += ["--commands", root / "commands.json", "--out", out]
    ran = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    answers = prefill(load(), json.loads(out.read_text()), None)
    filled = [name for name in TEN if name in answers and answers[name].value is not None]
    assert filled == ["storage_system_software", "runtime_environment", "execution", "caching", "data_source"]
    assert {answers[name].source for name in filled} == {"collected"}
    assert "Lustre on the clients: 2.15.4" in answers["storage_system_software"].value
    assert "osc.max_rpcs_in_flight 8" in answers["runtime_environment"].value
    assert (answers["data_targets"].value, answers["software_availability"].value) == (7, "open_source")


# What is missing


def test_a_complete_questionnaire_misses_nothing_on_any_list() -> None:
    assert missing(load(), COMPLETE, ["full", "io500", "production"]) == []


@pytest.mark.parametrize("name", TEN)
def test_each_of_the_ten_questions_is_reported_as_missing(name: str) -> None:
    without = {question: answer for question, answer in COMPLETE.items() if question != name}
    (row,) = missing(load(), without, ["full"])
    assert (row.question, row.why, row.lists) == (name, "There is no answer.", ("full",))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Two words", 2),
        ("<p>one</p><p>two <b>three</b></p>" + "<br>" * 20, 3),
        ("a - b - c - d - e - f", 6),
        ("&nbsp;&nbsp;one&nbsp;two", 2),
    ],
)
def test_a_text_is_judged_by_its_words_without_markup(text: str, count: int) -> None:
    (row,) = missing(load(), COMPLETE | {"trust": text}, ["full"])
    assert (row.question, row.why) == ("trust", f"It has {count} of at least 10 words.")


def test_a_production_list_asks_more() -> None:
    without = {name: answer for name, answer in COMPLETE.items() if name not in ("usage", "single_point_of_failure")}
    limited = without | {"reproducibility": "limited"}
    assert missing(load(), limited, ["full"]) == []
    rows = missing(load(), limited, ["full", "production"])
    assert [(row.question, row.lists) for row in rows] == [
        ("usage", ("production",)),
        ("single_point_of_failure", ("production",)),
    ]


def test_the_highest_level_requires_more_answers_on_every_list() -> None:
    without = {name: answer for name, answer in COMPLETE.items() if name != "single_point_of_failure"}
    assert [row.question for row in missing(load(), without, ["full"])] == ["single_point_of_failure"]


def test_without_a_list_no_answer_is_required() -> None:
    assert missing(load(), {}, []) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("trust", 5),
        ("trust", "x" * 20_001),
        ("reproducibility", "excellent"),
        ("reproducibility", ["fully"]),
        ("exclusive_cluster_usage", "perhaps"),
        ("exclusive_cluster_usage", 1),
        ("client_nodes", True),
        ("client_nodes", -1),
        ("client_nodes", float("inf")),
        ("client_nodes", float("nan")),
        ("client_nodes", 10**400),
        ("client_nodes", "10"),
        ("usable_capacity", 5),
        ("usable_capacity", {"value": 5}),
        ("usable_capacity", {"value": 5, "unit": "mile"}),
        ("usable_capacity", {"value": 5, "unit": ["PB"]}),
        ("usable_capacity", {"value": "5", "unit": "PB"}),
    ],
)
def test_an_answer_of_another_kind_is_a_problem_and_no_answer(question: str, answer: Any) -> None:
    assert list(problems(load(), {question: answer})) == [question]
    assert question not in combined(load(), {}, {question: answer})


def test_answers_of_the_right_kind_and_unknown_questions_are_no_problem() -> None:
    fitting = COMPLETE | {"client_nodes": 10, "usable_capacity": {"value": 1.5, "unit": "PB"}, "of_tomorrow": [1]}
    assert problems(load(), fitting) == {}
    assert problems(load(), {"trust": "", "tasks": None}) == {}


# What contradicts


def test_answers_that_agree_with_the_facts_are_not_contradicted() -> None:
    answers = {"client_nodes": 10, "tasks": 160, "usable_capacity": {"value": 1.6, "unit": "PiB"}, "data_targets": 4}
    assert codes(answers | COMPLETE) == []


@pytest.mark.parametrize(
    ("question", "answer", "expected", "actual"),
    [
        ("client_nodes", 11, "10", "11"),
        ("tasks", 64, "160", "64"),
        ("data_targets", 5, "4", "5"),
        ("usable_capacity", {"value": 2, "unit": "PiB"}, "1.5\u00a0PiB", "2 PiB"),
        ("exclusive_cluster_usage", "no", "yes", "no"),
    ],
)
def test_a_declared_count_that_differs_from_the_observed_is_reported(question, answer, expected, actual) -> None:
    rows = found({question: answer})
    assert {(row.code, row.where, row.level) for row in rows} == {
        ("questionnaire.answer-differs", f"answers.{question}", "warning")
    }
    assert (rows[0].expected, rows[0].actual) == (expected, actual)


@pytest.mark.parametrize(
    ("load_1min", "told"), [(0.4, False), (12.8, False), (12.9, True), (200.0, True)], ids=lambda value: str(value)
)
def test_load_above_that_of_daemons_on_a_dedicated_system_is_reported(load_1min: float, told: bool) -> None:
    busy = client(make_parameter("node.load_before", load_1min, key="load_1min"))
    rows = codes({"exclusive_cluster_usage": True}, make_system(node_classes=[busy]))
    assert rows == ([("load-found", "exclusive_cluster_usage")] if told else [])


def test_load_is_no_contradiction_on_a_shared_system() -> None:
    busy = client(make_parameter("node.load_before", 200.0, key="load_1min"))
    system = make_system(node_classes=[busy], system={})
    assert codes({"exclusive_cluster_usage": False}, system) == []
    assert codes({}, system) == []


def test_declared_exclusive_use_is_checked() -> None:
    busy = client(make_parameter("node.load_before", 200.0, key="load_1min"))
    assert codes({}, make_system(node_classes=[busy])) == [("load-found", "exclusive_cluster_usage")]


def test_processes_of_other_users_on_a_dedicated_system_are_reported() -> None:
    shared_node = client(make_parameter("node.load_before", [(0, 9), (3, 1)], key="processes_of_others"))
    (row,) = found({"exclusive_cluster_usage": "yes"}, make_system(node_classes=[shared_node]))
    assert (row.code, row.actual) == ("questionnaire.load-found", "3 processes")


DROPS = make_parameter("bench.cache_drop", 4, key="drop_pagecache")
DROPPED = {"pointer": "/parameters/bench.cache_drop/drop_pagecache", "severity": "info", "pre": 4, "post": 6}


@pytest.mark.parametrize("answer", [{"caches_dropped": "yes"}, {"caching": "There was no client-side caching at all."}])
def test_claimed_cache_drops_without_counted_drops_are_reported(answer: dict[str, Any]) -> None:
    node_class = client(DROPS, count=1)
    (row,) = found(answer, make_system(node_classes=[node_class]))
    assert (row.code, row.level) == ("questionnaire.caches-not-dropped", "warning")
    assert row.where == f"answers.{next(iter(answer))}"
    assert codes(answer, make_system(node_classes=[node_class], drift=[DROPPED])) == []
    assert codes(answer, make_system(node_classes=[client(count=1)])) == []
    assert (
        codes({"caches_dropped": False, "caching": "Caches took part."}, make_system(node_classes=[node_class])) == []
    )


def test_drop_counters_of_grouped_nodes_are_only_mentioned() -> None:
    (row,) = found({"caches_dropped": True}, make_system(node_classes=[client(DROPS)]))
    assert (row.code, row.level) == ("questionnaire.caches-not-dropped", "info")
    assert contradicted([row]) == set()


def test_drop_counters_read_once_are_no_evidence() -> None:
    system = make_system(node_classes=[client(DROPS, count=1)], captures=make_system()["captures"][:1])
    assert codes({"caches_dropped": True}, system) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lctl set_param osc.*.max_rpcs_in_flight=64", False),
        ("lctl set_param osc.*.max_rpcs_in_flight=8", False),
        ("lctl set_param osc.*.max_rpcs_in_flight=32", True),
        ("max_rpcs_in_flight = 32 everywhere", True),
        ("lctl set_param mdc.*.max_rpcs_in_flight=32", False),
        ("osc.*.checksums=0", False),
        ("osc.*.checksums=1", True),
        ("sysctl vm.dirty_ratio=10", False),
        ("sysctl vm.dirty_ratio=40", True),
        ("osc.*.max_rpcs_in_flight=32k", False),
        ("a.b.unheard_of=7", False),
    ],
)
def test_tunables_in_answers_are_compared_with_the_nodes(text: str, told: bool) -> None:
    rows = codes({"runtime_environment": f"On all clients we said {text} before the job began."})
    assert rows == ([("tunable-differs", "runtime_environment")] if told else [])


def test_a_long_text_without_settings_contradicts_nothing() -> None:
    assert codes({"runtime_environment": "a." * 9_999}) == []


@pytest.mark.parametrize(("before", "told"), [(99, True), (100, False)])
def test_the_first_hundred_settings_of_a_text_are_looked_for(before: int, told: bool) -> None:
    text = " ".join([*(f"s{number}=1" for number in range(before)), "osc.*.max_rpcs_in_flight=32"])
    assert bool(codes({"runtime_environment": text})) is told


def test_an_invalid_score_contradicts_nothing() -> None:
    run = {"parameters": {}, "scores": {"SCORE": {"value": float("nan"), "bandwidth_gib_per_s": float("inf")}}}
    assert "trust" not in prefill(load(), None, run)


def test_prefilled_answers_contradict_no_fact() -> None:
    assert codes({}, make_system(node_classes=[client(), SERVER])) == []


# What is proposed


def test_a_whole_description_and_complete_answers_propose_the_highest_level() -> None:
    proposal = level(COMPLETE, make_system(node_classes=[client(), SERVER]))
    assert (proposal.level, proposal.points, proposal.of, proposal.next_level) == ("fully", 110, 110, "")


def test_unavailable_software_limits_the_level_to_proprietary() -> None:
    answers = COMPLETE | {"software_availability": "not_public"}
    proposal = level(answers, make_system(node_classes=[client(), SERVER]))
    assert (proposal.level, proposal.points) == ("proprietary", 105)
    assert proposal.next_level == "The next level, fully, needs: The software can be had by others."


def test_undescribed_servers_limit_the_level_to_limited() -> None:
    proposal = level(COMPLETE, make_system(node_classes=[client()]))
    assert proposal.level == "limited"
    (servers,) = [item for item in proposal.items if item.id == "servers"]
    assert (servers.points, servers.of, servers.why) == (0, 10, "0 of 5 facts are given; at least 2 are needed.")


def test_answers_alone_leave_the_level_undefined() -> None:
    questionnaire = load()
    proposal = propose(questionnaire, combined(questionnaire, {}, COMPLETE), set(), None, None)
    assert (proposal.level, proposal.points) == ("undefined", 60)


def test_a_contradicted_answer_adds_no_level_and_is_named() -> None:
    system = make_system(node_classes=[client(), SERVER])
    proposal = level(COMPLETE | {"client_nodes": 12}, system)
    (item,) = [item for item in proposal.items if item.id == "execution"]
    assert (item.points, item.why) == (0, "The facts contradict the answer.")
    assert proposal.points == 105


def test_each_item_names_its_evidence() -> None:
    proposal = level(COMPLETE, make_system(node_classes=[client(), SERVER]))
    items = {item.id: item for item in proposal.items}
    assert [(evidence.label, evidence.text, evidence.where) for evidence in items["server_tuning"].evidence][:1] == [
        ("Lustre", "backend ldiskfs; read_cache no; ha_state yes", "lustre.server.*")
    ]
    assert [(evidence.text, evidence.source) for evidence in items["purpose"].evidence] == [(WORDS, "submitter")]
    assert [(evidence.text, evidence.where) for evidence in items["scripts"].evidence] == [
        ("yes", "answers.scripts_provided")
    ]
