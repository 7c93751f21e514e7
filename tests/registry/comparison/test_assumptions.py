"""What may be assumed of single runs: as published tables say, only on request, and never in place of repeats."""

from __future__ import annotations

import csv
import json
import math
import random
import statistics
from pathlib import Path

import pytest

from registry.comparison import assumptions, uncertainty
from registry.comparison.compare import Per, Side, compare_sides
from registry.comparison.uncertainty import Assumption, Spread, joint_width, ratio_interval
from registry.query.facts.divisors import Divisor
from tools import make_assumptions

IO500 = ("bandwidth", "metadata", "bandwidth_half", "metadata_half", "score")


def entries() -> dict[str, dict]:
    return {entry["class"]: entry for entry in json.loads(assumptions.FILE.read_text())["classes"]}


def test_every_assumed_class_has_source_and_number_of_runs() -> None:
    classes = assumptions.assumed_classes()
    assert set(classes) == {*IO500, "mlperf"}
    assert all(
        assumed_class.source and assumed_class.sets >= 38 and assumed_class.runs >= 2 * assumed_class.sets
        for assumed_class in classes.values()
    )
    assert "degrees" not in entries()["iops"] and entries()["iops"]["of"] == []


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (("io500", "ior-easy-write", "bandwidth", "phase"), "bandwidth"),
        (("ior", "read", "bandwidth", "max"), "bandwidth"),
        (("io500", "find", "rate", "phase"), "metadata"),
        (("mdtest", "file_create", "rate", "mean"), "metadata"),
        (("io500", "score", "", ""), "score"),
        (("io500", "bandwidth_gib_per_s", "", ""), "bandwidth_half"),
        (("io500", "rate_kiops", "", ""), "metadata_half"),
        (("mlperf-storage", "unet3d", "samples_rate", "mean"), "mlperf"),
        (("mlperf-storage", "unet3d", "bandwidth", "mean"), "mlperf"),
    ],
)
def test_measurements_have_the_assumed_class_of_their_repeats(number: tuple[str, ...], name: str) -> None:
    assert assumptions.find_class(*number).name == name


@pytest.mark.parametrize(
    "number",
    [
        ("fio", "read", "iops", "mean"),
        ("fio", "read", "bandwidth", "mean"),
        ("lst", "read", "bandwidth", "mean"),
        ("ior", "write", "iops", "max"),
        ("io500", "ior-easy-write", "time", "phase"),
        ("mdtest", "file_create", "rate", "rank_min"),
        ("mdtest", "file_create", "rate", "stdev"),
        ("mlperf-storage", "checkpoint-write", "bandwidth", "mean"),
        ("mlperf-storage", "unet3d", "au", "mean"),
        ("mlperf-storage", "score", "", ""),
        ("", "", "", ""),
    ],
)
def test_quantities_without_repeats_have_no_assumed_class(number: tuple[str, ...]) -> None:
    assert assumptions.find_class(*number) is None


# What the tables say


def test_assumed_deviations_follow_from_the_published_tables(shared: Path) -> None:
    """Coverages take longer: tools/make_assumptions.py writes them."""
    alike = make_assumptions.alike_runs(make_assumptions.read_rows(shared / "data" / make_assumptions.IO500))
    sets = {
        "bandwidth": make_assumptions.phase_sets(alike, make_assumptions.BANDWIDTHS),
        "metadata": make_assumptions.phase_sets(alike, make_assumptions.RATES),
        "bandwidth_half": make_assumptions.mean_sets(alike, make_assumptions.BANDWIDTHS),
        "metadata_half": make_assumptions.mean_sets(alike, make_assumptions.RATES),
        "score": make_assumptions.mean_sets(alike, make_assumptions.BANDWIDTHS, make_assumptions.RATES),
    }
    mlperf = make_assumptions.mlperf_variances(make_assumptions.read_rows(shared / "data" / make_assumptions.MLPERF))
    variances = {name: make_assumptions.variances_of(of) for name, of in sets.items()} | {"mlperf": mlperf}
    for name, of_class in variances.items():
        computed = make_assumptions.assumption_row(of_class)
        assert {key: entries()[name][key] for key in computed} == computed, name
    coverage = make_assumptions.left_out_coverage(sets["score"])
    assert round(100 * coverage, 1) == entries()["score"]["left_out_coverage_percent"]


def test_the_fit_finds_the_deviations_that_made_the_runs() -> None:
    """4,000 systems with five runs each, whose deviations are 2 % over the root of a chi-square of three."""
    chosen = random.Random(5)
    variances = []
    for _ in range(4000):
        own = 0.02 / math.sqrt(sum(chosen.gauss() ** 2 for _ in range(3)) / 3)
        variances.append((statistics.variance(chosen.gauss(0, own) for _ in range(5)), 4))
    scale, degrees = make_assumptions.fit_variances(variances)
    assert degrees == 3
    assert scale == pytest.approx(0.02, rel=0.05)


def test_the_score_follows_from_the_phases_of_the_same_runs(shared: Path) -> None:
    """In each set it varies by no more than its halves together, and these by no more than their phases."""
    with (shared / "data" / "io500" / "official_submissions.csv").open(encoding="utf-8") as table:
        alike = make_assumptions.alike_runs(csv.DictReader(table))
    for _, rows in alike:
        logs = [
            [[math.log(float(row[name])) for name in names] for row in rows]
            for names in (make_assumptions.BANDWIDTHS, make_assumptions.RATES)
        ]
        halves = [[sum(phases) / len(phases) for phases in of_half] for of_half in logs]
        score = [(bandwidth + rate) / 2 for bandwidth, rate in zip(*halves, strict=True)]
        official_scores = {
            place: float(row["official_score"]) for place, row in enumerate(rows) if row["official_score"]
        }
        assert {place: math.exp(score[place]) for place in official_scores} == pytest.approx(official_scores, rel=0.02)
        assert statistics.stdev(score) <= sum(map(statistics.stdev, halves)) / 2 + 1e-12
        for half, of_half in zip(halves, logs, strict=True):
            by_phase = [statistics.stdev(phase) for phase in zip(*of_half, strict=True)]
            assert statistics.stdev(half) <= statistics.fmean(by_phase) + 1e-12
    widths = {name: assumptions.assumed_classes()[name].assumption.width for name in IO500}
    assert widths["score"] < (widths["bandwidth_half"] + widths["metadata_half"]) / 2


# Intervals


def test_an_assumed_interval_is_that_of_few_degrees_of_freedom() -> None:
    assert Assumption(0.01, 1).width == pytest.approx(0.12706)
    assert Assumption(0.01, 2).width == pytest.approx(0.04303)
    assert Assumption(0.01, 29).width == pytest.approx(0.02045)


def test_heavy_tails_are_added_and_other_deviations_squared() -> None:
    heavy, light, by_repeats = Assumption(0.01, 1), Assumption(0.01, 2), Spread(0.01, 3)
    assert joint_width(heavy, heavy) == pytest.approx(2 * 0.12706)
    assert joint_width(heavy, by_repeats) == pytest.approx(0.12706 + 0.04303)
    assert joint_width(light, light) == joint_width(light, by_repeats) == pytest.approx(math.sqrt(2) * 0.04303)


@pytest.mark.parametrize(("degrees", "least"), [(1, 0.945), (2, 0.935), (4, 0.94)])
def test_simulated_ratios_have_the_stated_coverage(degrees: int, least: float) -> None:
    """20,000 pairs, each run of a system with a deviation of its own. Of two degrees it is 94.2 %, a little less."""
    chosen, assumption = random.Random(6), Assumption(0.05, degrees)

    def error() -> float:
        return 0.05 * chosen.gauss() / math.sqrt(sum(chosen.gauss() ** 2 for _ in range(degrees)) / degrees)

    width = joint_width(assumption, assumption)
    inside = sum(abs(error() - error()) <= width for _ in range(20_000)) / 20_000
    assert least <= inside <= 0.96


def row(op: str, value: float, **more) -> dict:
    quantity, unit = ("bandwidth", "B/s") if op.startswith("ior") else ("rate", "ops/s")
    numbers = {"value": value, "unit": unit, "printed_value": value, "printed_unit": unit}
    return {"op": op, "quantity": quantity, "stat": "phase", "context": {}} | numbers | more


def side(id: str, *rows: dict, tool: str = "io500") -> Side:
    return Side(id, tool, "sc25", "standard", "verified", "next", {"client_nodes": 10}, rows)


def test_comparisons_assume_only_where_they_are_asked_to() -> None:
    sides = [side("a", row("ior-easy-read", 200.0)), side("b", row("ior-easy-read", 300.0))]
    plain, assumed = compare_sides(sides), compare_sides(sides, assume=True)
    assert plain["measurements"][0]["intervals"] == [None, None] and plain["assumptions"] == []
    assumed_class = assumptions.assumed_classes()["bandwidth"].assumption
    low, high = assumed["measurements"][0]["intervals"][1]
    assert (low, high) == pytest.approx(
        (1.5 * math.exp(-2 * assumed_class.width), 1.5 * math.exp(2 * assumed_class.width))
    )
    assert assumed["measurements"][0]["interval_basis"] == [None, "assumed"]
    assert assumed["measurements"][0]["spreads"] == [{"deviation_percent": None, "runs": None}] * 2
    assert [assumed_class["name"] for assumed_class in assumed["assumptions"]] == ["bandwidth"]


def test_repeats_override_assumptions() -> None:
    again = row("find", 100.0, repeats=[99.0, 100.0, 101.0])
    comparison = compare_sides([side("a", again), side("b", again)], assume=True)
    plain = compare_sides([side("a", again), side("b", again)])
    assert comparison["measurements"] == plain["measurements"]
    assert comparison["assumptions"] == []
    half = compare_sides([side("a", again), side("b", row("find", 100.0))], assume=True)
    assert half["measurements"][0]["interval_basis"] == [None, "assumed"]
    assert half["measurements"][0]["rounding_low"] == [None, 99.5]


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (row("ior-easy-read", 200.0), row("ior-easy-read", 300.0, context={"qualifier": "below"})),
        (row("time", 200.0, quantity="time", unit="s"), row("time", 300.0, quantity="time", unit="s")),
    ],
)
def test_bounds_and_unknown_quantities_have_no_assumed_interval(first: dict, other: dict) -> None:
    comparison = compare_sides([side("a", first), side("b", other)], assume=True)
    assert comparison["measurements"][0]["intervals"] == [None, None]


def test_other_tools_and_unlike_measurements_have_no_assumed_interval() -> None:
    of_fio = [side("a", row("ior-x", 2.0), tool="fio"), side("b", row("ior-x", 3.0), tool="fio")]
    assert compare_sides(of_fio, assume=True)["measurements"][0]["interval_basis"] == [None, None]
    mixed = compare_sides([of_fio[0], side("c", row("ior-x", 3.0))], assume=True)
    assert (mixed["comparable"], mixed["assumptions"]) == (False, [])
    assert {interval for row in mixed["measurements"] for interval in row["intervals"]} == {None}


def test_values_have_the_rounding_of_their_printed_digits_and_quotients_have_none() -> None:
    sides = [
        side("a", row("find", 1500.0, printed_value=1.5, printed_unit="kIOPS")),
        side("b", row("find", 2500.0, printed_value=2.5, printed_unit="kIOPS")),
    ]
    (numbers,) = compare_sides(sides)["measurements"]
    assert (numbers["rounding_low"], numbers["rounding_high"]) == ([1450.0, 2450.0], [1550.0, 2550.0])
    per = Per("client nodes", [Divisor(10, "x"), Divisor(10, "x")])
    (divided,) = compare_sides(sides, per)["measurements"]
    assert divided["values"] == [150.0, 250.0]
    assert (divided["rounding_low"], divided["rounding_high"]) == ([None, None], [None, None])


def test_a_ratio_needs_an_interval_of_both_values() -> None:
    assert ratio_interval(1.5, Assumption(0.01, 2), None) is None
    assert ratio_interval(0.0, Assumption(0.01, 2), Assumption(0.01, 2)) is None
    assert uncertainty.basis_of(Spread(0.01, 3), Assumption(0.01, 2)) == "assumed"
    assert uncertainty.basis_of(Spread(0.01, 3), Spread(0.01, 3)) == "repeats"
