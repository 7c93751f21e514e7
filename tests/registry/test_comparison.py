"""Two results side by side: ratios where both numbers mean the same, a reason where they don't."""

from __future__ import annotations

import pytest
from django.test import Client

from registry.catalogue import load_catalogue
from registry.comparison import Side, compare
from tests.registry.record import make_rate, make_release, make_result


def measured(op: str, value: float, quantity: str = "bandwidth", unit: str = "B/s") -> dict:
    return {"op": op, "quantity": quantity, "stat": "phase", "unit": unit, "value": value, "context": {}}


def side(
    id: str, *measurements: dict, tool: str = "io500", version: str = "sc25", mode: str = "standard", **parameters
):
    return Side(id, tool, version, mode, "verified", "next", parameters, measurements)


def test_ratios_are_to_the_first() -> None:
    found = compare([side("a", measured("find", 200.0)), side("b", measured("find", 300.0)), side("c")])
    assert found["comparable"]
    assert found["measurements"][0]["values"] == [200.0, 300.0, None]
    assert found["measurements"][0]["ratios"] == [1.0, 1.5, None]


def test_a_zero_makes_no_ratio() -> None:
    found = compare([side("a", measured("find", 0.0)), side("b", measured("find", 3.0))])
    assert found["measurements"][0]["ratios"] == [None, None]


def test_other_units_are_other_rows() -> None:
    found = compare([side("a", measured("find", 1.0)), side("b", measured("find", 1.0, unit="ops/s"))])
    assert [row["ratios"] for row in found["measurements"]] == [[1.0, None], [None, None]]


@pytest.mark.parametrize(
    ("other", "code"),
    [({"tool": "ior"}, "compare.other-tool"), ({"mode": "extended"}, "compare.other-mode")],
)
def test_what_can_not_be_compared_has_no_ratio_and_says_why(other: dict, code: str) -> None:
    found = compare([side("a", measured("find", 1.0)), side("b", measured("find", 2.0), **other)])
    assert not found["comparable"]
    assert found["notes"][0]["code"] == code
    assert found["measurements"][0]["ratios"] == [None, None]


def test_another_version_is_noted_and_compared() -> None:
    found = compare([side("a", measured("find", 1.0)), side("b", measured("find", 2.0), version="sc24")])
    assert (found["comparable"], [note["code"] for note in found["notes"]]) == (True, ["compare.other-version"])


def rate(stat: str, value: float, **context: str) -> dict:
    return {"op": "file_create", "quantity": "rate", "stat": stat, "unit": "ops/s", "value": value, "context": context}


def of_mdtest(version: str, *measurements: dict, **parameters):
    return side(version, *measurements, tool="mdtest", version=version, **parameters)


@pytest.mark.parametrize("stat", ["max", "mean"])
def test_max_and_mean_of_mdtest_do_not_mean_the_same_before_and_since_4(stat: str) -> None:
    old, new = rate(stat, 100.0), rate(stat, 150.0)
    found = compare([of_mdtest("1.9.3", old, rate("iteration", 7.0)), of_mdtest("4.0.0", new, rate("iteration", 14.0))])
    note = next(note for note in found["notes"] if note["code"] == "compare.other-meaning")
    assert all(word in note["message"] for word in (f"Rate ({stat}) of file_create", "1.9.3", "4.0.0", "population"))
    assert [row["ratios"] for row in found["measurements"]] == [[1.0, None], [1.0, 2.0]]
    assert found["measurements"][0]["differs"][0] == ""
    assert "sample deviation" in found["measurements"][0]["differs"][1]


def test_what_the_output_says_of_its_statistics_counts_before_the_version() -> None:
    same = compare(
        [of_mdtest("3.3.0", rate("max", 1.0, scope="a")), of_mdtest("3.4.0+dev", rate("max", 2.0, scope="a"))]
    )
    other = compare([of_mdtest("3.3.0", rate("max", 1.0, scope="a")), of_mdtest("3.3.0", rate("max", 2.0, scope="b"))])
    assert same["measurements"][0]["ratios"] == [1.0, 2.0]
    assert other["measurements"][0] | {"differs": []} == other["measurements"][0] | {
        "ratios": [1.0, None],
        "differs": [],
    }
    assert other["measurements"][0]["differs"] == ["", "a; b"]


@pytest.mark.parametrize(
    ("versions", "ratios"),
    [
        (("4.0.0", "4.1.0+dev"), [1.0, 2.0]),
        (("1.9.3", "3.3.0"), [1.0, 2.0]),
        (("3.3.0", "4.1.0"), [1.0, None]),
        (("4.0.0", ""), [1.0, None]),
    ],
)
def test_ratios_of_mdtest_by_version(versions: tuple[str, str], ratios: list) -> None:
    found = compare([of_mdtest(versions[0], rate("mean", 5.0)), of_mdtest(versions[1], rate("mean", 10.0))])
    assert found["measurements"][0]["ratios"] == ratios


@pytest.mark.parametrize(
    ("first", "second", "ratio"), [("3.3.0", "4.0.0", None), ("4.0.0", "4.1.0", 2.0), ("3.2.1", "3.3.0", 2.0)]
)
def test_the_rate_until_the_stonewall_of_ior_is_of_all_tasks_or_of_one(first: str, second: str, ratio) -> None:
    sides = [
        side(
            version,
            measured("write", value, "stonewall_bandwidth"),
            measured("write", value),
            tool="ior",
            version=version,
        )
        for version, value in ((first, 1.0), (second, 2.0))
    ]
    stonewalled, whole = compare(sides)["measurements"]
    assert stonewalled["ratios"][1] == ratio
    assert whole["ratios"] == [1.0, 2.0]


def test_parameters_on_which_a_number_depends_must_be_the_same() -> None:
    utilisation = {"op": "unet3d", "quantity": "au", "stat": "mean", "unit": "%", "value": 95.0, "context": {}}

    def of(accelerator: str, version: str = "1.0"):
        return side(accelerator, utilisation, tool="mlperf-storage", version=version, accelerator=accelerator)

    assert compare([of("h100"), of("h100")])["measurements"][0]["ratios"] == [1.0, 1.0]
    assert "accelerator" in compare([of("h100"), of("a100")])["measurements"][0]["differs"][1]
    assert "one version" in compare([of("h100"), of("h100", "2.0")])["measurements"][0]["differs"][1]


def test_what_is_wrong_in_a_version_compares_with_nothing() -> None:
    rates = measured("write", 1.0, "ops_rate", "ops/s")
    found = compare([side(name, rates, tool="ior", version="2.10.3") for name in "ab"])
    assert found["measurements"][0]["ratios"] == [1.0, None]


def test_what_else_differed_leaves_volatile_parameters_out() -> None:
    found = compare([side("a", api="POSIX", tasks=16, started="now"), side("b", api="DFS", tasks=16, started="then")])
    assert found["differences"] == [{"parameter": "api", "values": ["POSIX", "DFS"]}]
    assert found["equal"] == 1


@pytest.fixture
def catalogue(db) -> None:
    load_catalogue()


def test_two_published_results_by_the_api(client: Client, catalogue, django_assert_num_queries) -> None:
    with django_assert_num_queries(3):
        answer = client.get("/api/v1/compare/?results=io500-1,io500-2")
    found = answer.json()
    assert [result["id"] for result in found["results"]] == ["io500-1", "io500-2"]
    easy_write = next(row for row in found["measurements"] if row["op"] == "ior-easy-write")
    assert easy_write["ratios"][1] == pytest.approx(244.31 / 243.64)


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "query.invalid-value"),
        ("results=io500-1", 400, "query.invalid-value"),
        ("results=io500-1,io500-1", 400, "query.invalid-value"),
        ("results=" + ",".join(f"io500-{number}" for number in range(21)), 400, "query.invalid-value"),
        ("results=io500-1,nothing", 404, "record.no-result"),
        ("results=io500-1,io500-2&per=client", 400, "query.unknown-parameter"),
    ],
)
def test_a_wrong_question_is_refused(client: Client, catalogue, query: str, status: int, code: str) -> None:
    answer = client.get(f"/api/v1/compare/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_page_names_what_changed_its_meaning(client: Client, db) -> None:
    release = make_release("next")
    for public_id, version, value in (("md-1", "1.9.3", 100.0), ("md-2", "4.0.0", 150.0)):
        result = make_result(release, public_id, None, tool="mdtest", tool_version=version)
        make_rate(result, "file_create", "max", value)
        make_rate(result, "file_create", "iteration", value)
    page = client.get("/compare/?results=md-1,md-2").content.decode()
    assert "Rate (max) of file_create does not mean the same." in page
    assert (page.count("<b>1.500</b>"), page.count("<b>\N{EM DASH}</b>")) == (1, 1)
    assert client.get("/api/v1/compare/?results=md-1,md-2").json()["notes"][-1]["code"] == "compare.other-meaning"
