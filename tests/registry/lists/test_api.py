"""Reading ranked lists through the API: entries, filters, orders, CSV, pages, and what may be kept."""

from __future__ import annotations

import csv
import io

import pytest
from django.utils import timezone

from registry.models import CatalogueLoad, ListEntry
from tests.registry.record import make_definition, make_list, make_release, make_result

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/lists/T1/full/"


@pytest.fixture
def ranked():
    """T1 full: 40 alone, 30 and 30 tied, 20 carried over from T0, with an awkward name last."""
    before, release = make_release("T0", "2025-05-01"), make_release("T1", "2025-11-01")
    results = [
        make_result(release, "io500-1", 40.0, client_nodes=100, bandwidth_gib_per_s=16.0, rate_kiops=100.0),
        make_result(release, "io500-2", 30.0, institution="Site Two", system_name="Test system B", client_nodes=None),
        make_result(release, "io500-3", 30.0, system_name="Test system C", filesystem_type="WekaFS",
                    filesystem_family="WekaFS", vendor="", storage_vendor="Other Maker"),
        make_result(before, "io500-4", 20.0, system_name="=cmd()", client_nodes=20),
    ]  # fmt: skip
    return make_list(release, "full", results, definition=make_definition("full"), source="Somewhere", note="A copy.")


def ids(answer) -> list[str]:
    return [entry["result"] for entry in answer.json()["entries"]]


def test_a_list_shows_its_facts_and_its_entries_in_order(client, ranked) -> None:
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    content = answer.json()
    assert (content["release"], content["list"], content["trust"], content["length"]) == ("T1", "full", "imported", 4)
    assert content["definition"] == {"name": "full", "version": 7}
    assert (content["complete"], content["source"], content["note"]) == (True, "Somewhere", "A copy.")
    assert content["frozen_at"].endswith("Z")
    assert content["next"] is None
    assert ids(answer) == ["io500-1", "io500-2", "io500-3", "io500-4"]
    assert content["entries"][0] == {
        "rank": 1, "rank_low": 1, "rank_high": 1, "result": "io500-1",
        "institution": "Site One", "institution_slug": "site-one",
        "system": "Test system A", "system_slug": "site-one-test-system-a",
        "vendor": "Maker", "filesystem_type": "Lustre 2.15", "filesystem_family": "Lustre",
        "client_nodes": 100, "tasks": 160, "score": 40.0, "bandwidth_gib_per_s": 16.0, "rate_kiops": 100.0,
        "reproducibility": "undefined", "trust": "imported", "new": True, "entered": "T1", "note": "",
        "withdrawn_at": None, "source": "Somewhere", "source_address": "", "erased_at": None,
        "rules_violated": None, "trust_label": "imported", "reproduced": "none",
    }  # fmt: skip


def test_tied_entries_share_a_rank(client, ranked) -> None:
    ranks = [(e["rank"], e["rank_low"], e["rank_high"]) for e in client.get(ADDRESS).json()["entries"]]
    assert ranks == [(1, 1, 1), (2, 2, 3), (2, 2, 3), (4, 4, 4)]


def test_the_printed_vendor_is_shown_without_a_canonical_one(client, ranked) -> None:
    assert client.get(ADDRESS).json()["entries"][2]["vendor"] == "Other Maker"


def test_a_carried_over_entry_names_its_first_release(client, ranked) -> None:
    last = client.get(ADDRESS).json()["entries"][3]
    assert (last["new"], last["entered"]) == (False, "T0")


def test_a_withdrawn_result_stays_on_its_list_and_is_marked(client, ranked) -> None:
    entry = ListEntry.objects.get(position=1)
    entry.result.withdrawn_at = timezone.now()
    entry.result.save()
    entries = client.get(ADDRESS).json()["entries"]
    assert entries[0]["withdrawn_at"] is not None
    assert len(entries) == 4


@pytest.mark.parametrize("address", ["/api/v1/lists/t1/full/", "/api/v1/lists/T1/FULL/"])
def test_release_and_list_are_found_in_any_case(client, ranked, address) -> None:
    assert len(client.get(address).json()["entries"]) == 4


def test_a_star_means_the_recomputed_release(client) -> None:
    release = make_release("SC18-recomputed", name="SC18*")
    make_list(release, "ten", [make_result(release, "io500-9")])
    answer = client.get("/api/v1/lists/sc18*/ten/").json()
    assert (answer["release"], answer["release_name"]) == ("SC18-recomputed", "SC18*")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("institution=site+two", ["io500-2"]),
        ("institution=site-two", ["io500-2"]),
        ("institution=nobody", []),
        ("institution=", ["io500-1", "io500-2", "io500-3", "io500-4"]),
        ("filesystem_type=LUSTRE", ["io500-1", "io500-2", "io500-4"]),
        ("filesystem_type=lustre+2.15", ["io500-1", "io500-2", "io500-4"]),
        ("filesystem_type=wekafs&filesystem_type=none", ["io500-3"]),
        ("vendor=maker", ["io500-1", "io500-2", "io500-4"]),
        ("vendor=maker+inc.", ["io500-1", "io500-2", "io500-4"]),
        ("vendor=other+maker", ["io500-3"]),
        ("system=site-one-test-system-c", ["io500-3"]),
        ("client_nodes=20", ["io500-4"]),
        ("client_nodes__gte=20", ["io500-1", "io500-4"]),
        ("client_nodes__lte=20", ["io500-3", "io500-4"]),
        ("client_nodes__gte=11&client_nodes__lte=99", ["io500-4"]),
        ("new=false", ["io500-4"]),
        ("new=true&vendor=maker", ["io500-1", "io500-2"]),
        ("reproducibility=fully", []),
        ("q=system+B", ["io500-2"]),
    ],
)
def test_filters_choose_entries(client, ranked, query, expected) -> None:
    assert ids(client.get(f"{ADDRESS}?{query}")) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("rank", "1234"),
        ("-rank", "4321"),
        ("score", "4231"),
        ("-score", "1234"),
        ("client_nodes", "2341"),
        ("-client_nodes", "1432"),
        ("-bandwidth_gib_per_s", "1234"),
        ("institution", "1342"),
        ("-system", "3214"),
        ("vendor", "1243"),
        ("filesystem_type", "1243"),
    ],
)
def test_ordering_moves_entries_and_never_renumbers_them(client, ranked, order, expected) -> None:
    ranks = {"io500-1": 1, "io500-2": 2, "io500-3": 2, "io500-4": 4}
    entries = client.get(f"{ADDRESS}?ordering={order}").json()["entries"]
    assert [entry["result"] for entry in entries] == [f"io500-{digit}" for digit in expected]
    assert {entry["result"]: entry["rank"] for entry in entries} == ranks


@pytest.mark.parametrize("order", ["rank", "-score", "score", "-client_nodes", "system", "-vendor"])
def test_pages_put_together_are_the_whole_list(client, ranked, order) -> None:
    all_ids = ids(client.get(f"{ADDRESS}?ordering={order}"))
    address, pages = f"{ADDRESS}?ordering={order}&page_size=1", []
    while address:
        assert len(pages) <= len(all_ids), "the pages never end"
        answer = client.get(address)
        pages += ids(answer)
        address = answer.json()["next"]
    assert pages == all_ids


def test_csv_has_a_header_and_one_line_per_entry(client, ranked) -> None:
    answer = client.get(f"{ADDRESS}?format=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="t1-full.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8"))))
    assert [row["result"] for row in rows] == ["io500-1", "io500-2", "io500-3", "io500-4"]
    assert rows[0] | {"score": "40.0", "new": "true", "client_nodes": "100", "withdrawn_at": ""} == rows[0]
    assert rows[1]["client_nodes"] == ""


def test_csv_comes_by_accept_header_too(client, ranked) -> None:
    assert client.get(ADDRESS, headers={"accept": "text/csv"})["Content-Type"].startswith("text/csv")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_csv_cells_cannot_start_a_formula(client, start) -> None:
    release = make_release("T1")
    make_list(release, "full", [make_result(release, "io500-1", system_name=f"{start}SUM(A1)")])
    rows = list(csv.DictReader(io.StringIO(client.get(f"{ADDRESS}?format=csv").content.decode())))
    assert rows[0]["system"] == f"'{start}SUM(A1)"


def test_csv_of_a_part_names_the_next_page_in_a_header(client, ranked) -> None:
    answer = client.get(f"{ADDRESS}?format=csv&page_size=2")
    assert answer["Link"].endswith('; rel="next"')
    following = client.get(answer["Link"].split(">")[0].removeprefix("<"))
    assert following.content.decode().count("\r\n") == 3


def test_a_known_frozen_list_is_answered_304(client, ranked, django_assert_num_queries) -> None:
    first = client.get(ADDRESS)
    assert first["Cache-Control"] == "public, max-age=60"
    with django_assert_num_queries(1):
        again = client.get(ADDRESS, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    assert "Content-Type" not in again
    assert again["Cache-Control"] == first["Cache-Control"]


def test_an_etag_that_a_proxy_weakened_still_counts(client, ranked) -> None:
    etag = client.get(ADDRESS)["ETag"]
    assert client.get(ADDRESS, headers={"if-none-match": f'"other", W/{etag}'}).status_code == 304


def test_another_query_has_another_etag(client, ranked) -> None:
    questions = ["", "?ordering=-rank", "?vendor=maker", "?format=csv", "?page_size=2"]
    assert len({client.get(ADDRESS + question)["ETag"] for question in questions}) == len(questions)


def test_the_order_of_query_names_does_not_change_the_etag(client, ranked) -> None:
    etag, other = (client.get(f"{ADDRESS}?{q}")["ETag"] for q in ("vendor=maker&new=true", "new=true&vendor=maker"))
    assert etag == other


def test_changes_of_an_answer_change_its_etag(client, ranked) -> None:
    etags = [client.get(ADDRESS)["ETag"]]
    ranked.note = "Amended."
    ranked.save()
    etags.append(client.get(ADDRESS)["ETag"])
    CatalogueLoad.objects.create(digest="0" * 64)
    etags.append(client.get(ADDRESS)["ETag"])
    result = ListEntry.objects.get(position=1).result
    result.withdrawn_at = timezone.now()
    result.save()
    etags.append(client.get(ADDRESS)["ETag"])
    ranked.digest = "1" * 64
    ranked.save()
    etags.append(client.get(ADDRESS)["ETag"])
    assert len(set(etags)) == 5


def test_a_list_that_is_not_frozen_is_not_cached(client) -> None:
    release = make_release("T1")
    make_list(release, "full", [make_result(release, "io500-1")], frozen=False)
    first = client.get(ADDRESS)
    assert first["Cache-Control"] == "public, no-cache"
    assert client.get(ADDRESS, headers={"if-none-match": first["ETag"]}).status_code == 304
    ListEntry.objects.update(score=11.0)
    assert client.get(ADDRESS, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_a_missing_list_names_the_lists_of_its_release(client, ranked) -> None:
    answer = client.get("/api/v1/lists/T1/fulll/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-list")
    assert answer["Content-Type"] == "application/problem+json"
    assert "T1/full" in answer.json()["hint"]


def test_the_closest_list_of_the_release_is_named_first(client, ranked) -> None:
    for name in ("ten", "scc"):
        make_list(ranked.release, name, [])
    assert client.get("/api/v1/lists/T1/tne/").json()["hint"].startswith("Nearest: T1/ten, ")


def test_a_misspelt_release_is_answered_with_the_nearest_list(client, ranked) -> None:
    assert "T1/full" in client.get("/api/v1/lists/TT1/full/").json()["hint"]


def test_all_lists_are_listed_newest_release_first(client, ranked) -> None:
    make_list(make_release("T2", "2026-05-01"), "ten", [])
    answer = client.get("/api/v1/lists/").json()
    facts = [(result["release"], result["list"], result["length"]) for result in answer["results"]]
    assert facts == [("T2", "ten", 0), ("T1", "full", 4)]
    assert answer["next"] is None
    assert [result["list"] for result in client.get("/api/v1/lists/?release=t1").json()["results"]] == ["full"]


def test_releases_carry_their_lists(client, ranked) -> None:
    newest, oldest = client.get("/api/v1/releases/").json()["results"]
    assert (newest["slug"], oldest["slug"]) == ("T1", "T0")
    assert [(ranked_list["list"], ranked_list["length"]) for ranked_list in newest["lists"]] == [("full", 4)]
    assert oldest["lists"] == []
    assert client.get("/api/v1/releases/t1/").json() == newest


def test_a_missing_release_names_the_nearest(client, ranked) -> None:
    answer = client.get("/api/v1/releases/T11/").json()
    assert (answer["code"], answer["status"]) == ("record.no-release", 404)
    assert "T1" in answer["hint"]


@pytest.mark.parametrize("entries", [1, 40])
def test_a_list_costs_two_queries_at_any_length(client, django_assert_num_queries, entries) -> None:
    release = make_release("T1")
    make_list(release, "full", [make_result(release, f"io500-{n}", 100.0 - n) for n in range(entries)])
    with django_assert_num_queries(2):
        assert len(client.get(ADDRESS).json()["entries"]) == entries


@pytest.mark.parametrize("releases", [1, 6])
def test_releases_cost_two_queries_however_many(client, django_assert_num_queries, releases) -> None:
    for number in range(releases):
        release = make_release(f"R{number}")
        make_list(release, "full", [make_result(release, f"io500-{number}")])
    with django_assert_num_queries(2):
        assert len(client.get("/api/v1/releases/").json()["results"]) == releases
