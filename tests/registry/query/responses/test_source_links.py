"""Every imported, derived and reported number leads to its source; what has no public address says where it stands."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import pytest
from django.test import Client

from registry.models import ListEntry, RankedList, Result
from registry.query import public_record
from registry.query.responses import record_rows, source_links
from registry.query.responses.shapes import columns_of
from tests.html import page_source

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

NOWHERE_PUBLIC = {
    "benchmarking-lustre": "slides that were given to the project; no public copy of them is known",
    "cug25": "a paper that was given to the project; no public copy of it is known",
    "dell-lustre": "a white paper that was given to the project; no public copy of it is known",
}
"""Documents without an address, and why: their results name table, slide or section instead."""


def rows_of_results() -> dict[str, dict[str, Any]]:
    columns = columns_of(record_rows.Result)
    return {row["id"]: row for row in public_record.rows_of(columns, Result.objects.order_by("pk"))}


def test_every_number_has_the_address_of_its_source_or_its_place_in_a_document() -> None:
    rows = rows_of_results()
    without = [row for row in rows.values() if not row["source_address"]]
    public = [row for row in rows.values() if row["source_address"]]
    documents = dict(Result.objects.values_list("public_id", "snapshot__document__slug"))
    places = dict(Result.objects.values_list("public_id", "snapshot__place"))
    assert len(rows) > 600
    assert {documents[row["id"]] for row in without} == set(NOWHERE_PUBLIC)
    assert all(places[row["id"]] in row["source"] and row["source"] for row in without)
    assert all(row["source"] and row["source_address"].startswith("https://") for row in public)


def test_rows_link_the_first_source_of_the_result_page() -> None:
    rows = rows_of_results()
    for result in Result.objects.select_related("release"):
        links = source_links.list_source_links(result, public_record.list_memberships(result))
        assert links, result.public_id
        assert next((link.address for link in links if link.address), "") == rows[result.public_id]["source_address"]


def test_reported_numbers_name_table_slide_or_section() -> None:
    places = Result.objects.filter(trust="reported").values_list("snapshot__place", flat=True)
    assert {place.split()[0].lower() for place in places} == {"table", "slide", "section"}


def test_every_list_and_each_of_its_entries_has_a_source() -> None:
    lists = {str(ranked_list): source_links.address_of_list(ranked_list) for ranked_list in RankedList.objects.all()}
    without = {title for title, address in lists.items() if not address}
    assert without and all("MLPerf Storage v1.0" in title for title in without), "ordered here, published without ranks"
    entries = public_record.rows_of(public_record.ENTRY, ListEntry.objects.order_by("pk"))
    assert len(entries) > 2000
    assert all(row["source"] and row["source_address"].startswith("https://") for row in entries)


RAW_FILES = "https://github.com/IO500/submission-data/tree/master"
SLIDES = "https://io500.org/files"
CUG25 = "E2000 Performance From Microbenchmarks to Applications (HPE, Cray User Group 2025)"


@pytest.mark.parametrize(
    ("id", "source", "address"),
    [
        # copied from a slide
        ("io500-sc22-superstore-5517-73", "IO500 SC22 slides p25", f"{SLIDES}/SC22_IO500_Presentation.pdf#page=25"),
        # first known from the slides of the release after its own
        ("io500-isc22-ctpai-187-84", "IO500 ISC23 slides p22", f"{SLIDES}/ISC23_IO500_Presentation.pdf#page=22"),
        # copied from the database of IO500; its archive says something else
        ("io500-208", "IO500 database", "https://io500.org/submissions/view/208"),
        # read in the raw files
        ("io500-1", "Raw files published by IO500, submission 1", f"{RAW_FILES}/Intel/Wolf/DAOS/2020/submission-1"),
        ("perlmutter-table1", None, "https://escholarship.org/uc/item/90r3s04z"),
        ("sc23-bof-es400-pre-sc19", None, f"{SLIDES}/SC23_IO500_Presentation.pdf"),
        ("cug25-table3-1", f"{CUG25}, Table 3, row 1", ""),
    ],
)
def test_a_number_links_its_source(client: Client, id: str, source: str | None, address: str) -> None:
    answer = client.get(f"/api/v1/results/{id}/").json()
    assert answer["source_address"] == address
    assert source in (None, answer["source"])
    row = client.get("/api/v1/results/", {"ids": id}).json()["results"][0]
    assert (row["source"], row["source_address"]) == (answer["source"], address)
    if address:
        assert f'href="{address}"' in client.get(f"/results/{id}/").content.decode()


def test_lists_link_their_page_or_slide(client: Client) -> None:
    def addresses(name: str) -> tuple[str, str]:
        answer = client.get(f"/api/v1/lists/{name}/").json()
        return answer["source_address"], answer["entries"][0]["source_address"]

    assert set(addresses("ISC21/ten")) == {"https://io500.org/list/ISC21/ten"}
    assert set(addresses("SC18-recomputed/io500")) == {"https://io500.org/list/SC18*/io500"}
    assert set(addresses("SC25/production")) == {"https://io500.org/files/SC25_IO500_Presentation.pdf#page=14"}
    of_list, of_entry = addresses("MLPerf-Storage-v1.0/mlperf-unet3d-h100")
    assert of_list == "" and of_entry.startswith("https://github.com/mlcommons/storage_results_v1.0/blob/main/Closed/")
    assert "SC25_IO500_Presentation.pdf#page=14" in client.get("/lists/SC25/production/").content.decode()


def test_files_have_the_source_of_each_row(client: Client) -> None:
    for address in ("results/?format=csv", "lists/SC25/ten/?format=csv", "export/results.csv"):
        answer = client.get(f"/api/v1/{address}")
        text = (b"".join(answer) if answer.streaming else answer.content).decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert rows and all(row["source"] for row in rows), address
        assert Counter(bool(row["source_address"]) for row in rows)[True] > len(rows) * 0.6


def test_points_of_studies_and_columns_of_comparisons_link_sources(client: Client) -> None:
    study = client.get("/api/v1/study/", {"metric": "score", "x": "result", "release": "SC22", "tool": "io500"}).json()
    single = [row for row in study["rows"] if row["count"] == 1]
    assert single and all(row["source_address"].startswith("https://") for row in single)
    figures = client.get("/api/v1/studies/perlmutter-ageing/").json()["rows"]
    assert {row["source_address"] for row in figures} == {"https://escholarship.org/uc/item/90r3s04z"}
    page = page_source(client.get("/studies/perlmutter-ageing/"))
    assert '<a href="https://escholarship.org/uc/item/90r3s04z">' in page
    compared = client.get("/api/v1/compare/", {"results": "io500-1,io500-208"}).json()["results"]
    assert compared[1]["source_address"] == "https://io500.org/submissions/view/208"
    page = client.get("/compare/", {"results": "io500-1,io500-208"}).content.decode()
    assert '<a href="https://io500.org/submissions/view/208">IO500 database</a>' in page


@pytest.mark.parametrize(
    "source",
    ["", "IO500 SC99 slides p1", "IO500 SC22 slides p", "IO500 SC22 slides p25 x", "IO500 SC22 slides p99999"],
)
def test_unknown_slides_get_no_address(source: str) -> None:
    assert source_links.slide_address(source) == ""


@pytest.mark.parametrize(
    ("release", "name"), [("SC99x", "io500"), ("next", "io500"), ("SC19", "own"), ("../x", "ten"), ("SC18*", "io500")]
)
def test_unknown_lists_of_io500_get_no_address(release: str, name: str) -> None:
    assert source_links.list_address(release, name) == ""
