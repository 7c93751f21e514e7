"""Ranges of ranks stand beside lists: by repeats and equal scores alone, one click from their method."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from registry.lists import rank_ranges
from registry.lists.listing import entries_digest, freeze_list
from registry.models import Fact, ListDefinition, Measurement, RankedList, RankRange, Result
from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import described, make_list, make_rate, make_release, make_result

pytestmark = pytest.mark.django_db

SCORES = (100.0, 99.0, 97.5, 50.0)


def results_of(scores, release, **facts_of) -> list[Result]:
    return [
        make_result(release, f"x-{place}", score, system_name=f"System {place}", **facts_of)
        for place, score in enumerate(scores)
    ]


RATE = {"tool": "mlperf-storage", "op": "unet3d", "quantity": "rate", "stat": "mean", "unit": "ops/s", "title": "Rate"}
BODY = {"ranks": RATE, "columns": []}


def repeated(scores, release, percent: float, name: str = "x") -> list[Result]:
    """Five runs each, whose printed deviation is so large."""
    runs = [
        make_result(release, f"{name}-{place}", mean, tool="mlperf-storage", parameters={"runs": 5})
        for place, mean in enumerate(scores)
    ]
    for result in runs:
        make_rate(result, "unet3d", "mean", result.score)
        make_rate(result, "unet3d", "stdev", result.score * percent / 100)
    return runs


@pytest.fixture
def single() -> RankedList:
    """A frozen list of single runs, of which two are equal and the others close."""
    release = make_release("T1")
    ranked = make_list(release, "full", results_of((100.0, 99.0, 99.0, 98.9), release))
    rank_ranges.index_ranges([ranked])
    return ranked


@pytest.fixture
def ranked() -> RankedList:
    """A frozen list of sets of five runs: three that can't be told apart, and one far behind."""
    release = make_release("T1")
    definition = ListDefinition.objects.create(name="full", version=1, body=BODY)
    ranked = make_list(release, "full", repeated(SCORES, release, 1.5), definition=definition)
    rank_ranges.index_ranges([ranked])
    return ranked


def shown(client: Client) -> list[tuple[int, int, int]]:
    entries = client.get("/api/v1/lists/t1/full/").json()["entries"]
    return [(entry["rank"], entry["rank_low"], entry["rank_high"]) for entry in entries]


def test_single_runs_share_ranks_by_equal_scores_alone(client, single) -> None:
    assert shown(client) == [(1, 1, 1), (2, 2, 3), (2, 2, 3), (4, 4, 4)]
    assert not RankRange.objects.exists()
    table = client.get("/api/v1/lists/t1/full/?format=csv").content.decode().splitlines()
    assert table[4].startswith("4,4,4,x-3,")
    page = client.get("/lists/T1/full/").content.decode()
    assert "No run was repeated" in page and 'href="/docs/uncertainty/#ranks"' in page


def test_entries_whose_repeats_overlap_share_their_range_and_keep_their_rank(client, ranked) -> None:
    assert shown(client) == [(1, 1, 3), (2, 1, 3), (3, 1, 3), (4, 4, 4)]
    table = client.get("/api/v1/lists/t1/full/?format=csv").content.decode().splitlines()
    assert table[3].startswith("3,1,3,x-2,")


def test_ranges_are_no_part_of_a_frozen_list(client, ranked) -> None:
    ranked.refresh_from_db()
    assert ranked.digest == entries_digest(ranked.entries.select_related("result"))
    assert list(ranked.entries.values_list("rank_low", "rank_high")) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    RankRange.objects.all().delete()
    assert shown(client) == [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4)]


def test_ranges_assumed_by_an_earlier_version_are_removed(client, single) -> None:
    before = single.digest
    RankRange.objects.create(entry=single.entries.get(position=1), low=1, high=4)
    rank_ranges.index_ranges([single])
    single.refresh_from_db()
    assert shown(client)[0] == (1, 1, 1)
    assert single.digest == before == entries_digest(single.entries.select_related("result"))


def test_assumed_ranges_are_removed_without_history() -> None:
    release = make_release("here", imported=False, deadline=timezone.now())
    ranked = make_list(release, "full", results_of((100.0, 99.0), release))
    RankRange.objects.create(entry=ranked.entries.get(position=1), low=1, high=2)
    Fact.objects.create(
        result=ranked.entries.get(position=1).result, name="configuration", text="of an earlier version"
    )
    call_command("load_catalogue", "--without-history")
    assert not RankRange.objects.exists()
    assert not Fact.objects.filter(name="configuration").exists()


def test_pages_show_ranges_with_the_way_to_their_method(client, ranked) -> None:
    page = client.get("/lists/T1/full/").content.decode()
    assert page.count("<small>1\N{EN DASH}3</small>") == 3
    assert 'href="/docs/uncertainty/#ranks"' in page
    assert "not repeated" not in page and "No run was repeated" not in page
    first_page, last = (client.get(f"/results/x-{place}/").content.decode() for place in (1, 3))
    assert "1\N{EN DASH}3 by equal scores or repeats" in first_page
    assert "by equal scores or repeats" not in last
    assert 'id="ranks"' in client.get("/docs/uncertainty/").content.decode()


def test_a_partly_repeated_list_counts_single_runs(client) -> None:
    release = make_release("T1")
    definition = ListDefinition.objects.create(name="full", version=1, body=BODY)
    results = repeated((100.0, 99.0), release, 1.5)
    alone = make_result(release, "alone", 98.9, tool="mlperf-storage")
    make_rate(alone, "unet3d", "mean", 98.9)
    rank_ranges.index_ranges([make_list(release, "full", [*results, alone], definition=definition)])
    assert shown(client) == [(1, 1, 2), (2, 1, 2), (3, 3, 3)]
    assert "1 of 3 runs were not repeated" in page_source(client.get("/lists/T1/full/"))


def test_a_published_rank_is_always_in_its_range() -> None:
    """Imported lists gave two equal scores two ranks, and now and then a lower score the better one."""
    release = make_release("T1")
    definition = ListDefinition.objects.create(name="full", version=1, body=BODY)
    ranked = make_list(release, "full", repeated((50.0, 100.0), release, 1.0), definition=definition)
    rank_ranges.index_ranges([ranked])
    ranges = RankRange.objects.order_by("entry__position").values_list("entry__rank", "low", "high")
    assert [low <= rank <= high for rank, low, high in ranges] == [True, True]


def test_a_list_of_measurements_takes_the_deviation_that_its_tool_prints() -> None:
    """Two sets of five runs 1 % apart: told apart where runs vary by 0.1 %, a tie where by 3 %."""
    release = make_release("T1")
    definition = ListDefinition.objects.create(name="ml", version=1, body=BODY)
    for name, percent in (("steady", 0.1), ("unsteady", 3.0)):
        runs = repeated((101.0, 100.0), release, percent, name)
        rank_ranges.index_ranges([make_list(release, name, runs, definition=definition)])
    ranges = RankRange.objects.order_by("entry__ranked_list_id", "entry__position").values_list("low", "high")
    assert list(ranges) == [(1, 1), (2, 2), (1, 2), (1, 2)]


def test_a_list_made_here_has_ranges_and_knows_the_repeats_of_its_results() -> None:
    """The best of three runs that vary by 10 % can't be told from three others; of single runs no more is said."""
    release = make_release("here", imported=False, deadline=timezone.now())
    body = {
        "name": "full", "title": "Full", "position": 0, "pool": "results", "eligible": [], "best_per": ["system"],
        "score": "score", "ties": "share", "applies_to": {"origin": "here"}, "description": "All.",
    }  # fmt: skip
    ListDefinition.objects.create(name="full", version=1, body=body)

    def run(name: str, score: float, **of) -> Result:
        verified = {"trust": "verified", "bundle_sha256": "ab" * 32, "tool_version": "sc25"}
        return described(make_result(release, name, score, parameters={"api": "POSIX"}, **verified | of))

    again = [run(f"{name}-{score}", score, system_name=name) for name in "ab" for score in (81.0, 90.0, 99.0)]
    alone = [run(f"s-{score}", score, system_name=f"Other {score}") for score in (98.0, 40.0)]
    fact_index.rebuild_facts(result.pk for result in (*again, *alone))
    ranked = freeze_list(release, "full", freeze=True)
    assert list(ranked.entries.values_list("result__public_id", "rank_low", "rank_high")) == [
        ("a-99.0", 1, 2), ("b-99.0", 1, 2), ("s-98.0", 3, 3), ("s-40.0", 4, 4),
    ]  # fmt: skip
    ranges = RankRange.objects.order_by("entry__position").values_list("entry__result__public_id", "low", "high")
    assert list(ranges) == [("a-99.0", 1, 2), ("b-99.0", 1, 2)]
    assert ranked.digest == entries_digest(ranked.entries.select_related("result"))


def test_every_range_of_every_published_list_is_measured_over_three_runs_and_more(client, loaded) -> None:
    """Sets of five runs of MLPerf Storage; no list of IO500 was repeated, and none has more than its equal scores."""
    deviations = Measurement.objects.filter(stat="stdev", result__tool="mlperf-storage")
    result_ids = set(deviations.values_list("result_id", flat=True))
    ranges = RankRange.objects.values_list("entry__result_id", "entry__result__parameters__runs")
    assert len(ranges) > 100
    assert {pk for pk, _ in ranges} <= result_ids
    assert all(runs >= 3 for _, runs in ranges)
    for ranked in RankedList.objects.exclude(trust="reported").select_related("release"):
        entries = client.get(f"/api/v1/lists/{ranked.release.slug}/{ranked.name}/").json()["entries"]
        assert all(entry["rank_low"] <= entry["rank"] <= entry["rank_high"] for entry in entries)
        if Result.objects.filter(entries__ranked_list=ranked).exclude(tool="mlperf-storage").exists():
            stored = ranked.entries.order_by("position").values_list("rank_low", "rank_high")
            assert [(entry["rank_low"], entry["rank_high"]) for entry in entries] == list(stored)
