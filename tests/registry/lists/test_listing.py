"""Lists made here: from verified results, by the current definitions, frozen once."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from registry.lists.definitions import read_definitions
from registry.lists.listing import ListError, check_list, compute_list, freeze_list
from registry.lists.ranking import Differences
from registry.models import ListDefinition, Override, RankedList, Release, Result, Site, System

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Release:
    for body in read_definitions():
        ListDefinition.objects.create(name=body["name"], version=body["version"], body=body)
    return make_release("next", date(2026, 12, 1))


def make_release(slug: str, held_on: date) -> Release:
    return Release.objects.create(slug=slug, name=slug, held_on=held_on, deadline=timezone.now())


def publish(release: Release, public_id: str, score: float | None, **changed: Any) -> Result:
    """A verified result of ten client nodes on a research system, one system per result unless told otherwise."""
    site, _ = Site.objects.get_or_create(slug="hall", defaults={"name": "Hall of Storage"})
    name = changed.pop("system_name", public_id)
    system, _ = System.objects.get_or_create(site=site, name=name, defaults={"slug": f"hall-{name}"})
    values = {
        "tool": "io500",
        "trust": "verified",
        "site": site,
        "system": system,
        "institution": site.name,
        "system_name": name,
        "filesystem_type": "Lustre",
        "client_nodes": 10,
        "lists": ["io500", "ten", "full"],
        "bundle_sha256": "ab" * 32,
        "reproducibility": "fully",
    }
    return Result.objects.create(public_id=public_id, release=release, score=score, **values | changed)


def listed(ranked_list: RankedList) -> list[tuple[int, str]]:
    return list(ranked_list.entries.values_list("rank", "result__public_id"))


def test_verified_results_are_ranked_and_ties_share_a_rank(release: Release) -> None:
    for name, score in (("a", 5.0), ("b", 9.0), ("c", 5.0), ("d", 1.0)):
        publish(release, name, score)
    ranked_list = freeze_list(release, "ten")
    assert listed(ranked_list) == [(1, "b"), (2, "a"), (2, "c"), (4, "d")]
    assert list(ranked_list.entries.values_list("position", "rank_low", "rank_high")) == [
        (1, 1, 1),
        (2, 2, 3),
        (3, 2, 3),
        (4, 4, 4),
    ]


def test_imported_and_reported_results_never_enter_a_list_made_here(release: Release) -> None:
    publish(release, "a", 1.0)
    publish(release, "b", 9.0, trust="imported", bundle_sha256="")
    publish(release, "c", 9.0, trust="reported", bundle_sha256="")
    assert listed(freeze_list(release, "ten")) == [(1, "a")]


def test_withdrawn_and_superseded_results_leave_the_list(release: Release) -> None:
    publish(release, "a", 9.0, withdrawn_at=timezone.now())
    old = publish(release, "b", 8.0, system_name="s")
    publish(release, "b-2", 7.0, system_name="s", revises=old, revision=2)
    assert listed(freeze_list(release, "ten")) == [(1, "b-2")]


def test_results_withdrawn_after_publication_stay_on_their_list_only(release: Release) -> None:
    result = publish(release, "a", 9.0)
    release.published_at = timezone.now()
    release.save()
    ranked_list = freeze_list(release, "ten", freeze=True)
    result.withdrawn_at = timezone.now()
    result.save()
    assert check_list(ranked_list) == Differences()
    assert listed(ranked_list) == [(1, "a")]
    assert listed(freeze_list(make_release("later", date(2027, 6, 1)), "ten")) == []


def test_results_without_a_score_are_not_ranked(release: Release) -> None:
    publish(release, "a", None)
    publish(release, "b", 0.0)
    assert listed(freeze_list(release, "ten")) == []


def test_the_best_result_of_a_system_ranks_in_any_spelling(release: Release) -> None:
    publish(release, "a", 1.0, system_name="s", institution="The Hall")
    publish(release, "b", 2.0, system_name="s", filesystem_type="EXAScaler", filesystem_family="Lustre")
    assert listed(freeze_list(release, "ten")) == [(1, "b")]


def test_an_entry_persists_into_later_releases_and_is_new_only_once(release: Release) -> None:
    publish(release, "a", 1.0)
    later = make_release("later", date(2027, 6, 1))
    publish(later, "b", 2.0)
    assert listed(freeze_list(release, "ten")) == [(1, "a")]
    second = freeze_list(later, "ten")
    assert list(second.entries.values_list("result__public_id", "new")) == [("b", True), ("a", False)]


def test_an_override_shows_its_reason(release: Release) -> None:
    small = publish(release, "a", 9.0, client_nodes=4)
    publish(release, "b", 1.0)
    Override.objects.create(
        release=release, list_name="ten", result=small, action="include", reason="Voted in.", decided_by="erin"
    )
    assert listed(freeze_list(release, "ten")) == [(1, "a"), (2, "b")]
    assert RankedList.objects.get().entries.get(rank=1).note == "Voted in."


def test_a_rebuild_follows_the_record_until_the_list_is_frozen(release: Release) -> None:
    publish(release, "a", 1.0)
    first = freeze_list(release, "ten")
    publish(release, "b", 2.0)
    assert check_list(first) and check_list(first).surplus == ("b",)  # type: ignore[union-attr]
    second = freeze_list(release, "ten", freeze=True)
    assert (second.id, listed(second)) == (first.id, [(1, "b"), (2, "a")])
    assert second.digest != first.digest
    with pytest.raises(ListError, match="frozen"):
        freeze_list(release, "ten")
    with pytest.raises(CommandError, match="frozen"):
        call_command("rebuild_list", "NEXT", "ten")


def test_a_failed_rebuild_leaves_the_list_as_it_was(release: Release) -> None:
    result = publish(release, "a", 1.0)
    ranked_list = freeze_list(release, "ten")
    definition = ListDefinition.objects.get(name="ten", version=4)
    definition.body["eligible"].append({"fact": "client_nodes", "matches": 1, "code": "x", "otherwise": "No."})
    definition.save()
    with pytest.raises(CommandError):
        call_command("rebuild_list", "next", "ten")
    assert listed(ranked_list) == [(1, result.public_id)]


def test_the_newest_version_of_a_definition_makes_the_list(release: Release) -> None:
    publish(release, "hw-1", 12.0)
    freeze_list(release, "ten")
    body = ListDefinition.objects.get(name="ten", version=4).body | {"version": 10}
    ListDefinition.objects.create(name="ten", version=10, body=body)
    assert freeze_list(release, "ten", freeze=True).definition.version == 10


def test_an_unknown_list_is_refused(release: Release) -> None:
    with pytest.raises(ListError, match="No definition of the list twenty"):
        compute_list(release, "twenty")


def test_building_costs_the_same_queries_for_any_number_of_results(
    release: Release, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        publish(release, f"a{number}", float(number + 1))
    freeze_list(release, "ten")
    with django_assert_num_queries(14):
        freeze_list(release, "ten")
    for number in range(30):
        publish(release, f"b{number}", float(number + 1))
    with django_assert_num_queries(14):
        freeze_list(release, "ten")
