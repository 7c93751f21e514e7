"""Scales put values where equal steps, or equal factors, have equal room, and name what there is room for."""

from __future__ import annotations

import pytest

from registry.presentation.charts.scales import LinearAxis, LogAxis, Tick, is_wide, leave_room, powers_of_ten


@pytest.mark.parametrize(
    ("values", "around", "powers"),
    [
        ([3.0, 2000.0], False, [10.0, 100.0, 1000.0]),
        ([3.0, 2000.0], True, [1.0, 10.0, 100.0, 1000.0, 10000.0]),
        ([2000.0, 3.0], False, [10.0, 100.0, 1000.0]),
        ([10.0, 100.0], True, [10.0, 100.0]),
        ([3.0, 4.0], False, []),
        ([0.02, 0.3], False, [0.1]),
    ],
)
def test_powers_of_ten_lie_inside_or_around_the_values(values: list[float], around: bool, powers: list[float]) -> None:
    assert powers_of_ten(values, around=around) == pytest.approx(powers)


@pytest.mark.parametrize(
    ("values", "wide"), [([1.0, 100.0], True), ([1.0, 99.0], False), ([0.0, 100.0], False), ([-1.0, 100.0], False)]
)
def test_positive_values_with_a_hundredfold_range_are_wide(values: list[float], wide: bool) -> None:
    assert is_wide(values, 100) is wide


def test_both_kinds_of_axes_have_their_given_ends() -> None:
    assert LogAxis(1, 1000, 0, 300).ticks == [(0.0, "1"), (100.0, "10"), (200.0, "100"), (300.0, "1,000")]
    assert LogAxis(1e15, 1e16, 0, 300).ticks == [(0.0, "1,000,000,000,000,000"), (300.0, "1e16")]
    smallest = LogAxis(5e-324, 1e-323, 0, 300).ticks
    assert smallest == [(0.0, "1e-324"), (300.0, "1e-323")], "the first is no number of 64 bits"
    assert powers_of_ten([1e-320, 1e308], around=True)[-1] == 1e308
    assert LinearAxis(0, 9, 100, 0).ticks == [(100.0, "0"), (50.0, "5"), (0.0, "10")]


def test_the_steps_of_a_decade_are_named_where_there_is_room() -> None:
    wide = LogAxis(0.5, 4, 0, 300, whole_decades=False).close_ticks(0.5, 4)
    assert [tick.text for tick in wide] == ["0.5", "0.75", "1", "1.5", "2", "3"]
    narrow = LogAxis(0.5, 4, 0, 60, whole_decades=False).close_ticks(0.5, 4)
    assert "1" in [tick.text for tick in narrow]
    assert len(narrow) < len(wide)


def test_every_second_text_is_left_out_where_they_would_touch() -> None:
    ticks = [Tick(place * 50.0, str(place)) for place in range(4)]
    assert [tick.text for tick in leave_room(ticks)] == ["", "1", "", "3"]
    apart = [Tick(place * 80.0, str(place)) for place in range(4)]
    assert leave_room(apart) == apart
