"""A new run against the runs before it: hardly a false alarm, a fall found at once, and no word with too few."""

from __future__ import annotations

import math
import random
from statistics import median

import pytest

from registry.timeseries import run_alarm
from registry.timeseries.change_points import two_sided
from tests.registry.timeseries import noise

EVEN = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1]


def share_outside(
    series: int, drawn: noise.Noise, name: str, metrics: int = 1, resolution: float = 0.0
) -> tuple[float, int]:
    """Of the new runs of so many systems without a change, the share in percent that is called lower or higher."""
    outside = judged = 0
    for number in range(series):
        source = random.Random(f"{name}.{number}")
        deviation = source.uniform(0.01, 0.05)
        values = [noise.make_values(source, drawn, deviation) for _ in range(metrics)]
        if resolution:
            values = [[resolution * round(value / resolution) for value in row] for row in values]
        counts = noise.count_outside(values, resolution)
        outside, judged = outside + counts[0], judged + counts[1]
    return 100 * outside / judged, judged


def share_found(series: int, earlier: int, ratio: float, metrics: int = 1) -> float:
    """Of falls to this ratio after so many runs with 3 % noise, the share in percent that is called lower at once."""
    hits = 0
    for number in range(series):
        source = random.Random(f"fall.{earlier}.{number}")
        values = [noise.make_values(source, noise.independent, 0.03, earlier + 1) for _ in range(metrics)]
        for row in values:
            row[-1] *= ratio
        hits += noise.judge_newest(values)["verdict"] == "lower"
    return 100 * hits / series


# False alarms, and what is found: the targets


def test_at_most_one_of_a_hundred_new_runs_is_flagged() -> None:
    share, judged = share_outside(120, noise.independent, "independent")
    assert share <= 1.0
    assert judged > 120 * 45


def test_at_most_two_of_a_hundred_are_flagged_where_runs_depend_on_the_one_before() -> None:
    assert share_outside(120, noise.serial(0.5), "serial")[0] <= 2.0


def test_many_metrics_of_one_run_are_one_family() -> None:
    assert share_outside(20, noise.independent, "family", metrics=15)[0] <= 1.0


def test_coarsely_printed_values_raise_no_alarm() -> None:
    assert share_outside(80, noise.independent, "coarse", resolution=5.0)[0] <= 1.0


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "drawn", "metrics", "most"),
    [
        ("independent", noise.independent, 1, 1.0),
        ("independent", noise.independent, 15, 1.0),
        ("serial", noise.serial(0.5), 1, 2.0),
        ("serial", noise.serial(0.5), 15, 2.0),
        ("heavy", noise.heavy_tailed, 1, 3.0),
    ],
)
def test_a_thousand_series_have_few_false_alarms(name: str, drawn: noise.Noise, metrics: int, most: float) -> None:
    assert share_outside(1000 if metrics == 1 else 250, drawn, name, metrics)[0] <= most


@pytest.mark.deep
def test_nightly_runs_have_few_false_alarms() -> None:
    """As a registry does it: each night with the steps that were found by then, and no later ones."""
    outside = judged = 0
    for number in range(300):
        source = random.Random(f"nights.{number}")
        values = noise.make_values(source, noise.independent, source.uniform(0.01, 0.05))
        verdicts = [noise.judge_newest([values[:night]])["verdict"] for night in range(6, noise.LENGTH + 1)]
        outside += sum(verdict in ("lower", "higher") for verdict in verdicts)
        judged += sum(verdict != "cannot tell" for verdict in verdicts)
    assert outside / judged <= 0.01


def test_a_run_25_percent_lower_is_found_with_eight_earlier_ones() -> None:
    assert share_found(200, 8, 0.75) >= 95


@pytest.mark.deep
def test_a_run_25_percent_lower_is_found_in_each_metric_of_many() -> None:
    assert share_found(1000, 8, 0.75) >= 95
    assert share_found(200, 8, 0.75, metrics=15) >= 95


@pytest.mark.parametrize("earlier", range(5))
def test_fewer_than_five_earlier_runs_give_no_verdict(earlier: int) -> None:
    verdict = noise.judge_newest([[*EVEN[:earlier], 1.0]])
    assert (verdict["verdict"], verdict["earlier"], verdict["judged"]) == ("cannot tell", earlier, 0)
    assert "five" in verdict["reason"] or "5" in verdict["reason"]
    (metric,) = verdict["metrics"]
    assert (metric["expected"], metric["expected_low"], metric["chance"], metric["ratio"]) == (None,) * 4


def test_five_earlier_runs_give_a_verdict() -> None:
    assert noise.judge_newest([[*EVEN[:5], 60.0]])["verdict"] == "lower"


# The arithmetic, held against other ways to reckon


def test_centre_and_spread_come_from_all_pairs() -> None:
    """Median of pairwise means and of pairwise differences, reckoned here with plain loops."""
    logs = [math.log(value) for value in EVEN]
    means, differences = [], []
    for first in range(8):
        for second in range(first, 8):
            means.append((logs[first] + logs[second]) / 2)
            if first != second:
                differences.append(abs(logs[first] - logs[second]))
    expected = run_alarm.expect_next(EVEN)
    assert expected is not None
    assert expected.middle == pytest.approx(math.exp(median(means)))
    assert expected.deviation == pytest.approx(0.995 * median(differences))


@pytest.mark.parametrize("earlier", [5, 8, 13, 20])
def test_probabilities_hold_for_normal_noise(earlier: int) -> None:
    """Of 4,000 normal samples 5 % lie beyond a chance of 5 %; with many runs fewer, as tails may be heavier."""
    source = random.Random(earlier)
    beyond = 0
    for _ in range(4000):
        values = noise.make_values(source, noise.independent, 0.03, earlier + 1)
        expected = run_alarm.expect_next(values[:-1])
        assert expected is not None
        beyond += expected.compute_chance(values[-1]) <= 0.05
    assert 0.03 <= beyond / 4000 <= 0.06


@pytest.mark.parametrize("runs", sorted(run_alarm.CALIBRATION))
def test_more_runs_make_the_expected_range_no_wider(runs: int) -> None:
    factor, degrees = run_alarm.CALIBRATION[runs]
    assert 0.9 < factor < 1.06
    assert 0.6 * (runs - 1) <= degrees <= runs - 1


def test_a_metric_is_unexpected_exactly_outside_its_range() -> None:
    """Holm's verdict on each of many metrics is that of the range that is printed beside it."""
    source = random.Random(7)
    kinds = set()
    for _ in range(300):
        metrics = [noise.make_values(source, noise.independent, 0.03, 9) for _ in range(6)]
        for row in metrics:
            row[-1] *= source.choice([1.0, 1.0, 0.85, 0.75, 1.3])
        for metric in noise.judge_newest(metrics)["metrics"]:
            kinds.add(metric["verdict"])
            if metric["verdict"] == "cannot tell":  # a step was found before the fall
                continue
            is_within = metric["expected_low"] <= metric["value"] <= metric["expected_high"]
            assert (metric["verdict"] == "as expected") == is_within
    assert kinds >= {"lower", "higher", "as expected"}


def test_probabilities_are_corrected_by_holm() -> None:
    """Chances of 0.001, 0.002 and 0.04 become 0.003, 0.004 and 0.04; a metric that nobody can judge counts for none."""
    adjusted, outside = run_alarm._adjust_chances([(0.001, 0), (0.002, 2), (0.04, 3)])
    assert adjusted == pytest.approx({0: 0.003, 2: 0.004, 3: 0.04})
    assert outside == 2


@pytest.mark.parametrize(("level", "degrees"), [(0.005, 2.93), (0.005, 8.0), (1e-9, 3.0), (0.0001, 8.0)])
def test_ends_of_a_range_have_the_probability_of_its_level(level: float, degrees: float) -> None:
    assert two_sided(run_alarm._student_quantile(level, degrees), degrees) == pytest.approx(level, rel=1e-6)


# What earlier runs were


def test_two_low_runs_of_eight_hide_no_third() -> None:
    assert noise.judge_newest([[100, 70.0, 101, 99, 100.5, 140.0, 99.5, 100.2, 75.0]])["verdict"] == "lower"


def test_a_change_within_the_usual_variation_is_expected() -> None:
    alike = [100.0, 100.001, 99.999, 100.002, 99.998, 100.0]
    assert noise.judge_newest([[*alike, 99.0]])["verdict"] == "as expected"
    assert noise.judge_newest([[*alike, 98.0]])["verdict"] == "lower"


@pytest.mark.parametrize(
    ("newest", "verdict"), [(10.0, "as expected"), (11.0, "as expected"), (9.0, "as expected"), (12.0, "higher")]
)
def test_one_printed_digit_more_or_less_is_no_alarm(newest: float, verdict: str) -> None:
    """Ten times 10 may have been 10.4, and 11 may be 10.6: they need not differ. 12 is at least 11.5."""
    assert noise.judge_newest([[10.0] * 10 + [newest]], resolution=1.0)["verdict"] == verdict


def test_only_the_newest_twenty_count() -> None:
    old, new = [50.0] * 30, [100.0, 101.0, 99.0, 100.5] * 5
    expected = run_alarm.expect_next([*old, *new])
    assert expected is not None
    assert (expected.runs, round(expected.middle)) == (20, 100)


def test_after_a_fall_of_the_level_the_alarm_ends_and_the_new_level_is_the_reference() -> None:
    """Two nights are lower, with the third there is a step, and five runs later the new level is what is expected."""
    source = random.Random(3)
    values = [100 * math.exp(0.01 * source.gauss(0, 1)) for _ in range(22)]
    values = [value * (0.75 if place >= 12 else 1.0) for place, value in enumerate(values)]
    verdicts = noise.run_verdicts.judge_results([noise.series_row(values)])
    words = [verdicts[f"hw-{place}"]["verdict"] for place in range(12, 22)]
    assert words == ["lower"] * 2 + ["cannot tell"] * 3 + ["as expected"] * 5
    assert [verdicts[f"hw-{place}"]["continues"] for place in (12, 13)] == [False, True]
    metric = verdicts["hw-21"]["metrics"][0]
    assert (metric["earlier"], metric["expected"]) == (9, pytest.approx(75, rel=0.01))


def test_a_run_back_at_the_former_level_is_reported() -> None:
    verdicts = noise.run_verdicts.judge_results([noise.series_row([*EVEN, 75.0, 140.0], step_free=True)])
    assert [verdicts[name]["verdict"] for name in ("hw-8", "hw-9")] == ["lower", "higher"]
    assert not verdicts["hw-9"]["continues"]


def test_bounds_and_zeros_are_no_earlier_runs() -> None:
    row = noise.series_row([*EVEN[:6], 0.0, 500.0, 75.0], step_free=True)
    row["points"][7]["qualifier"] = "below"
    verdicts = noise.run_verdicts.judge_results([row])
    assert {"hw-6", "hw-7"}.isdisjoint(verdicts)
    assert (verdicts["hw-8"]["verdict"], verdicts["hw-8"]["earlier"]) == ("lower", 6)


@pytest.mark.parametrize("newest", [1e-300, 1e300, 5e-324])
def test_absurd_values_are_outside_and_break_nothing(newest: float) -> None:
    metric = noise.judge_newest([[*EVEN, newest]])["metrics"][0]
    assert metric["verdict"] == ("lower" if newest < 1 else "higher")
    assert 0 <= metric["chance"] < 1e-6
    assert math.isfinite(metric["expected_high"])


def test_equal_values_have_a_range() -> None:
    metric = noise.judge_newest([[1.0] * 9])["metrics"][0]
    assert metric["expected_low"] < 1.0 < metric["expected_high"]
    assert metric["verdict"] == "as expected"


@pytest.mark.parametrize(
    ("values", "resolution"),
    [([50.5, 47.0], 0.1), ([100.0, 200.0], 100.0), ([100.0, 75.0], 1.0), ([0.0], 0.0), ([], 0.0), ([1.1 * 3], 0.1)],
)
def test_the_last_printed_digit_is_recognised(values: list[float], resolution: float) -> None:
    assert run_alarm.printed_resolution(values) == pytest.approx(resolution)


def test_a_series_of_wild_values_has_a_range_of_numbers() -> None:
    """Eight values a factor of 10^300 apart, and the largest number there is: as expected, and nothing overflows."""
    for earlier in ([1e-150, 1e150] * 4, [1.7e308] * 8):
        (verdict,) = run_alarm.judge_run([(earlier[-1], run_alarm.expect_next(earlier))])
        assert verdict.verdict == run_alarm.Verdict.EXPECTED
        assert verdict.low is not None and verdict.high is not None
        assert 0 <= verdict.low < earlier[-1] < verdict.high < math.inf
