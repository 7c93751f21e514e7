"""Assumed ranks of a list: only where a reader asks for them, under names of their own, beside what was published."""

from __future__ import annotations

import csv
import html

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.comparison import simultaneous
from registry.lists import rank_ranges
from registry.models import ListDefinition, RankedList
from tests.html import page_source
from tests.registry.record import make_list, make_rate, make_release, make_result

pytestmark = pytest.mark.django_db

API, PAGE = "/api/v1/lists/T1/full/", "/lists/T1/full/"
ASSUME = "assume=prior"


def scored(scores, name: str = "full", **facts) -> RankedList:
    release = make_release("T1")
    results = [make_result(release, f"x-{place}", score) for place, score in enumerate(scores, 1)]
    return make_list(release, name, results, **facts)


@pytest.fixture
def ranked() -> RankedList:
    """Three entries: of 2,000,000 ranges of three values that numpy draws 5 % are above 8.700, a factor of 2.079."""
    return scored((1000.0, 500.0, 245.0))


def ranges(client, address: str = f"{API}?{ASSUME}") -> list[tuple[int, int]]:
    return [(row["assumed_rank_low"], row["assumed_rank_high"]) for row in client.get(address).json()["entries"]]


def test_assumed_ranks_name_their_assumption(client, ranked) -> None:
    document = client.get(f"{API}?{ASSUME}").json()
    assert ranges(client) == [(1, 2), (1, 3), (2, 3)]
    assert (document["assumption"]["name"], document["assumption"]["degrees"]) == ("score", 2)
    assert document["assumption"]["scale_percent"] == 8.41
    assert document["assumed_factor"] == pytest.approx(2.079, abs=0.005)
    assert document["not_assumed"] is None
    assert [(row["rank"], row["rank_low"], row["rank_high"]) for row in document["entries"]] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]


def test_assumed_ranks_are_absent_without_the_parameter(client, ranked) -> None:
    before = {address: client.get(address).content for address in (API, PAGE, f"{API}?format=csv")}
    tags = client.get(API)["ETag"], client.get(f"{API}?{ASSUME}")["ETag"]
    assert tags[0] != tags[1]
    assert {address: client.get(address).content for address in before} == before
    assert all(b"assume" not in content for content in before.values())
    document = client.get(API).json()
    assert not {"assumption", "assumed_factor", "not_assumed"} & set(document)
    assert not any(name.startswith("assumed") for row in document["entries"] for name in row)


def test_csv_has_two_more_columns(client, ranked) -> None:
    plain, assumed = (
        list(csv.DictReader(client.get(f"{API}?format=csv{more}").content.decode().splitlines()))
        for more in ("", f"&{ASSUME}")
    )
    assert list(assumed[0]) == [*plain[0], "assumed_rank_low", "assumed_rank_high"]
    assert [(row["assumed_rank_low"], row["assumed_rank_high"]) for row in assumed] == [
        ("1", "2"),
        ("1", "3"),
        ("2", "3"),
    ]


def test_ranks_are_over_the_whole_list_whatever_part_is_shown(client, ranked) -> None:
    first = client.get(f"{API}?{ASSUME}&page_size=1").json()
    assert (first["entries"][0]["assumed_rank_low"], first["entries"][0]["assumed_rank_high"]) == (1, 2)
    assert ASSUME in first["next"]
    assert ranges(client, first["next"]) == [(1, 3)]
    assert ranges(client, f"{API}?{ASSUME}&ordering=score") == [(2, 3), (1, 3), (1, 2)]


def test_the_page_shows_the_assumed_deviation_and_keeps_it_in_links(client, ranked) -> None:
    page = html.unescape(page_source(client.get(f"{PAGE}?{ASSUME}")))
    assert "Assumed<br>range" in page and "<small>1\N{EN DASH}2</small>" in page
    assert "if</b> one run deviates from its usual value by 8.41 % times Student" in page
    assert "2 degrees of freedom" in page
    assert f"?{ASSUME}&ordering=score" in page and 'name="assume" value="prior"' in page
    assert "95 %" not in page


@pytest.mark.parametrize("address", [API, PAGE])
@pytest.mark.parametrize("value", ["posterior", "prior,prior", "1"])
def test_another_assumption_is_refused(client, ranked, address: str, value: str) -> None:
    answer = client.get(f"{address}?assume={value}")
    assert answer.status_code == 400
    assert "prior" in answer.content.decode()


def test_equal_scores_keep_their_shared_ranks(client) -> None:
    scored((1000.0, 500.0, 500.0, 1.0))
    assert ranges(client) == [(1, 3), (1, 3), (1, 3), (4, 4)]


def test_an_incomplete_list_has_no_assumed_ranks(client) -> None:
    scored((1000.0, 500.0), complete=False)
    document = client.get(f"{API}?{ASSUME}").json()
    assert (document["assumption"], document["not_assumed"]["code"]) == (None, "incomplete")
    assert ranges(client) == [(None, None)] * 2
    assert "may stand above any of them" in client.get(f"{PAGE}?{ASSUME}").content.decode()


def of_measurement(tool: str, op: str, quantity: str, *, repeated: bool) -> None:
    ranks = {"tool": tool, "op": op, "quantity": quantity, "stat": "mean", "unit": "ops/s", "title": "Rate"}
    definition = ListDefinition.objects.create(name="full", version=1, body={"ranks": ranks, "columns": []})
    release = make_release("T1")
    results = [
        make_result(release, f"x-{place}", score, tool=tool, parameters={"runs": 5})
        for place, score in enumerate((100.0, 98.0))
    ]
    for result in results:
        make_rate(result, op, "mean", result.score).__class__.objects.filter(result=result).update(quantity=quantity)
        if repeated:
            make_rate(result, op, "stdev", 1.0).__class__.objects.filter(result=result).update(quantity=quantity)
    rank_ranges.index_ranges([make_list(release, "full", results, definition=definition)])


def test_repeats_of_all_entries_override_the_assumption(client) -> None:
    of_measurement("mlperf-storage", "unet3d", "samples_rate", repeated=True)
    document = client.get(f"{API}?{ASSUME}").json()
    assert document["not_assumed"]["code"] == "repeated"
    assert ranges(client) == [(None, None)] * 2


def test_single_runs_of_mlperf_have_their_assumed_class(client) -> None:
    """A factor of exp(0.0014 x 25.41), 1.036: 100 and 98 are not told apart."""
    of_measurement("mlperf-storage", "unet3d", "samples_rate", repeated=False)
    assert ranges(client) == [(1, 2)] * 2
    assert client.get(f"{API}?{ASSUME}").json()["assumed_factor"] == pytest.approx(1.0362, abs=2e-4)


def test_quantities_without_repeats_have_no_assumed_ranks(client) -> None:
    of_measurement("fio", "read", "iops", repeated=False)
    assert client.get(f"{API}?{ASSUME}").json()["not_assumed"]["code"] == "no-class"
    assert ranges(client) == [(None, None)] * 2


def test_a_factor_beyond_all_numbers_gives_all_ranks(client, ranked, monkeypatch) -> None:
    for module in (rank_ranges, simultaneous):  # 0.0841 x 10,000 is 841, and exp(709.8) is the largest number
        monkeypatch.setattr(module, "range_quantile", lambda count, degrees: 10_000.0)
    document = client.get(f"{API}?{ASSUME}").json()
    assert (document["assumed_factor"], document["not_assumed"]) == (None, None)
    assert ranges(client) == [(1, 3)] * 3
    assert "No factor between two scores is large enough then." in client.get(f"{PAGE}?{ASSUME}").content.decode()


def test_lists_of_no_and_one_entry_have_assumed_ranks(client) -> None:
    scored(())
    assert client.get(f"{API}?{ASSUME}").json()["entries"] == []
    assert client.get(f"{PAGE}?{ASSUME}").status_code == 200


def test_assumed_ranks_cost_one_query(client, ranked) -> None:
    with CaptureQueriesContext(connection) as plain:
        client.get(API)
    with CaptureQueriesContext(connection) as assumed:
        client.get(f"{API}?{ASSUME}")
    assert len(assumed) == len(plain) + 1
