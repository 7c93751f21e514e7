"""Numbers that are about, below or above so much: what is true of them stays true through every computation."""

from __future__ import annotations

import math
import operator
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.query.values import qualified_values
from registry.query.values.formulas import FormulaError, evaluate_formula, evaluate_qualified
from registry.query.values.qualified_values import (
    Number,
    compare_numbers,
    divide_numbers,
    in_words,
    largest_number,
    least_number,
    median_number,
    qualified_number,
)

values = st.floats(min_value=0.001, max_value=1e9)
qualifiers = st.sampled_from(["", "below", "above"])
shares = st.floats(min_value=0, max_value=1)


@st.composite
def numbers(draw: st.DrawFn) -> tuple[Number, float]:
    """A qualified number and one that it may be."""
    value, qualifier, share = draw(values), draw(qualifiers), draw(shares)
    actual = {"": value, "below": value * share, "above": value / share if share > 1e-6 else value * 1e6}[qualifier]
    return qualified_number(value, qualifier), actual


def holds(computed: Number, actual: float) -> bool:
    slack = 1e-9 * abs(actual)
    return computed.low - slack <= actual <= computed.high + slack


@given(numbers(), numbers(), st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv]))
def test_results_of_operations_respect_bounds(first_number, other, operation) -> None:
    (first_number, first), (other, second) = first_number, other
    if operation is not operator.truediv or second > 0:
        assert holds(operation(first_number, other), operation(first, second))


@given(st.lists(numbers(), min_size=1, max_size=7))
def test_minimum_maximum_and_median_respect_bounds(several) -> None:
    candidates, actual = [candidate for candidate, _ in several], [value for _, value in several]
    for of_numbers, of_values in ((least_number, min), (largest_number, max), (median_number, statistics.median)):
        assert holds(of_numbers(candidates), of_values(actual))


@given(numbers(), numbers())
def test_an_order_holds_only_if_all_possible_values_agree(first_number, other) -> None:
    (first_number, first), (other, second) = first_number, other
    order = compare_numbers(first_number, other)
    assert order is None or order == (first > second) - (first < second)
    reverse = compare_numbers(other, first_number)
    assert (None if reverse is None else -reverse) == order


@given(values, qualifiers | st.just("about"))
def test_a_number_names_its_inputs(value, qualifier) -> None:
    qualified = qualified_number(value, qualifier)
    assert (qualified.value, qualified.qualifier) == (value, qualifier)
    doubled = qualified * qualified_number(2.0)
    assert (doubled.value, doubled.qualifier) == (2 * value, qualifier)


@pytest.mark.parametrize(
    ("one", "other", "value", "qualifier"),
    [
        ((200, "below"), (100, ""), 2, "below"),
        ((200, ""), (100, "below"), 2, "above"),
        ((200, "above"), (100, "below"), 2, "above"),
        ((200, "below"), (100, "above"), 2, "below"),
        ((200, "below"), (100, "below"), None, "unknown"),
        ((200, "above"), (100, "above"), None, "unknown"),
        ((200, "about"), (100, ""), 2, "about"),
        ((200, "about"), (100, "below"), 2, "above about"),
        ((200, "below"), (100, "about"), 2, "below about"),
    ],
)
def test_the_bound_of_a_ratio(one, other, value, qualifier) -> None:
    bound = divide_numbers(qualified_number(*one), qualified_number(*other))
    assert bound is not None
    assert (bound.value, bound.qualifier) == (value, qualifier)


def test_a_ratio_to_zero_or_to_nothing_is_none() -> None:
    assert divide_numbers(qualified_number(1), qualified_number(0)) is None
    assert divide_numbers(qualified_number(1), None) is None
    assert divide_numbers(None, qualified_number(1)) is None
    with pytest.raises(ZeroDivisionError):
        qualified_number(1) / qualified_number(0)


@pytest.mark.parametrize(
    ("several", "value", "qualifier"),
    [
        ([(1, ""), (2, ""), (3, "below")], 2, "below"),
        ([(1, ""), (2, ""), (3, "above")], 2, ""),
        ([(1, "below"), (2, ""), (3, "")], 2, ""),
        ([(4, "below"), (3, "above")], 1.5, "above"),
        ([(4, "about"), (3, "")], 3.5, "about"),
    ],
)
def test_medians_with_bounds(several, value, qualifier) -> None:
    """ "Less than 3" may be the least or the middle of three; "at least 3" is the largest, however much it is."""
    middle = median_number(qualified_number(*bounded) for bounded in several)
    assert (middle.value, middle.qualifier) == (value, qualifier)


@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        ((1, ""), (2, ""), -1), ((2, ""), (2, ""), 0), ((1, "below"), (2, ""), -1), ((3, "below"), (2, ""), None),
        ((3, "above"), (2, ""), 1), ((2, "about"), (2, ""), None), ((1, "below"), (2, "above"), -1),
    ],
)  # fmt: skip
def test_qualified_numbers_are_compared_by_their_bounds(one, other, order) -> None:
    assert compare_numbers(qualified_number(*one), qualified_number(*other)) == order


@pytest.mark.parametrize(
    ("qualifier", "text"),
    [("", "200"), ("about", "about 200"), ("below", "less than 200"), ("above", "at least 200"),
     ("below about", "less than about 200")],
)  # fmt: skip
def test_bounds_are_written_in_words(qualifier, text) -> None:
    assert in_words(qualifier, "200") == text


def test_unknown_values_have_no_number() -> None:
    nothing = Number(0.0, math.inf)
    assert (nothing.value, nothing.qualifier, nothing.written(str)) == (None, "unknown", "not known")


@pytest.mark.parametrize("qualifier", ["under", "below below", "about below", "Below"])
def test_unknown_qualifiers_are_refused(qualifier) -> None:
    with pytest.raises(ValueError, match="no qualifier"):
        qualified_number(1.0, qualifier)


def test_a_qualifier_is_read_from_measurement_or_context() -> None:
    assert qualified_values.number_of_row({"value": 2.0, "context": {"qualifier": "below"}}).qualifier == "below"
    assert qualified_values.number_of_row({"value": 2.0, "qualifier": "about", "context": {}}).qualifier == "about"
    assert not qualified_values.is_bound({"value": 2.0, "qualifier": "about"})
    assert qualified_values.is_bound({"value": 2.0, "context": {"qualifier": "above"}})


FORMULAS = ("a / b - 1", "sqrt(a * b)", "min(a, b) + max(a, 2 * b)", "(a + b) ** 2", "-a + 3")


@given(numbers(), numbers(), st.sampled_from(FORMULAS))
def test_formulas_respect_bounds(first_number, other, formula) -> None:
    (a, first), (b, second) = first_number, other
    if second > 0:
        computed = evaluate_qualified(formula, {"a": a, "b": b})
        slack = 1e-6 * (abs(first) + abs(second) + 1) ** 2 / min(second, 1)
        assert computed.low - slack <= evaluate_formula(formula, {"a": first, "b": second}) <= computed.high + slack


@pytest.mark.parametrize("formula", ["a ** b", "comb(b, 2)", "a ** 65", "a / 0", "a // b"])
def test_formulas_without_computable_bounds_are_refused(formula) -> None:
    with pytest.raises(FormulaError):
        evaluate_qualified(formula, {"a": qualified_number(2.0), "b": qualified_number(3.0, "below")})
