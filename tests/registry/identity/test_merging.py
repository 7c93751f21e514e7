"""Merging and splitting of the record: what moves, what stays, and that undoing an act restores every link."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from registry.identity import errors, history, merging, splitting
from registry.identity.merging import Decision, Kind
from registry.lists import listing
from registry.lists.definitions import read_definitions
from registry.models import Fact, IdentityChange, Platform, RankedList, Release, Result, Site, Step, System
from registry.query.facts import fact_index
from tests.registry.record import make_list, make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db

WHY = Decision("The annual report of both says so.", "erin", "annual report 2025, page 3")


@pytest.fixture
def release() -> Release:
    return make_release("sc30", "2030-11-01")


def links() -> dict[str, Any]:
    """Everything that an act may move, by name."""
    return {
        "results": list(
            Result.objects.order_by("pk").values_list("public_id", "site__slug", "system__slug", "platform")
        ),
        "systems": list(
            System.objects.order_by("pk").values_list("slug", "site__slug", "name", "platform", "merged_into")
        ),
        "sites": list(Site.objects.order_by("pk").values_list("slug", "name", "also_printed_as", "merged_into")),
        "platforms": list(Platform.objects.order_by("pk").values_list("slug", "predecessor", "merged_into")),
        "steps": list(Step.objects.order_by("pk").values_list("pk", "system__slug")),
        "facts": sorted(Fact.objects.values_list("result__public_id", "name", "text")),
    }


def rebuild() -> None:
    fact_index.rebuild_facts(Result.objects.values_list("pk", flat=True))


def make_step(before: Result, after: Result) -> Step:
    facts = {"op": "write", "day": dt.date(2030, 1, 2), "level_before": 2.0, "level_after": 1.0, "chance": 0.001}
    return Step.objects.create(
        system=after.system,
        series="a" * 32,
        better=False,
        before=before,
        after=after,
        state="explained",
        note="A fan.",
        **facts,
    )


@pytest.fixture
def two_sites(release: Release) -> None:
    """Both have a system called Shared; each has one of its own. A step of one is explained."""
    first = make_result(release, "io500-1", institution="Long Name", system_name="Shared")
    make_result(release, "io500-2", institution="Long Name", system_name="Own A")
    make_result(release, "io500-3", institution="LN", system_name="shared")
    make_result(release, "io500-4", institution="LN", system_name="Own B")
    make_step(Result.objects.get(public_id="io500-4"), Result.objects.get(public_id="io500-4"))
    rebuild()
    assert first.site.slug == "long-name"


def test_a_merged_site_brings_its_systems_and_merges_namesakes(two_sites: None) -> None:
    moved = merging.merge_names(Kind.SITE, "ln", "long-name", WHY)
    stands = dict(Result.objects.values_list("public_id", "system__slug"))
    assert stands == {
        "io500-1": "long-name-shared",
        "io500-2": "long-name-own-a",
        "io500-3": "long-name-shared",
        "io500-4": "ln-own-b",
    }
    assert set(Result.objects.values_list("site__slug", flat=True)) == {"long-name"}
    assert System.objects.get(slug="ln-own-b").site.slug == "long-name"
    assert System.objects.get(slug="ln-shared").merged_into == System.objects.get(slug="long-name-shared")
    assert Site.objects.get(slug="ln").merged_into == Site.objects.get(slug="long-name")
    assert Site.objects.get(slug="long-name").also_printed_as == ["LN"]
    assert moved.systems == set(System.objects.exclude(slug="long-name-own-a").values_list("pk", flat=True))
    assert Fact.objects.get(result__public_id="io500-3", name="institution").text == "Long Name"
    assert Fact.objects.get(result__public_id="io500-3", name="system").text == "Shared"


def test_printed_names_and_frozen_lists_are_unchanged(release: Release) -> None:
    old = make_result(release, "io500-1", institution="LN", system_name="B1")
    make_result(release, "io500-2", institution="Long Name", system_name="Own A")
    ranked = make_list(release, "full", [old])
    before = ranked.digest, list(ranked.entries.values())
    merging.merge_names(Kind.SITE, "ln", "long-name", WHY)
    old.refresh_from_db()
    ranked.refresh_from_db()
    assert (old.institution, old.system_name) == ("LN", "B1")
    assert (ranked.digest, list(ranked.entries.values())) == before
    assert listing.entries_digest(ranked.entries.order_by("position").select_related("result")) == before[0]


def test_undoing_restores_every_link(two_sites: None) -> None:
    before = links()
    act = merging.merge_names(Kind.SITE, "ln", "long-name", WHY).change
    assert links() != before
    merging.undo_change(act.pk, Decision("It was wrong.", "fay"))
    assert links() == before
    act.refresh_from_db()
    assert (act.undone_by, act.undone_reason, act.undone_at is not None) == ("fay", "It was wrong.", True)


def test_later_rows_stay_when_a_merge_is_undone(two_sites: None, release: Release) -> None:
    act = merging.merge_names(Kind.SITE, "ln", "long-name", WHY).change
    own = System.objects.get(slug="ln-own-b")
    make_result(release, "io500-9", site=own.site, system=own)
    merging.undo_change(act.pk, WHY)
    stands = dict(Result.objects.values_list("public_id", "site__slug"))
    assert (stands["io500-4"], stands["io500-9"]) == ("ln", "long-name")
    later = Result.objects.get(public_id="io500-9").system
    assert (later.name, later.slug, later.site.slug) == ("Own B", "long-name-own-b", "long-name")


@pytest.mark.parametrize("first_undone", [0, 1])
def test_a_chain_of_merges_is_flat_and_undone_in_any_order(release: Release, first_undone: int) -> None:
    for number, name in enumerate("ABC", 1):
        make_result(release, f"io500-{number}", institution="Site", system_name=name)
    rebuild()
    before = links()
    acts = [
        merging.merge_names(Kind.SYSTEM, *slugs, WHY).change for slugs in (("site-a", "site-b"), ("site-b", "site-c"))
    ]
    assert set(System.objects.exclude(slug="site-c").values_list("merged_into__slug", flat=True)) == {"site-c"}
    assert set(Result.objects.values_list("system__slug", flat=True)) == {"site-c"}
    merging.undo_change(acts[first_undone].pk, WHY)
    between = dict(Result.objects.values_list("public_id", "system__slug"))
    assert (
        between
        == [
            {"io500-1": "site-a", "io500-2": "site-c", "io500-3": "site-c"},
            {"io500-1": "site-b", "io500-2": "site-b", "io500-3": "site-c"},
        ][first_undone]
    )
    merging.undo_change(acts[1 - first_undone].pk, WHY)
    assert links() == before


def test_systems_share_what_platform_is_known(release: Release) -> None:
    platform = Platform.objects.create(slug="p1", name="P1")
    make_result(release, "io500-1", institution="Site", system_name="A")
    placed = make_result(release, "io500-2", institution="Site", system_name="B", platform=platform)
    System.objects.filter(pk=placed.system_id).update(platform=platform)
    rebuild()
    before = links()
    act = merging.merge_names(Kind.SYSTEM, "site-b", "site-a", WHY).change
    assert set(Result.objects.values_list("platform__slug", "system__platform__slug")) == {("p1", "p1")}
    merging.undo_change(act.pk, WHY)
    assert links() == before


def test_platforms_merge_with_their_systems_and_generations(release: Release) -> None:
    old = Platform.objects.create(slug="p0", name="P0")
    first = Platform.objects.create(slug="p1", name="P1", predecessor=old)
    Platform.objects.create(slug="p-1", name="P 1")
    Platform.objects.create(slug="p2", name="P2", predecessor=first)
    row = make_result(release, "io500-1", platform=first)
    System.objects.filter(pk=row.system_id).update(platform=first)
    rebuild()
    before = links()
    act = merging.merge_names(Kind.PLATFORM, "p1", "p-1", WHY).change
    assert Result.objects.get().platform == Platform.objects.get(slug="p-1") == System.objects.get().platform
    assert Platform.objects.get(slug="p2").predecessor == Platform.objects.get(slug="p-1")
    assert Platform.objects.get(slug="p-1").predecessor == old
    merging.undo_change(act.pk, WHY)
    assert links() == before


def test_a_platform_can_be_merged_into_the_one_after_it(release: Release) -> None:
    first = Platform.objects.create(slug="p1", name="P1")
    Platform.objects.create(slug="p2", name="P2", predecessor=first)
    before = links()
    act = merging.merge_names(Kind.PLATFORM, "p1", "p2", WHY).change
    assert Platform.objects.get(slug="p2").predecessor is None
    merging.undo_change(act.pk, WHY)
    assert links() == before


@pytest.fixture
def refusable(release: Release) -> None:
    make_result(release, "io500-1", institution="One", system_name="A")
    make_result(release, "io500-2", institution="Two", system_name="B")
    make_result(release, "io500-3", institution="One", system_name="C")
    make_result(release, "io500-4", institution="Anonymous", system_name="System of hw-7")
    make_result(release, "io500-5", institution="Anonymous", system_name="System of hw-8")
    Site.objects.create(slug="accounts-only", name="Accounts only")
    for number, name in enumerate("AC"):
        platform = Platform.objects.create(slug=f"p{number}", name=f"P{number}")
        System.objects.filter(name=name).update(platform=platform)
    make_result(release, "io500-6", institution="One", system_name="D")
    merging.merge_names(Kind.SYSTEM, "one-d", "one-a", WHY)


@pytest.mark.parametrize(
    ("kind", "former", "into", "code"),
    [
        ("site", "one", "one", "identity.same"),
        ("site", "ONE", "one", "identity.same"),
        ("system", "one-a", "one-d", "identity.already-merged"),
        ("system", "one-d", "one-a", "identity.already-merged"),
        ("system", "one-d", "one-c", "identity.already-merged"),
        ("system", "one-a", "two-b", "identity.other-institution"),
        ("system", "one-a", "one-c", "identity.platforms-differ"),
        ("site", "anonymous", "one", "identity.pooled"),
        ("site", "one", "anonymous", "identity.pooled"),
        ("system", "anonymous-system-of-hw-7", "anonymous-system-of-hw-8", "identity.pooled"),
        ("system", "anonymous-system-of-hw-7", "one-a", "identity.pooled"),
        ("site", "one", "accounts-only", "identity.not-on-record"),
        ("site", "one", "no-such", "record.no-site"),
        ("system", "one", "one-a", "record.no-system"),
        ("platform", "p0\0", "p9", "record.no-platform"),
    ],
)
def test_invalid_merges_are_refused(refusable: None, kind: str, former: str, into: str, code: str) -> None:
    before = links()
    with pytest.raises(errors.Problem) as refused:
        merging.merge_names(kind, former, into, WHY)
    assert refused.value.code == code
    assert links() == before and IdentityChange.objects.count() == 1


def test_a_merging_needs_a_reason(refusable: None) -> None:
    with pytest.raises(errors.NoReason):
        merging.merge_names(Kind.SITE, "two", "one", Decision("  "))


def test_undoing_twice_or_in_part_is_refused(two_sites: None) -> None:
    act = merging.merge_names(Kind.SITE, "ln", "long-name", WHY).change
    with pytest.raises(errors.PartOfAnAct):
        merging.undo_change(act.parts.get().pk, WHY)
    merging.undo_change(act.pk, WHY)
    with pytest.raises(errors.ActUndone):
        merging.undo_change(act.pk, WHY)


def test_namesakes_on_two_platforms_prevent_merging_their_sites(release: Release) -> None:
    for number, site in enumerate(("One", "Two"), 1):
        platform = Platform.objects.create(slug=f"p{number}", name=f"P{number}")
        result = make_result(release, f"io500-{number}", institution=site, system_name="Same", platform=platform)
        System.objects.filter(pk=result.system_id).update(platform=platform)
    before = links()
    with pytest.raises(errors.PlatformsDiffer):
        merging.merge_names(Kind.SITE, "two", "one", WHY)
    assert links() == before


# Splitting


@pytest.fixture
def pooled(release: Release) -> None:
    """Two storage systems that stand under one name, and a second system of the site."""
    for number in (1, 2, 3):
        make_result(release, f"io500-{number}", institution="Site", system_name="Scratch")
    make_result(release, "io500-4", institution="Site", system_name="Home")
    make_step(Result.objects.get(public_id="io500-2"), Result.objects.get(public_id="io500-3"))
    rebuild()


def test_results_are_split_off_to_a_new_system_and_back(pooled: None) -> None:
    before = links()
    act = splitting.split_system("site-scratch", ["io500-3"], WHY, name="Scratch 2").change
    row = System.objects.get(slug="site-scratch-2")
    assert [result.public_id for result in row.results.all()] == ["io500-3"]
    assert Step.objects.get().system == row
    assert Fact.objects.get(result__public_id="io500-3", name="system").text == "Scratch 2"
    merging.undo_change(act.pk, WHY)
    row.refresh_from_db()
    assert row.merged_into == System.objects.get(slug="site-scratch")
    System.objects.filter(pk=row.pk).delete()
    assert links() == before


def test_results_are_split_off_to_a_system_that_is_there(pooled: None) -> None:
    splitting.split_system("site-scratch", ["io500-1", "io500-2"], WHY, into="site-home")
    assert dict(Result.objects.values_list("public_id", "system__slug")) == {
        "io500-1": "site-home",
        "io500-2": "site-home",
        "io500-3": "site-scratch",
        "io500-4": "site-home",
    }


def test_systems_are_split_off_to_a_new_institution_and_back(pooled: None) -> None:
    before = links()
    act = splitting.split_site("site", ["site-home"], WHY, name="Other Centre").change
    assert Result.objects.get(public_id="io500-4").site.slug == "other-centre"
    assert Result.objects.get(public_id="io500-4").system.slug == "site-home"
    merging.undo_change(act.pk, WHY)
    Site.objects.get(slug="other-centre").delete()
    assert links() == before


@pytest.mark.parametrize(
    ("results", "into", "name", "code"),
    [
        ([], "", "New", "identity.split-refused"),
        (["io500-1", "io500-2", "io500-3"], "", "New", "identity.split-refused"),
        (["io500-4"], "", "New", "identity.split-refused"),
        (["io500-1", "no-such"], "", "New", "identity.split-refused"),
        (["io500-1"], "", "  ", "identity.split-refused"),
        (["io500-1"], "", "—", "identity.split-refused"),
        (["io500-1"], "", "x" * 201, "identity.split-refused"),
        (["io500-1"], "", "HOME", "identity.split-refused"),
        (["io500-1"], "site-scratch", "", "identity.same"),
        (["io500-1"], "other-x", "", "identity.other-institution"),
        (["io500-1"], "no-such", "", "record.no-system"),
    ],
)
def test_invalid_splits_are_refused(
    pooled: None, release: Release, results: list[str], into: str, name: str, code: str
) -> None:
    make_result(release, "io500-8", institution="Other", system_name="X")
    before = links()
    with pytest.raises(errors.Problem) as refused:
        splitting.split_system("site-scratch", results, WHY, into=into, name=name)
    assert refused.value.code == code
    assert links() == before


# What the record says of it


def test_former_names_have_date_and_reason_without_the_editor(two_sites: None) -> None:
    act = merging.merge_names(Kind.SITE, "ln", "long-name", WHY).change
    expected = {"slug": "ln", "name": "LN", "on": act.made_at.date(), "reason": WHY.reason, "source": WHY.source}
    assert history.former_names("site", "long-name") == [expected]
    assert [row["slug"] for row in history.former_names("system", "long-name-shared")] == ["ln-shared"]
    merging.undo_change(act.pk, WHY)
    assert history.former_names("site", "long-name") == []


def test_a_chain_lists_all_former_names(release: Release) -> None:
    for number, name in enumerate("ABC", 1):
        make_result(release, f"io500-{number}", institution="Site", system_name=name)
    merging.merge_names(Kind.SYSTEM, "site-a", "site-b", WHY)
    merging.merge_names(Kind.SYSTEM, "site-b", "site-c", WHY)
    assert {row["slug"] for row in history.former_names("system", "site-c")} == {"site-a", "site-b"}


def test_history_gives_the_place_of_results_at_a_time(two_sites: None) -> None:
    start = timezone.now()
    act = merging.merge_names(Kind.SITE, "ln", "long-name", WHY).change
    between = timezone.now()
    merging.undo_change(act.pk, WHY)
    assert history.standings_at(start) == {
        "io500-4": history.Standing("ln", None),
        "io500-3": history.Standing("ln", "ln-shared"),
    }
    assert history.standings_at(between) == {
        "io500-4": history.Standing("long-name", None),
        "io500-3": history.Standing("long-name", "long-name-shared"),
    }
    assert history.standings_at(timezone.now()) == {}


def test_a_published_list_uses_the_systems_of_its_date(db: None) -> None:
    """One entry for each system: a merging since then takes none off when the list is row again."""
    release = make_release("sc31", "2031-11-01", imported=False, deadline=timezone.now(), published_at=timezone.now())
    for number, name in ((1, "A"), (2, "B")):
        result = make_result(
            release,
            f"hw-{number}",
            10.0 - number,
            institution="Site",
            system_name=name,
            trust="verified",
            bundle_sha256="a" * 64,
        )
        result.published_at = release.published_at
        result.save()
        make_measurement(result)
    body = next(body for body in read_definitions() if body["name"] == "full" and body["pool"] == "results")
    Release.objects.filter(pk=release.pk).update(published_at=timezone.now())
    release.refresh_from_db()

    def identities() -> list[Any]:
        return sorted(str(entry.facts["system"]) for entry in listing.list_candidates(release, "full", body))

    before = identities()
    merging.merge_names(Kind.SYSTEM, "site-b", "site-a", WHY)
    assert identities() == before
    assert RankedList.objects.count() == 0
