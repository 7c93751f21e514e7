"""How numbers are written, where pictures put them, and that chart specifications are sound."""

from __future__ import annotations

import datetime as dt
import re
from itertools import pairwise

import pytest

from registry.comparison.ratio_chart import AssumedInterval, draw_profiles
from registry.presentation import numbers, words
from registry.presentation.charts import list_charts, model, scales, vega
from registry.presentation.system_description import what_differed

NOW = dt.datetime(2026, 11, 20, 12, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(("value", "places", "written"), [
    (36850.37, 2, "36,850.37"), (0.5, 2, "0.50"), (None, 2, ""), (0.0, 1, "0.0"), (1e9, 0, "1,000,000,000"),
    (-2e9, 0, "-2,000,000,000"), (1e290, 2, "1e+290"), (-1e15, 2, "-1e+15"),
])  # fmt: skip
def test_decimals_are_grouped_and_have_their_places(value, places, written) -> None:
    assert numbers.format_decimal(value, places) == written


@pytest.mark.parametrize(("value", "written"), [
    (36850.37, "36,850"), (97.21, "97.2"), (9.999, "10.0"), (1.2345, "1.23"), (0.01234, "0.0123"), (0, "0"),
    (-36850.37, "-36,850"), (5e-324, "4.94e-324"), (1.2345e20, "1.23e+20"),
])  # fmt: skip
def test_numbers_for_the_eye_have_three_digits(value, written) -> None:
    assert numbers.format_significant(value) == written


@pytest.mark.parametrize(("value", "written"), [
    (1217062, "1,217,062"), (0.5, "0.5"), (0, "0"), (123456.789, "123,457"), (5e-324, "4.9407e-324"), (1e290, "1e+290"),
])  # fmt: skip
def test_significant_digits_stay_short(value, written) -> None:
    assert numbers.format_digits(value) == written


@pytest.mark.parametrize(("value", "written"), [
    (12.346, "12.35"), (0.1, "0.10"), (0.0752, "0.0752"), (0.00061741, "0.000617"), (0.0, "0"), (None, ""),
])  # fmt: skip
def test_factors_are_never_rounded_to_zero(value, written) -> None:
    assert numbers.format_times(value) == written


@pytest.mark.parametrize(("count", "written"), [
    (0, "0\xa0B"), (999, "999\xa0B"), (20_400, "20.4\xa0kB"), (4_800_000, "4.8\xa0MB"),
    (5_000_000_000_000, "5,000.0\xa0GB"),
])  # fmt: skip
def test_sizes_are_decimal(count, written) -> None:
    assert numbers.format_bytes(count) == written


def test_a_deadline_anywhere_on_earth_is_labelled() -> None:
    deadline = dt.datetime(2027, 5, 1, 11, 59, 59, tzinfo=dt.UTC)
    assert numbers.format_deadline(deadline, NOW) == "2027-04-30 23:59 AoE, in 161\xa0days"


@pytest.mark.parametrize(("delta", "written"), [
    (dt.timedelta(minutes=2), "in 2\xa0minutes"), (dt.timedelta(hours=-5), "5\xa0hours ago"),
    (dt.timedelta(days=9), "in 9\xa0days"), (dt.timedelta(seconds=10), "in 0\xa0minutes"),
    (dt.timedelta(minutes=-1), "1\xa0minute ago"),
])  # fmt: skip
def test_distances_use_the_largest_unit_that_fits_twice(delta, written) -> None:
    assert numbers.format_distance(NOW + delta, NOW) == written


def test_ranks_within_a_tie_are_a_range() -> None:
    assert numbers.format_rank_range(7, 8) == "7\N{EN DASH}8"
    assert numbers.format_rank_range(7, 7) == ""


def test_a_logarithmic_axis_puts_equal_factors_at_equal_distances() -> None:
    axis = scales.LogAxis(12, 4000, 0, 300)
    assert axis.ticks == [(0.0, "10"), (100.0, "100"), (200.0, "1,000"), (300.0, "10,000")]
    assert axis.at(100) - axis.at(10) == axis.at(1000) - axis.at(100)


def test_an_axis_of_one_value_still_has_a_decade() -> None:
    assert [text for _, text in scales.LogAxis(10, 10, 0, 100).ticks] == ["10", "100"]


def paths(chart: model.Chart, kind: str) -> list[str]:
    return [mark.d for mark in chart.marks if isinstance(mark, model.Path) and mark.kind == kind]


def texts(chart: model.Chart) -> list[str]:
    return [mark.text for mark in chart.marks if isinstance(mark, model.Text)]


def test_a_strip_has_a_dot_for_each_score_until_there_are_too_many() -> None:
    few = list_charts.draw_strip([(10.0, True), (100.0, False), (100.0, False)], width=600, height=150, radius=4.5)
    assert few.each == 1
    assert [paths(few.chart, kind)[0].count("M") for kind in (model.FULL, model.HOLLOW)] == [1, 2]
    assert texts(few.chart)[-1] == "median 100"
    named = list_charts.draw_strip([(10.0, True), (10.0, False), (5000.0, False)], width=600, height=150, radius=4.5)
    assert texts(named.chart)[-2:] == ["median 10.0", "5,000"]
    many = list_charts.draw_strip([(100.0, False)] * 1000, width=600, height=150, radius=4.5)
    assert many.each > 1
    assert paths(many.chart, model.HOLLOW)[0].count("M") * many.each >= 1000


def test_a_strip_names_its_leader_where_nothing_is_in_the_way() -> None:
    scores = [(10.0, True), (10.0, False), (5000.0, False)]
    strip = list_charts.draw_strip(scores, width=600, height=150, radius=4.5, leader="Wolf")
    assert texts(strip.chart)[-1] == "5,000 Wolf"
    long = list_charts.draw_strip(scores, width=600, height=150, radius=4.5, leader="Wolf" * 20)
    assert texts(long.chart)[-1] == "5,000", "its name would cover the median"
    crowded = [*scores, *[(3000.0, False)] * 6]
    assert texts(list_charts.draw_strip(crowded, width=600, height=150, radius=4.5, leader="Wolf").chart)[-1] != (
        "5,000 Wolf"
    ), "its name would cover a stack"


@pytest.mark.parametrize("scores", [[], [(1.0, True)], [(0.0, True)] * 5, [(-1.0, False)] * 5])
def test_few_scores_have_no_strip(scores) -> None:
    assert list_charts.draw_strip(scores, width=600, height=150, radius=4.5) is None


def test_stairs_mark_new_records_only() -> None:
    points = [
        list_charts.StairPoint(release, score, system)
        for release, score, system in (
            ("A", 10.0, "one"),
            ("B", 5.0, "two"),
            ("C", 10.4, "three"),
            ("D", 200.0, "four"),
        )
    ]
    axis = scales.LogAxis(1, 1000, 200, 0)
    stairs = list_charts.draw_staircase(points, axis, left_x=50, right=600, labels=10, marks=5)
    records = [mark.at for mark in stairs.marks if isinstance(mark, model.Path) and mark.kind == model.CEILING]
    strokes = [mark.d for mark in stairs.marks if isinstance(mark, model.Path) and mark.d.endswith("v4")]
    assert strokes == ["M50.0 200v4", "M226.0 200v4", "M402.0 200v4", "M578.0 200v4"]
    assert records == [(50.0, axis.at(10.0)), (578.0, axis.at(200.0))]
    assert stairs.words == "10 at A, 200 at D"
    (line,) = [mark.d for mark in stairs.marks if isinstance(mark, model.Path) and mark.kind == model.LINE]
    heights = [float(height) for height in re.findall(r"V([0-9.]+)", line)]
    assert heights == sorted(heights, reverse=True)


def test_one_release_has_no_history_chart() -> None:
    assert list_charts.draw_pictures([("T", [list_charts.StairPoint("A", 10.0, "one")])]) == []


def test_bars_begin_at_zero() -> None:
    drawn = list_charts.draw_columns([("write", 50.0), ("read", 100.0)])
    write, read = [mark for mark in drawn.marks if isinstance(mark, model.Bar)]
    assert read.height == 2 * write.height
    assert write.y + write.height == read.y + read.height
    assert paths(drawn, model.AXIS) == [f"M0 {write.y + write.height:.0f}H390"]


def test_a_bar_has_the_ceiling_of_its_phase() -> None:
    drawn = list_charts.draw_columns([("write", 50.0), ("read", 100.0)], {"read": 200.0})
    bars = {(mark.kind, mark.x): mark for mark in drawn.marks if isinstance(mark, model.Bar)}
    (water,) = [mark for mark in bars.values() if mark.kind == model.WATER]
    assert water.height == 2 * bars[model.FULL, water.x].height
    line, triangle = [mark for mark in drawn.marks if getattr(mark, "kind", "") == model.CEILING_LINE]
    assert (line.d, line.dashed) == (f"M{water.x} {water.y}h{water.width}", True)
    assert triangle.at == (292.5, water.y)
    assert {"200.0", "100.0", "50.0 %", "50.0"} <= set(texts(drawn))
    assert drawn.words == "Bars, GiB/s: write 50.00; read 100.00, 50.0 % of its ceiling of 200.00"


def test_one_bar_alone_is_drawn() -> None:
    drawn = list_charts.draw_columns([("write", 50.0)])
    assert drawn.words == "Bars, GiB/s: write 50.00"


def test_a_phase_without_a_median_is_a_dot_alone() -> None:
    drawn = list_charts.draw_pairs([("stat", 100.0, 50.0), ("find", 10.0, None), ("none", 0.0, 1.0)])
    assert texts(drawn)[-4:] == ["stat", "2.0", "find", ""]
    dots = [(mark.kind, mark.y) for mark in drawn.marks if isinstance(mark, model.Circle)]
    assert dots == [(model.OUTLINE, 40), (model.FULL, 40), (model.FULL, 67)]


def entry(rank: int, score: float, *, new: bool = False) -> dict[str, object]:
    return {"rank": rank, "system_name": f"System {rank}", "institution": "Site", "score": score, "new": new}


def test_the_chart_of_a_list_holds_its_first_entries_as_points() -> None:
    spec = vega.top_entries("T", [entry(rank, 1000.0 / rank, new=rank == 1) for rank in range(1, 40)])
    values = spec["data"]["values"]
    assert len(values) == vega.TOP
    assert values[0] == {"place": "1 System 1", "institution": "Site", "score": 1000.0, "entry": "new"}
    assert spec["encoding"]["x"]["scale"]["type"] == "log"
    assert {layer["mark"]["type"] for layer in spec["layer"]} <= {"point", "rule"}


def test_a_list_without_scores_has_no_chart() -> None:
    assert vega.top_entries("T", [entry(1, 0.0), entry(2, 5.0)]) is None


def test_texts_of_a_narrow_axis_do_not_touch() -> None:
    scores = [(10.0**power, True) for power in range(6)]
    narrow = list_charts.draw_strip(scores, width=358, height=150, radius=3.3)
    assert [text for _, text in narrow.chart.ticks] == ["", "10", "", "1,000", "", "100,000"]
    wide = list_charts.draw_strip(scores, width=600, height=150, radius=4.5)
    assert [text for _, text in wide.chart.ticks][:2] == ["1", "10"]


def test_a_profile_has_each_ratio_with_its_interval_and_marks_ties_and_single_runs() -> None:
    rows = [("ior-easy-write", 1.5, (1.4, 1.6)), ("find", 0.01, None), ("ior-easy-read", 1.01, (0.98, 1.04))]
    [[wide, thin]] = draw_profiles([rows])
    assert (wide.kind, thin.kind) == ("wide", "thin")
    for profile in (wide, thin):
        easy, read = [mark for mark in profile.marks if isinstance(mark, model.Circle)]
        assert [easy.kind, read.kind] == [model.FULL, model.OUTLINE]
        written = [
            "ior-easy-write",
            "\N{MULTIPLICATION SIGN} 1.50",
            "find",
            "\N{MULTIPLICATION SIGN} 0.01",
            "ior-easy-read",
        ]
        assert texts(profile)[-6:] == [*written, "tie"]
        (find,) = paths(profile, model.HOLLOW)
        easy_ends, read_ends = [re.findall(r"M([0-9.]+) [0-9]+H([0-9.]+)", d)[0] for d in paths(profile, model.EDGE)]
        (at_one,) = [at for at, text in profile.ticks if text == "1"]
        find_x = float(re.match(r"M([0-9.]+) ", find)[1])
        assert find_x < at_one < float(easy_ends[0]) < easy.x < float(easy_ends[1]) < profile.width
        assert float(read_ends[0]) < at_one < float(read_ends[1])
        assert paths(profile, model.AXIS)[0].startswith(f"M{at_one} ")
        apart = [after[0] - before[0] for before, after in pairwise(profile.ticks)]
        assert min(apart) > 20
    assert {"0.01", "0.1", "1"} <= {text for _, text in thin.ticks}
    spoken = "ior-easy-write 1.50; find 0.01 not repeated; ior-easy-read 1.01 tie"
    assert wide.words == f"Ratios on a logarithmic axis: {spoken}"


def test_an_assumed_range_is_a_line_of_dots_with_the_diamond_of_a_single_run() -> None:
    assumed = ("find", 1.2, AssumedInterval(0.8, 1.8))
    [[wide, _]] = draw_profiles([[assumed, ("ior-easy-read", 1.2, (0.8, 1.8))]])
    dots, line = paths(wide, model.EDGE)
    assert dots.count("h1.5") > 10 and "H" in line and "h" not in line
    assert len(paths(wide, model.HOLLOW)) == 1
    assert texts(wide)[-4:] == ["find", "\N{MULTIPLICATION SIGN} 1.20", "ior-easy-read", "tie"]
    assert "find 1.20 not repeated, range assumed; ior-easy-read 1.20 tie" in wide.words


def test_neighbouring_profiles_share_their_axis() -> None:
    first, second = draw_profiles([[("a", 10.0, None)], [("a", 0.1, None)]])
    assert (paths(first[0], model.AXIS), first[0].ticks) == (paths(second[0], model.AXIS), second[0].ticks)
    assert draw_profiles([]) == draw_profiles([[], []]) == []


def test_the_first_ratios_are_drawn_and_long_names_shortened() -> None:
    name = "a-name-that-no-axis-has-room-for"
    [[wide, thin]] = draw_profiles([[(name, 1.0 + place, None) for place in range(100)]])
    assert len(paths(wide, model.HOLLOW)) == len(paths(thin, model.HOLLOW)) == 30
    assert texts(wide).count(name) == 30
    assert texts(thin).count("a-name-th\N{HORIZONTAL ELLIPSIS}s-room-for") == 30
    [[longer, _]] = draw_profiles([[(f"{name}-{name}", 1.0, None)]])
    assert "a-name-that-no-ax\N{HORIZONTAL ELLIPSIS}-axis-has-room-for" in texts(longer)


@pytest.mark.parametrize(("text", "written"), [
    ("21504", "21,504"), ("148161.7 TiB", "148,161.7 TiB"), ("192", "192"), ("0123", "0123"), ("1m", "1m"),
    ("4.1.0+dev", "4.1.0+dev"), ("1000.", "1000."), ("", ""), ("\u0661\u0662\u0663\u0664", "\u0661\u0662\u0663\u0664"),
    ("1" * 19, "1" * 19), ("-2048", "-2048"), ("2048,4096", "2048,4096"),
])  # fmt: skip
def test_only_one_number_has_its_digits_grouped(text: str, written: str) -> None:
    assert numbers.group_digits(text) == written


@pytest.mark.parametrize(("name", "text", "written"), [
    ("transfer_size_bytes", "1048576", "1\xa0MiB"), ("transfer_size_bytes", "47008", "47,008\xa0B"),
    ("transfer_size_bytes", "0", "0\xa0B"), ("transfer_size_bytes", "1m", "1m"), ("tool_version", "2023", "2023"),
    ("tasks", "21504", "21,504"),
])  # fmt: skip
def test_facts_of_runs_are_written_with_their_unit(name: str, text: str, written: str) -> None:
    assert words.format_fact(name, text) == written


def test_conditions_that_nobody_says_are_only_named() -> None:
    facts = [("client_nodes", ("5", None)), ("transfer_size", (None, None)), ("transfer_size_bytes", (None, None))]
    assert words.describe_conditions(facts) == ["client nodes 5 / not known", "transfer size"]


def test_facts_of_one_name_with_equal_values_have_one_row() -> None:
    row = {"values": [["8"], ["16"]], "differs_from_default": [None, None], "defaults": [], "subject": ""}
    other = row | {"values": [["8"], ["32"]]}
    facts = [row | {"name": "tasks", "parameter": ""}, row | {"name": "procs", "parameter": ""}]
    context = what_differed(
        [{"group": "Scale", "differences": [*facts, other | {"name": "procs", "parameter": ""}]}], ["a", "b"]
    )
    ((_, rows),) = context["groups"]
    assert [[cell["text"] for cell in row["cells"]] for row in rows] == [["8", "16"], ["8", "32"]]
    assert (context["count"], context["hidden"]) == (2, 0)


def test_a_fact_that_one_source_does_not_know_has_one_row() -> None:
    row = {"values": [["8"], ["16"], None], "differs_from_default": [None] * 3, "defaults": [], "subject": ""}
    facts = [row | {"name": "tasks", "parameter": ""}]
    facts += [row | {"values": [None, ["16"], ["32"]], "name": "procs", "parameter": ""}]
    facts += [row | {"values": [["8"], None, None], "name": "vendor", "parameter": ""}]
    context = what_differed([{"group": "Scale", "differences": facts}], ["a", "b", "c"])
    ((_, rows),) = context["groups"]
    assert [[cell["text"] for cell in row["cells"]] for row in rows] == [
        ["8", "16", "32"],
        ["8", "\N{EM DASH}", "\N{EM DASH}"],
    ]


def test_labels_of_a_narrow_staircase_end_within_it() -> None:
    points = [
        list_charts.StairPoint(f"SC{17 + place}", 100.0 * 10**place, "A system with a long name", "/")
        for place in range(5)
    ]
    axis = scales.LogAxis(30.0, 2e6, 200, 22, whole_decades=False)
    stairs = list_charts.draw_staircase(points, axis, left_x=56, right=358, labels=5, marks=5)
    records = [mark for step in stairs.marks if isinstance(step, model.Link) for mark in step.marks]
    texts = [mark for mark in records if isinstance(mark, model.Text)]
    assert {"100,000", "1,000,000 A system with a long name"} <= {text.text for text in texts}
    for text in texts:
        width = list_charts.LETTER * len(text.text)
        assert text.x - width >= 50 if text.anchor == "end" else text.x + width <= 358, text.text


@pytest.mark.parametrize(
    ("stored", "short"),
    [
        ("dataset_over_memory is 30.492837465738.", "dataset_over_memory is 30.49."),
        ("Found 0.000123456789 (limit 1.00000001), fine.", "Found 0.0001235 (limit 1.000), fine."),
        ("ratio is 4.8999999, not at least 4.9.", "ratio is 4.8999999, not at least 4.9."),
        ("The shortest write phase took 318.2 s; 300 s are asked for.",) * 2,
        ("It ran 5.14.0-427.el9.x86_64 with 3.3.0+dev on 10.0.0.12345.",) * 2,
        ("12345678.123456 of them", "12,345,678 of them"),
        ("\u0663.\u0661\u0664\u0661\u0665\u0669\u0662 stays",) * 2,
        ("",) * 2,
        ("1.23456.",) * 1 + ("1.235.",),
    ],
)
def test_a_stored_sentence_is_shown_with_four_digits(stored: str, short: str) -> None:
    assert numbers.shorten_numbers(stored) == short
