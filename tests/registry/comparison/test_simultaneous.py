"""Ranks that hold all at once: their quantile is that of the range, and simulated lists keep their ranks."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.comparison import uncertainty
from registry.comparison.assumptions import assumed_classes
from registry.comparison.simultaneous import assumed_rank_ranges, range_quantile, student_cdf
from registry.comparison.uncertainty import Assumption

LISTS = Path(__file__).resolve().parents[3] / "registry" / "loading" / "data" / "history" / "lists"
SCORE = Assumption(0.0841, 2)
"""Written out: what is in the file may change, and these figures would not."""


def heavy_error(chosen: random.Random, assumption: Assumption) -> float:
    """A run of a system whose own deviation is not that of others: a normal one over the root of a chi-square."""
    chi_square = sum(chosen.gauss() ** 2 for _ in range(assumption.degrees))
    return assumption.scale * chosen.gauss() / math.sqrt(chi_square / assumption.degrees)


def held(scores: list[float], assumption: Assumption, runs: int, seed: int, error=heavy_error) -> float:
    """The share of simulated lists of which every true rank lies in its range; true scores have no ties."""
    chosen, all_held = random.Random(seed), 0
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    for _ in range(runs):
        noisy_scores = [score * math.exp(error(chosen, assumption)) for score in scores]
        ranges = assumed_rank_ranges(noisy_scores, assumption)
        all_held += all(low <= rank <= high for rank, (low, high) in zip(ranks, ranges, strict=True))
    return all_held / runs


def isc21() -> list[float]:
    document = json.loads((LISTS / "isc21.json").read_text())
    return [entry[2] for entry in document["lists"]["io500"]["entries"]]


def test_student_quantiles_are_those_of_printed_tables() -> None:
    for degrees, quantile in enumerate((uncertainty.CAUCHY, *uncertainty.STUDENT), 1):
        assert student_cdf(quantile, degrees) == pytest.approx(0.975, abs=5e-5)
        assert student_cdf(-quantile, degrees) == pytest.approx(0.025, abs=5e-5)
        assert student_cdf(0.0, degrees) == pytest.approx(0.5)
    assert student_cdf(1.0, 1) == pytest.approx(0.75)
    assert student_cdf(math.sqrt(2), 2) == pytest.approx(0.5 + math.sqrt(2) / 2 / 2)


def test_the_range_of_two_is_their_difference() -> None:
    """Two values of Cauchy's distribution differ by one of twice its scale."""
    assert range_quantile(2, 1) == pytest.approx(2 * 12.706, rel=1e-3)
    assert range_quantile(1, 2) == range_quantile(0, 2) == 0.0
    assert [assumed_rank_ranges(scores, SCORE) for scores in ([], [5.0])] == [[], [(1, 1)]]


@pytest.mark.parametrize(("count", "quantile"), [(2, 6.539), (10, 17.14), (58, 42.11), (300, 96.0)])
def test_the_range_of_many_is_as_simulated(count: int, quantile: float) -> None:
    """Quantiles of numpy's standard_t: 5 % of 200,000 (of 300 values: 40,000) simulated ranges were wider."""
    assert range_quantile(count, 2) == pytest.approx(quantile, rel=0.01)


def test_all_ranks_of_a_list_hold_in_95_of_100_heavy_tailed_simulations() -> None:
    """58 entries as at ISC21, each with a deviation of its own: 2,000 lists."""
    scores = isc21()
    assert len(scores) == 58
    assert held(scores, SCORE, 2000, seed=1) >= 0.95


def test_ranks_of_equals_hold_in_no_more_than_they_must() -> None:
    """58 systems that hardly differ: the ranges are as wide as they have to be, and not wider."""
    equal = [100 * 1.0000001**place for place in range(58)]
    assert 0.94 <= held(equal, SCORE, 4000, seed=2) <= 0.96
    assert 0.94 <= held(equal[:10], SCORE, 4000, seed=3) <= 0.97


@pytest.mark.parametrize("deviation", [0.03, 0.05, 0.10])
def test_normal_runs_of_known_deviation_hold_too(deviation: float) -> None:
    """Pairwise ranges held all 58 ranks in 11, 0 and 0 of 100 lists at these deviations."""

    def normal(chosen: random.Random, _: Assumption) -> float:
        return chosen.gauss(0, deviation)

    assert held(isc21(), SCORE, 300, seed=4, error=normal) == 1.0


def test_only_distant_entries_have_separate_ranges() -> None:
    """Two scores: exp(0.0841 x 6.539) is a factor of 1.733."""
    assert assumed_rank_ranges([173.0, 100.0], SCORE) == [(1, 2), (1, 2)]
    assert assumed_rank_ranges([174.0, 100.0], SCORE) == [(1, 1), (2, 2)]
    assert assumed_rank_ranges([100.0, 174.0], SCORE, lower_is_better=True) == [(1, 1), (2, 2)]


@given(st.lists(st.floats(1e-3, 1e7), min_size=1, max_size=20))
def test_ranges_hold_the_ranks_by_score_and_are_symmetric(scores: list[float]) -> None:
    ranges = assumed_rank_ranges(scores, assumed_classes()["score"].assumption)
    for score, (low, high) in zip(scores, ranges, strict=True):
        assert 1 <= low <= 1 + sum(other > score for other in scores)
        assert sum(other >= score for other in scores) <= high <= len(scores)
