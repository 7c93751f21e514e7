"""Ratios of two sets of runs: their interval holds what it promises, and agreement is never said of too little."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.gate import judgement
from validators.quantities import canonical_quantities
from validators.reproduction.agreement import (
    AGREES,
    CANNOT_TELL,
    NOT_REPRODUCED,
    Ratio,
    combine_outcomes,
    compare_means,
    decide_agreement,
    find_limits,
    load_table,
    student_quantile,
    tail_chance,
)

BANDWIDTH = find_limits("fio", "bandwidth")
METADATA = find_limits("mdtest", "metadata_rate")
positive = st.floats(1e-6, 1e15)


# 97.5 % quantiles of Student's t as published tables print them (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
@pytest.mark.parametrize(
    ("degrees", "quantile"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (29, 2.045), (100, 1.984)]
)
def test_quantiles_are_those_of_published_tables(degrees: int, quantile: float) -> None:
    assert round(student_quantile(degrees), 3) == quantile


@given(st.floats(0, 1e6), st.integers(1, 400))
def test_the_collector_computes_the_same_chances(t: float, degrees: int) -> None:
    assert tail_chance(t, degrees) == pytest.approx(judgement.compute_tail_chance(t, degrees), abs=1e-12)


def test_the_interval_of_equal_spreads_is_that_of_a_textbook() -> None:
    # Logarithms 0, 0.1, 0.2 against -0.1, 0, 0.1: difference -0.1, variances 0.01, 4 degrees: 2.776 x sqrt(0.02 / 3).
    ratio = compare_means([math.exp(x) for x in (0, 0.1, 0.2)], [math.exp(x) for x in (-0.1, 0, 0.1)])
    assert ratio.ratio == pytest.approx(math.exp(-0.1))
    width = 2.7764 * math.sqrt(0.02 / 3)
    assert (ratio.low, ratio.high) == pytest.approx((math.exp(-0.1 - width), math.exp(-0.1 + width)), rel=1e-4)


def test_the_interval_holds_the_ratio_in_95_of_100_cases_where_sites_vary_differently() -> None:
    chance = random.Random(22)
    inside, cases = 0, 3000
    for _ in range(cases):
        original = [math.exp(chance.gauss(0, 0.01)) for _ in range(5)]
        new = [math.exp(chance.gauss(math.log(0.9), 0.05)) for _ in range(3)]
        ratio = compare_means(original, new)
        inside += ratio.low <= 0.9 <= ratio.high
    assert 0.94 < inside / cases < 0.99


@given(st.lists(positive, min_size=1, max_size=6), st.lists(positive, min_size=1, max_size=6))
def test_either_side_may_be_called_the_original(first: list[float], other: list[float]) -> None:
    there, back = compare_means(first, other), compare_means(other, first)
    assert there.ratio * back.ratio == pytest.approx(1)
    if min(len(first), len(other)) == 1:
        assert there.low is None and there.high is None
    else:
        assert there.low <= there.ratio <= there.high
        if there.high < math.exp(700) and back.high < math.exp(700):
            assert math.log(there.low) == pytest.approx(-math.log(back.high), abs=1e-6)


@pytest.mark.parametrize("values", [[], [0.0], [-1.0], [math.nan], [math.inf], [1.0, 0.0]])
def test_values_that_are_not_positive_have_no_ratio(values: list[float]) -> None:
    for ratio in (compare_means(values, [1.0, 2.0, 3.0]), compare_means([1.0, 2.0, 3.0], values)):
        assert (ratio.ratio, ratio.low, ratio.high) == (None, None, None)
        assert decide_agreement(ratio, BANDWIDTH).outcome == CANNOT_TELL


def test_equal_values_still_have_an_interval() -> None:
    ratio = compare_means([5.0] * 3, [5.0] * 3)
    assert ratio.low < 1 < ratio.high < 1.002


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.90, 1.11, AGREES),
        (0.89, 1.0, CANNOT_TELL),
        (1.0, 1.12, CANNOT_TELL),
        (0.5, 2.0, CANNOT_TELL),
        (0.5, 0.9, CANNOT_TELL),
        (0.5, 0.89, NOT_REPRODUCED),
        (1.12, 1.5, NOT_REPRODUCED),
    ],
)
def test_the_whole_interval_decides(low: float, high: float, outcome: str) -> None:
    assert decide_agreement(Ratio((low + high) / 2, low, high, 3, 3), BANDWIDTH).outcome == outcome


def test_metadata_may_move_more_than_bandwidth() -> None:
    ratio = Ratio(0.85, 0.82, 0.88, 3, 3)
    assert decide_agreement(ratio, METADATA).outcome == AGREES
    assert decide_agreement(ratio, BANDWIDTH).outcome == NOT_REPRODUCED


@pytest.mark.parametrize(("original", "new"), [(2, 3), (3, 2), (1, 3), (3, 1), (2, 2)])
def test_fewer_than_three_runs_on_a_side_tell_nothing(original: int, new: int) -> None:
    agreement = decide_agreement(compare_means([1.0] * original, [1.0] * new), BANDWIDTH)
    assert agreement.outcome == CANNOT_TELL
    assert f"{original} of the original, {new} new" in agreement.why


def test_a_quantity_without_limits_is_never_judged() -> None:
    assert find_limits("fio", "latency") is None and find_limits("fio", "sample_rate") is None
    assert decide_agreement(compare_means([1.0] * 3, [1.0] * 3), None).outcome == CANNOT_TELL


def test_the_table_names_quantities_that_there_are_with_reasons() -> None:
    named = [name for row in load_table()["classes"] for name in row["quantities"]]
    assert len(named) == len(set(named)) and set(named) <= set(canonical_quantities())
    for row in load_table()["classes"]:
        assert len(row["reason"]) > 40
        assert row["low"] * row["high"] == pytest.approx(1, abs=0.002)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], CANNOT_TELL),
        ([AGREES], AGREES),
        ([AGREES, CANNOT_TELL], CANNOT_TELL),
        ([AGREES, CANNOT_TELL, NOT_REPRODUCED], NOT_REPRODUCED),
    ],
)
def test_one_number_that_is_not_reproduced_decides(outcomes: list[str], expected: str) -> None:
    assert combine_outcomes(outcomes) == expected
