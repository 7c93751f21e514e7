"""Tables become frames: dates are dates, units go along, and what 1.0 did still works."""

from __future__ import annotations

import datetime as dt

import pandas
import pytest

import highwater
from highwater.answers import read_date
from tests.highwater.peer import Answer, Request, answering

ROWS = [
    {"id": "a", "submitted_on": "2026-10-01", "published_at": "2026-10-02T03:04:05.678901Z", "rate_kiops": 1.5},
    {"id": "b", "submitted_on": None, "published_at": None, "rate_kiops": None},
]


def test_dates_are_dates_in_a_frame_and_texts_in_rows() -> None:
    table = highwater.Table(list(ROWS[0]), ROWS)
    frame = table.pandas()
    assert str(frame["submitted_on"].dtype).startswith("datetime64")
    assert frame["submitted_on"][0] == pandas.Timestamp("2026-10-01") and pandas.isna(frame["submitted_on"][1])
    assert frame["published_at"][0] == pandas.Timestamp("2026-10-02T03:04:05.678901Z")
    assert frame.attrs["units"] == {"rate_kiops": "kIOPS"}
    assert table[0]["submitted_on"] == "2026-10-01"


def test_polars_has_dates_too() -> None:
    polars = pytest.importorskip("polars")
    frame = highwater.Table(list(ROWS[0]), ROWS).polars()
    assert frame.schema["submitted_on"] == polars.Date and frame.schema["published_at"] == polars.Datetime("us", "UTC")
    assert frame["submitted_on"].to_list() == [dt.date(2026, 10, 1), None]


def test_a_column_that_is_no_date_stays_as_it_is() -> None:
    frame = highwater.Table(["day"], [{"day": "2026-10-01"}, {"day": "a Monday"}]).pandas()
    assert frame["day"].tolist() == ["2026-10-01", "a Monday"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-01", dt.date(2026, 10, 1)),
        ("2026-10-01T02:00:00+02:00", dt.datetime(2026, 10, 1, tzinfo=dt.UTC)),
        ("2026-10-01T02:00:00", None),
        ("2026-13-01", None),
        ("", None),
        (5, None),
        (None, None),
    ],
)
def test_only_valid_dates_are_parsed(text: object, expected: object) -> None:
    assert read_date(text) == expected


def page(rows: list[dict[str, object]], **more: object) -> Answer:
    return Answer({"next": None, "results": rows, **more})


def test_an_unknown_value_gives_a_warning_at_the_call() -> None:
    unknown = {
        "code": "query.unknown-value", "name": "vendor", "value": "Makr", "nearest": ["Maker"],
        "message": "No result has vendor=Makr.",
    }  # fmt: skip
    expected = pytest.warns(highwater.UnknownValue, match=r"No result has vendor=Makr\. Nearest: Maker\.")
    with answering(lambda request: page([], unknown_values=[unknown])) as peer, expected as warned:
        table = highwater.Registry(peer.url).results(vendor="Makr")
    assert len(table) == 0 and table.unknown_values == [unknown]
    assert warned[0].filename == __file__


def test_a_registry_of_the_first_release_is_understood() -> None:
    """Without `unknown_values` and without the newer columns."""
    with answering(lambda request: page([{"id": "a", "tool": "ior"}])) as peer:
        table = highwater.Registry(peer.url).results(limit=1)
    assert table.columns == ["id", "tool"] and table.unknown_values == []


def test_ids_are_requested_in_order_by_hundreds() -> None:
    def of_ids(request: Request) -> Answer:
        (names,) = [part[4:] for part in request.path.partition("?")[2].split("&") if part.startswith("ids=")]
        return page([{"id": name, "measurements": []} for name in reversed(names.split("%2C")) if name != "gone"])

    ids = [f"r-{number}" for number in range(150)]
    with answering(of_ids) as peer:
        phases = highwater.Registry(peer.url).phases(["gone", *ids, "r-3"])
    assert [row["id"] for row in phases] == ids and len(peer.requests) == 2


def test_pages_are_followed_to_the_limit() -> None:
    def one_row(request: Request) -> Answer:
        number = int(request.path.rpartition("cursor=")[2]) if "cursor=" in request.path else 0
        return Answer({"next": f"http://elsewhere.example/x?cursor={number + 1}", "results": [{"id": number}]})

    with answering(one_row) as peer:
        assert [row["id"] for row in highwater.Registry(peer.url).results(limit=3)] == [0, 1, 2]
    assert len(peer.requests) == 3


@pytest.mark.parametrize(
    "body", [{}, {"next": None}, {"next": None, "results": None}, {"next": None, "results": {"id": "io500-1"}}]
)
def test_an_answer_without_rows_is_refused(body: dict[str, object]) -> None:
    with answering(lambda request: Answer(body)) as peer, pytest.raises(highwater.Unreachable, match="no registry"):
        highwater.Registry(peer.url).results()


@pytest.mark.parametrize("rows", [[], [{"id": "io500-1"}]])
def test_pages_that_lead_back_to_themselves_end(rows: list[object]) -> None:
    again = "http://elsewhere.example/api/v1/results/?cursor=2"
    page = Answer({"next": again, "results": rows})
    with answering(lambda request: page) as peer, pytest.raises(highwater.Unreachable, match="never end"):
        highwater.Registry(peer.url).results(limit=100)
    assert len(peer.requests) == 2


def test_an_empty_list_is_no_filter() -> None:
    page = Answer({"next": None, "results": []})
    with answering(lambda request: page) as peer, pytest.raises(ValueError, match="system is empty"):
        highwater.Registry(peer.url).results(system=[])
    assert not peer.requests


def test_a_column_of_a_frame_is_a_list_of_values() -> None:
    pandas = pytest.importorskip("pandas")
    column = pandas.DataFrame({"nodes": [10, 20]})["nodes"]
    for values in (column, column.unique(), range(10, 21, 10), iter([10, 20])):
        with answering(lambda request: Answer({"next": None, "results": []})) as peer:
            highwater.Registry(peer.url).results(client_nodes=values)
        assert peer.requests[0].path.endswith("&client_nodes=10&client_nodes=20")


def test_one_id_may_be_given_as_it_is() -> None:
    row = {"id": "io500-1", "measurements": []}
    with answering(lambda request: Answer({"next": None, "results": [row]})) as peer:
        assert [row["id"] for row in highwater.Registry(peer.url).phases("io500-1")] == ["io500-1"]
    assert "ids=io500-1&" in peer.requests[0].path
