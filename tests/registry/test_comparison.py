"""Two results side by side: ratios where both numbers mean the same, a reason where they don't."""

from __future__ import annotations

import pytest
from django.test import Client

from registry.catalogue import load_catalogue
from registry.comparison import Side, compare


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
