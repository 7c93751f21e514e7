"""Intervals come from repeats alone and hold what they promise; ranks tell apart only what repeats do."""

from __future__ import annotations

import csv
import math
import statistics
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from registry.comparison import uncertainty
from registry.comparison.spreads import measured_spreads, measurement_key
from registry.comparison.uncertainty import Spread, is_tie, of_printed, of_repeats, rank_ranges, ratio_interval
from validators import catalogue
from validators.checks import check

scores = st.floats(1e-3, 1e7)
deviations = st.floats(0, 0.2)
measured = st.builds(Spread, deviations, st.sampled_from([3, 5, 40]), st.booleans())
entries = st.lists(st.tuples(scores, measured), min_size=1, max_size=25)
some_repeated = st.lists(st.tuples(scores, st.none() | measured), min_size=1, max_size=25)


def test_nine_of_ten_published_sets_vary_less_than_the_least_move_of_a_step(shared: Path) -> None:
    with (shared / "data" / "mlperf_storage_v1.0.csv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table) if row["num_runs"] == "5"]
    sets = {(float(row["samples_per_s_mean"]), float(row["samples_per_s_stdev"])) for row in rows}
    assert len(sets) == 131
    in_percent = sorted(100 * deviation / mean * math.sqrt(5 / 4) for mean, deviation in sets)
    deciles = statistics.quantiles(in_percent, n=10, method="inclusive")
    assert round(statistics.median(in_percent), 2) == 0.22
    assert round(deciles[8], 2) == 1.08
    assert uncertainty.published_deviation() == pytest.approx(deciles[8] / 100, rel=0.005)
    published_sets = uncertainty.published_spreads()["published_sets"]
    assert f"largest {max(in_percent):.2f} %" in published_sets["is"]
    assert "MLPerf Storage v1.0" in published_sets["source"]


def test_quantiles_of_student_leave_five_percent_outside() -> None:
    """The density of Student's t, integrated by the trapezoidal rule."""
    for degrees, quantile in enumerate(uncertainty.STUDENT, uncertainty.FEWEST - 1):
        scale = math.gamma((degrees + 1) / 2) / (math.sqrt(degrees * math.pi) * math.gamma(degrees / 2))
        step = quantile / 2000
        heights = [scale * (1 + (step * at) ** 2 / degrees) ** (-(degrees + 1) / 2) for at in range(2001)]
        inside = 2 * step * (sum(heights) - (heights[0] + heights[-1]) / 2)
        assert inside == pytest.approx(0.95, abs=1e-4), degrees


@pytest.mark.parametrize(
    ("values", "deviation"), [([9.0, 10.0, 11.0], 0.1), ([5.0] * 4, 0.0), ([10.0, 11.0], None), ([0.0, 1.0, 2.0], None)]
)
def test_a_spread_needs_three_positive_values(values: list[float], deviation: float | None) -> None:
    spread = of_repeats(values)
    assert (spread and spread.deviation) == (deviation and pytest.approx(deviation))


def test_the_mean_of_more_runs_is_known_better() -> None:
    single, mean = of_repeats([9.0, 10.0, 11.0]), of_repeats([9.0, 10.0, 11.0], is_mean=True)
    assert single and mean and single.width == pytest.approx(4.303 * 0.1)
    assert mean.width == pytest.approx(4.303 * 0.1 / math.sqrt(3))


def test_a_printed_deviation_of_the_population_is_that_of_a_sample_times_the_root_of_five_quarters() -> None:
    spread = of_printed(100.0, 2.0, 5, of_population=True)
    assert spread == Spread(pytest.approx(0.02 * math.sqrt(5 / 4)), 5, is_mean=True)
    assert of_printed(100.0, 2.0, 5, of_population=False) == Spread(0.02, 5, is_mean=True)
    assert of_printed(100.0, 2.0, 2, of_population=True) is None
    assert of_printed(0.0, 2.0, 5, of_population=True) is None


@given(scores, scores, measured, measured)
def test_an_interval_contains_its_ratio_and_inverts_with_it(score, other, first, second) -> None:
    ratio = other / score
    low, high = ratio_interval(ratio, first, second)
    back_low, back_high = ratio_interval(1 / ratio, second, first)
    assert low <= ratio <= high
    assert (1 / high, 1 / low) == (pytest.approx(back_low), pytest.approx(back_high))
    assert ratio_interval(1.0, first, second)[0] <= 1 <= ratio_interval(1.0, first, second)[1]


STEADY, UNSTEADY = Spread(0.005, 3), Spread(0.2, 3)
"""Half-widths of 4.303 deviations: 2.15 % and 86 %."""


@pytest.mark.parametrize("ratio", [None, 0.0, -1.0])
def test_ratios_without_a_logarithm_have_no_interval(ratio: float | None) -> None:
    assert ratio_interval(ratio, STEADY, STEADY) is None


@pytest.mark.parametrize("spreads_of", [(None, None), (STEADY, None), (None, STEADY)])
def test_a_ratio_has_an_interval_only_where_both_numbers_were_repeated(spreads_of) -> None:
    assert ratio_interval(1.5, *spreads_of) is None
    assert ratio_interval(1.5, STEADY, STEADY) is not None


@pytest.mark.parametrize("runs", [0, 1, 2])
def test_fewer_than_three_runs_are_no_spread(runs: int) -> None:
    with pytest.raises(ValueError, match="show no spread"):
        Spread(0.01, runs)


def test_two_sets_of_three_are_separated_by_their_own_deviations() -> None:
    """sqrt(2) x 4.303 x 0.5 % is 3.04 %: nothing else is mixed in."""
    assert is_tie(ratio_interval(1.030, STEADY, STEADY))
    assert not is_tie(ratio_interval(1.031, STEADY, STEADY))


def test_entries_whose_repeats_overlap_share_their_ranks_and_others_do_not() -> None:
    assert rank_ranges([100.0, 99.0, 97.5, 50.0], [STEADY] * 4) == [(1, 3), (1, 3), (1, 3), (4, 4)]
    assert rank_ranges([100.0, 98.0, 96.0], [STEADY] * 3) == [(1, 2), (1, 3), (2, 3)]
    assert rank_ranges([1.0, 2.0], [STEADY] * 2, lower_is_better=True) == [(1, 1), (2, 2)]
    assert rank_ranges([], []) == []


def test_single_runs_share_ranks_by_equal_scores_alone() -> None:
    assert rank_ranges([100.0, 99.999, 99.999, 50.0], [None] * 4) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert rank_ranges([1.0, 1.001], [None] * 2, lower_is_better=True) == [(1, 1), (2, 2)]


def test_repeats_of_one_entry_give_no_range_to_a_single_run() -> None:
    """However much the first varies: how the second does is not known, and its order by score is all that is."""
    assert rank_ranges([100.0, 99.0], [UNSTEADY, None]) == [(1, 1), (2, 2)]
    assert rank_ranges([100.0, 99.5, 99.0], [UNSTEADY, None, UNSTEADY]) == [(1, 2), (2, 2), (2, 3)]


def test_a_wide_spread_makes_a_wide_range() -> None:
    assert rank_ranges([100.0, 80.0, 60.0], [STEADY, UNSTEADY, STEADY]) == [(1, 2), (1, 3), (2, 3)]


@given(some_repeated)
def test_ranges_of_single_runs_are_the_ranks_of_their_scores(pairs) -> None:
    values = [value for value, _ in pairs]
    logs = [math.log(value) for value in values]
    for level, (_, spread), rank_range in zip(
        logs, pairs, rank_ranges(values, [pair_spread for _, pair_spread in pairs]), strict=True
    ):
        if spread is None:
            assert rank_range == (1 + sum(other > level for other in logs), sum(other >= level for other in logs))


@given(entries)
def test_ranges_are_those_of_pairwise_overlap(pairs) -> None:
    """Values that differ by rounding alone, and ratios at the very end of their interval, are left out."""
    values, pair_spreads = [value for value, _ in pairs], [spread for _, spread in pairs]
    expected = []
    for value, spread in pairs:
        apart = [(math.log(other) - math.log(value), math.hypot(spread.width, more.width)) for other, more in pairs]
        assume(all(gap == 0 or abs(abs(gap) - width) > 1e-12 for gap, width in apart))
        above, below = sum(gap > width for gap, width in apart), sum(-gap > width for gap, width in apart)
        expected.append((1 + above, len(pairs) - below))
    ranges = rank_ranges(values, pair_spreads)
    assert all(1 <= low <= high <= len(pairs) for low, high in ranges)
    assert ranges == expected


@given(entries, st.floats(0.1, 1000))
def test_ranges_hold_the_rank_by_score_and_do_not_depend_on_the_unit(pairs, factor) -> None:
    values, pair_spreads = [value for value, _ in pairs], [spread for _, spread in pairs]
    for value, (low, high) in zip(values, rank_ranges(values, pair_spreads), strict=True):
        assert low <= 1 + sum(other > value for other in values)
        assert sum(other >= value for other in values) <= high
    same_width = [STEADY] * len(values)
    ranges = dict(zip(values, rank_ranges(values, same_width), strict=True))
    ordered = [ranges[value] for value in sorted(values, reverse=True)]
    assert ordered == sorted(ordered)


def test_no_prior_of_metadata_rates_follows_from_what_is_published(shared: Path) -> None:
    """Six systems of IO500 stand three times and more as they were, and differ by what was tuned between."""
    with (shared / "data" / "io500" / "official_submissions.csv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table) if float(row["mdtest_easy_write"] or 0)]
    alike: dict[tuple[str, ...], list[dict[str, str]]] = {}
    names = ("institution", "system", "filesystem_type", "client_nodes", "client_total_procs")
    for row in rows:
        alike.setdefault(tuple(row[name] for name in names), []).append(row)
    several = [same for same in alike.values() if len(same) >= 3]
    deviations_by_kind = {}
    for kind in (("mdtest_", "find"), ("ior_",)):
        phases = [name for name in rows[0] if name.startswith(kind)]
        values = [[float(row[phase]) for row in same if float(row[phase] or 0)] for same in several for phase in phases]
        deviations_by_kind[kind] = [
            100 * statistics.stdev(repeats) / statistics.fmean(repeats) for repeats in values if len(repeats) >= 3
        ]
    rates, bandwidths = deviations_by_kind.values()
    assert (len(several), len(rates), len(bandwidths)) == (6, 47, 24)
    assert (round(statistics.median(rates)), round(max(rates)), round(statistics.median(bandwidths), 1)) == (
        22,
        129,
        3.6,
    )


# What is known of the numbers of a result


def row(value: float, stat: str = "mean", quantity: str = "bandwidth", unit: str = "B/s", **context) -> dict:
    return {"op": "write", "quantity": quantity, "stat": stat, "unit": unit, "value": value, "context": context}


def found_for(measurement: dict, *others: dict, tool: str = "ior", repeats=(), **parameters) -> Spread | None:
    return measured_spreads(tool, [measurement, *others], parameters, repeats).get(measurement_key(measurement))


@pytest.mark.parametrize(("quantity", "unit"), [("bandwidth", "B/s"), ("rate", "ops/s"), ("score", ""), ("time", "s")])
def test_a_single_run_has_no_spread_whatever_it_measures(quantity: str, unit: str) -> None:
    assert found_for(row(10.0, quantity=quantity, unit=unit)) is None
    assert found_for(row(10.0, "stdev")) is None


def test_samples_of_one_run_are_no_repeats_of_it() -> None:
    samples = [row(value, sample=place, group="g") for place, value in enumerate((9.0, 10.0, 11.0))]
    assert found_for(row(10.0, group="g"), *samples, tool="lst") is None
    assert found_for(samples[0], *samples[1:], tool="lst") is None


def test_repeats_inside_a_run_count_from_three_on() -> None:
    three = [row(value, "iteration", test=0, iter=place) for place, value in enumerate((9.0, 10.0, 11.0))]
    elsewhere = [row(value, "iteration", test=1, iter=place) for place, value in enumerate((1.0, 10.0, 100.0))]
    assert found_for(row(10.0, test=0), *three, *elsewhere) == Spread(pytest.approx(0.1), 3, is_mean=True)
    assert found_for(row(11.0, "max", test=0), *three) == Spread(pytest.approx(0.1), 3)
    assert found_for(row(10.0, test=0), *three[:2]) is None


def test_other_results_of_the_same_configuration_are_preferred() -> None:
    repeats = [[row(value)] for value in (9.0, 11.0)]
    assert found_for(row(10.0), repeats=repeats) == Spread(pytest.approx(0.1), 3)
    assert found_for(row(10.0), repeats=repeats[:1]) is None


def test_the_printed_deviation_of_mdtest_overrides_rates_of_rank_0() -> None:
    over = {"quantity": "rate", "unit": "ops/s", "scope": "iterations (slowest rank x tasks), sample stdev"}
    rank = {"quantity": "rate", "unit": "ops/s", "scope": "rank 0"}
    single = [row(value, "iteration", iter=place, **rank) for place, value in enumerate((99.0, 100.0, 101.0))]
    rows = row(100.0, **over), row(20.0, "stdev", **over), row(120.0, "max", **over)
    run = {"tool": "mdtest", "iterations": 3}
    assert found_for(rows[0], *rows[1:], *single, **run) == Spread(pytest.approx(0.2), 3, is_mean=True)
    assert found_for(rows[2], *rows[:2], **run) == Spread(pytest.approx(0.2), 3)
    assert found_for(rows[0], *rows[1:], tool="mdtest", iterations=2) is None


@pytest.mark.parametrize(("sample", "deviation"), [("4.0.0-unique-i3", 75.440 / 3293.141), ("3.2.1-unique-i3", None)])
def test_outputs_of_mdtest_give_the_coverage_of_their_deviation(sample, deviation) -> None:
    (run,) = check(catalogue.FOLDER / "mdtest" / "samples" / sample).as_json()["runs"]
    spread_by_metric = measured_spreads("mdtest", run["measurements"], run["parameters"], [])
    (mean,) = (
        measurement
        for measurement in run["measurements"]
        if (measurement["op"], measurement["stat"]) == ("dir_create", "mean")
    )
    expected = Spread(pytest.approx(deviation, rel=1e-3), 3, is_mean=True) if deviation else None
    assert spread_by_metric.get(measurement_key(mean)) == expected


def test_the_deviation_of_early_mdtest_is_over_ranks_and_is_not_taken() -> None:
    over = {"quantity": "rate", "unit": "ops/s", "scope": "ranks and iterations, population stdev"}
    run = {"tool": "mdtest", "iterations": 3}
    assert found_for(row(100.0, **over), row(20.0, "stdev", **over), **run) is None


def test_other_runs_of_an_archive_count_with_those_of_other_results() -> None:
    archive = row(11.0) | {"repeats": [9.0, 10.0, 11.0]}
    assert found_for(archive) == Spread(pytest.approx(0.1), 3)
    assert found_for(row(10.0) | {"repeats": [9.0, 10.0]}) is None
    assert found_for(row(10.0), repeats=[[row(9.0) | {"repeats": [9.0, 11.0]}]]) == Spread(pytest.approx(0.1), 3)
    assert found_for(archive, repeats=[[archive], [archive]]) == Spread(pytest.approx(0.1), 3), (
        "one archive counts once"
    )
    assert found_for(row(5.0), repeats=[[row(5.0)], [row(5.0)]]) == Spread(0.0, 3), "equal single runs are three"


def test_the_deviation_that_mlperf_storage_prints_is_of_the_population() -> None:
    rates = {"quantity": "samples_rate", "unit": "ops/s"}
    run = {"tool": "mlperf-storage", "runs": 5}
    spread = found_for(row(100.0, **rates), row(1.0, "stdev", **rates), **run)
    assert spread == Spread(pytest.approx(0.01 * math.sqrt(5 / 4)), 5, is_mean=True)
    assert found_for(row(100.0, **rates), row(1.0, "stdev", **rates), tool="other", runs=5) is None
    assert found_for(row(100.0, **rates), row(1.0, "stdev", **rates), tool="mlperf-storage", runs=0) is None
