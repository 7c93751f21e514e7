"""Names of releases stand in the order of their dates, wherever they stand."""

from __future__ import annotations

from typing import Any

import pytest

from registry.models import Result
from registry.query.facts import fact_index
from registry.query.names import release_order
from registry.query.questions import facets
from tests.registry.record import make_measurement, make_release, make_result

RELEASES = [("SC19", "SC19"), ("ISC20", "ISC20"), ("SC22", "SC22"), ("isc23", "ISC High Performance 2023")]
SHUFFLED = ["SC22", "ISC20", "Pre-SC19", "SC19", "sc22"]


def test_names_are_sorted_by_the_dates_of_their_releases() -> None:
    assert release_order.sort_releases(SHUFFLED, RELEASES) == ["Pre-SC19", "SC19", "ISC20", "SC22", "sc22"]


@pytest.mark.parametrize("text", ["ISC High Performance 2023", "ISC23", "pre isc23"])
def test_release_slugs_and_names_are_recognised(text: str) -> None:
    assert release_order.sort_releases([text], RELEASES) == [text]


@pytest.mark.parametrize("text", ["", "SC99", "Pre-", "Pre-SC99", "presc19", "10", "Pre-Pre-SC19"])
def test_other_texts_are_no_releases(text: str) -> None:
    assert release_order.sort_releases([text], RELEASES) == []


@pytest.mark.parametrize(
    ("name", "texts", "holds"),
    [
        ("io500_release", ["any"], True),
        ("release@test", [], True),
        ("edition", ["SC19", "Pre-ISC20", None], True),
        ("edition", ["SC19", "spring"], False),
        ("edition", [None], False),
        ("science", ["SCIENCE"], False),
    ],
)
def test_only_axes_that_may_hold_releases_cost_a_query(name: str, texts: list[str | None], holds: bool) -> None:
    assert release_order.may_hold_releases(name, texts) is holds


@pytest.fixture
def documents(db: None) -> None:
    """Rates that a document names by release, in no order, and never recorded in that of their dates."""
    dates = {"SC19": "2019-11-01", "ISC20": "2020-06-01", "SC22": "2022-11-01"}
    releases = {slug: make_release(slug, day) for slug, day in dates.items()}
    rates = {"SC22": 1214.0, "Pre-SC19": 20.0, "ISC20": 446.0, "SC19": 449.0}
    for number, (name, value) in enumerate(rates.items()):
        parameters = {"io500_release": name}
        result = make_result(releases["SC22"], f"hw-{number}", None, trust="reported", parameters=parameters)
        make_measurement(result, "find", value, stat="phase")
    fact_index.rebuild_facts(Result.objects.values_list("pk", flat=True))


ORDERED = ["Pre-SC19", "SC19", "ISC20", "SC22"]


@pytest.mark.parametrize("chart", ["lines", "bars", "points", "auto"])
def test_a_study_has_releases_by_date_in_table_and_chart(client: Any, documents: None, chart: str) -> None:
    query = {"metric": "find.bandwidth.phase", "x": "io500_release", "chart": chart}
    study = client.get("/api/v1/study/", query).json()
    assert [row["io500_release"] for row in study["rows"]] == ORDERED
    assert [point["x"] for point in study["chart"]["data"]["values"]] == ORDERED


def test_the_file_of_a_study_has_releases_by_date(client: Any, documents: None) -> None:
    query = {"metric": "find.bandwidth.phase", "x": "io500_release", "format": "csv"}
    lines = client.get("/api/v1/study/", query).content.decode().splitlines()
    head = lines[0].split(",").index("io500_release")
    assert [line.split(",")[head] for line in lines[1:]] == ORDERED


def test_series_of_a_study_are_releases_by_date(client: Any, documents: None) -> None:
    query = {"metric": "find.bandwidth.phase", "x": "client_nodes", "series": "io500_release"}
    rows = client.get("/api/v1/study/", query).json()["rows"]
    assert [row["io500_release"] for row in rows] == ORDERED


def test_choices_of_a_filter_are_releases_by_date(documents: None, monkeypatch: pytest.MonkeyPatch) -> None:
    described = {"parameters": [{"name": "io500_release", "description": "Release that a document names."}]}
    monkeypatch.setattr(facets.catalogue, "descriptor", lambda tool: described)
    (choices,) = facets.list_parameters("io500")
    assert [value for value, _ in choices["choices"]] == ORDERED
