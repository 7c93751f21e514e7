"""Rules are data: a comparison needs no code, and what needs code is found by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from validators import schema
from validators.bundle import Bundle
from validators.catalogue import FOLDER
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, load_rules

ROW = {"code": "tool.rule", "level": "error", "text": "Something has to hold.", "source": "our own"}


def outcome(tmp_path: Path, test: dict, parameters: dict, list_name: str | None = None) -> tuple[str, str]:
    (tmp_path / "rules.json").write_text(json.dumps([ROW | {"test": test}]))
    (rule,) = load_rules(tmp_path / "rules.json", {})
    result = rule.evaluate(Run("tool", "", parameters=parameters), Context(Bundle(), list_name=list_name))
    return result.outcome, result.why


@pytest.mark.parametrize(
    ("test", "value", "expected"),
    [
        ({"is": 10}, 10, SATISFIED),
        ({"is": 10}, 12, VIOLATED),
        ({"is": True}, False, VIOLATED),
        ({"at_least": 10}, 10, SATISFIED),
        ({"at_least": 10}, 9.5, VIOLATED),
        ({"at_most": 10}, 10, SATISFIED),
        ({"at_most": 10}, 11, VIOLATED),
        ({"one_of": ["POSIX", "DFS"]}, "DFS", SATISFIED),
        ({"one_of": ["POSIX", "DFS"]}, "IME", VIOLATED),
        ({"at_least": 10}, "ten", NOT_EVALUATED),
        ({"at_least": 10}, None, NOT_EVALUATED),
    ],
)
def test_a_rule_compares_a_parameter_without_code(tmp_path: Path, test: dict, value: object, expected: str) -> None:
    actual_outcome, why = outcome(tmp_path, {"parameter": "p", **test}, {} if value is None else {"p": value})
    assert actual_outcome == expected
    assert "p is " in why


def test_a_rule_of_some_lists_is_not_evaluated_for_others(tmp_path: Path) -> None:
    test = {"parameter": "p", "is": 1, "on_lists": ["ten"]}
    assert outcome(tmp_path, test, {"p": 2}, "ten")[0] == VIOLATED
    assert outcome(tmp_path, test, {"p": 2}, "full") == (NOT_EVALUATED, "Only for ten.")
    assert outcome(tmp_path, test, {"p": 2})[0] == NOT_EVALUATED


def test_a_rule_without_a_judge_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text(json.dumps([ROW]))
    with pytest.raises(KeyError, match=r"tool\.rule"):
        load_rules(tmp_path / "rules.json", {})


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/rules.json")), ids=lambda path: path.parent.name)
def test_the_rules_of_every_benchmark_are_valid(path: Path) -> None:
    assert schema.errors(json.loads(path.read_text(encoding="utf-8")), "rules.1") == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"code": "No Code"},
        {"level": "fatal"},
        {"test": {"parameter": "p"}},
        {"test": {"parameter": "p", "is": 1, "at_least": 1}},
        {"judge": "eval"},
    ],
)
def test_wrong_rules_are_refused_by_the_schema(wrong: dict) -> None:
    assert schema.errors([ROW | wrong], "rules.1")
