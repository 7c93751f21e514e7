"""What printed digits leave open: half of the last one, and never less than was printed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.query.values.printed_rounding import in_other_unit, printed_rounding, rounding_of_row

TOOL, PAPER = "verified", "reported"


@pytest.mark.parametrize(
    ("value", "trust", "ends"),
    [
        (83.3, PAPER, (83.25, 83.35)),
        (83.3, TOOL, (83.25, 83.35)),
        (0.02, PAPER, (0.015, 0.025)),
        (8.0, PAPER, (7.5, 8.5)),
        (36500.0, TOOL, (36499.5, 36500.5)),
        (36500.0, PAPER, (36450.0, 36550.0)),
        (100.0, PAPER, (50.0, 150.0)),
        (100.0, TOOL, (99.5, 100.5)),
        (101.0, PAPER, (100.5, 101.5)),
        (1.2e-05, TOOL, (1.15e-05, 1.25e-05)),
        (3e6, PAPER, (2.5e6, 3.5e6)),
        (1.5e22, TOOL, (1.5e22 - 0.5, 1.5e22 + 0.5)),
    ],
)
def test_rounding_is_half_of_the_last_digit(value: float, trust: str, ends: tuple[float, float]) -> None:
    assert printed_rounding(value, trust=trust) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("value", [None, 0.0, -1.5, float("inf"), float("nan"), 12555.490584774769, 1 / 3])
def test_computed_and_invalid_numbers_have_no_rounding(value: float | None) -> None:
    assert printed_rounding(value, trust=PAPER) is None


@pytest.mark.parametrize("qualifier", ["about", "below", "above", "below about"])
def test_approximate_values_and_bounds_have_no_rounding(qualifier: str) -> None:
    """ "About 8" may be further off than its digits say."""
    assert printed_rounding(8.0, trust=PAPER, qualifier=qualifier) is None


@given(st.decimals("0.001", "100000", places=3), st.sampled_from([TOOL, PAPER]))
def test_the_original_number_lies_within_the_rounding(number: Decimal, trust: str) -> None:
    """Whatever lies within half of the third digit is printed so; zeros at the end are lost, which only widens."""
    low, high = printed_rounding(float(number), trust=trust)
    assert low <= float(number - Decimal("0.0005")) * (1 + 1e-12)
    assert high >= float(number + Decimal("0.0005")) * (1 - 1e-12)


def test_ends_are_converted_with_their_number() -> None:
    assert in_other_unit((83.25, 83.35), "GB/s", "") == (83.25e9, 83.35e9)
    assert in_other_unit((1.0, 2.0), "GiB/s", "MiB/s") == (1024.0, 2048.0)
    assert in_other_unit((10.5, 11.5), "", "") == (10.5, 11.5)
    row = {"printed_value": 1.5, "printed_unit": "GiB/s", "context": {}}
    assert rounding_of_row(row, TOOL) == (1.45 * 2**30, 1.55 * 2**30)
    assert rounding_of_row(row | {"context": {"qualifier": "below"}}, TOOL) is None
    assert rounding_of_row({"value": 1.5, "context": {}}, TOOL) is None
