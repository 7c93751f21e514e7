"""Lists rebuilt from published archives: who stands on them, in which order, what is said, what is refused."""

from __future__ import annotations

import csv
import datetime as dt
import io
from typing import Any

import pytest

from registry.lists.ranking import Exclusion
from registry.lists.reconstruction.rebuilt_ranking import find_denied, rank_rebuilt
from registry.models import ListDefinition, RankedList, Release, Result
from tests.registry.record import make_list, make_release, make_result

BEST_PER = ["institution", "system", "filesystem_type"]
FIRST, SECOND, THIRD = dt.date(2021, 6, 1), dt.date(2021, 11, 1), dt.date(2023, 5, 1)


def run(number: int, score: float, nodes: int | None = 10, **facts: Any) -> dict[str, Any]:
    """A candidate of a system of its own, which came with the second release."""
    defaults = {
        "id": number,
        "public_id": f"io500-{number}",
        "institution": "Site",
        "system_name": f"System {number}",
        "filesystem_type": "Lustre",
        "submitted_on": None,
        "scc": None,
        "carried_over": False,
        "release__held_on": SECOND,
    }
    return defaults | {"score": score, "client_nodes": nodes} | facts


def rows(
    scores: dict[int, float],
    name: str = "io500",
    release: int = 2,
    held_on: dt.date = SECOND,
    *,
    complete: bool = False,
) -> list[dict[str, Any]]:
    """Rows of an official list, best first."""
    return [
        {"result": result, "rank": rank, "score": score, "list": name, "complete": complete, "release": release}
        | {"held_on": held_on}
        for rank, (result, score) in enumerate(scores.items(), 1)
    ]


def rank(
    pool: list[dict[str, Any]], published: list[dict[str, Any]] | None = None, name: str = "io500", release: int = 2
) -> tuple[list[tuple[int, str]], dict[str, str]]:
    listed, exclusions = rank_rebuilt(name, BEST_PER, pool, published or [], release)
    return listed, {row.entry.removeprefix("io500-"): row.code for row in exclusions}


def ids(listed: list[tuple[int, str]]) -> list[int]:
    return [int(result.removeprefix("io500-")) for _, result in listed]


def test_entries_are_ordered_by_score_and_equal_scores_share_a_rank() -> None:
    listed, left_out = rank([run(1, 5.0), run(2, 9.0), run(3, 5.0), run(4, 1.0)])
    assert listed == [(1, "io500-2"), (2, "io500-1"), (2, "io500-3"), (4, "io500-4")]
    assert left_out == {}


def test_each_list_requires_its_client_nodes_and_no_student_run() -> None:
    pool = [run(1, 5.0, 9), run(2, 4.0, 10), run(3, 3.0, 11), run(4, 2.0, None), run(5, 1.0, scc=True)]
    listed, left_out = rank(pool)
    assert ids(listed) == [2, 3]
    assert left_out == {"1": "fewer-than-ten-client-nodes", "4": "client-nodes-unknown", "5": "student-run"}
    listed, left_out = rank(pool, name="ten")
    assert ids(listed) == [2]
    assert left_out == {
        "1": "not-ten-client-nodes",
        "3": "not-ten-client-nodes",
        "4": "client-nodes-unknown",
        "5": "student-run",
    }
    assert ids(rank(pool, name="full")[0]) == [1, 2, 3, 4]


def test_the_best_result_of_a_system_ranks_with_its_printed_name() -> None:
    pool = [run(1, 5.0, system_name="Deep"), run(2, 7.0, system_name="deep "), run(3, 6.0, filesystem_type="DAOS")]
    listed, left_out = rank(pool)
    assert (ids(listed), left_out) == ([2, 3], {"1": "not-best"})


def test_entries_of_a_complete_list_need_no_client_nodes() -> None:
    pool = [run(1, 5.0, None, carried_over=True, release__held_on=FIRST), run(2, 4.0, None)]
    assert ids(rank(pool)[0]) == [1]


def test_a_known_official_rank_is_evidence_of_eligibility() -> None:
    """The list of the release before proves that run 1 may stand there; that of this release, that run 3 does."""
    before = rows({1: 6.0}, release=2)
    now = rows({3: 5.0}, release=3, held_on=THIRD)
    pool = [run(1, 6.0, None), run(2, 4.0), run(3, 5.0, None, release__held_on=THIRD)]
    listed, left_out = rank(pool, [*before, *now], release=3)
    assert (ids(listed), left_out) == ([3, 2], {"1": "not-on-official-lists"})


def test_results_missing_among_the_known_ranks_are_left_out() -> None:
    """Known down to 5: 8 is missing there. 4.9 lies below, 5.004 may be printed as 5, and 9 came later."""
    pool = [run(1, 8.0), run(2, 5.0), run(3, 4.9), run(4, 5.004), run(5, 9.0, release__held_on=THIRD)]
    assert find_denied(pool, rows({2: 5.0})) == {1}


def test_only_absence_from_both_lists_excludes_a_result() -> None:
    """Research is known down to 6, production down to 2: what lies above 6 would stand on one of the two."""
    pool = [run(1, 9.0), run(2, 7.0), run(3, 6.0), run(4, 3.0), run(5, 2.0)]
    research, production = rows({3: 6.0}), rows({5: 2.0}, "production")
    assert find_denied(pool, [*research, *production]) == {1, 2}
    assert find_denied(pool, production) == set()
    assert find_denied(pool, [*research, *rows({5: 2.0}, "production", complete=True)]) == {1, 2}


def test_a_run_on_a_later_list_is_not_excluded() -> None:
    pool = [run(1, 8.0), run(2, 5.0)]
    published = [*rows({2: 5.0}), *rows({1: 8.0, 2: 5.0}, release=3, held_on=THIRD)]
    assert find_denied(pool, published) == set()


def test_production_and_research_runs_of_one_system_both_rank() -> None:
    """The committee lists the better run as research and the other one in production; a third run is beaten by both."""
    same = {"system_name": "Deep"}
    pool = [run(1, 9.0, **same), run(2, 7.0, **same), run(3, 6.0, **same), run(4, 1.0)]
    published = [*rows({1: 9.0}), *rows({2: 7.0}, "production")]
    listed, left_out = rank(pool, published)
    assert (ids(listed), left_out) == ([1, 2, 4], {"3": "not-best"})
    later = [run(5, 8.0, release__held_on=THIRD, **same)]
    listed, left_out = rank([*pool, *later], published, release=3)
    assert (ids(listed), left_out) == ([1, 4], {"2": "not-best", "3": "not-best", "5": "not-best"})


def test_results_without_a_score_do_not_rank() -> None:
    listed, exclusions = rank_rebuilt("full", [], [run(1, None), run(2, 3.0)], [], 2)  # type: ignore[arg-type]
    assert (ids(listed), [row.code for row in exclusions]) == ([2], ["no-score"])
    assert all(isinstance(row, Exclusion) for row in exclusions)


# Pages and answers

ADDRESS = "/api/v1/lists/S2/io500/reconstructed/"


@pytest.fixture
def record(db: None) -> Release:
    """S1 is known whole: 1. Of S2 the first rank is known: 2, from slides. 3 and 4 are archives, 4 on four nodes.

    5 was verified here, and is on no list of IO500.
    """
    definition = ListDefinition.objects.create(name="io500", version=7, body={"best_per": BEST_PER})
    first = make_release("S1", "2021-06-01", completeness="complete")
    second = make_release("S2", "2021-11-01", completeness="top10")
    make_release("S0", "2020-06-01", completeness="top10")
    results = [
        make_result(first, "io500-1", 40.0, system_name="One", client_nodes=20),
        make_result(second, "io500-2", 50.0, system_name="Two", client_nodes=None),
    ]
    archive = {"archive": {"release_inferred": "By its number."}}
    derived = {"trust": "derived", "opted_in": False, "snapshot": archive}
    make_result(second, "io500-3", 30.0, system_name="Three", bandwidth_gib_per_s=9.0, rate_kiops=100.0, **derived)
    make_result(second, "io500-4", 20.0, system_name="Four", client_nodes=4, **derived)
    make_result(second, "io500-5", 99.0, system_name="Five", trust="verified", bundle_sha256="ab" * 32)
    make_list(first, "io500", results[:1], definition=definition)
    make_list(second, "io500", results[1:], complete=False, definition=definition, title="IO500")
    return second


def test_a_reconstruction_is_marked_with_its_completeness(client, record) -> None:
    content = client.get(ADDRESS).json()
    assert content["statement"] == "Reconstructed by Highwater from 2 published archives; not an IO500 list."
    assert (content["archives"], content["copied"], content["length"]) == (2, 2, 3)
    assert content["official"] == [
        {"list": "io500", "title": "IO500", "complete": False, "known_entries": 1, "archives": 0, "here": 1}
    ]
    assert [(row["code"], row["results"]) for row in content["left_out"]] == [
        ("fewer-than-ten-client-nodes", ["io500-4"])
    ]
    ranks = [(row["rank"], row["official_rank"], row["result"], row["score"]) for row in content["entries"]]
    assert ranks == [(1, 1, "io500-2", 50.0), (2, None, "io500-1", 40.0), (3, None, "io500-3", 30.0)]
    assert content["entries"][2] == {
        "rank": 3, "official_rank": None, "official_production_rank": None, "result": "io500-3",
        "institution": "Site One", "institution_slug": "site-one", "system": "Three", "system_slug": "site-one-three",
        "filesystem_type": "Lustre 2.15", "client_nodes": 10, "score": 30.0, "bandwidth_gib_per_s": 9.0,
        "rate_kiops": 100.0, "trust": "derived", "trust_label": "derived", "entered": "S2", "entered_inferred": True,
    }  # fmt: skip


def test_a_reconstruction_is_available_as_csv(client, record) -> None:
    answer = client.get(f"{ADDRESS}?format=csv")
    assert answer["Content-Disposition"] == 'attachment; filename="s2-io500-reconstructed.csv"'
    table = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [(row["rank"], row["official_rank"], row["result"]) for row in table] == [
        ("1", "1", "io500-2"),
        ("2", "", "io500-1"),
        ("3", "", "io500-3"),
    ]


def test_withdrawn_and_superseded_runs_are_not_reconstructed(client, record) -> None:
    Result.objects.filter(public_id="io500-1").update(withdrawn_at=dt.datetime(2022, 1, 1, tzinfo=dt.UTC))
    make_result(record, "io500-3b", 3.0, trust="derived", revises=Result.objects.get(public_id="io500-3"))
    assert [row["result"] for row in client.get(ADDRESS).json()["entries"]] == ["io500-2", "io500-3b"]


def test_a_reconstruction_costs_the_same_queries_for_any_number_of_results(
    client, record, django_assert_num_queries
) -> None:
    with django_assert_num_queries(6):
        client.get(ADDRESS)
    for number in range(100, 130):
        make_result(record, f"io500-{number}", number / 100, system_name=f"Other {number}", trust="derived")
    with django_assert_num_queries(6):
        assert client.get(ADDRESS).json()["length"] == 33


def test_the_reconstruction_and_the_official_list_link_each_other(client, record) -> None:
    page = client.get("/lists/S2/io500/reconstructed/")
    content = page.content.decode()
    assert page["Cache-Control"] == "public, max-age=60"
    assert "<b>Reconstructed by Highwater from 2 published archives; not an IO500 list.</b>" in content
    assert '<meta name="robots" content="noindex">' in content
    assert 'href="/lists/S2/io500/"' in content and 'href="/results/io500-3/"' in content
    assert "badge.svg" not in content and "certificate" not in content.replace("badges or certificates", "")
    official = client.get("/lists/S2/io500/").content.decode()
    assert 'href="/lists/S2/io500/reconstructed/"' in official
    assert "the first ranks only" in official
    assert "/reconstructed/" not in client.get("/lists/S1/io500/").content.decode()


def test_a_release_in_another_case_is_redirected(client, record) -> None:
    assert client.get("/lists/s2/IO500/reconstructed/")["Location"] == "/lists/S2/io500/reconstructed/"
    assert client.get("/api/v1/lists/s2/IO500/reconstructed/").json()["list"] == "io500"


def test_reconstructions_change_no_official_list_count_or_feed(client, record) -> None:
    before = RankedList.objects.count()
    client.get(ADDRESS)
    assert RankedList.objects.count() == before
    assert [row["result"] for row in client.get("/api/v1/lists/S2/io500/").json()["entries"]] == ["io500-2"]
    assert "reconstructed" not in client.get("/lists/feed.atom").content.decode().lower()
    assert "reconstructed" not in client.get("/api/v1/releases/S2/awards/").content.decode()


def test_each_list_counts_its_known_entries(client, record) -> None:
    complete_list, first_ranks = (client.get(f"/api/v1/lists/{release}/io500/").json() for release in ("S1", "S2"))
    assert (complete_list["completeness"], complete_list["reconstructed_as"]) == ("1 of 1 entries", None)
    assert first_ranks["completeness"] == "1 entries, the first ranks only; how many the list has is not known"
    assert first_ranks["reconstructed_as"] == "io500"


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("S9/io500", "record.no-release", "Nearest"),
        ("S1/io500", "list.not-reconstructed", "S1 is known whole"),
        ("S1/production", "list.not-reconstructed", "S1 is known whole"),
        ("S2/production", "list.not-reconstructed", "The committee decides which systems are in production"),
        ("S2/ten-production", "list.not-reconstructed", "/lists/S2/ten/reconstructed/"),
        ("S2/historical", "list.not-reconstructed", "io500, ten, full"),
        ("S2/ten", "list.not-reconstructed", "No list ten before S2 is known whole"),
        ("S0/io500", "list.not-reconstructed", "No list io500 before S0 is known whole"),
        ("here/io500", "list.not-reconstructed", "The lists of here are made here"),
    ],
)
def test_impossible_reconstructions_are_refused_with_the_reason(client, record, address, code, words) -> None:
    make_release("here", "2026-01-01", imported=False, deadline=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    answer = client.get(f"/api/v1/lists/{address}/reconstructed/")
    assert (answer.status_code, answer.json()["code"]) == (404, code)
    assert words in answer.json()["hint"]
    page = client.get(f"/lists/{address}/reconstructed/")
    assert page.status_code == 404
    if code == "list.not-reconstructed":
        assert words in page.content.decode()


# The record that is loaded

AFTER_ISC21 = ["SC21", "ISC22", "SC22", "ISC23", "SC23", "ISC24", "SC24", "ISC25", "SC25"]


@pytest.mark.usefixtures("loaded")
@pytest.mark.django_db
@pytest.mark.parametrize("release", AFTER_ISC21)
def test_every_known_official_rank_is_reconstructed_in_order(client, release: str) -> None:
    for name in ("io500", "ten", "full"):
        content = client.get(f"/api/v1/lists/{release}/{name}/reconstructed/").json()
        assert all(row["here"] == row["known_entries"] for row in content["official"]), name
        for column in ("official_rank", "official_production_rank"):
            ranks = [row[column] for row in content["entries"] if row[column] is not None]
            assert ranks == list(range(1, len(ranks) + 1)), (name, column)


@pytest.mark.usefixtures("loaded")
@pytest.mark.django_db
@pytest.mark.parametrize("release", ["SC21", "ISC22", "SC22"])
@pytest.mark.parametrize("name", ["io500", "ten"])
def test_the_first_ten_before_the_production_list_are_the_official_ones(client, release: str, name: str) -> None:
    entries = client.get(f"/api/v1/lists/{release}/{name}/reconstructed/").json()["entries"]
    assert [(row["rank"], row["official_rank"]) for row in entries[:10]] == [(rank, rank) for rank in range(1, 11)]
    assert all(row["official_rank"] is None for row in entries[10:])


@pytest.mark.usefixtures("loaded")
@pytest.mark.django_db
def test_isc24_without_official_lists_has_reconstructions(client) -> None:
    content = client.get("/api/v1/lists/ISC24/ten/reconstructed/").json()
    assert content["official"] == []
    assert content["title"] == "10-node, production and research together"
    assert "slides of this release were not available" in content["not_known"][0]
    assert {row["client_nodes"] for row in content["entries"] if row["entered"] == "ISC24"} == {10}
    assert {"io500-703", "io500-704", "io500-709"} <= {row["result"] for row in content["entries"]}
    assert 'href="/lists/ISC24/ten/reconstructed/"' in client.get("/lists/ISC24/").content.decode()
    production = client.get("/lists/SC24/production/").content.decode()
    assert 'href="/lists/SC24/io500/reconstructed/"' in production
    page = client.get("/lists/ISC24/ten/reconstructed/").content.decode()
    assert "no official rank is known" in page and "Official<br>rank" not in page
