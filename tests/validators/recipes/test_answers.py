"""What a recipe answers of the questionnaire, with its evidence; where a person wrote otherwise; what stays open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.make_system import make_class, make_system
from validators.questionnaires import each_question, load
from validators.questionnaires.answers import combined, prefill
from validators.recipes.answers import (
    RecipeAnswer,
    load_definition,
    recipe_answers,
    recipe_contradictions,
    with_recipe,
)
from validators.recipes.of_run import write_run_recipe

IOR = {"options": [["a", "POSIX"], ["t", "1m"], ["b", "16m"], ["o", None]], "left_out": []}


def make_run(tool: str = "ior", given_options: Any = IOR, **changes: Any) -> dict[str, Any]:
    run = {
        "tool": tool, "version": "4.0.0", "mode": "", "client_nodes": 2, "tasks": 8, "parameters": {}, "tests": [],
        "path": "run/ior.txt", "given_options": given_options, "printed_at": {"client_nodes": "run/ior.txt:7"},
    }  # fmt: skip
    return run | changes


def make_fio(shared: dict[str, str], *jobs: dict[str, str]) -> dict[str, Any]:
    rows = [{"group": 0, "options": job} for job in jobs]
    return make_run("fio", {"global": shared, "jobs": rows, "left_out": []})


def answers_of(run: dict[str, Any], document: dict[str, Any] | None = None) -> dict[str, RecipeAnswer]:
    return recipe_answers(load(), write_run_recipe(run, document), run)


def contradicted(run: dict[str, Any], typed: dict[str, Any]) -> list[tuple[str, str, str]]:
    questionnaire, recipe = load(), write_run_recipe(run, None)
    from_recipe = recipe_answers(questionnaire, recipe, run)
    answers = combined(questionnaire, with_recipe(prefill(questionnaire, None, None), from_recipe), typed)
    findings = recipe_contradictions(questionnaire, answers, from_recipe, recipe)
    return [(finding.where, finding.expected, finding.actual) for finding in findings]


def test_the_definition_names_questions_that_exist_once() -> None:
    names = [row["question"] for row in load_definition()["questions"]]
    assert len(set(names)) == len(names) and set(names) <= {question["id"] for question in each_question(load())}


def test_a_known_command_answers_how_it_was_run() -> None:
    answers = answers_of(make_run())
    assert answers["execution"].value.splitlines()[0] == 'Command: ior -a POSIX -t 1m -b 16m -o "$TESTDIR/ior"'
    assert [(fact.label, fact.where) for fact in answers["execution"].evidence[:3]] == [
        ("Command", "run/ior.txt"), ("Client nodes", "run/ior.txt:7"), ("Processes", "recipe.variables.$RANKS"),
    ]  # fmt: skip
    assert (answers["client_nodes"].value, answers["tasks"].value) == (2, 8)


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        ({"given_options": None}, "The recipe lacks: Command."),
        ({"client_nodes": None}, "The recipe lacks: Client nodes."),
        ({"tasks": None, "client_nodes": None}, "The recipe lacks: Client nodes, Processes."),
    ],
)
def test_a_recipe_that_lacks_a_part_answers_nothing(changes: dict[str, Any], lacks: str) -> None:
    answer = answers_of(make_run(**changes))["execution"]
    assert (answer.value, answer.why_not) == (None, lacks) and answer.evidence


def test_a_run_of_which_nothing_is_known_has_no_evidence() -> None:
    run = make_run(given_options=None, client_nodes=None, tasks=None, version="")
    assert answers_of(run) == {}


def test_a_run_of_an_unknown_benchmark_has_its_counts_alone() -> None:
    assert {name for name, answer in answers_of(make_run("strange", None)).items() if answer.value is not None} == {
        "client_nodes", "tasks",
    }  # fmt: skip


def test_layout_and_environment_answer_the_environment() -> None:
    layouts = [{"phase": "ior-easy", "stripe_count": 4, "stripe_size_bytes": 1048576}]
    document = make_system(node_classes=[make_class()], layouts=layouts, job={"environment": {"ROMIO_HINTS": "set"}})
    answer = answers_of(make_run(), document)["runtime_environment"]
    assert [(fact.label, fact.text, fact.where) for fact in answer.evidence[:2]] == [
        ("Layout", "ior-easy: lfs setstripe -c 4 -S 1048576 $TESTDIR", "/layouts"),
        ("Variables of the environment", "ROMIO_HINTS is set", "/job/environment"),
    ]
    assert answer.value
    without = answers_of(make_run(), make_system(node_classes=[make_class()], layouts=layouts))["runtime_environment"]
    assert (without.value, without.why_not) == (None, "The recipe lacks: Variables of the environment.")


@pytest.mark.parametrize(
    ("shared", "jobs", "where"),
    [
        ({"direct": "1"}, [{"rw": "read"}], "recipe job.fio:2"),
        ({}, [{"rw": "read", "direct": "1"}], "recipe job.fio:7"),
        ({"direct": "1"}, [{"rw": "read"}, {"rw": "read", "direct": "0"}], None),
        ({}, [{"rw": "read", "direct": "1"}, {"rw": "write"}], None),
        ({"direct": "0"}, [{"rw": "read"}], None),
        ({}, [{"rw": "read"}], None),
    ],
)
def test_direct_io_of_every_job_bypasses_the_caches(
    shared: dict[str, str], jobs: list[dict[str, str]], where: str | None
) -> None:
    answer = answers_of(make_fio(shared, *jobs)).get("caches_dropped")
    assert (answer.evidence[0].where if answer and answer.value is True else None) == where


def test_caches_of_clients_do_not_answer_for_those_of_servers() -> None:
    answer = answers_of(make_fio({"direct": "1"}, {"rw": "read", "size": "1g"}))["caching"]
    assert answer.value is None and "clients alone" in answer.why_not


@pytest.mark.parametrize(
    ("typed", "finding"),
    [
        ({"client_nodes": 3}, [("answers.client_nodes", "2", "3")]),
        ({"client_nodes": 2, "tasks": 8}, []),
        ({"caches_dropped": "no"}, [("answers.caches_dropped", "direct = 1", "no")]),
        ({"caches_dropped": True}, []),
        ({"execution": "We set bs=4k in the job file, and nothing else."}, [("answers.execution", "bs = 1m", "4k")]),
        ({"execution": "We set bs = 1048576, as bytes, and direct=1 too."}, []),
        ({"execution": "We set bs=1 MiB, a size with another unit, and unknown=7."}, []),
        ({"execution": "We set filename=secret and went on; directory = /x."}, []),
        ({"feedback": "bs=4k"}, []),
    ],
)  # fmt: skip
def test_answers_that_differ_from_the_recipe_give_findings(
    typed: dict[str, Any], finding: list[tuple[str, str, str]]
) -> None:
    shared = {"direct": "1", "bs": "1m", "filename": 1}
    assert contradicted(make_fio(shared, {"rw": "read"}), typed) == finding


def test_typed_answers_count_before_the_recipe() -> None:
    questionnaire = load()
    merged = with_recipe({}, answers_of(make_run()))
    assert combined(questionnaire, merged, {"tasks": 9})["tasks"].value == 9
    assert combined(questionnaire, merged, {})["tasks"].value == 8


def test_facts_stand_before_the_recipe() -> None:
    run = make_run() | {"parameters": {"client_nodes": 2, "tasks": 8}}
    facts = prefill(load(), None, run)
    assert with_recipe(facts, answers_of(run))["tasks"] == facts["tasks"]


@pytest.mark.parametrize("version", ["4.0\n[job9]\nexec_prerun=x", '"><script>', "x" * 5000])
def test_odd_texts_are_bounded_and_kept_in_one_answer(version: str) -> None:
    answer = answers_of(make_run(version=version))["execution"]
    assert len(json.dumps(answer.as_json())) < 20_000 and answer.value


def test_another_questionnaire_is_not_answered() -> None:
    other = {**load(), "version": 2}
    assert recipe_answers(other, write_run_recipe(make_run(), None), make_run()) == {}


def test_a_command_of_which_options_are_not_known_answers_nothing() -> None:
    tests = [{"name": "w", "group": 0, "error": 0}]
    run = make_run("fio", None, tests=tests, parameters={"sums": [{"group": 0, "op": "write"}]})
    answers = answers_of(run)
    assert answers["execution"].value is None and answers["execution"].why_not == "The recipe lacks: Command."
    assert "scripts_provided" not in answers
