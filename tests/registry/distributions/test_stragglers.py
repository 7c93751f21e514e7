"""Slow targets, drives and ranks, the chance of meeting one, histograms and ageing."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest

from registry.distributions.distributions import ageing_series, component_distributions, with_all_targets
from registry.distributions.stragglers import (
    ImpossibleDraw,
    aged_from,
    build_histogram,
    find_slow,
    meeting_probability,
    relative_to_first,
    stripe_counts,
)
from tests.html import page_source
from tests.registry.record import make_release, make_result
from validators.distributions import summed

TARGETS = [100.0] * 255 + [90.0, *[80.0 + number / 2 for number in range(17)]]
"""273 targets, of which 18 reach 90 % of the best or less."""


@pytest.mark.parametrize(("stripes", "printed", "percent"), [(1, 6.6, 6.59), (4, 24, 24.00), (16, 67, 67.49)])
def test_the_hit_probability_is_that_of_the_perlmutter_paper(stripes, printed, percent) -> None:
    chance = 100 * meeting_probability(273, 18, stripes)
    assert chance == pytest.approx(percent, abs=0.005)
    assert chance == pytest.approx(printed, abs=0.5)
    assert chance == pytest.approx(100 * (1 - comb(255, stripes) / comb(273, stripes)))


@pytest.mark.parametrize(
    ("members", "slow_members", "stripes", "chance"),
    [(10, 0, 10, 0.0), (10, 1, 10, 1.0), (10, 5, 6, 1.0), (2, 1, 1, 0.5), (10, 10, 1, 1.0), (100_000, 1, 50_000, 0.5)],
)
def test_probabilities_at_the_limits(members, slow_members, stripes, chance) -> None:
    assert meeting_probability(members, slow_members, stripes) == pytest.approx(chance)


@pytest.mark.parametrize("numbers", [(10, 1, 11), (10, 11, 1), (10, 1, 0), (0, 0, 0), (10, -1, 1), (100_001, 1, 1)])
def test_impossible_draws_are_refused(numbers) -> None:
    with pytest.raises(ImpossibleDraw):
        meeting_probability(*numbers)


def test_slow_members_are_named_slowest_first() -> None:
    slow_members = find_slow(TARGETS)
    assert len(slow_members) == 18
    assert [(member.number, member.value, member.percent) for member in slow_members[:2]] == [
        (256, 80.0, 80.0),
        (257, 80.5, 80.5),
    ]
    assert slow_members[-1].number == 255, "just 90 % is slow"
    assert [member.number for member in find_slow([1.0, 2.0, 1.05], lower_is_better=True)] == [1]
    assert [member.number for member in find_slow([0.0, 5.0])] == [0]
    assert find_slow([0.0, 0.0]) == []
    assert [member.number for member in find_slow([None, 5.0, 1.0])] == [2]
    assert find_slow([None]) == []


def test_a_histogram_counts_every_value_once() -> None:
    bins = build_histogram(TARGETS)
    assert len(bins) == 13
    assert sum(bucket.count for bucket in bins) == len(TARGETS)
    assert (bins[0].low, bins[-1].high, bins[-1].count) == (80.0, pytest.approx(100.0), 255)
    assert [(bucket.low, bucket.count) for bucket in build_histogram([7.0, 7.0])] == [(7.0, 2)]


def test_stripe_counts_are_powers_of_two_and_all() -> None:
    assert stripe_counts(6) == [1, 2, 4, 6]
    assert stripe_counts(1) == [1]


def test_a_series_that_stays_low_is_ageing() -> None:
    percents = relative_to_first([200.0, 198.0, 180.0, 199.0, 182.0, 180.0])
    assert percents == pytest.approx([100, 99, 90, 99.5, 91, 90])
    assert aged_from(percents) == 4
    assert aged_from([100, 99, 98]) is None
    assert relative_to_first([200.0, 198.0, 180.0]) == [], "too short to tell"
    assert relative_to_first([200.0, 0.0, 1.0, 1.0, 1.0]) == []


def repeated(op: str, quantity: str, values: list[float], unit: str, stat: str = "iteration", **context) -> list[Any]:
    return summed(op, quantity, stat, "iterations", values, unit, {"test": 0} | context)


RATES = repeated("write", "bandwidth", [10, 10, 9, 9, 9, 9], "GiB/s")


def test_written_bytes_are_bandwidth_times_time() -> None:
    reads = repeated("read", "bandwidth", [20] * 6, "GiB/s") + repeated("read", "time", [1] * 6, "s")
    ageing_rows = ageing_series([*RATES, *reads, *repeated("write", "time", [100] * 6, "s")])
    so_far = [gib * 2**30 for gib in (1000, 2000, 2900, 3800, 4700, 5600)]
    assert [(ageing_row["op"], ageing_row["written_bytes"]) for ageing_row in ageing_rows] == [
        ("write", pytest.approx(so_far)),
        ("read", pytest.approx(so_far)),
    ]


def test_volumes_of_all_jobs_of_a_run_are_added() -> None:
    jobs = [repeated("write", "volume", [1, 2, 3, 4, 5, 6], "GiB", "total", job=job) for job in range(2)]
    (ageing_row,) = ageing_series([*RATES, *jobs[0], *jobs[1]])
    assert ageing_row["written_bytes"] == [gib * 2**30 for gib in (2, 6, 12, 20, 30, 42)]


@pytest.mark.parametrize(
    "beside",
    [
        [],
        repeated("write", "time", [100] * 6, "s", test=1),
        repeated("write", "time", [100] * 5, "s"),
        repeated("write", "time", [100] * 6, "s", "mean"),
        repeated("read", "volume", [1] * 6, "GiB", "total"),
    ],
)
def test_written_bytes_are_unknown_without_matching_times(beside) -> None:
    assert [sery["written_bytes"] for sery in ageing_series([*RATES, *beside])] == [None]


# More targets than are kept one by one


def survey_of(values: list[float], silent: int = 0) -> tuple[list[Any], list[dict[str, Any]]]:
    """Distributions and tests of a survey, as the reader of obdfilter-survey leaves them."""
    speeds: list[float | None] = [None] * silent + values
    distributions: list[Any] = summed(
        "write", "bandwidth", "fastest_second", "targets", speeds, "MiB/s", {"threads": 8, "osts": len(speeds)}
    )
    targets = [[-1, 0.0, 0.0]] * silent + [[9, value / 2, value] for value in values]
    return distributions, [{"threads": 8, "osts": len(speeds), "targets": {"write": targets}}]


def test_targets_beyond_the_member_limit_come_from_survey_tests() -> None:
    distributions, tests = survey_of([100.0] * 599 + [40.0], silent=2)
    assert distributions[0]["members"] is None
    assert component_distributions(distributions, 90.0) == []
    (row,) = component_distributions(with_all_targets(distributions, tests), 90.0)
    assert [(slow["number"], slow["percent"]) for slow in row["slow"]] == [(601, pytest.approx(40.0))]
    assert (row["count"], row["silent"], row["best"]) == (600, [0, 1], 100.0 * 2**20)


def test_survey_tests_of_other_targets_are_ignored() -> None:
    distributions, tests = survey_of([100.0] * 600)
    fewer = [tests[0] | {"targets": {"write": tests[0]["targets"]["write"][1:]}}]
    for wrong in ([], [{}], [tests[0] | {"threads": 16}], [*tests, *tests], [tests[0] | {"targets": {}}], fewer):
        assert with_all_targets(distributions, wrong)[0]["members"] is None, wrong[:1]
    few, _ = survey_of([100.0] * 8)
    assert with_all_targets(few, tests)[0]["members"] == few[0]["members"], "what is kept one by one stays"


# As users see it


@pytest.fixture
def survey(db: None) -> str:
    distributions: list[Any] = summed(
        "write", "bandwidth", "fastest_second", "targets", TARGETS, "MiB/s", {"threads": 8}
    )
    distributions += summed("write", "bandwidth", "iteration", "iterations", [10, 10, 9, 9, 9, 9], "GiB/s")
    distributions += summed("read", "bandwidth", "rank", "ranks", [float(rank) for rank in range(1, 601)], "MiB/s")
    make_result(
        make_release("T1"), "hw-1", tool="obdfilter-survey", score=None, snapshot={"distributions": distributions}
    )
    return "hw-1"


def test_slow_targets_by_the_api(client, survey, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        answer = client.get(f"/api/v1/results/{survey}/members/").json()
    (entry,) = answer["members"]
    assert (entry["over"], entry["count"], entry["slow_count"], entry["slow"][0]["number"]) == ("targets", 273, 18, 256)
    assert {row["stripes"]: round(row["percent"], 2) for row in entry["meeting"] if row["stripes"] in (1, 4, 16)} == {
        1: 6.59, 4: 24.00, 16: 67.49,
    }  # fmt: skip
    (series,) = answer["series"]
    assert (series["percents"], series["aged_from"]) == ([100, 100, 90, 90, 90, 90], 2)
    few = client.get(f"/api/v1/results/{survey}/members/?share=80").json()["members"][0]
    assert few["slow_count"] == 1


def test_the_page_shows_histogram_slow_targets_probabilities_and_tables(client, survey) -> None:
    page = page_source(client.get(f"/results/{survey}/members/"))
    for text in ("18 slow", "Histogram: ", "67.5", "The histogram as a table", "From number 3 on below 95 %"):
        assert text in page
    quartiles = "".join(f'<td class="n">{cell}</td>' for cell in ("80", "100", "100", "100", "100"))
    assert quartiles in page, "the boxes as a table"
    wrong = client.get(f"/results/{survey}/members/?share=-1")
    assert (wrong.status_code, "above zero and up to 100" in page_source(wrong)) == (400, True)
    assert f"/results/{survey}/members/" in page_source(client.get(f"/results/{survey}/"))


def test_a_failed_target_is_named_without_a_rank(client, db) -> None:
    """Nor is a histogram drawn where all are equal, or a chance told where none is slow."""
    values = [[500.0, None, 505.0, 310.0], [9.0, 9.0]]
    distributions = [
        entry
        for of_one in values
        for entry in summed("write", "bandwidth", "slowest_second", "targets", of_one, "MiB/s")
    ]
    make_result(
        make_release("T1"), "hw-1", tool="obdfilter-survey", score=None, snapshot={"distributions": distributions}
    )
    first_targets, equal = client.get("/api/v1/results/hw-1/members/").json()["members"]
    assert (
        first_targets["silent"],
        [member["number"] for member in first_targets["slow"]],
        first_targets["count"],
    ) == ([1], [3], 3)
    assert [round(chance["percent"], 1) for chance in first_targets["meeting"]] == [33.3, 66.7, 100.0]
    assert (equal["silent"], equal["slow"]) == ([], [])
    page = page_source(client.get("/results/hw-1/members/"))
    for text in ("No figure of target 1</span>", "All 2 have 9 MiB/s."):
        assert page.count(text) == 1
    assert (page.count("Probability that a file uses a slow target"), page.count("Distribution of targets")) == (
        1,
        1,
    )


def test_a_series_is_drawn_over_what_was_written_with_a_table(client, db) -> None:
    distributions = [*RATES, *repeated("write", "time", [100] * 6, "s")]
    make_result(make_release("T1"), "hw-1", tool="ior", score=None, snapshot={"distributions": distributions})
    page = page_source(client.get("/results/hw-1/members/"))
    assert "over TiB written" in page
    assert "From number 3 on below 95 %, at 2.832 TiB" in page
    assert '<th scope="row" class="n">6</th><td class="n">5.469</td><td class="n">90.0</td>' in page
    assert 'role="img" aria-label="values 0.9766: 100.0; 1.953: 100.0; 2.832: 90.00' in page


def test_a_result_without_members_has_a_note(client, db) -> None:
    make_result(make_release("T1"), "io500-1")
    assert "No distributions are known of this result" in page_source(client.get("/results/io500-1/members/"))
    assert client.get("/api/v1/results/io500-1/members/").json() == {"members": [], "series": []}
    assert client.get("/results/nothing/members/").status_code == 404


@pytest.mark.parametrize(
    ("query", "named", "said"),
    [
        ("slow=1", "members", "from 1 to 100,000"),
        ("members=273", "slow", "from 0 to 273"),
        ("members=273&slow=274", "slow", "from 0 to 273"),
        ("members=273&slow=18&stripes=274", "stripes", "up to 273"),
        ("members=273&slow=18&stripes=many", "stripes", "a whole number"),
        ("members=0&slow=0", "members", "from 1 to 100,000"),
        ("members=1e9&slow=1", "members", "from 1 to 100,000"),
        (f"members=273&slow=18&stripes={','.join('1' * 21)}", "stripes", "at most 20"),
    ],
)
def test_errors_of_the_calculator_name_the_field(client, query, named, said) -> None:
    answer = client.get(f"/api/v1/stragglers/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value")
    assert said in answer.json()["errors"][named][0]
    assert client.get(f"/stragglers/?{query}").status_code == 400


def test_the_calculator_answers_for_any_numbers(client) -> None:
    rows = client.get("/api/v1/stragglers/?members=273&slow=18&stripes=1,4&stripes=16").json()["results"]
    assert [(row["stripes"], round(row["percent"], 1)) for row in rows] == [(1, 6.6), (4, 24.0), (16, 67.5)]
    assert "67.49" in page_source(client.get("/stragglers/?members=273&slow=18&stripes="))
    example = page_source(client.get("/stragglers/"))
    assert "67.49" in example and "An example is filled in." in example
