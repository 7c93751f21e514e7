"""Numbers over time: steps are found where they are, and nowhere else; what else differed stands beside them."""

from __future__ import annotations

import datetime as dt
import random
import re
from math import log
from typing import Any

import pytest

from registry.models import Result
from registry.timeseries.change_points import find_change_points, two_sided
from registry.timeseries.series import moment_of
from tests.html import page_source
from tests.registry.record import IOR, make_list, make_measurement, make_release, make_result


def noisy(levels: list[float], seed: int, deviation: float = 0.01) -> list[float]:
    chance = random.Random(seed)
    return [level * chance.lognormvariate(0, deviation) for level in levels]


# The method


@pytest.mark.parametrize(
    ("t", "degrees", "probability"),
    [
        (12.706, 1, 0.05), (4.303, 2, 0.05), (5.841, 3, 0.01), (4.604, 4, 0.01), (2.228, 10, 0.05), (3.169, 10, 0.01),
        (2.704, 40, 0.01), (2.045, 29, 0.05), (0.0, 7, 1.0), (float("inf"), 7, 0.0),
    ],
)  # fmt: skip
def test_probabilities_are_those_of_printed_student_tables(t, degrees, probability) -> None:
    assert two_sided(t, degrees) == pytest.approx(probability, rel=0.002)


@pytest.mark.parametrize("length", [6, 12, 40])
def test_at_most_one_of_a_hundred_series_of_noise_has_a_step(length) -> None:
    false = [bool(find_change_points(noisy([50.0] * length, seed, 0.05))) for seed in range(100)]
    assert sum(false) <= 1


def test_at_most_ten_of_a_thousand_noisy_series_have_a_step() -> None:
    assert sum(bool(find_change_points(noisy([50.0] * 16, seed, 0.05))) for seed in range(1000, 2000)) <= 10


def test_single_dips_are_no_steps() -> None:
    def dips(seed: int) -> list[float]:
        chance = random.Random(seed)
        return [value * (0.7 if chance.random() < 0.05 else 1.0) for value in noisy([50.0] * 50, seed)]

    assert sum(bool(find_change_points(dips(seed))) for seed in range(100)) <= 1


def test_numbers_that_are_printed_coarsely_have_no_steps() -> None:
    def coarse(seed: int) -> list[float]:
        chance = random.Random(seed)
        return [chance.choice([10.0, 11.0]) for _ in range(30)]

    assert sum(bool(find_change_points(coarse(seed))) for seed in range(100)) <= 1


def test_a_step_is_seen_in_spite_of_an_outlier() -> None:
    values = noisy([1.0] * 15 + [0.8] * 15, 3)
    values[5], values[22] = 0.7, 1.1
    assert [step.place for step in find_change_points(values)] == [15]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("levels", "places"),
    [
        ([1.0] * 20 + [0.95] * 5, [20]),
        ([1.0] * 3 + [0.8] * 3, [3]),
        ([1.0] * 10 + [1.1] * 10 + [1.0] * 10, [10, 20]),
        ([1.0] * 8 + [1.1] * 8 + [1.2] * 8, [8, 16]),
        ([1.0] * 3 + [0.8] * 5 + [0.6] * 3, [3, 8]),
    ],
    ids=["late", "short", "there and back", "stairs", "short stairs"],
)
def test_known_steps_are_found_where_they_are(levels, places, seed) -> None:
    detected = find_change_points(noisy(levels, seed))
    assert len(detected) == len(places)
    assert all(abs(step.place - place) <= 1 for step, place in zip(detected, places, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_a_very_clear_step_causes_no_second_step(seed) -> None:
    assert [step.place for step in find_change_points(noisy([1.0] * 50 + [0.7] * 50, seed))] == [50]


def test_levels_around_a_step_differ_by_the_minimum_variation() -> None:
    detected = find_change_points(noisy([1.0] * 6 + [1.05] * 20 + [0.9] * 10, 260))
    assert {6, 26} <= {step.place for step in detected}
    assert all(abs(log(step.ratio)) >= 0.0108 for step in detected)


def test_small_chances_keep_their_order() -> None:
    # Of 4 degrees of freedom the closed form is 1 - s (3 - s^2) / 2 with s = t / sqrt(4 + t^2); t^4 times it nears 6.
    assert two_sided(1e6, 4) * 1e24 == pytest.approx(6, rel=1e-9)
    assert 0 < two_sided(40.0, 98) < two_sided(39.9, 98) < 1e-60


def test_a_step_has_both_levels_and_its_probability() -> None:
    (step,) = find_change_points([100.0, 101.0, 99.0, 80.0, 81.0, 79.5])
    assert (step.place, round(step.before, 2), round(step.after, 2), round(step.ratio, 3)) == (3, 100.0, 80.16, 0.802)
    assert 0 < step.chance < 0.0001
    (sharp,) = find_change_points([10.0] * 4 + [9.0] * 4)
    assert sharp.place == 4
    assert sharp.chance < 1e-9


@pytest.mark.parametrize(
    "values",
    [
        [],
        [1.0, 1.0, 2.0, 2.0, 2.0],
        [1.0, 1.0, 1.0, 0.0, 2.0, 2.0, 2.0],
        [1.0, 1.0, -1.0, 2.0, 2.0, 2.0],
        [100.0, 100.0, 100.0, 100.5, 100.5, 100.5],
        [7.0] * 50,
        [1.0, 1.01, 0.99, 1.0, 9.0, 1.0, 1.01, 0.99],
    ],
    ids=["none", "five", "a zero", "below zero", "half a percent", "constant", "one outlier"],
)
def test_small_variation_is_no_step(values) -> None:
    assert find_change_points(values) == []


# As users see it

ADDRESS = "systems/site-one-test-system-a/history/"
VALUES = [50.0, 50.5, 49.8, 50.2, 45.0, 45.3, 44.9]


@pytest.fixture
def nightly(db: None) -> None:
    """Seven runs, the newest recorded first; the kernel changes with the fifth. One more with fewer client nodes."""
    release = make_release("T1")
    for number, value in reversed(list(enumerate(VALUES, 1))):
        kernel = "5.14.1" if number < 5 else "5.14.9"
        parameters = IOR | {"started": f"2026-03-0{number} 01:00:00", "kernel": kernel, "stripe_count": 4}
        result = make_result(release, f"hw-{number}", None, tool="ior", parameters=parameters)
        make_measurement(result, "write", value, stat="max")
        make_measurement(result, "write", 0.5, stat="stddev")
    few = make_result(release, "hw-few", None, tool="ior", client_nodes=1, parameters=IOR | {"started": "2026-03-05"})
    make_measurement(few, "write", 3.0, stat="max")


def shown(client: Any, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/api/v1/{ADDRESS}{query}")
    assert answer.status_code == 200, answer.json()
    return dict(answer.json())


def test_a_series_lists_its_step_and_other_differences(client, nightly, django_assert_num_queries) -> None:
    with django_assert_num_queries(7):
        answer = shown(client)
    (row,) = answer["series"]
    assert [point["result"] for point in row["points"]] == [f"hw-{number}" for number in range(1, 8)]
    assert [point["day"] for point in row["points"][:2]] == ["2026-03-01", "2026-03-02"]
    (step,) = row["steps"]
    assert (step["day"], step["before"], step["after"], step["better"]) == ("2026-03-05", "hw-4", "hw-5", False)
    assert step["ratio"] == pytest.approx(0.9, abs=0.005)
    (change,) = answer["changes"]
    assert [(group["group"], [fact["name"] for fact in group["differences"]]) for group in change["configuration"]] == [
        ("Operating system", ["kernel"])
    ]
    assert (answer["results"], answer["single"], answer["undated"]) == (8, 1, 0)


def test_a_metric_that_is_always_zero_has_no_series(client, nightly) -> None:
    for result in Result.objects.all():
        make_measurement(result, "timestamp", 0.0)
    assert [row["op"] for row in shown(client)["series"]] == ["write"]


def test_the_page_begins_with_the_step_then_picture_then_table(client, nightly) -> None:
    page = page_source(client.get(f"/{ADDRESS}"))
    assert "<b>1\N{NO-BREAK SPACE}performance change; the newest, 2026-03-05: " in page
    assert "worse.</b>" in page
    places = [page.index(mark) for mark in ('id="answer"', "<figure", 'id="steps"', 'id="series"', 'id="how"')]
    assert places == sorted(places)


def test_the_page_says_that_results_are_too_few_for_a_step(client, db) -> None:
    release = make_release("T1")
    for number in (1, 2):
        parameters = IOR | {"started": f"2026-03-0{number} 01:00:00"}
        result = make_result(release, f"hw-{number}", None, tool="ior", parameters=parameters)
        make_measurement(result, "write", 50.0 + number, stat="max")
    page = page_source(client.get(f"/{ADDRESS}"))
    assert "Too few results to find a performance change: none of 1 series has 6." in page


def test_the_page_shows_picture_table_step_and_difference(client, nightly) -> None:
    page = page_source(client.get(f"/{ADDRESS}"))
    for text in (
        'role="img"', "2026-03-05", "<b>0.899</b>", "worse", "5.14.9", "/compare/?results=hw-4,hw-5", "As a table",
        "10\N{NO-BREAK SPACE}client nodes", "GiB/s", "Days to scale; not from zero; lines are levels",
    ):  # fmt: skip
        assert text in page, text
    assert f"/{ADDRESS}" in page_source(client.get("/systems/site-one-test-system-a/"))


def test_metric_and_filters_choose(client, nightly) -> None:
    assert len(shown(client, "?metric=write.bandwidth.max")["series"]) == 1
    few = shown(client, "?p.kernel=5.14.9")
    assert (len(few["series"][0]["points"]), few["series"][0]["steps"], few["changes"]) == (3, [], [])
    page = page_source(client.get(f"/{ADDRESS}?p.kernel=5.14.9&metric="))
    assert "At least 6 results are needed" in page
    assert "No series matches this choice" in page_source(client.get(f"/{ADDRESS}?client_nodes=1"))


def test_times_that_fall_are_better(client, db) -> None:
    release = make_release("T1")
    for number, seconds in enumerate([60.0, 61.0, 60.5, 50.0, 50.2, 49.9], 1):
        result = make_result(release, f"hw-{number}", None, submitted_on=f"2026-03-0{number}")
        timed = {"quantity": "elapsed", "value": seconds, "unit": "s", "printed_value": seconds, "printed_unit": "s"}
        make_measurement(result, "write", **timed)
    (row,) = shown(client)["series"]
    assert [(step["place"], step["better"]) for step in row["steps"]] == [(3, True)]


def test_the_page_has_larger_units_than_programs_print(client, db) -> None:
    """fio prints bytes in a second and nanoseconds: no person reads these, in sentences, tables or pictures."""
    release = make_release("T1")
    for number, factor in enumerate([1.0, 1.01, 1.0, 2.0, 2.02, 2.01], 1):
        result = make_result(release, f"hw-{number}", None, submitted_on=f"2026-03-0{number}")
        rate = {"value": factor * 2**30, "unit": "B/s", "printed_value": factor * 2**30, "printed_unit": "B/s"}
        make_measurement(result, "write", **rate)
        delay = {"value": 0.004 * factor, "unit": "s", "printed_value": 4e6 * factor, "printed_unit": "ns"}
        make_measurement(result, "write", quantity="latency", stat="mean", **delay)
    page = page_source(client.get(f"/{ADDRESS}"))
    cells = re.findall(r'data-l="(?:|level before|after)">([^<]*)</td>', page)
    rows = list(zip(cells, cells[1:], cells[2:], strict=False))
    assert ("GiB/s", "1.003", "2.010") in rows and ("ms", "4.013", "8.040") in rows, cells
    assert not re.search(r"\d\N{NO-BREAK SPACE}(B/s|ns)\b", page)
    (series_row,) = [row for row in shown(client)["series"] if row["unit"] == "B/s"]
    assert series_row["printed_unit"] == "B/s", "the API has what was printed"


def test_withdrawn_results_are_in_no_series(client, nightly) -> None:
    Result.objects.filter(public_id="hw-5").update(withdrawn_at="2026-04-01T00:00:00Z")
    assert [point["result"] for point in shown(client)["series"][0]["points"]][4:] == ["hw-6", "hw-7"]


def test_amounts_and_times_have_a_series_only_on_request(client, db) -> None:
    """Twice the size is no gain, and twice the time of a run no loss."""
    release = make_release("T1")
    for number, factor in enumerate([1, 1, 1, 2, 2, 2], 1):
        result = make_result(release, f"hw-{number}", None, submitted_on=f"2026-03-0{number}")
        make_measurement(result, "write", 50.0 + number / 100)
        for quantity, unit in (("volume", "B"), ("ops", "count"), ("time", "s")):
            amount = {"value": 60.0 * factor, "printed_value": 60.0 * factor, "unit": unit, "printed_unit": unit}
            make_measurement(result, "write", quantity=quantity, stat="total", **amount)
    assert [row["quantity"] for row in shown(client)["series"]] == ["bandwidth"]
    (volume_series,) = shown(client, "?metric=write.volume.total")["series"]
    assert [step["after"] for step in volume_series["steps"]] == ["hw-4"]


def test_other_settings_are_another_series(client, db) -> None:
    """Writes of 1 MiB and of 4 KiB, night after night: neither is a step of the other."""
    release = make_release("T1")
    for number in range(1, 13):
        small = number > 6
        settings = {"bs": "4k" if small else "1M", "rw": "write", "rate": f"{number}m"}
        parameters = settings | {"started": f"2026-03-{number:02}"}
        result = make_result(release, f"hw-{number}", None, tool="fio", parameters=parameters)
        make_measurement(result, "write", (5.0 if small else 50.0) + number / 100)
    series_rows = shown(client)["series"]
    assert [(row["settings"]["bs"], len(row["points"]), row["steps"]) for row in series_rows] == [
        ("1M", 6, []),
        ("4k", 6, []),
    ]
    page = page_source(client.get(f"/{ADDRESS}"))
    assert "fio, size of each I/O 4k, 10" in page and "rw write" not in page


def test_settings_fixed_by_rules_are_tuning(client, db) -> None:
    release = make_release("T1")
    for number in range(1, 7):
        make_result(
            release,
            f"hw-{number}",
            50.0 + number,
            parameters={"procs_per_node": number},
            submitted_on=f"2026-03-0{number}",
        )
    assert {len(row["points"]) for row in shown(client)["series"]} == {6}


def test_runs_of_one_day_are_ordered_by_time(client, db) -> None:
    release = make_release("T1")
    for name, started in (("hw-late", "2026-03-04 10:00:00"), ("hw-early", "2026-03-04T09:00:00Z")):
        make_measurement(make_result(release, name, None, parameters={"started": started}), "write", 50.0)
    (row,) = shown(client)["series"]
    assert [point["result"] for point in row["points"]] == ["hw-early", "hw-late"]


@pytest.mark.parametrize(
    ("parameters", "moment"),
    [
        ({"started": "2026-03-04 10:00:00"}, "2026-03-04 10:00:00"),
        ({"started": "2026-03-04 at noon"}, "2026-03-04 00:00:00"),
        ({"started": "yesterday", "ended": "2026-03-05T10:00:00Z"}, "2026-03-05 10:00:00"),
        ({"started_timestamp_s": 1_772_600_000}, "2026-03-04 04:53:20"),
        ({"started_timestamp_s": 1e300, "started": 12}, "2026-05-01 00:00:00"),
        ({}, "2026-05-01 00:00:00"),
    ],
)
def test_a_result_has_its_run_or_publication_time(db, parameters, moment) -> None:
    assert str(moment_of(make_result(make_release("T1"), "hw-1", parameters=parameters))) == moment


@pytest.mark.parametrize(
    ("trust", "started", "submitted_on", "moment"),
    [
        ("derived", "2019-10-24 21:55:00", "2019-11-01", "2019-10-24 21:55:00"),
        ("derived", None, "2019-11-01", "2018-06-25 00:00:00"),  # entered long after it stood on a list
        ("imported", None, "2018-05-30", "2018-05-30 00:00:00"),
        ("imported", "2019-10-24 21:55:00", None, "2018-06-25 00:00:00"),  # the archive of another run
    ],
)
def test_the_time_of_a_run_is_not_after_its_publication(db, trust, started, submitted_on, moment) -> None:
    result = make_result(
        make_release("T1", "2018-06-25"),
        "hw-1",
        trust=trust,
        submitted_on=submitted_on and dt.date.fromisoformat(submitted_on),
        snapshot={"archive": {"started": started}} if started else {},
    )
    assert str(moment_of(result)) == moment


# What is not known joins nothing


def make_scored(release: Any, name: str, score: float, nodes: int | None, day: str, **facts: Any) -> Result:
    return make_result(release, name, score, client_nodes=nodes, submitted_on=day, **facts)


@pytest.mark.parametrize(
    ("days", "caption"),
    [(["2023-11-01", "2023-11-01"], "Runs of one day, evenly apart"), (["2023-11-01", "2023-11-09"], "Days to scale")],
)
def test_the_caption_names_the_scale_of_the_days(client, db, days, caption) -> None:
    release = make_release("T1")
    for number, day in enumerate(days, 1):
        make_scored(release, f"io-{number}", 10.0 + number, 10, day)
    assert caption in page_source(client.get(f"/{ADDRESS}"))


def test_runs_of_unknown_scale_join_no_series_and_start_none_together(client, db) -> None:
    """As of Aurora: runs of 300 and of 10 nodes, of which the list says neither."""
    release = make_release("T1")
    for number, score in enumerate([32166.0, 2886.0, 43219.0, 3749.0], 1):
        make_scored(release, f"io-{number}", score, None, f"2023-11-0{number}")
    answer = shown(client)
    assert (answer["series"], answer["single"], answer["undated"]) == ([], 0, 0)
    assert [(run["result"], run["unknown"], run["score"]) for run in answer["not_joined"]] == [
        ("io-1", ["client_nodes"], 32166.0), ("io-2", ["client_nodes"], 2886.0),
        ("io-3", ["client_nodes"], 43219.0), ("io-4", ["client_nodes"], 3749.0),
    ]  # fmt: skip
    page = page_source(client.get(f"/{ADDRESS}"))
    assert "Not in a series: scale or settings not known" in page and "Not known: client nodes" in page
    assert page.count("32,166.00") == 1 and "with the same client nodes and settings" not in page
    assert "compare with previous" not in page_source(client.get("/systems/site-one-test-system-a/"))


def test_a_run_of_unknown_scale_joins_no_series_of_known_scale(client, db) -> None:
    release = make_release("T1")
    for number, nodes in enumerate([10, None, 10], 1):
        make_scored(release, f"io-{number}", 50.0 + number, nodes, f"2026-03-0{number}")
    answer = shown(client)
    assert [[point["result"] for point in row["points"]] for row in answer["series"]] == [["io-1", "io-3"]]
    assert [run["result"] for run in answer["not_joined"]] == ["io-2"]
    page = page_source(client.get("/systems/site-one-test-system-a/"))
    assert "/compare/?results=io-1,io-3" in page and page.count("compare with previous") == 1


@pytest.mark.parametrize("unknown", ["access", "transfer_size_bytes", "direct_io"])
@pytest.mark.parametrize("value", [None, "", "absent"])
def test_settings_that_are_not_known_join_no_series(client, db, unknown, value) -> None:
    release = make_release("T1")
    for number in range(1, 7):
        parameters = IOR | {"started": f"2026-03-0{number}", unknown: value}
        if value == "absent":
            del parameters[unknown]
        result = make_result(release, f"hw-{number}", None, tool="ior", parameters=parameters)
        make_measurement(result, "write", 50.0, stat="max")
    answer = shown(client)
    assert answer["series"] == []
    assert [run["unknown"] for run in answer["not_joined"]] == [[unknown]] * 6


def test_other_or_unknown_counts_of_processes_are_no_series(client, db) -> None:
    release = make_release("T1")
    for number, tasks in enumerate([160, 320, None, None], 1):
        parameters = IOR | {"started": f"2026-03-0{number}"}
        result = make_result(release, f"hw-{number}", None, tool="ior", tasks=tasks, parameters=parameters)
        make_measurement(result, "write", 50.0, stat="max")
    answer = shown(client)
    assert (answer["series"], answer["single"]) == ([], 2)
    assert [run["unknown"] for run in answer["not_joined"]] == [["tasks"], ["tasks"]]


@pytest.mark.parametrize("lists", [("ten", "io500"), ("production", "io500"), ("ten-production", "production")])
def test_runs_of_other_kinds_of_lists_are_no_series(client, db, lists) -> None:
    release = make_release("T1")
    results = [make_scored(release, f"io-{number}", 50.0, 10, f"2026-03-0{number}") for number in (1, 2)]
    for name, result in zip(lists, results, strict=True):
        make_list(release, name, [result])
    assert (shown(client)["series"], shown(client)["single"]) == ([], 2)


def test_the_kind_of_list_is_shown(client, db) -> None:
    release = make_release("T1")
    results = [make_scored(release, f"io-{number}", 50.0, 10, f"2026-03-0{number}") for number in (1, 2)]
    make_list(release, "ten-production", results)
    (row,) = shown(client)["series"]
    assert row["list"] == "10-node production"
    assert "10-node production list" in page_source(client.get(f"/{ADDRESS}"))


def test_a_setting_in_the_context_is_known(client, db) -> None:
    """obdfilter-survey says the record size of each number, and not of its run."""
    release = make_release("T1")
    for number in (1, 2):
        parameters = {"osts": 2, "case": "disk", "started": f"2026-03-0{number}"}
        result = make_result(release, f"hw-{number}", None, tool="obdfilter-survey", parameters=parameters)
        make_measurement(result, "write", 2.0, context={"record_KiB": 1024, "objects": 4, "threads": 8})
        make_measurement(result, "rewrite", 2.0, context={"record_KiB": 1024, "objects": 4})
    answer = shown(client)
    assert [row["op"] for row in answer["series"]] == ["write"]
    assert [(run["unknown"], run["numbers"]) for run in answer["not_joined"]] == [(["threads"], 1)] * 2


def test_bounds_have_no_step_and_a_note(client, db) -> None:
    release = make_release("T1")
    for number, value in enumerate([50.0, 50.0, 50.0, 20.0, 20.0, 20.0], 1):
        result = make_result(
            release, f"hw-{number}", None, tool="ior", parameters=IOR, submitted_on=f"2026-03-0{number}"
        )
        make_measurement(result, "write", value, stat="max", context={"qualifier": "below"} if value == 20 else {})
    (row,) = shown(client)["series"]
    assert row["steps"] == []
    assert [point["qualifier"] for point in row["points"]] == ["", "", "", "below", "below", "below"]
    page = page_source(client.get(f"/{ADDRESS}"))
    assert "less than 20" in page and "less than 0.40" in page


def test_the_best_scores_of_a_page_are_of_one_scale(client, db) -> None:
    for slug, scores in (("SC22", {10: 20.0, 300: 900.0, None: 5000.0}), ("SC23", {10: 22.0, None: 9000.0})):
        release = make_release(slug, f"20{slug[2:]}-11-01")
        for nodes, score in scores.items():
            make_scored(release, f"{slug}-{nodes}", score, nodes, f"20{slug[2:]}-11-01")
    page = page_source(client.get("/sites/site-one/"))
    picture = page[page.index("<figcaption>The best score") : page.index("</figure>")]
    assert "10\N{NO-BREAK SPACE}client nodes" in picture
    assert "5,000" not in picture and "9,000" not in picture and "900" not in picture


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("systems/nothing/history/", 404, "record.no-system"),
        (f"{ADDRESS}?metric=nothing", 400, "study.unknown-metric"),
        (f"{ADDRESS}?system=other", 400, "query.unknown-parameter"),
        (f"{ADDRESS}?client_nodes=many", 400, "query.invalid-value"),
        (f"{ADDRESS}?trust=gold", 400, "query.invalid-value"),
    ],
)
def test_invalid_series_queries_are_refused(client, nightly, address, status, code) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert client.get(f"/{address}").status_code == status
