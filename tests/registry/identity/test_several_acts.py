"""Acts on identities that meet: chains, crossings, and one that is undone while another stands."""

from __future__ import annotations

import pytest
from django.utils import timezone

from registry.identity import errors, history, merging, splitting
from registry.identity.merging import Decision, Kind
from registry.models import IdentityChange, Platform, Release, Result, Site, System
from tests.registry.identity.test_merging import WHY, links, rebuild
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db

UNDO = Decision("It was wrong.", "fay")


@pytest.fixture
def release() -> Release:
    return make_release("sc30", "2030-11-01")


def make_results(release: Release, *names: tuple[str, str]) -> None:
    """One result for each institution and system, io500-1 and so on."""
    for number, (institution, system) in enumerate(names, 1):
        make_result(release, f"io500-{number}", institution=institution, system_name=system)
    rebuild()


def merge(kind: str, former: str, into: str) -> IdentityChange:
    return merging.merge_names(kind, former, into, WHY).change


def undo(act: IdentityChange) -> None:
    merging.undo_change(act.pk, UNDO)


def sites() -> dict[str, str]:
    return dict(Result.objects.values_list("public_id", "site__slug"))


@pytest.mark.parametrize(("former", "into"), [("a", "b"), ("b", "a")])
def test_platforms_with_a_generation_between_them_are_not_merged(release: Release, former: str, into: str) -> None:
    first = Platform.objects.create(slug="a", name="A")
    between = Platform.objects.create(slug="x", name="X", predecessor=first)
    Platform.objects.create(slug="b", name="B", predecessor=between)
    before = links()
    with pytest.raises(errors.GenerationBetween, match="x follows a and precedes b"):
        merge(Kind.PLATFORM, former, into)
    assert links() == before


@pytest.mark.parametrize("first_undone", [0, 1])
def test_a_chain_of_platforms_gives_predecessors_back_in_any_order(release: Release, first_undone: int) -> None:
    old = Platform.objects.create(slug="old", name="Old")
    Platform.objects.create(slug="a", name="A", predecessor=old)
    Platform.objects.create(slug="b", name="B")
    Platform.objects.create(slug="c", name="C")
    before = links()
    acts = [merge(Kind.PLATFORM, "a", "b"), merge(Kind.PLATFORM, "b", "c")]
    undo(acts[first_undone])
    undo(acts[1 - first_undone])
    assert links() == before


def test_a_former_system_moves_with_its_institution(release: Release) -> None:
    make_results(release, ("A", "One"), ("A", "Two"), ("B", "Three"))
    before = links()
    systems, institutions = merge(Kind.SYSTEM, "a-one", "a-two"), merge(Kind.SITE, "a", "b")
    undo(systems)
    assert set(sites().values()) == {"b"}
    assert System.objects.get(slug="a-one").site.slug == "b"
    undo(institutions)
    assert links() == before


def test_no_system_returns_to_an_institution_that_is_a_former_name(release: Release) -> None:
    """The name of the former system is that of another one at the institution that remains: it can't go along."""
    make_results(release, ("A", "One"), ("A", "Two"), ("B", "One"))
    before = links()
    systems, institutions = merge(Kind.SYSTEM, "a-one", "a-two"), merge(Kind.SITE, "a", "b")
    with pytest.raises(errors.InstitutionMerged):
        undo(systems)
    undo(institutions)
    undo(systems)
    assert links() == before


def test_a_former_name_draws_no_result_to_another_institution(release: Release) -> None:
    make_results(release, ("A", "One"), ("A", "Two"), ("A", "Rest"), ("C", "One"))
    merge(Kind.SYSTEM, "a-one", "a-two")
    splitting.split_site("a", ["a-two"], WHY, name="D")
    assert System.objects.get(slug="a-one").site.slug == "d"
    merge(Kind.SITE, "c", "a")
    assert sites() == {"io500-1": "d", "io500-2": "d", "io500-3": "a", "io500-4": "a"}


@pytest.mark.parametrize("first_undone", [0, 1])
def test_spellings_return_in_any_order(release: Release, first_undone: int) -> None:
    make_results(release, ("A", "One"), ("B", "Two"), ("C", "Three"))
    before = links()
    acts = [merge(Kind.SITE, "a", "b"), merge(Kind.SITE, "b", "c")]
    undo(acts[first_undone])
    assert Site.objects.get(slug="c").also_printed_as == [["B"], []][first_undone]
    assert Site.objects.get(slug="b").also_printed_as == [[], ["A"]][first_undone]
    undo(acts[1 - first_undone])
    assert links() == before


def test_places_set_by_a_later_act_are_kept(release: Release) -> None:
    """Z went to C with A, was taken out, and was merged into C by itself: undoing A's act leaves it there."""
    make_results(release, ("Z", "One"), ("A", "Two"), ("C", "Three"))
    first, second = merge(Kind.SITE, "z", "a"), merge(Kind.SITE, "a", "c")
    undo(first)
    merge(Kind.SITE, "z", "c")
    undo(second)
    assert sites() == {"io500-1": "c", "io500-2": "a", "io500-3": "c"}
    assert Site.objects.get(slug="z").merged_into == Site.objects.get(slug="c")
    assert Site.objects.get(slug="c").also_printed_as == ["Z"]


def test_a_chain_undone_later_keeps_its_history(release: Release) -> None:
    make_results(release, ("A", "One"), ("B", "Two"), ("C", "Three"))
    first = merge(Kind.SITE, "a", "b")
    merge(Kind.SITE, "b", "c")
    moment = timezone.now()
    undo(first)
    assert history.standings_at(moment)["io500-1"].site == "c"


def test_a_restored_system_keeps_a_later_split(release: Release) -> None:
    make_results(release, ("A", "One"), ("A", "Two"))
    split = splitting.split_site("a", ["a-one"], WHY, name="D").change
    site = Site.objects.get(slug="a")
    again = System.objects.create(slug="a-one-2", name="One", site=site)
    make_result(release, "io500-9", site=site, system=again)
    before = links()
    with pytest.raises(errors.NamesakeStands, match="a-one-2 has that name"):
        undo(split)
    assert links() == before


def test_invisible_characters_are_removed_from_a_new_name(release: Release) -> None:
    for number in (1, 2):
        make_result(release, f"io500-{number}", institution="A", system_name="One")
    act = splitting.split_system("a-one", ["io500-1", "io500-1"], WHY, name="\u202eNew\x07 one\u200b\n").change
    assert (act.to_name, act.to_slug, act.moved["results"]) == ("New one", "a-new-one", ["io500-1"])
