"""The picture of a number over time: days stand as far apart as they are, and their texts stay inside."""

from __future__ import annotations

import datetime as dt

import pytest

from registry.presentation.charts import result_charts
from registry.presentation.charts.model import LINE, Chart, Path, Text


def to_days(*texts: str) -> list[dt.date]:
    return [dt.date.fromisoformat(text) for text in texts]


def drawn_lines(chart: Chart) -> list[str]:
    return [mark.d for mark in chart.marks if isinstance(mark, Path) and mark.kind == LINE]


def point_places(chart: Chart) -> list[float]:
    """Where the points of the line stand, from left to right."""
    (line,) = drawn_lines(chart)
    return [float(place.split()[0]) for place in line[1:].split("L")]


def test_distances_of_days_are_to_scale() -> None:
    """184 of 915 days lie before the second point."""
    chart = result_charts.draw_levels(to_days("2023-05-01", "2023-11-01", "2025-11-01"), [1.0, 2.0, 3.0], [])
    first, middle, last = point_places(chart)
    assert (middle - first) / (last - first) == pytest.approx(184 / 915, abs=0.001)


def test_labels_of_days_stay_inside_the_chart() -> None:
    chart = result_charts.draw_levels(to_days("2026-03-01", "2026-03-09"), [1.0, 2.0], [])
    texts = [mark for mark in chart.marks if isinstance(mark, Text) and mark.text.startswith("2026")]
    assert [mark.text for mark in texts] == ["2026-03-01", "2026-03-09"]
    assert all(35 <= mark.x <= chart.width - 35 for mark in texts)


def test_runs_of_one_day_are_drawn_evenly_apart() -> None:
    first, middle, last = point_places(result_charts.draw_levels(to_days(*["2026-03-01"] * 3), [1.0, 2.0, 3.0], []))
    assert middle - first == pytest.approx(last - middle, abs=0.2)
    assert first < middle


def test_a_level_spans_its_days() -> None:
    days = to_days("2026-03-01", "2026-03-02", "2026-03-11", "2026-03-21")
    chart = result_charts.draw_levels(days, [2.0, 2.0, 1.0, 1.0], [(0, 2, 2.0), (2, 4, 1.0)])
    first, second = [line[1:].replace("H", " ").split() for line in drawn_lines(chart)]
    assert float(first[0]) < float(first[2]) < float(second[0]) < float(second[2])
    assert float(second[2]) - float(second[0]) > 5 * (float(first[2]) - float(first[0]))
