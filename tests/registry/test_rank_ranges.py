"""Ranges of ranks stand beside lists: as sure as scores are, one click from their method, and nothing else moves."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.test import Client
from django.utils import timezone

from registry import facts
from registry.lists import rank_ranges
from registry.lists.listing import build, entries_digest
from registry.models import ListDefinition, RankedList, RankRange, Result
from tests.registry.record import make_list, make_rate, make_release, make_result

pytestmark = pytest.mark.django_db

SCORES = (100.0, 99.0, 97.5, 50.0)


def results_of(scores, release, **facts_of) -> list[Result]:
    return [
        make_result(release, f"x-{place}", score, system_name=f"System {place}", **facts_of)
        for place, score in enumerate(scores)
    ]


@pytest.fixture
def ranked() -> RankedList:
    """A frozen list of single runs: three that can't be told apart, and one far behind."""
    release = make_release("T1")
    ranked = make_list(release, "full", results_of(SCORES, release))
    rank_ranges.index([ranked])
    return ranked


def shown(client: Client) -> list[tuple[int, int, int]]:
    entries = client.get("/api/v1/lists/t1/full/").json()["entries"]
    return [(entry["rank"], entry["rank_low"], entry["rank_high"]) for entry in entries]


def test_entries_that_can_not_be_told_apart_share_their_range_and_keep_their_rank(client, ranked) -> None:
    assert shown(client) == [(1, 1, 3), (2, 1, 3), (3, 1, 3), (4, 4, 4)]
    table = client.get("/api/v1/lists/t1/full/?format=csv").content.decode().splitlines()
    assert table[3].startswith("3,1,3,x-2,")


def test_ranges_are_no_part_of_a_frozen_list(client, ranked) -> None:
    ranked.refresh_from_db()
    assert ranked.digest == entries_digest(ranked.entries.select_related("result"))
    assert list(ranked.entries.values_list("rank_low", "rank_high")) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    RankRange.objects.all().delete()
    assert shown(client) == [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4)]


def test_pages_show_ranges_with_the_way_to_their_method(client, ranked) -> None:
    page = client.get("/lists/T1/full/").content.decode()
    assert page.count("<small>1\N{EN DASH}3</small>") == 3
    assert 'href="/docs/uncertainty/#ranks"' in page
    one, last = (client.get(f"/results/x-{place}/").content.decode() for place in (1, 3))
    assert "1\N{EN DASH}3 can\N{RIGHT SINGLE QUOTATION MARK}t be told apart" in one
    assert "be told apart" not in last
    assert 'id="ranks"' in client.get("/docs/uncertainty/").content.decode()


def test_a_published_rank_is_always_in_its_range() -> None:
    """Imported lists gave two equal scores two ranks, and now and then a lower score the better one."""
    release = make_release("T1")
    ranked = make_list(release, "full", results_of((50.0, 100.0), release))
    rank_ranges.index([ranked])
    found = RankRange.objects.order_by("entry__position").values_list("entry__rank", "low", "high")
    assert [low <= rank <= high for rank, low, high in found] == [True, True]


def test_a_list_of_measurements_takes_the_deviation_that_its_tool_prints() -> None:
    """Two sets of five runs 1 % apart: told apart where runs vary by 0.1 %, a tie where by 3 %."""
    release = make_release("T1")
    body = {"ranks": {"tool": "mlperf-storage", "op": "unet3d", "quantity": "rate", "stat": "mean", "unit": "ops/s"}}
    definition = ListDefinition.objects.create(name="ml", version=1, body=body)
    for name, percent in (("steady", 0.1), ("unsteady", 3.0)):
        runs = [
            make_result(release, f"{name}-{mean}", mean, tool="mlperf-storage", parameters={"runs": 5})
            for mean in (101.0, 100.0)
        ]
        for result in runs:
            make_rate(result, "unet3d", "mean", result.score)
            make_rate(result, "unet3d", "stdev", result.score * percent / 100)
        rank_ranges.index([make_list(release, name, runs, definition=definition)])
    found = RankRange.objects.order_by("entry__ranked_list_id", "entry__position").values_list("low", "high")
    assert list(found) == [(1, 1), (2, 2), (1, 2), (1, 2)]


def test_a_list_made_here_has_ranges_and_knows_the_repeats_of_its_results() -> None:
    """The best of three runs that vary by 10 % can't be told apart from the next system, 20 % behind."""
    release = make_release("here", imported=False, deadline=timezone.now())
    body = {
        "name": "full", "title": "Full", "position": 0, "pool": "results", "eligible": [], "best_per": ["system"],
        "score": "score", "ties": "share", "applies_to": {"origin": "here"}, "description": "All.",
    }  # fmt: skip
    ListDefinition.objects.create(name="full", version=1, body=body)
    verified = {"trust": "verified", "bundle_sha256": "ab" * 32, "parameters": {"api": "POSIX"}}
    again = [make_result(release, f"a-{score}", score, **verified) for score in (81.0, 90.0, 99.0)]
    single = [
        make_result(release, f"s-{score}", score, system_name=f"Other {score}", **verified) for score in (80.0, 40.0)
    ]
    facts.index(result.pk for result in (*again, *single))
    ranked = build(release, "full", freeze=True)
    found = RankRange.objects.order_by("entry__position").values_list("entry__result__public_id", "low", "high")
    assert list(found) == [("a-99.0", 1, 2), ("s-80.0", 1, 2), ("s-40.0", 3, 3)]
    assert ranked.digest == entries_digest(ranked.entries.select_related("result"))


def test_published_lists_have_ranges_around_their_ranks(client, loaded) -> None:
    """Neighbours within 2.9 % are tied, those more than 3.1 % apart are not, and ranges hold every published rank."""
    entries = client.get("/api/v1/lists/sc19/full/").json()["entries"]
    assert all(entry["rank_low"] <= entry["rank"] <= entry["rank_high"] for entry in entries)
    tied = apart = 0
    for place, (before, after) in enumerate(pairwise(entries), 1):
        times = before["score"] / after["score"]
        if times < 1.029:
            assert after["rank_low"] <= place < before["rank_high"]
            tied += 1
        elif times > 1.031:
            assert before["rank_high"] <= place < after["rank_low"]
            apart += 1
    assert tied > 5
    assert apart > 5
