"""A least, a mean, a most and a deviation of so many values: what can be, and what cannot."""

from statistics import fmean, pstdev, stdev

import pytest

from validators.evidence.few_values import find_contradiction


def of_values(*values, deviation=pstdev):
    return {"min": min(values), "mean": fmean(values), "max": max(values), "stdev": deviation(values)}


@pytest.mark.parametrize("values", [(5.0,), (1.0, 4.0), (1.0, 2.0, 9.0), (1.0, 1.0, 1.0, 8.0), (3.0,) * 7])
def test_statistics_of_real_values_are_not_contradicted(values):
    assert find_contradiction(of_values(*values), len(values), 0.0005) == ""
    if len(values) > 1:
        assert find_contradiction(of_values(*values, deviation=stdev), len(values), 0.0005, of_a_sample=True) == ""


@pytest.mark.parametrize("values", [(5.0,), (1.0, 4.0), (1.0, 2.0, 9.0)])
@pytest.mark.parametrize("name", ["min", "mean", "max"])
def test_wrong_statistics_of_up_to_three_values_are_contradicted(values, name):
    figures = of_values(*values)
    assert find_contradiction({**figures, name: figures[name] * 1.3}, len(values), 0.0005)


@pytest.mark.parametrize("values", [(1.0, 4.0), (1.0, 2.0, 9.0)])
def test_a_wrong_deviation_of_two_or_three_values_is_contradicted(values):
    figures = of_values(*values)
    assert "the deviation of these" in find_contradiction({**figures, "stdev": 9.0}, len(values), 0.0005)


def test_a_mean_of_many_lies_between_bounds():
    assert "have this mean" in find_contradiction({"min": 1.0, "mean": 7.9, "max": 8.0}, 4, 0.0005)
    assert find_contradiction({"min": 1.0, "mean": 6.2, "max": 8.0}, 4, 0.0005) == ""


@pytest.mark.parametrize("figures", [{}, {"min": 1.0, "max": 2.0}, {"min": 1.0, "mean": float("nan"), "max": 2.0}])
def test_missing_statistics_contradict_nothing(figures):
    assert find_contradiction(figures, 2, 0.0005) == ""
