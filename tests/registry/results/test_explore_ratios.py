"""The arithmetic of a view: what is drawn, to which baseline, and why each other result is not. No database."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from registry.presentation.numbers import NO_BREAK
from registry.results.explore import ratios, view_words
from registry.results.explore.ratios import build_view
from registry.results.explore.readings import Reading
from registry.results.explore.selection import Selection
from registry.results.explore.view_words import NumberWords


def reading(name: str, value: float | None, **facts: Any) -> Reading:
    usual: dict[str, Any] = {
        "pk": int(name.rpartition("-")[2]), "result": name, "system": 1, "trust": "derived", "family": "Lustre",
        "filesystem": "Lustre 2.15", "release": "sc25", "release_name": "SC25", "held_on": dt.date(2025, 11, 1),
        "kind": "", "value": value, "unit": "B/s", "printed_unit": "GiB/s", "context": {}, "is_repeated": False,
        "divisor": 10.0,
    }  # fmt: skip
    return Reading(**usual | facts)


def drawn(view: ratios.View) -> list[str]:
    return [bar.reading.result for bar in view.bars]


def left_out(view: ratios.View) -> dict[str, list[str]]:
    return {reason: [row.result for row in rows] for reason, rows in view.left_out.items()}


PAIR = [reading("r-1", 50.0), reading("r-2", 200.0), reading("r-3", 100.0)]


def test_the_best_is_first_and_all_are_ratios_to_it() -> None:
    view = build_view(PAIR, Selection())
    assert drawn(view) == ["r-2", "r-3", "r-1"]
    assert [bar.ratio for bar in view.bars] == [1.0, 0.5, 0.25]


def test_lower_values_may_be_better() -> None:
    view = build_view(PAIR, Selection(), lower_is_better=True)
    assert [(bar.reading.result, bar.ratio) for bar in view.bars] == [("r-1", 1.0), ("r-3", 2.0), ("r-2", 4.0)]


@pytest.mark.parametrize(("base", "ratios_then"), [("median", [2.0, 1.0, 0.5]), ("r-1", [4.0, 2.0, 1.0])])
def test_a_baseline_is_named(base: str, ratios_then: list[float]) -> None:
    view = build_view(PAIR, Selection(base=base))
    assert [bar.ratio for bar in view.bars] == ratios_then and view.base_found


def test_a_missing_baseline_is_reported() -> None:
    view = build_view(PAIR, Selection(base="r-9"))
    assert view.base == 200.0 and not view.base_found


def test_a_baseline_of_zero_gives_no_ratio() -> None:
    view = build_view([reading("r-1", 0.0), reading("r-2", 3.0)], Selection(base="r-1"))
    assert [bar.ratio for bar in view.bars] == [None, None]


def test_unknown_divisors_give_no_value() -> None:
    readings = [reading("r-1", 50.0), reading("r-2", 500.0, divisor=None), reading("r-3", 20.0, divisor=2.0)]
    view = build_view(readings, Selection(per="client"), divide=True)
    assert [(bar.reading.result, bar.value) for bar in view.bars] == [("r-3", 10.0), ("r-1", 5.0)]
    assert left_out(view) == {ratios.NO_DIVISOR: ["r-2"]}


def test_different_runs_and_units_never_share_a_view() -> None:
    readings = [
        *(reading("r-1", 5.0), reading("r-2", 6.0), reading("r-3", 9.0, kind="training, open")),
        *(reading("r-4", 8.0, unit="%"), reading("r-5", None), reading("r-6", 7.0, context={"qualifier": "below"})),
    ]
    view = build_view(readings, Selection(), forbidden={"r-2"})
    assert drawn(view) == ["r-1"]
    assert left_out(view) == {
        ratios.FORBIDDEN: ["r-2"], ratios.OTHER_KIND: ["r-3"], ratios.OTHER_UNIT: ["r-4"], ratios.NO_NUMBER: ["r-5"],
        ratios.BOUND: ["r-6"],
    }  # fmt: skip
    other = build_view(readings, Selection(kind="training, open"))
    assert drawn(other) == ["r-3"]


def test_approximate_values_are_drawn_and_bounds_are_not() -> None:
    view = build_view([reading("r-1", 5.0, context={"qualifier": "about"})], Selection())
    assert drawn(view) == ["r-1"]


def test_filters_narrow_rows_and_keep_counts() -> None:
    readings = [
        *(reading("r-1", 5.0), reading("r-2", 6.0, family="DAOS", filesystem="DAOS 2.6", trust="imported")),
        reading("r-3", 7.0, release="isc25", release_name="ISC25", held_on=dt.date(2025, 6, 1)),
    ]
    view = build_view(readings, Selection(toggles={"filesystem_type": ["lustre"], "release": ["SC25"]}))
    assert drawn(view) == ["r-1"] and left_out(view) == {ratios.UNTICKED: ["r-2", "r-3"]}
    assert view.counts["filesystem_type"] == [("Lustre", 2), ("DAOS", 1)]
    assert view.counts["trust"] == [("verified", 0), ("derived", 2), ("imported", 1), ("reported", 0)]
    assert view.counts["release"] == [("sc25", 2), ("isc25", 1)]


def test_the_newest_release_of_each_system() -> None:
    readings = [
        reading("r-1", 5.0), reading("r-2", 9.0, release="isc24", held_on=dt.date(2024, 5, 1)),
        reading("r-3", 4.0, system=2, release="isc24", held_on=dt.date(2024, 5, 1)),
    ]  # fmt: skip
    view = build_view(readings, Selection(latest=True))
    assert drawn(view) == ["r-1", "r-3"] and left_out(view) == {ratios.EARLIER: ["r-2"]}


def test_only_chosen_results_are_shown() -> None:
    assert drawn(build_view(PAIR, Selection(only=True), tray_ids=["r-3"])) == ["r-3"]


GIB = 2.0**30
NUMBER = NumberWords("Write bandwidth", "GiB/s", "per client node", lower_is_better=False)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], "Nothing can be drawn."),
        ([2.0], "A: 2.00 GiB/s per client node. No other result is drawn."),
        ([3.0, 1.5], "A: 3.00 GiB/s per client node, 2.00 times the next, B."),
        ([3.0, 3.0], "A: 3.00 GiB/s per client node, as the next, B."),
        ([3.0, 0.0], "A: 3.00 GiB/s per client node. The next is B."),
    ],
)
def test_the_sentence_follows_from_known_values(values: list[float], sentence: str) -> None:
    view = build_view([reading(f"r-{n}", value * GIB) for n, value in enumerate(values)], Selection())
    assert view_words.lead_sentence(view, ["A", "B"], NUMBER) == sentence


def test_trust_levels_and_repeats_are_shown() -> None:
    view = build_view([reading("r-1", 5.0), reading("r-2", 6.0, trust="imported", is_repeated=True)], Selection())
    assert view_words.trust_sentence(view) == "Trust levels are mixed: 1 derived, 1 imported."
    assert view_words.repeat_sentence(view) == "1 of 2 were repeated; the others have no interval."
    assert view_words.count_sentence(view) == f"2 of 2{NO_BREAK}results with this number are drawn."
