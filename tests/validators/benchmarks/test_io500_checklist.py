"""The thirty rules of the IO500 checklist: one good submission keeps them all, and one change breaks each.

What runs, answers and metadata show is checked here through `check`, as the server calls it. What needs a person is
judged on the rubric; lists and the registry keep the others, in the tests that ELSEWHERE names.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.make_io500 import PHASES, make_run, pack
from validators import catalogue
from validators.checks import check

ROOT = Path(__file__).resolve().parents[3]
WORDS = "We ran it on the whole machine after a maintenance of one day."
GOOD: dict[str, Any] = {
    "release": {"slug": "sc25", "benchmark_versions": ["io500-sc25"], "deadline": "2025-10-15T12:00:00Z"},
    "list_name": "ten-production",
    "submitted_at": "2025-10-14T12:00:00Z",
    "metadata": {
        "institution": "North Lab", "system": "Fjord", "filesystem_type": "Lustre", "storage_vendor": "Example",
        "client_nodes": 10, "tasks": 160,
    },
    "answers": {
        "caching": WORDS, "trust": WORDS, "usage": "production", "single_point_of_failure": False,
        "exclusive_cluster_usage": True,
    },
}  # fmt: skip
NEEDS_HUMAN = {2, 8, 9, 10, 21}
"""The source, files made beforehand, persistence, reduced data, production: evidence is shown, a reviewer judges."""

FAILING: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {
    # number: changes of the run (tests/make_io500.py), changes of what is said beside it
    1: ({"version": "io500-sc24"}, {}),
    3: ({"reordered": True}, {}),
    4: ({"short": "ior-hard-write"}, {}),
    5: ({"edited_phase": "find"}, {}),
    6: ({"edited_hash": True}, {}),
    7: ({"client_nodes": 1}, {}),
    11: ({"client_nodes": 9}, {}),
    12: ({"client_nodes": 11}, {}),
    13: ({"values": {"find": "0.000000"}}, {}),
    14: ({"scc": True}, {}),
    15: ({"without": ("job.sh",)}, {}),
    16: ({}, {"submitted_at": "2025-10-15T12:00:01Z"}),
    17: ({}, {"metadata": GOOD["metadata"] | {"system": ""}}),
    18: ({}, {"metadata": GOOD["metadata"] | {"client_nodes": 12}}),
    19: ({}, {"answers": GOOD["answers"] | {"trust": "We looked."}}),
    21: ({}, {"answers": GOOD["answers"] | {"single_point_of_failure": True}}),
    24: ({}, {"answers": GOOD["answers"] | {"exclusive_cluster_usage": False}}),
}
ELSEWHERE = {
    20: ("registry/lists/test_definitions.py", "test_the_awarded_level_caps_the_list"),
    22: ("registry/lists/test_definitions.py", "test_a_run_is_on_research_or_production_never_both"),
    23: ("registry/lists/test_definitions.py", "test_the_best_run_of_a_system_ranks_and_the_others_have_a_reason"),
    25: ("submissions/review/test_decisions.py", "test_submissions_that_cannot_be_submitted_are_refused"),
    26: (
        "submissions/publication/test_embargo.py",
        "test_no_route_distinguishes_an_embargoed_from_a_missing_submission",
    ),
    27: ("submissions/accounts/test_personal_data.py", "test_an_erased_account_leaves_no_personal_data"),
    28: ("submissions/publication/test_publish.py", "test_the_database_refuses_to_move_a_frozen_list"),
    29: ("submissions/publication/test_preview.py", "test_a_list_is_tried_under_a_proposed_score"),
    30: ("registry/citation/test_citation.py", "test_the_citation_follows_the_published_data"),
}
JUDGED = ("submissions/review/test_review_pages.py", "test_each_rule_that_needs_a_person_is_judged_either_way")


def outcomes(tmp_path: Path, run: dict[str, Any], metadata: dict[str, Any]) -> dict[int, str]:
    """How each rule of the checklist came out, by its number."""
    numbers = {rule.code: int(rule.source.rsplit(" ", 1)[1]) for rule in catalogue.benchmark("io500").rules}
    report = check(pack(tmp_path / "run.tar.gz", make_run(**run)), **GOOD | metadata)
    return {numbers[rule.code]: rule.outcome for rule in report.runs[0].rules if rule.code in numbers}


def test_one_good_submission_keeps_every_rule(tmp_path: Path) -> None:
    outcomes_by_number = outcomes(tmp_path, {}, {})
    assert {number for number, outcome in outcomes_by_number.items() if outcome == "needs_human"} == NEEDS_HUMAN
    assert {number for number, outcome in outcomes_by_number.items() if outcome == "satisfied"} == set(
        outcomes_by_number
    ) - NEEDS_HUMAN


@pytest.mark.parametrize("number", FAILING)
def test_one_change_breaks_each_rule(tmp_path: Path, number: int) -> None:
    assert outcomes(tmp_path, *FAILING[number])[number] == "violated"


def test_a_student_run_keeps_its_own_rules(tmp_path: Path) -> None:
    short = {name: 31.0 for name in PHASES if name.endswith("-write")}
    outcomes_by_number = outcomes(tmp_path, {"scc": True, "seconds": short}, {"list_name": "scc"})
    assert (outcomes_by_number[4], outcomes_by_number[14]) == ("satisfied", "satisfied")


def test_every_rule_of_the_checklist_is_broken_somewhere() -> None:
    assert sorted({*FAILING, *NEEDS_HUMAN, *ELSEWHERE}) == list(range(1, 31))


@pytest.mark.parametrize(("file", "name"), [*ELSEWHERE.values(), JUDGED])
def test_rules_tested_elsewhere_have_their_test(file: str, name: str) -> None:
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
