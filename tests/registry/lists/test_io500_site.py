"""Addresses of io500.org lead to ours, and its CSV is a format: its columns with the values that IO500 published."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import Resolver404, get_resolver, resolve

from registry.lists.io500_site import urls
from registry.lists.io500_site.csv_rows import COLUMNS
from registry.lists.io500_site.views import redirect_address
from registry.models import Result
from tests.registry.record import make_list, make_release, make_result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]


# Addresses

MOVED = {
    "/list/ISC21/io500": "/lists/ISC21/io500/",
    "/list/isc21/io500/": "/lists/ISC21/io500/",
    "/list/sc18*/ten": "/lists/SC18-recomputed/ten/",
    "/list/SC18%2A/io500": "/lists/SC18-recomputed/io500/",
    "/list/SC25/ten-production?sort=io500_bw&direction=desc": "/lists/SC25/ten-production/",
    "/listings/list/SC19/scc": "/lists/SC19/scc/",
    "/list/SC19": "/lists/SC19/",
    "/list": "/lists/",
    "/submissions/view/688": "/results/io500-688/",
    "/submissions/view/688/": "/results/io500-688/",
    "/submissions/configuration/1": "/results/io500-1/",
    "/questionnaires/view/785": "/results/io500-785/",
    "/download/SC19/ten": "/api/v1/lists/SC19/ten/?format=io500&page_size=1000",
    "/download/SC20": "/api/v1/lists/SC20/historical/?format=io500&page_size=1000",
    "/download": "/api/v1/lists/ISC21/historical/?format=io500&page_size=1000",
    "/submissions/customize/SC23/io500": "/rankings/",
    "/submissions/graphs": "/analysis/io500/",
    "/records": "/rankings/",
    "/about": "/docs/",
    "/pages/the-lists": "/docs/lists/",
    "/rules-submission": "/docs/rules/",
    "/pages/bof-sc23": "/releases/SC23/",
    "/bofs": "/releases/",
}


def test_addresses_of_io500_lead_to_pages_that_are_there(client: Client) -> None:
    for address, target in MOVED.items():
        answer = client.get(address)
        assert (answer.status_code, answer.get("Location")) == (301, target), address
        assert "max-age=3600" in answer["Cache-Control"]
        assert client.get(target).status_code in (200, 302), target


@pytest.mark.parametrize(
    ("address", "nearest"),
    [
        ("/list/ISC99/io500", ""),
        ("/list/SC24/io500", "/lists/SC24/production/"),
        ("/list/SC19/tne", "/lists/SC19/ten/"),
        ("/list/ISC26", "/lists/ISC25/"),
        ("/submissions/view/999999", ""),
        ("/submissions/view/0688", ""),
        ("/questionnaires/view/2", None),
        ("/records/list/4a7c0a3e-2b5e-4a9e-9d39-2f6f3a0c3a11", ""),
        ("/plots/data.json", ""),
        ("/news", ""),
        ("/pages/rules-committee", ""),
        ("/files/SC23_IO500_Presentation.pdf", ""),
    ],
)
def test_pages_missing_here_link_the_original(client: Client, address: str, nearest: str | None) -> None:
    answer = client.get(address)
    if nearest is None:
        assert answer.status_code == 301
        return
    content = answer.content.decode()
    assert answer.status_code == 404
    assert f'<a href="https://io500.org{address}" rel="nofollow">' in content
    assert nearest in content and "no-cache" not in answer.get("Cache-Control", "")


@pytest.mark.parametrize(
    "address",
    [
        "/list/SC19/..%2f..%2fadmin", "/list/%00/ten", "/list/SC19/<script>alert(1)</script>",
        "/list/SC19/%0d%0aSet-Cookie:a=b", "/submissions/view/%E2%91%A0",
        "/submissions/view/1%20or%201=1", "/submissions/view/-1", "/submissions/view/1e3",
        "/submissions/view/" + "9" * 300, "/list/" + "a" * 4000 + "/ten", "/download/https:%2f%2fevil.example/ten",
        "/submissions/view/https:%2f%2fevil.example", "/submissions/view/%00",
        "/list/evil.example/%5c", "/download/SC19/%22onload=%22",
    ],
)  # fmt: skip
def test_hostile_addresses_are_not_redirected(client: Client, address: str) -> None:
    answer = client.get(address)
    content = answer.content.decode()
    assert answer.status_code == 404
    assert "Location" not in answer
    assert "<script>alert" not in content and 'onload="' not in content
    assert all(part.startswith(("https://io500.org/", "/")) for part in links_of(content))


def links_of(content: str) -> list[str]:
    return [part.split('"')[0] for part in content.split('<a href="')[1:]]


def test_only_get_requests_are_redirected(client: Client) -> None:
    assert client.head("/list/SC19/ten").status_code == 301
    assert client.post("/list/SC19/ten").status_code == 405


def test_no_address_of_io500_hides_an_address_of_this_site() -> None:
    """They stand last, and none of their words begins a page of ours but those that only lead to identifiers."""
    assert get_resolver().url_patterns[-1].urlconf_module.__name__ == urls.__name__  # type: ignore[union-attr]
    for address in (
        "/lists/SC19/ten/",
        "/releases/",
        "/submissions/",
        "/submissions/new/",
        "/docs/rules/",
        "/results/",
    ):
        assert resolve(address).func is not redirect_address, address
    with pytest.raises(Resolver404):
        resolve("/list/SC19/ten/more/")


def test_every_route_is_one_that_the_table_explains() -> None:
    for route in urls.ROUTES:
        assert {"path"} < set(route) <= {"path", "leads_to", "address"}
        assert ("leads_to" in route) != ("address" in route), route


def test_each_submission_has_the_id_of_its_number() -> None:
    """The addresses of submissions are looked up by id alone."""
    numbered = Result.objects.exclude(origin_id="").values_list("public_id", "origin_id")
    assert len(numbered) > 300
    assert all(public_id == f"io500-{origin}" for public_id, origin in numbered)


# CSV


def rows_of(client: Client, name: str) -> list[dict[str, str]]:
    answer = client.get(f"/api/v1/lists/{name}/", {"format": "io500", "page_size": "1000"})
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_columns_are_those_of_io500(client: Client) -> None:
    rows = rows_of(client, "SC19/ten")
    assert list(rows[0]) == list(COLUMNS)
    assert len(COLUMNS) == 68 and (COLUMNS[0], COLUMNS[1], COLUMNS[-1]) == ("id", "release_id", "score")
    assert "information_submitter" not in COLUMNS, "names of people are not published"
    assert [int(row["id"]) for row in rows] == list(range(1, 26))


def test_a_row_has_the_printed_values(client: Client) -> None:
    """Submission 1 as the database of IO500 has it; the archive prints more digits."""
    row = rows_of(client, "ISC20/full")[0]
    expected = {
        "id": "1", "release_id": "ISC20", "information_system": "Wolf", "information_institution": "Intel",
        "information_storage_vendor": "Intel", "information_filesystem_type": "DAOS",
        "information_client_nodes": "52", "information_client_total_procs": "1664", "io500_score": "1792.98",
        "io500_bw": "371.67", "io500_md": "8649.57", "information_10_node_challenge": "0",
        "information_list_name": "isc20", "information_submission_date": "2020-07-13",
        "information_filesystem_version": "1.1", "information_client_procs_per_node": "32",
        "information_md_nodes": "", "information_ds_nodes": "30", "ior_easy_write": "243.64",
        "mdtest_hard_delete": "6695.91", "find_easy": "8838.0", "find_mixed": "8838.0", "find_hard": "",
        "include_in_io500": "1", "io500_tot_iops": "", "status": "", "score": "1792.98",
        "repository_url": "https://github.com/IO500/submission-data/tree/master/Intel/Wolf/DAOS/2020/submission-1",
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_unknown_values_are_empty_and_never_zero(client: Client) -> None:
    rows = {row["information_system"]: row for row in rows_of(client, "SC22/io500")}
    slide_only = rows["SuperStore"]
    assert slide_only["score"] == "5517.73"
    for name in ("ior_easy_write", "find_mixed", "information_10_node_challenge", "include_in_io500", "repository_url"):
        assert slide_only[name] == "", name
    assert "0" not in {row["information_client_nodes"] for row in rows.values()}


def test_a_withdrawn_run_is_marked(client: Client) -> None:
    Result.objects.filter(public_id="io500-1").update(withdrawn_at="2026-01-01T00:00:00Z")
    rows = rows_of(client, "ISC20/full")
    assert (rows[0]["information_system"], rows[0]["status"]) == ("Wolf", "WITHDRAWN")
    assert {row["status"] for row in rows[1:]} == {""}


OFFICIAL = {
    "information_institution": "institution",
    "information_system": "system",
    "information_filesystem_type": "filesystem_type",
    "information_client_nodes": "client_nodes",
    "score": "score",
    "io500_bw": "bw_gib_s",
    "io500_md": "md_kiops",
}
PHASES = (
    *("ior_easy_write", "ior_easy_read", "ior_hard_write", "ior_hard_read", "mdtest_easy_write", "mdtest_easy_stat"),
    *("mdtest_easy_delete", "mdtest_hard_write", "mdtest_hard_stat", "mdtest_hard_read", "mdtest_hard_delete"),
)


@pytest.mark.real_data
def test_values_are_those_that_io500_published(client: Client, shared: Path) -> None:
    """Every row of every complete list with the phases of its submission; all are equal but one kind of zero."""
    with (shared / "data/io500/official_lists.csv").open(newline="") as file:
        official = list(csv.DictReader(file))
    with (shared / "data/io500/official_submissions.csv").open(newline="") as file:
        submissions = {row["id"]: row for row in csv.DictReader(file)}
    differences: dict[str, list[Any]] = {}
    compared = 0
    for release, name in sorted({(row["release"], row["list"]) for row in official if row["list_complete"] == "yes"}):
        rows = {row["id"]: row for row in rows_of(client, f"{release}/{name}")}
        for row in official:
            if (row["release"], row["list"]) != (release, name):
                continue
            ours = rows[row["rank"]]
            pairs = [(column, ours[column], row[theirs]) for column, theirs in OFFICIAL.items()]
            submission = submissions.get(row["submission_id"], {})
            pairs += [(phase, ours[phase], submission.get(phase, "")) for phase in PHASES]
            pairs += [("find_mixed", ours["find_mixed"], submission.get("find", ""))]
            for column, here, there in pairs:
                compared += 1
                if there and not is_same(here, there):
                    differences.setdefault(column, []).append((release, name, row["rank"], here, there))
    assert compared > 20_000
    # A phase that no run of the list had: io500.org prints 0, which is no rate that was measured.
    assert {(column, here, there) for column, rows in differences.items() for *_, here, there in rows} == {
        ("mdtest_hard_read", "", "0")
    }


def is_same(here: str, there: str) -> bool:
    try:
        return float(here) == pytest.approx(float(there), rel=1e-9)
    except ValueError:
        return here.removeprefix("'") == there


def test_lists_of_other_benchmarks_have_no_such_columns(client: Client) -> None:
    answer = client.get("/api/v1/lists/MLPerf-Storage-v1.0/mlperf-unet3d-h100/", {"format": "io500"})
    assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value")
    assert (
        "io500" not in client.get("/lists/MLPerf-Storage-v1.0/mlperf-unet3d-h100/").content.decode().split("<main")[0]
    )
    assert "?format=io500" in client.get("/lists/SC19/ten/").content.decode()


def test_a_name_that_looks_like_a_formula_is_escaped(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    result = make_result(
        release, "io500-f", 3.0, system_name='=HYPERLINK("http://evil.example")', institution="@SUM(1)"
    )
    make_list(release, "full", [result])
    row = rows_of(client, "T9/full")[0]
    assert row["information_system"] == '\'=HYPERLINK("http://evil.example")'
    assert row["information_institution"] == "'@SUM(1)"


def test_the_file_has_a_name_and_pages_like_the_other_forms(client: Client) -> None:
    address = "/api/v1/lists/SC19/full/?format=io500&page_size=10"
    answer = client.get(address)
    assert answer["Content-Disposition"] == 'attachment; filename="io500-sc19-full.csv"'
    assert 'rel="next"' in answer["Link"] and len(answer.content.decode().splitlines()) == 11
    again = client.get(address, headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert client.get("/api/v1/lists/SC19/full/", {"format": "csv", "page_size": "10"})["ETag"] != answer["ETag"]


def test_the_io500_form_costs_two_more_queries(client: Client, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(5):
        rows_of(client, "ISC21/historical")
