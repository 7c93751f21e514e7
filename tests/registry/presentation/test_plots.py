"""Charts of studies as drawings: panels, ceilings, links and names that are never cut."""

from __future__ import annotations

import re

import pytest

from registry.presentation.charts.svg import write_svg
from registry.presentation.plots.drawing import draw_plot
from registry.presentation.plots.model import BARS, NOT_REPEATED, POINTS, Limit, Plot, PlotPoint
from registry.presentation.plots.thumbnail import draw_thumbnail

DRIVES = Limit(84.0, "drives")


def point(place: str, value: float, series: str = "", limit: Limit | None = None, address: str = "") -> PlotPoint:
    numbers = dict.fromkeys(("value", "low", "q1", "q3", "high"), value)
    words = f"{place}, {series}: {value} GB/s"
    return PlotPoint(
        x=place, place=place, series=series, name=f"{place} {series}".strip(), **numbers, spread=NOT_REPEATED,
        trust="reported", words=words, number_text=f"{value:g}", address=address, limit=limit,
    )  # fmt: skip


def drawings(*points: PlotPoint, kind: str = BARS) -> list[str]:
    return [str(write_svg(chart)) for chart in draw_plot(Plot("Title", "GB/s", "GB/s", kind, points))]


def test_two_varying_facts_make_panels_with_one_axis() -> None:
    points = [point(place, value, series) for place, value in (("IB", 60), ("TCP", 36)) for series in ("read", "write")]
    for drawn in drawings(*points):
        assert drawn.count('class="v"') >= 2 and ">read</text>" in drawn and ">write</text>" in drawn
        assert drawn.count(">IB</text>") == drawn.count(">TCP</text>") == 2


def test_a_value_above_its_ceiling_is_capped_and_labelled_with_its_share() -> None:
    points = (point("IB", 85.3, limit=DRIVES, address="/results/a/"), point("TCP", 42.0, limit=DRIVES))
    for drawn in drawings(*points):
        assert drawn.count("\N{BLACK UP-POINTING TRIANGLE}") == 1
        assert 'class="m"' in drawn and 'stroke-dasharray="6 3"' in drawn and "drives 84.0" in drawn
        assert "101.5 % of the ceiling of 84.0 (drives)" in drawn
    (below, _) = drawings(point("TCP", 42.0, limit=DRIVES))
    assert "\N{BLACK UP-POINTING TRIANGLE}" not in below


def test_without_a_ceiling_no_mark_is_red() -> None:
    for drawn in drawings(point("IB", 85.3), point("TCP", 42.0)):
        assert not re.search(r'class="[^"]*\b(m|ml|mk)\b', drawn)


def test_long_names_with_equal_ends_keep_different_labels() -> None:
    begin = "HPE Cray Supercomputing Storage Systems E2000 with a very long"
    names = [f"{begin} {middle} name of its own, InfiniBand HDR" for middle in ("first", "second")]
    for drawn in drawings(*(point(name, 10.0) for name in names)):
        texts = " ".join(re.findall(r">([^<>]+)</text>", drawn))
        assert all(name in texts for name in names)


@pytest.mark.parametrize("kind", [BARS, POINTS])
def test_only_marks_of_one_result_are_links(kind: str) -> None:
    for drawn in drawings(point("<b>", 1.0, address='/results/"x/'), point("median", 2.0), kind=kind):
        assert drawn.count("<a ") == 1 and 'href="/results/&quot;x/"' in drawn and "<b>" not in drawn
        assert 'role="group"' in drawn
    assert 'role="img"' in drawings(point("median", 2.0), kind=kind)[0]


@pytest.mark.parametrize("values", [[0.0], [0.0, 0.0], [-5.0, 3.0], [1e-9, 1e12], [7.0] * 130])
@pytest.mark.parametrize("kind", [BARS, POINTS])
def test_odd_values_are_drawn(values: list[float], kind: str) -> None:
    points = [point(f"place {place}", value) for place, value in enumerate(values)]
    for drawn in drawings(*points, kind=kind):
        assert "nan" not in drawn and "inf" not in drawn and 'height="-' not in drawn and 'width="-' not in drawn


def test_a_thumbnail_has_the_ceiling_and_no_links() -> None:
    chart = draw_thumbnail(
        Plot("Title", "GB/s", "GB/s", BARS, [point("IB", 85.3, limit=DRIVES, address="/results/a/")])
    )
    drawn = str(write_svg(chart))
    assert 'viewBox="0 0 176 124"' in drawn and ">84.0</text>" in drawn and "<a " not in drawn


@pytest.mark.parametrize("value", [60.0, 15_000.0, 20_000_000.0])
def test_numbers_beside_an_upright_axis_have_room(value: float) -> None:
    """A digit of 12 px is 6.6 px wide or more: what reaches below zero is cut off."""
    points = [point(place, value, series) for place in ("IB", "TCP") for series in ("read", "write")]
    for drawn in drawings(*points):
        ticks = re.findall(r'<text x="([\d.]+)" y="[\d.]+"[^>]*text-anchor="end"[^>]*>([\d,]+)</text>', drawn)
        assert ticks and all(float(end) >= 6.6 * len(text) for end, text in ticks), ticks
