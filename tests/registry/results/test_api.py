"""Reading results, systems, sites and platforms through the API."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest
from django.http import QueryDict
from django.utils import timezone

from registry.models import Platform, Result
from tests.registry.record import make_file, make_list, make_measurement, make_platform, make_release, make_result

pytestmark = pytest.mark.django_db

RESULTS = "/api/v1/results/"


@pytest.fixture
def record():
    """Three results of two releases and two sites; the last one is verified, on a platform, and on T2 ten."""
    first, second = make_release("T1", "2025-11-01"), make_release("T2", "2026-05-01")
    maker = make_platform("maker-100", "Maker 100")
    make_result(first, "io500-1", 40.0, client_nodes=100, parameters={"client_nodes": 100, "stripe": "4", "dom": True})
    make_result(first, "io500-2", None, institution="Site Two", system_name="Test system B",
                filesystem_type="WekaFS", filesystem_family="WekaFS", vendor="", storage_vendor="Other",
                client_nodes=None, parameters={"stripe": 4, "dom": "yes"})  # fmt: skip
    third = make_result(second, "hw-3", 20.0, trust=Result.Trust.VERIFIED, bundle_sha256="0" * 64, platform=maker)
    make_list(second, "ten", [third, Result.objects.get(public_id="io500-1")])


def ids(answer) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [row["id"] for row in answer.json()["results"]]


def test_results_are_listed_newest_first(client, record) -> None:
    answer = client.get(RESULTS)
    assert ids(answer) == ["hw-3", "io500-2", "io500-1"]
    assert answer.json()["next"] is None
    assert answer.json()["results"][2] == {
        "id": "io500-1", "label": None, "tool": "io500", "tool_version": "", "mode": "",
        "trust": "imported", "release": "T1",
        "institution": "Site One", "institution_slug": "site-one",
        "system": "Test system A", "system_slug": "site-one-test-system-a", "platform": None, "vendor": "Maker",
        "filesystem_type": "Lustre 2.15", "filesystem_family": "Lustre", "client_nodes": 100, "tasks": 160,
        "score": 40.0, "bandwidth_gib_per_s": None, "rate_kiops": None, "reproducibility": "undefined",
        "production": None, "submitted_on": None, "published_at": None, "revision": 1, "same_as": None,
        "source": "", "source_address": "", "rules_violated": None, "trust_label": "imported", "reproduced": "none",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tool=IO500", ["hw-3", "io500-2", "io500-1"]),
        ("tool=fio", []),
        ("release=t1", ["io500-2", "io500-1"]),
        ("release=T1&release=t2", ["hw-3", "io500-2", "io500-1"]),
        ("release=T9", []),
        ("list=ten", ["hw-3", "io500-1"]),
        ("list=TEN&release=t2", ["hw-3", "io500-1"]),
        ("list=ten&release=T1", []),
        ("institution=Site+Two", ["io500-2"]),
        ("institution=site-one", ["hw-3", "io500-1"]),
        ("institution=nobody", []),
        ("system=test+system+b", ["io500-2"]),
        ("system=site-one-test-system-a", ["hw-3", "io500-1"]),
        ("platform=maker+100", ["hw-3"]),
        ("platform=MAKER-100", ["hw-3"]),
        ("vendor=MAKER", ["hw-3", "io500-1"]),
        ("vendor=maker+inc.", ["hw-3", "io500-1"]),
        ("vendor=other", ["io500-2"]),
        ("filesystem_type=lustre", ["hw-3", "io500-1"]),
        ("filesystem_type=Lustre+2.15", ["hw-3", "io500-1"]),
        ("trust=verified", ["hw-3"]),
        ("trust=Imported&trust=verified", ["hw-3", "io500-2", "io500-1"]),
        ("client_nodes__gte=11", ["io500-1"]),
        ("client_nodes__lte=10", ["hw-3"]),
        ("client_nodes__gte=11&client_nodes__lte=99", []),
        ("p.client_nodes=100", ["io500-1"]),
        ("p.stripe=4", ["io500-2", "io500-1"]),
        ("p.dom=true", ["io500-1"]),
        ("p.dom=true&p.dom=yes", ["io500-2", "io500-1"]),
        ("p.stripe=4&p.dom=yes", ["io500-2"]),
        ("p.nothing=1", []),
        ("p.stripe=1e999", []),
        ("q=wekafs", ["io500-2"]),
        ("q=%22system+b%22", ["io500-2"]),
        ("q=site+-two", ["hw-3", "io500-1"]),
        ("q=%27%29%3B--", ["hw-3", "io500-2", "io500-1"]),
        ("trust=&q=&client_nodes__gte=", ["hw-3", "io500-2", "io500-1"]),
    ],
)
def test_filters_choose_results(client, record, query, expected) -> None:
    if "q=%27" in query:
        assert client.get(f"{RESULTS}?{query}").status_code == 200
    else:
        assert ids(client.get(f"{RESULTS}?{query}")) == expected


def test_an_institution_is_found_under_any_spelling_that_a_result_prints(client, record) -> None:
    Result.objects.filter(public_id="io500-1").update(institution="SITE ONE, Dept. of Storage")
    assert ids(client.get(f"{RESULTS}?institution=site+one,+dept.+of+storage")) == ["hw-3", "io500-1"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("-id", ["hw-3", "io500-2", "io500-1"]),
        ("id", ["io500-1", "io500-2", "hw-3"]),
        ("-score", ["io500-1", "hw-3", "io500-2"]),
        ("score", ["io500-2", "hw-3", "io500-1"]),
        ("-client_nodes", ["io500-1", "hw-3", "io500-2"]),
    ],
)
def test_a_missing_figure_is_below_all_others(client, record, order, expected) -> None:
    assert ids(client.get(f"{RESULTS}?ordering={order}")) == expected


def walk(client, address: str) -> list[list[str]]:
    pages = []
    while address:
        assert len(pages) < 20, "the pages never end"
        answer = client.get(address)
        pages.append(ids(answer))
        address = answer.json()["next"]
    return pages


@pytest.mark.parametrize("order", ["-id", "id", "-score", "score", "client_nodes"])
def test_pages_put_together_are_all_results_once(client, record, order) -> None:
    all_ids = ids(client.get(f"{RESULTS}?ordering={order}"))
    assert walk(client, f"{RESULTS}?ordering={order}&page_size=1") == [[result_id] for result_id in all_ids]


def test_pages_settle_equal_scores(client) -> None:
    release = make_release("T1")
    for number in range(7):
        make_result(release, f"io500-{number}", 5.0)
    pages = walk(client, f"{RESULTS}?ordering=-score&page_size=3")
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [result_id for page in pages for result_id in page] == [f"io500-{number}" for number in reversed(range(7))]


def test_new_results_shift_no_page(client, record) -> None:
    first = client.get(f"{RESULTS}?page_size=2")
    make_result(make_release("T3"), "hw-4", 99.0)
    assert ids(first) == ["hw-3", "io500-2"]
    assert ids(client.get(first.json()["next"])) == ["io500-1"]


def test_a_removed_result_shifts_no_page(client, record) -> None:
    first = client.get(f"{RESULTS}?ordering=-score&page_size=1")
    Result.objects.filter(public_id="io500-1").update(withdrawn_at=timezone.now())
    assert ids(client.get(first.json()["next"])) == ["hw-3"]


def test_the_next_page_keeps_the_filters(client, record) -> None:
    following = client.get(f"{RESULTS}?filesystem_type=lustre&page_size=1").json()["next"]
    assert ids(client.get(following)) == ["io500-1"]


def test_the_next_page_of_the_page_keeps_every_filter(client, record, monkeypatch) -> None:
    monkeypatch.setattr("registry.results.views.PAGE_ROWS", 1)
    query = "tool=io500&tool=ior&reproducibility=undefined&client_nodes__lte=10000&q=lustre"
    page = client.get(f"/results/?{query}").content.decode()
    (following,) = re.findall(r'href="\?([^"]*cursor=[^"]*)"', page)
    link_query = QueryDict(html.unescape(following))
    assert link_query.getlist("tool") == ["io500", "ior"]
    assert {name: link_query[name] for name in link_query if name not in ("tool", "cursor")} == {
        "reproducibility": "undefined",
        "client_nodes__lte": "10000",
        "q": "lustre",
    }


def test_withdrawn_and_superseded_results_leave_the_table_and_keep_their_page(client, record) -> None:
    old, gone = Result.objects.get(public_id="io500-1"), Result.objects.get(public_id="io500-2")
    new = make_result(old.release, "io500-1-r2", 41.0, revises=old, revision=2, revision_reason="Wrong client count")
    gone.withdrawn_at, gone.withdrawn_reason = timezone.now(), "Run on a broken drive"
    gone.save()
    assert ids(client.get(RESULTS)) == ["io500-1-r2", "hw-3"]
    result_by_id = {name: client.get(f"{RESULTS}{name}/").json() for name in ("io500-1", "io500-1-r2", "io500-2")}
    assert result_by_id["io500-1"]["revised_by"] == new.public_id
    assert (result_by_id["io500-1-r2"]["revises"], result_by_id["io500-1-r2"]["revision"]) == ("io500-1", 2)
    assert result_by_id["io500-1-r2"]["revision_reason"] == "Wrong client count"
    assert result_by_id["io500-2"]["withdrawn_reason"] == "Run on a broken drive"


def test_a_result_shows_all_that_was_published(client, record) -> None:
    result = Result.objects.get(public_id="hw-3")
    result.snapshot = {
        "scores": {"SCORE": {"value": 20.0}},
        "findings": [{"code": "io500.hash.config", "level": "warning"}],
        "rules": [{"code": "io500.stonewall", "outcome": "satisfied"}],
        "versions": {"validators": "1.0.0"},
        "note": "kept",
    }
    result.save()
    make_measurement(result, value_gib_per_s=2.0)
    answer = client.get(f"{RESULTS}hw-3/").json()
    assert answer["measurements"] == [
        {
            "op": "ior-easy-write", "quantity": "bandwidth", "stat": "phase", "value": 2147483648.0, "unit": "B/s",
            "printed_value": 2.0, "printed_unit": "GiB/s", "scored": True, "context": {}, "repeats": None,
        }
    ]  # fmt: skip
    assert answer["scores"] == {"SCORE": {"value": 20.0}}
    assert answer["findings"][0]["code"] == "io500.hash.config"
    assert answer["rules"][0]["outcome"] == "satisfied"
    assert answer["versions"] == {"validators": "1.0.0"}
    assert (answer["hashes"], answer["tests"], answer["facts"]) == ({}, [], {"note": "kept"})
    assert (answer["trust"], answer["bundle_sha256"], answer["platform"]) == ("verified", "0" * 64, "maker-100")
    assert [
        (list_row["release"], list_row["list"], list_row["rank"], list_row["score"]) for list_row in answer["lists"]
    ] == [("T2", "ten", 1, 20.0)]


@pytest.mark.parametrize("measurements", [0, 30])
def test_a_result_costs_three_queries(client, record, django_assert_num_queries, measurements) -> None:
    result = Result.objects.get(public_id="hw-3")
    for number in range(measurements):
        make_measurement(result, op=f"op-{number}")
    with django_assert_num_queries(3):
        assert len(client.get(f"{RESULTS}hw-3/").json()["measurements"]) == measurements


@pytest.mark.parametrize("results", [1, 30])
def test_a_page_of_results_costs_one_query(client, django_assert_num_queries, results) -> None:
    release = make_release("T1")
    for number in range(results):
        make_result(release, f"io500-{number}", float(number), system_name=f"Test system {number}")
    query = "?institution=site+one&release=t1&filesystem_type=lustre&q=site&ordering=-score"
    with django_assert_num_queries(1):
        assert len(ids(client.get(RESULTS + query))) == results


def test_the_files_of_a_result_are_listed_by_path(client, record) -> None:
    result = Result.objects.get(public_id="hw-3")
    make_file(result, "results/result.txt")
    make_file(result, "config.ini")
    files = client.get(f"{RESULTS}hw-3/files/").json()["results"]
    assert files == [
        {"path": "config.ini", "size": 12, "sha256": "ab" * 32, "scrubbed": False},
        {"path": "results/result.txt", "size": 12, "sha256": "ab" * 32, "scrubbed": False},
    ]


def test_distributions_have_their_own_address(client, record) -> None:
    missing = client.get(f"{RESULTS}nothing/distributions/")
    assert (missing.status_code, missing.json()["code"]) == (404, "record.no-result")
    assert client.get(f"{RESULTS}hw-3/distributions/").json() == {"next": None, "results": []}


def test_results_come_as_csv(client, record) -> None:
    answer = client.get(f"{RESULTS}?format=csv&page_size=2")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["id"] for row in rows] == ["hw-3", "io500-2"]
    assert rows[1]["score"] == ""
    assert "cursor=" in answer["Link"]


def test_an_unchanged_answer_costs_304(client, record) -> None:
    first = client.get(RESULTS)
    assert first["Cache-Control"] == "public, no-cache"
    assert client.get(RESULTS, headers={"if-none-match": first["ETag"]}).status_code == 304
    make_result(make_release("T3"), "hw-4")
    assert client.get(RESULTS, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_a_missing_result_is_a_problem(client, record) -> None:
    for address in ("nothing/", "nothing/files/", "%00/", "%ff/"):
        answer = client.get(RESULTS + address)
        assert (answer.status_code, answer.json()["code"]) == (404, "record.no-result")


def test_systems_are_listed_by_name_and_site(client, record) -> None:
    systems = client.get("/api/v1/systems/").json()["results"]
    assert [system["slug"] for system in systems] == ["site-one-test-system-a", "site-two-test-system-b"]
    assert client.get("/api/v1/systems/?institution=site+two").json()["results"] == [
        {"slug": "site-two-test-system-b", "name": "Test system B", "site": "site-two", "institution": "Site Two",
         "platform": None}
    ]  # fmt: skip


def test_a_system_shows_its_best_of_each_release(client, record) -> None:
    system = client.get("/api/v1/systems/site-one-test-system-a/").json()
    assert system["best"] == [
        {"release": "T1", "tool": "io500", "score": 40.0, "results": 1},
        {"release": "T2", "tool": "io500", "score": 20.0, "results": 1},
    ]
    assert ids(client.get(system["results"])) == ["hw-3", "io500-1"]


def test_a_site_shows_its_systems(client, record) -> None:
    site = client.get("/api/v1/sites/site-two/").json()
    assert [system["slug"] for system in site["systems"]] == ["site-two-test-system-b"]
    assert site["best"] == []
    assert [result["slug"] for result in client.get("/api/v1/sites/").json()["results"]] == ["site-one", "site-two"]


def test_a_platform_shows_its_generations(client, record) -> None:
    newer = make_platform("maker-200", "Maker 200", predecessor=Platform.objects.get(slug="maker-100"))
    platform = client.get("/api/v1/platforms/maker-100/").json()
    assert (platform["predecessor"], platform["successors"]) == (None, [newer.slug])
    assert [best_row["score"] for best_row in platform["best"]] == [20.0]
    assert client.get("/api/v1/platforms/MAKER-200/").json()["predecessor"] == "maker-100"
    assert len(client.get("/api/v1/platforms/?vendor=maker").json()["results"]) == 2
    assert client.get("/api/v1/platforms/?vendor=other").json()["results"] == []


def test_names_are_paged_too(client, record) -> None:
    first = client.get("/api/v1/sites/?page_size=1").json()
    second = client.get(first["next"]).json()
    assert [site["slug"] for site in first["results"] + second["results"]] == ["site-one", "site-two"]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("address", "code", "nearest"),
    [
        ("systems/site-one-test-system-x/", "record.no-system", "site-one-test-system-a"),
        ("sites/site-tow/", "record.no-site", "site-two"),
        ("platforms/maker-10/", "record.no-platform", "maker-100"),
    ],
)
def test_a_missing_name_is_answered_with_the_nearest(client, record, address, code, nearest) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["code"]) == (404, code)
    assert nearest in answer.json()["hint"]
