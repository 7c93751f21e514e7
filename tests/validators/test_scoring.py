"""Scores from definitions as data: the arithmetic, and which definitions are allowed."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators import catalogue, schema
from validators.scoring import Definition, ScoreError, bounds, evaluate, geometric_mean

ROW: dict[str, Any] = {
    "id": "two-groups-2020",
    "score": "TOTAL",
    "status": "scored",
    "releases": "all",
    "mean": "geometric",
    "weights": "equal",
    "combine": "geometric",
    "groups": [
        {"name": "bandwidth", "required": ["write", "read"], "optional": ["random"]},
        {"name": "rate", "required": ["create"], "optional": []},
    ],
    "source": "made for this test",
}
DOCUMENT: dict[str, Any] = {"schema": 1, "phases": {"write": "bandwidth", "create": "rate"}, "definitions": [ROW]}
positive = st.floats(1e-6, 1e9)


def changed(**fields: Any) -> Definition:
    return Definition.from_json({**ROW, **fields})


def test_each_group_has_its_mean_and_the_groups_are_combined() -> None:
    score = evaluate({"write": 2.0, "read": 8.0, "create": 9.0}, changed())
    assert score.groups == pytest.approx({"bandwidth": 4.0, "rate": 9.0})
    assert score.value == pytest.approx(6.0)


def test_a_product_has_no_root() -> None:
    assert evaluate({"write": 2.0, "read": 8.0, "create": 9.0}, changed(combine="product")).value == pytest.approx(36)


def test_an_optional_phase_counts_when_it_was_run() -> None:
    score = evaluate({"write": 1.0, "read": 1.0, "random": 27.0, "create": 3.0}, changed())
    assert score.groups["bandwidth"] == pytest.approx(3.0)
    assert score.value == pytest.approx(3.0)


def test_values_of_other_phases_are_left_out() -> None:
    assert evaluate({"write": 4.0, "read": 4.0, "create": 4.0, "stat": 1e9}, changed()).value == pytest.approx(4.0)


def test_a_missing_phase_is_named() -> None:
    with pytest.raises(ScoreError, match="read"):
        evaluate({"write": 4.0, "create": 4.0}, changed())


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_value_without_a_part_in_a_mean_is_refused(value: float) -> None:
    with pytest.raises(ScoreError):
        evaluate({"write": value, "read": 4.0, "create": 4.0}, changed())


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ScoreError):
        geometric_mean([])


@given(st.lists(positive, min_size=1, max_size=30))
def test_a_mean_lies_between_its_values_whatever_their_order(values: list[float]) -> None:
    mean = geometric_mean(values)
    assert min(values) * (1 - 1e-9) <= mean <= max(values) * (1 + 1e-9)
    assert geometric_mean(sorted(values)) == pytest.approx(mean)


def test_large_and_small_values_do_not_overflow() -> None:
    assert geometric_mean([1e300] * 20 + [1e-300] * 20) == pytest.approx(1.0)


@given(st.fixed_dictionaries({"write": positive, "read": positive, "create": positive}))
def test_the_score_lies_within_its_bounds(values: dict[str, float]) -> None:
    low, high = bounds(values, dict.fromkeys(values, 0.0005), changed())
    assert low.value <= evaluate(values, changed()).value <= high.value


def test_bounds_of_rounded_values_are_those_of_the_ends() -> None:
    values = {"write": 1.0, "read": 1.0, "create": 1.0}
    low, high = bounds(values, dict.fromkeys(values, 0.25), changed())
    assert (low.value, high.value) == pytest.approx((0.75, 1.25))


def test_a_value_that_may_have_been_zero_bounds_the_score_by_zero() -> None:
    low, high = bounds(
        {"write": 0.1, "read": 4.0, "create": 4.0}, {"write": 0.1, "read": 0.1, "create": 0.1}, changed()
    )
    assert (low.value, low.groups) == (0.0, {"bandwidth": 0.0, "rate": 0.0})
    assert high.value > 0


# Definitions as data


def test_the_definitions_of_every_benchmark_are_valid_and_can_be_evaluated() -> None:
    files = sorted(catalogue.FOLDER.glob("*/scores.json"))
    assert files
    for path in files:
        document = json.loads(path.read_text(encoding="utf-8"))
        assert schema.errors(document, "scores.1") == []
        ids = [row["id"] for row in document["definitions"]]
        assert len(ids) == len(set(ids))
        for row in document["definitions"]:
            definition = Definition.from_json(row)
            assert set(definition.phases) <= set(document["phases"])
            assert evaluate(dict.fromkeys(definition.phases, 1.0), definition).value == pytest.approx(1.0)


def test_the_definition_of_this_test_is_valid() -> None:
    assert schema.errors(DOCUMENT, "scores.1") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mean", "arithmetic"),
        ("combine", "sum"),
        ("weights", {"write": 2}),
        ("status", "final"),
        ("groups", []),
        ("groups", [{"name": "bandwidth", "required": [], "optional": []}]),
        ("groups", [{"name": "bandwidth", "required": ["write", "write"], "optional": []}]),
        ("note", "an unknown field"),
        ("source", ""),
    ],
)
def test_a_definition_that_the_arithmetic_does_not_know_is_not_valid(field: str, value: object) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["definitions"][0][field] = value
    assert schema.errors(document, "scores.1")
