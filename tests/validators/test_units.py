"""Units convert both ways, and what is no number is none."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators.units import UNITS, UnitError, from_canonical, is_finite_number, to_canonical


@given(value=st.floats(0, 1e18), unit=st.sampled_from(sorted(UNITS)))
def test_every_unit_converts_there_and_back(value, unit):
    canonical, name = to_canonical(value, unit)
    assert UNITS[name].canonical == name
    assert math.isclose(from_canonical(canonical, unit), value, rel_tol=1e-12, abs_tol=1e-300)


@pytest.mark.parametrize(
    ("value", "unit", "canonical"),
    [
        (1, "GiB/s", (2**30, "B/s")),
        (1, "GB/s", (10**9, "B/s")),
        (175, "MiB/s", (183500800, "B/s")),
        (1, "KiB", (1024, "B")),
        (1.5, "kIOPS", (1500, "ops/s")),
        (2, "us", (2e-6, "s")),
        (3, "ms/op", (3e-3, "s")),
        (40, "samples/s", (40, "ops/s")),
        (40, "tokens/s", (40, "tokens/s")),
        (40, "queries/s", (40, "queries/s")),
        (0.25, "fraction", (25, "%")),
    ],
)
def test_binary_and_decimal_prefixes_are_not_the_same(value, unit, canonical):
    assert to_canonical(value, unit) == canonical


def test_eight_bits_are_a_byte():
    assert to_canonical(8, "Mbit/s") == to_canonical(1, "MB/s")
    assert to_canonical(8, "Kibit/s") == to_canonical(1, "KiB/s") == (1024, "B/s")


def test_an_unknown_unit_is_refused():
    for convert in (to_canonical, from_canonical):
        with pytest.raises(UnitError):
            convert(1, "Mbits/s")


@pytest.mark.parametrize("value", [0, -1, 1.5, 10**18])
def test_finite_numbers_are_recognised(value):
    assert is_finite_number(value)


@pytest.mark.parametrize("value", [True, None, "1", math.nan, math.inf, -math.inf, 10**400, [1], 1j])
def test_other_values_are_no_finite_numbers(value):
    assert not is_finite_number(value)
