"""Ranges of single measurements: what printed digits leave open, and what is assumed where a reader asks for it."""

from __future__ import annotations

import csv
import html
import io
import math
import re

import pyarrow.parquet
import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import Result
from registry.query.facts import fact_index
from registry.studies import saved_queries
from tests.registry.record import make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db

STUDY = "/api/v1/study/?metric=write.bandwidth.max&x=fabric"
ASSUME = "&assume=prior"
GB = 10**9
WIDTH = 12.706 * 0.0298
"""Half of the interval of one bandwidth: Student's t of one degree of freedom, times 2.98 %."""


@pytest.fixture
def runs() -> dict[str, Result]:
    """Runs of ior over four fabrics: repeated three times, single, only about so much, and of another tool."""
    release = make_release("T1")
    results = {}
    for name, tool, trust, facts in (
        ("repeated", "ior", "imported", {"repeats": [57.9 * GB, 58.9 * GB, 59.9 * GB]}),
        ("single", "ior", "reported", {}),
        ("about", "ior", "reported", {"context": {"qualifier": "about"}}),
        ("other", "lst", "imported", {}),
    ):
        results[name] = make_result(release, f"x-{name}", None, tool=tool, trust=trust, parameters={"fabric": name})
        numbers = {"value": 58.9 * GB, "printed_value": 58.9, "printed_unit": "GB/s", "stat": "max"}
        make_measurement(results[name], "write", **numbers | facts)
    fact_index.rebuild_facts(result.pk for result in results.values())
    return results


def by_fabric(client, address: str) -> dict[str, dict]:
    return {row["fabric"]: row for row in client.get(address).json()["rows"]}


def test_single_measurements_have_the_rounding_of_their_digits_and_no_interval(client, runs) -> None:
    rows = by_fabric(client, STUDY)
    ends = {name: (row["rounding_low"], row["rounding_high"]) for name, row in rows.items()}
    assert ends == {
        "repeated": (None, None),
        "single": (58.85, 58.95),
        "about": (None, None),
        "other": (58.85, 58.95),
    }
    assert [row["interval_basis"] for row in rows.values()].count("repeats") == 1
    assert client.get(STUDY).json()["assumptions"] == []


def test_the_rounding_follows_into_other_units_and_a_quotient_has_none(client, runs) -> None:
    row = by_fabric(client, f"{STUDY}&unit=MB/s")["single"]
    assert (row["rounding_low"], row["rounding_high"]) == (pytest.approx(58850), pytest.approx(58950))
    divided = by_fabric(client, f"{STUDY}&per=client")["single"]
    assert (divided["value"], divided["rounding_low"]) == (pytest.approx(5.89), None)


def test_assumed_intervals_are_labelled_and_repeats_override_them(client, runs) -> None:
    document = client.get(STUDY + ASSUME).json()
    rows = {row["fabric"]: row for row in document["rows"]}
    assert {name: row["interval_basis"] for name, row in rows.items()} == {
        "repeated": "repeats",
        "single": "assumed",
        "about": None,
        "other": None,
    }
    single = rows["single"]
    assert (single["interval_low"], single["interval_high"], single["interval_runs"]) == (
        pytest.approx(58.9 * math.exp(-WIDTH)),
        pytest.approx(58.9 * math.exp(WIDTH)),
        None,
    )
    assert rows["repeated"]["interval_high"] == pytest.approx(58.9 * math.exp(4.303 / 58.9))
    (assumption,) = document["assumptions"]
    assert (assumption["name"], assumption["degrees"], assumption["sets"]) == ("bandwidth", 1, 152)
    assert "ISC20" in assumption["source"]


def test_an_assumed_range_has_a_mark_of_its_own(client, runs) -> None:
    chart = client.get(STUDY + ASSUME).json()["chart"]
    points = {point["place"]: point for point in chart["data"]["values"]}
    assert {name: point["spread"] for name, point in points.items()} == {
        "repeated": "repeated",
        "single": "assumed",
        "about": "not repeated",
        "other": "not repeated",
    }
    assert points["single"]["words"].endswith("reported, not repeated, assumed 95 % range 40.334 to 86.011")
    assert points["other"]["words"].endswith("imported, not repeated, printed digits 58.85 to 58.95")
    assert "dotted line, diamond: not repeated, 95 % range assumed" in chart["usermeta"]["repeats"]
    svg = client.get(f"{STUDY}{ASSUME}&format=svg").content.decode()
    assert 'stroke-dasharray="1 3"' in svg and "assumed" in svg
    assert 'stroke-dasharray="1 3"' not in client.get(f"{STUDY}&format=svg").content.decode()


def test_files_have_rounding_and_assumption(client, runs) -> None:
    lines = list(csv.DictReader(client.get(f"{STUDY}{ASSUME}&format=csv").content.decode().splitlines()))
    single = next(line for line in lines if line["fabric"] == "single")
    assert (single["interval_basis"], single["rounding_low"]) == ("assumed", "58.85")
    table = pyarrow.parquet.read_table(io.BytesIO(client.get(f"{STUDY}&format=parquet").content))
    assert str(table.schema.field("rounding_low").type) == "double"
    assert table["rounding_low"].null_count == 2


def test_pages_label_assumed_ranges(client, runs) -> None:
    runs["repeated"].measurements.all().delete()
    page = html.unescape(client.get("/study/?metric=write.bandwidth.max&x=fabric").content.decode())
    assert "95 %" not in page and "58.85\N{EN DASH}58.95" in page
    assert "x=fabric&assume=prior" in page and "Show assumed ranges" in page
    assumed = html.unescape(client.get("/study/?metric=write.bandwidth.max&x=fabric&assume=prior").content.decode())
    assert "40.33\N{EN DASH}86.01 <small>assumed" in assumed
    claims = [assumed[match.start() - 40 : match.end() + 60] for match in re.finditer("95 %", assumed)]
    assert len(claims) > 2 and all("assumed" in claim for claim in claims)
    assert "Assumed of bandwidth of one phase" in assumed and "Hide assumed ranges" in assumed


@pytest.mark.parametrize("value", ["posterior", "1", "prior,prior"])
@pytest.mark.parametrize(
    "address",
    [STUDY, "/api/v1/studies/es400-score/?", "/api/v1/compare/?results=x-single,x-about"],
)
def test_an_unknown_assumption_is_refused_with_the_known_ones(client, runs, address: str, value: str) -> None:
    answer = client.get(f"{address}&assume={value}")
    assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value"), answer.content
    assert "prior" in answer.json()["detail"] + str(answer.json()["errors"])


def test_curated_and_saved_studies_take_the_assumption_too(client, runs) -> None:
    assert client.get("/api/v1/studies/es400-score/?assume=prior").json()["assumptions"] == []
    get_user_model().objects.create(username="alice")
    saved = saved_queries.save("study", "Fabrics", "metric=write.bandwidth.max&x=fabric", "alice")
    address = f"/api/v1/studies/{saved.slug}/"
    assert {row["interval_basis"] for row in client.get(address).json()["rows"]} == {None, "repeats"}
    assumed = client.get(f"{address}?assume=prior").json()
    assert {row["interval_basis"] for row in assumed["rows"]} == {None, "repeats", "assumed"}
    assert assumed["question"].endswith("assume=prior")
    assuming_study = saved_queries.save("study", "Fabrics", "metric=write.bandwidth.max&x=fabric&assume=prior", "alice")
    assert "assumed" in {
        row["interval_basis"] for row in client.get(f"/api/v1/studies/{assuming_study.slug}/").json()["rows"]
    }


def test_an_assumption_costs_no_query(client, runs, django_assert_num_queries) -> None:
    client.get(STUDY)
    with CaptureQueriesContext(connection) as plain:
        client.get(STUDY)
    with django_assert_num_queries(len(plain)):
        client.get(STUDY + ASSUME)
