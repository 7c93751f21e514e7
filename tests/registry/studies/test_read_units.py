"""Pages of studies have units that people read; the API has those that the programs print."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from registry.models import Measurement, SavedStudy
from registry.presentation import numbers
from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import IOR, make_release, make_result

pytestmark = pytest.mark.django_db

GIB = 2**30
BANDWIDTH, LATENCY = "metric=write.bandwidth.mean&x=client_nodes", "metric=write.latency.mean&x=client_nodes"


@pytest.fixture
def put_run(db):
    """Puts a run of 1, 2, ... clients on the record, with a value as its program prints it."""
    release = make_release("T1")

    def put(client_nodes: int, value: float, printed_unit: str = "B/s", quantity: str = "bandwidth") -> None:
        id = f"run-{client_nodes}"
        result = make_result(release, id, None, tool="ior", parameters=IOR, client_nodes=client_nodes)
        unit, factor = ("s", 1e-9) if printed_unit == "ns" else ("B/s", {"B/s": 1, "MB/s": 10**6}[printed_unit])
        Measurement.objects.create(
            result=result,
            position=1,
            op="write",
            quantity=quantity,
            stat="mean",
            value=value * factor,
            unit=unit,
            printed_value=value,
            printed_unit=printed_unit,
        )
        fact_index.rebuild_facts([result.pk])

    return put


def value_cells(page: str) -> tuple[list[str], str]:
    """The values of the table of a study, and the unit in its head."""
    table = page.split("The same as a table</caption>")[-1].split('aria-label="Table of the study"')[-1]
    return re.findall(r"<b>(.*?)</b>", table), re.findall(r'Value<br><span class="unit">(.*?)</span>', table)[0]


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return page_source(answer)


def test_bytes_per_second_are_larger_units_on_pages(client, put_run) -> None:
    put_run(1, 3 * GIB)
    put_run(2, 4.5 * GIB)
    page = page_of(client, f"/study/?{BANDWIDTH}")
    assert value_cells(page) == (["3.000", "4.500"], "GiB/s")
    assert "printed 4,831,838,208 B/s" in page
    drawn = [drawing for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL) if "B/s" in drawing]
    assert drawn and all("GiB/s" in drawing and " B/s" not in drawing for drawing in drawn)


def test_equal_ends_of_a_rounding_are_not_shown(client, put_run) -> None:
    put_run(1, 3 * GIB)
    put_run(2, 7_000.0)
    page = page_of(client, f"/study/?{BANDWIDTH}")
    assert f"3{numbers.EN_DASH}3" not in page


def test_the_api_keeps_the_printed_unit(client, put_run) -> None:
    put_run(1, 3 * GIB)
    answer = client.get(f"/api/v1/study/?{BANDWIDTH}").json()
    assert (answer["unit"], answer["rows"][0]["value"]) == ("B/s", 3 * GIB)
    assert client.get(f"/api/v1/study/?{BANDWIDTH}&format=csv").content.decode().count("B/s") == 2


def test_a_picture_of_the_api_has_the_units_of_the_page(client, put_run) -> None:
    put_run(1, 3 * GIB)
    put_run(2, 4 * GIB)
    assert "GiB/s" in client.get(f"/api/v1/study/?{BANDWIDTH}&format=svg").content.decode()


@pytest.mark.parametrize("unit", ["B/s", "MB/s"])
def test_a_unit_that_is_asked_for_stays(client, put_run, unit) -> None:
    put_run(1, 3 * GIB)
    values = {"B/s": "3,221,225,472", "MB/s": "3,221"}
    assert value_cells(page_of(client, f"/study/?{BANDWIDTH}&unit={unit}")) == ([values[unit]], unit)


def test_larger_units_that_are_printed_stay(client, put_run) -> None:
    put_run(1, 3000.0, "MB/s")
    assert value_cells(page_of(client, f"/study/?{BANDWIDTH}")) == (["3,000"], "MB/s")


def test_small_values_have_a_smaller_unit(client, put_run) -> None:
    put_run(1, 5 * 2**20)
    put_run(2, 0.0)
    assert value_cells(page_of(client, f"/study/?{BANDWIDTH}")) == (["5.000", "0"], "MiB/s")


def test_nanoseconds_are_larger_units_on_pages(client, put_run) -> None:
    put_run(1, 2_500_000.0, "ns", "latency")
    assert value_cells(page_of(client, f"/study/?{LATENCY}")) == (["2.500"], "ms")


def test_values_that_are_divided_have_the_unit_of_the_quotient(client, put_run) -> None:
    put_run(512, 2 * GIB)
    assert value_cells(page_of(client, f"/study/?{BANDWIDTH}&per=client")) == (["4.000"], "MiB/s per client")


def test_a_saved_study_has_them_too(client, put_run) -> None:
    put_run(1, 3 * GIB)
    SavedStudy.objects.create(kind=SavedStudy.Kind.STUDY, slug="mine", title="Mine", question=BANDWIDTH, saved_by="a")
    assert value_cells(page_of(client, "/studies/mine/")) == (["3.000"], "GiB/s")
    assert client.get("/api/v1/studies/mine/").json()["unit"] == "B/s"
