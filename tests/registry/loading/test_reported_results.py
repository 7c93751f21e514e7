"""Reported results in the record: shown apart, found by filters, in no release and on no list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from registry.lists.listing import compute_list
from registry.lists.ranking import DefinitionError
from registry.loading.catalogue_loader import load_catalogue
from registry.models import CatalogueLoad, ListEntry, Measurement, Override, Release, Result
from tests.registry.record import make_release

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

API = "/api/v1/"
TABLE3 = "cug25-table3-1"


def text(client: Client, address: str) -> str:
    """What a page says, without its marks."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def systems(client: Client) -> Iterator[str]:
    """The rows of all pages of systems, without their marks."""
    address = "/systems/"
    while address:
        page = client.get(address).content.decode()
        yield from (re.sub(r"<[^>]+>", " ", row) for row in page.split('<tr role="row">'))
        following = re.search(r'href="(\?cursor=[^"]+)"', page)
        address = f"/systems/{following[1]}" if following else ""


def reported() -> Any:
    return Result.objects.filter(trust="reported")


def test_reported_results_are_on_no_list_and_in_no_release() -> None:
    assert reported().count() == 69
    assert set(reported().values_list("release", "opted_in", "bundle_sha256")) == {(None, False, "")}
    assert not ListEntry.objects.filter(result__trust="reported").exists()
    assert Release.objects.count() == 20


def test_loading_again_changes_nothing() -> None:
    before = list(reported().order_by("id").values())
    measurements = Measurement.objects.filter(result__trust="reported").count()
    CatalogueLoad.objects.all().delete()
    assert load_catalogue().reported == 69
    assert list(reported().order_by("id").values()) == before
    assert Measurement.objects.filter(result__trust="reported").count() == measurements


def test_a_withdrawn_reported_result_stays_withdrawn() -> None:
    reported().filter(public_id=TABLE3).update(withdrawn_at="2026-11-21T12:00:00Z", withdrawn_reason="Asked for.")
    CatalogueLoad.objects.all().delete()
    load_catalogue()
    assert Result.objects.get(public_id=TABLE3).withdrawn_reason == "Asked for."


def test_only_a_reported_result_may_lack_a_release() -> None:
    with pytest.raises(IntegrityError, match="result_without_release_is_of_no_list"), transaction.atomic():
        reported().filter(public_id=TABLE3).update(trust="imported")


@pytest.mark.parametrize("name", ["full", "io500"])
def test_no_reported_result_enters_the_pool_of_a_list(name: str) -> None:
    release = make_release("later", "2027-05-01", imported=False, deadline="2027-04-01T12:00:00Z")
    assert not compute_list(release, name).rows
    scored = Result.objects.get(public_id="sc23-bof-es400-isc23")
    assert scored.score == 142.03
    Override.objects.create(
        release=release, list_name=name, result=scored, action="include", reason="Wanted.", decided_by="somebody"
    )
    with pytest.raises(DefinitionError, match="sc23-bof-es400-isc23, which is not in the pool"):
        compute_list(release, name)


def test_the_page_begins_with_trust_and_printed_source(client: Client) -> None:
    page = text(client, f"/results/{TABLE3}/")
    assert "E2000-F: 2 OSTs, 16 drives per controller" in page
    assert "Reported : a number from a paper or slide, no raw data." in page
    assert "(HPE, Cray User Group 2025), Table 3, row 1" in page
    assert "Read per drive is printed as 6971 and should be 6961" in page
    assert "read bandwidth, per drive 6,971 MiB/s OSTs 2" in page
    assert "Score" not in page.split("Client nodes")[0].split("raw data")[1]
    assert "Not checked: there is no raw output." in page


def test_large_printed_numbers_lose_no_digit(client: Client) -> None:
    assert "1,217,062 ops/s" in text(client, "/results/benchmarking-lustre-flash-4k-ib/")


def test_a_page_names_other_results_of_the_same_system_by_what_they_are(client: Client) -> None:
    page = text(client, "/results/cug25-table4-1/")
    assert "one OSS, NPS 1, 16 CPU partitions" in page
    assert "highest so far" not in text(client, "/results/sc23-bof-es400-isc23/")


def test_an_io500_result_of_a_slide_has_its_printed_score_and_phases(client: Client) -> None:
    page = text(client, "/results/sc23-bof-es400-isc23/")
    assert "Score 142.03" in page
    assert "IOR hard read 50.77" in page


def test_systems_and_platforms_list_reported_results_apart(client: Client) -> None:
    results = (
        ("/platforms/cray-e2000/", "e2000-unet3d"),
        ("/systems/hewlett-packard-enterprise-e2000-f/", "No current results"),
    )
    for address, first in results:
        before, apart = text(client, address).split("Reported from papers and slides", 1)
        assert first in before and "4 OSTs, 32 drives per controller" not in before
        assert "obdfilter-survey: 3 E2000-F" in apart or "obdfilter-survey: 3 4 OSTs" in apart
        assert "4 OSTs, 32 drives per controller" in apart
    site = text(client, "/sites/hewlett-packard-enterprise/")
    assert site.index("GTO") < site.index("Reported from papers") < site.index("NPS 1, 4 CPU partitions")


def test_the_table_of_results_is_filtered_by_trust_and_tool(client: Client) -> None:
    page = text(client, "/results/?trust=reported&tool=lst")
    assert page.count("lst: ") == 4
    assert "imported" not in page.split("kIOPS")[-1]


def test_the_api_filters_and_shows_reported_results(client: Client) -> None:
    rows = client.get(f"{API}results/?trust=reported&tool=lst&p.cpt=8").json()["results"]
    assert [(row["id"], row["label"], row["release"]) for row in rows] == [
        ("cug25-table4-2", "one OSS, NPS 1, 8 CPU partitions", None)
    ]
    answer = client.get(f"{API}results/{TABLE3}/").json()
    assert (answer["trust"], answer["release"], answer["platform"]) == ("reported", None, "cray-e2000")
    assert answer["facts"]["place"] == "Table 3, row 1"
    assert {"op": "read", "quantity": "bandwidth", "stat": "per_drive", "value": 7309623296.0, "unit": "B/s",
            "printed_value": 6971.0, "printed_unit": "MiB/s", "scored": None,
            "context": {"osts": 2}, "repeats": None} in answer["measurements"]  # fmt: skip


def test_no_release_contains_reported_results(client: Client) -> None:
    for release in ("SC23", "SC19", "ISC23"):
        rows = client.get(f"{API}results/?release={release}&page_size=500").json()["results"]
        assert rows
        assert {row["trust"] for row in rows} <= {"derived", "imported"}


def test_the_best_of_a_system_is_never_a_reported_score(client: Client) -> None:
    assert client.get(f"{API}systems/ddn-es400nvx2/").json()["best"] == []
    assert client.get(f"{API}platforms/ddn-es400nvx2/").json()["best"] == []
    row = next(row for row in systems(client) if "ES400NVX2" in row)
    assert " ".join(row.split()) == "ES400NVX2 DDN DDN ES400NVX2 2 \N{EM DASH}"


def test_two_reported_results_are_compared_with_a_note_on_trust(client: Client) -> None:
    both = client.get(f"{API}compare/?results={TABLE3},cug25-table3-3").json()
    assert {"parameter": "drives_per_controller", "values": [16, 32]} in both["differences"]
    mixed = client.get(f"{API}compare/?results=sc23-bof-es400-isc23,io500-4").json()
    assert "compare.other-trust" in {note["code"] for note in mixed["notes"]}
    page = text(client, "/compare/?results=sc23-bof-es400-isc23,io500-4")
    assert "A: sc23-bof-es400-isc23 , ES400NVX2, reported" in page


def test_newest_results_stay_those_of_the_lists(client: Client) -> None:
    rows = client.get(f"{API}results/").json()["results"]
    assert {row["trust"] for row in rows} <= {"derived", "imported"}


def test_search_finds_reported_results_by_system(client: Client) -> None:
    assert "obdfilter-survey: 2 OSTs" in text(client, "/search/?q=E2000-F")
