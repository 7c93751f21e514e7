"""Merge two sites, systems or platforms of the record into one, and take it back exactly.

A row that is merged stays as a former name. Only links of results, systems and steps move: printed names, frozen
lists, digests and citations stay. Callers hold the locks of publication and mark the steps of systems as due.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from registry.identity.errors import (
    ActUndone,
    AlreadyMerged,
    GenerationBetween,
    InstitutionMerged,
    NamesakeStands,
    NoAct,
    NoReason,
    OtherInstitution,
    PartOfAnAct,
    PlatformsDiffer,
    PooledIdentity,
    SameIdentity,
    TargetNotOnRecord,
)
from registry.models import IdentityChange, Platform, Result, Site, Step, System
from registry.models.identities import MODELS, NONCE
from registry.query import public_record
from registry.query.facts import fact_index
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text

Kind = IdentityChange.Kind
Subject = Site | System | Platform
Held = Mapping[str, Any]
"""What an act moved and still answers for, in the form of `IdentityChange.moved`."""
Move = Callable[[IdentityChange, Any, Any, "Decision"], frozenset[int]]
POOLS = frozenset({"anonymous", "institution-not-named"})
"""Slugs of sites under which results of several institutions stand, which nobody may tell apart."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Why, by which account, and what proves it. Reason and source are public, the account is not."""

    reason: str
    decided_by: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """An act, and the primary keys of the systems whose results it moved."""

    change: IdentityChange
    systems: frozenset[int] = field(default_factory=frozenset)


def find_subject(kind: str, slug: str) -> Subject:
    """A site, system or platform by its slug, former names and such without results, too.

    Raises NotOnRecord where there is none.
    """
    rows: QuerySet[Any] = MODELS[kind]._default_manager.select_related("merged_into")
    row: Subject | None = rows.filter(slug=slug.replace("\0", "").lower()).first()
    if row is None:
        raise public_record.NotOnRecord(kind, slug[:160])
    return row


@transaction.atomic
def merge_names(kind: str, former_slug: str, into_slug: str, decision: Decision) -> Moved:
    """Make one of two: `former_slug` becomes a former name of `into_slug`.

    Raises NotOnRecord for an unknown slug, NoReason without words, and what `require_mergeable` raises for two rows.
    """
    require_reason(decision)
    former, target = lock_rows(kind, former_slug, into_slug)
    require_mergeable(former, target)
    moved = _merge_rows(kind, former, target, decision)
    rebuild_facts(moved.change)
    return moved


def require_reason(decision: Decision) -> None:
    """Refuse an act without words. Raises NoReason where the reason is blank."""
    if not decision.reason.strip():
        raise NoReason


def require_mergeable(former: Subject, target: Subject) -> None:
    """Refuse two rows that can't be one.

    Raises SameIdentity for a row and itself, AlreadyMerged for a former name, PooledIdentity where one stands for
    several, TargetNotOnRecord where no result stands under an institution; for systems OtherInstitution where their
    institutions differ, and PlatformsDiffer where their platforms do; for platforms GenerationBetween where another one
    lies between them.
    """
    if former.pk == target.pk:
        raise SameIdentity(f"{former.slug} is {target.slug}.")
    for row in (former, target):
        if row.merged_into is not None:
            raise AlreadyMerged(f"{row.slug} is a former name of {row.merged_into.slug}.")
        if (row.site.slug if isinstance(row, System) else row.slug) in POOLS:
            raise PooledIdentity(f"{row.slug} stands for several.")
    if isinstance(target, Site) and not target.results.exists():
        raise TargetNotOnRecord(f"{target.slug} has no result in the record.")
    if isinstance(former, System) and isinstance(target, System):
        _require_one_storage(former, target)
    if isinstance(former, Platform) and isinstance(target, Platform):
        _require_nothing_between(former, target)


def _require_one_storage(former: System, target: System) -> None:
    if former.site_id != target.site_id:
        raise OtherInstitution(f"{former.slug} is of {former.site.slug}, {target.slug} of {target.site.slug}.")
    require_one_platform(former, target)


def require_one_platform(former: System, target: System) -> None:
    """Refuse two systems of two platforms. Raises PlatformsDiffer where both have one, and not the same."""
    if former.platform and target.platform and former.platform_id != target.platform_id:
        raise PlatformsDiffer(f"{former.slug}: {former.platform.slug}; {target.slug}: {target.platform.slug}.")


def _require_nothing_between(*platforms: Platform) -> None:
    """A platform that follows one of two and precedes the other would come before and after what they become."""
    for older, newer in (platforms, platforms[::-1]):
        between, here = list[Platform](), newer.predecessor
        while here is not None and here != older and here not in between:
            between.append(here)
            here = here.predecessor
        if here == older and between:
            raise GenerationBetween(f"{between[-1].slug} follows {older.slug} and precedes {newer.slug}.")


def lock_rows(kind: str, *slugs: str) -> list[Subject]:
    """The rows of these slugs, each locked, always in the same order. Raises NotOnRecord."""
    found_rows = [find_subject(kind, slug) for slug in slugs]
    rows: QuerySet[Any] = MODELS[kind]._default_manager.select_for_update().order_by("pk")
    locked = {row.pk: row for row in rows.filter(pk__in=[row.pk for row in found_rows])}
    return [locked[row.pk] for row in found_rows]


def clashing_systems(former: Site, target: Site) -> dict[int, System]:
    """By primary key of a system of one site the one of the other that has its name, and so becomes one with it."""
    by_name = {
        fold_text(system.name): system.merged_into or system
        for system in target.systems.select_related("merged_into", "platform")
    }
    return {
        system.pk: namesake
        for system in former.systems.filter(merged_into=None)
        if (namesake := by_name.get(fold_text(system.name))) and namesake.site_id == target.pk
    }


# What moves


def record_act(kind: str, action: str, origin: Any, target: Any, decision: Decision, **facts: Any) -> IdentityChange:
    """The trace of an act on two rows of one kind; `facts` are further columns."""
    facts["moved"] = {NONCE: secrets.token_hex(32)} | facts.get("moved", {})
    return IdentityChange.objects.create(
        kind=kind,
        action=action,
        from_slug=origin.slug,
        from_name=origin.name,
        to_slug=target.slug,
        to_name=target.name,
        reason=decision.reason.strip(),
        source=decision.source,
        decided_by=decision.decided_by,
        **facts,
    )


def _merge_rows(
    kind: str, former: Any, target: Any, decision: Decision, whole_act: IdentityChange | None = None
) -> Moved:
    is_public = kind == Kind.PLATFORM or former.results.exists()
    change = record_act(
        kind, IdentityChange.Action.MERGE, former, target, decision, part_of=whole_act, public=is_public
    )
    earlier = type(former)._default_manager.filter(merged_into=former)
    change.moved["former"] = list(earlier.order_by("slug").values_list("slug", flat=True))
    moves: dict[str, Move] = {Kind.SITE: _move_site, Kind.SYSTEM: _move_system, Kind.PLATFORM: _move_platform}
    systems = moves[kind](change, former, target, decision)
    type(former)._default_manager.filter(Q(merged_into=former) | Q(pk=former.pk)).update(merged_into=target)
    change.save(update_fields=["moved"])
    return Moved(change, systems)


def _move_site(change: IdentityChange, former: Site, target: Site, decision: Decision) -> frozenset[int]:
    namesakes, touched = clashing_systems(former, target), set[int]()
    systems = list(former.systems.filter(merged_into=None).select_related("platform").order_by("pk"))
    staying = [system for system in systems if system.pk not in namesakes]
    called_so = former.systems.exclude(merged_into=None).exclude(name__in=target.systems.values("name"))
    change.moved |= {
        "systems": [system.slug for system in staying],
        "former_systems": list(called_so.order_by("pk").values_list("slug", flat=True)),
        "results": list(former.results.order_by("pk").values_list("public_id", flat=True)),
    }
    for system in systems:
        if namesake := namesakes.get(system.pk):
            require_one_platform(system, namesake)
            touched |= _merge_rows(Kind.SYSTEM, system, namesake, decision, change).systems
    System.objects.filter(slug__in=[*change.moved["systems"], *change.moved["former_systems"]]).update(site=target)
    Result.objects.filter(system__in=staying).update(site=target)
    spellings = {former.name, *former.also_printed_as} - {target.name, *target.also_printed_as, ""}
    if change.public and spellings:
        change.moved["spellings"] = sorted(spellings)
        target.also_printed_as = sorted({*target.also_printed_as, *spellings})
        target.save(update_fields=["also_printed_as"])
    return frozenset(touched | {system.pk for system in staying})


def _move_system(change: IdentityChange, former: System, target: System, decision: Decision) -> frozenset[int]:
    results = Result.objects.filter(system=former).order_by("pk")
    change.moved["results"] = list(results.values_list("public_id", flat=True))
    if target.platform is None and former.platform is not None:
        change.moved["platform_of_target"] = former.platform.slug
        target.platform = former.platform
        target.save(update_fields=["platform"])
    results.update(system=target, site=target.site)
    _fill_platform(change, target)
    Step.objects.filter(system=former).update(system=target)
    return frozenset((former.pk, target.pk))


def _fill_platform(change: IdentityChange, system: System) -> None:
    """Results of a system that lack its platform get it, and the trace names them."""
    lacking = Result.objects.filter(system=system, platform=None).order_by("pk")
    if system.platform is not None and (ids := list(lacking.values_list("public_id", flat=True))):
        change.moved["platform_of_results"] = ids
        lacking.update(platform=system.platform)


def _move_platform(change: IdentityChange, former: Platform, target: Platform, decision: Decision) -> frozenset[int]:
    results, systems = Result.objects.filter(platform=former), System.objects.filter(platform=former)
    successors = Platform.objects.filter(predecessor=former).exclude(pk=target.pk)
    change.moved |= {
        "results": list(results.order_by("pk").values_list("public_id", flat=True)),
        "systems": list(systems.order_by("pk").values_list("slug", flat=True)),
        "successors": list(successors.order_by("pk").values_list("slug", flat=True)),
    }
    results.update(platform=target)
    systems.update(platform=target)
    successors.update(predecessor=target)
    if target.predecessor_id in (None, former.pk):
        change.moved["predecessor_of_target"] = target.predecessor.slug if target.predecessor else None
        before = None if former.predecessor_id == target.pk else former.predecessor
        Platform.objects.filter(pk=target.pk).update(predecessor=before)
    return frozenset()


def rebuild_facts(change: IdentityChange) -> None:
    """Of the results that an act and its parts moved."""
    fact_index.rebuild_facts(moved_results(change))


def moved_results(change: IdentityChange) -> list[int]:
    """Primary keys of the results that an act and its parts moved, or gave a platform; not of what was erased since."""
    acts = [change, *change.parts.all()]
    ids = [
        public_id for act in acts for key in ("results", "platform_of_results") for public_id in act.moved.get(key, ())
    ]
    return list(Result.objects.filter(public_id__in=ids, erasure=None).order_by("pk").values_list("pk", flat=True))


# Back


@transaction.atomic
def undo_change(change_id: int, decision: Decision) -> Moved:
    """Take an act back: what it moved, and nothing else moved since, returns. Results that came later stay.

    Raises NoAct where there is none, NoReason without words, ActUndone where it was undone before,
    PartOfAnAct where it was not made by itself, InstitutionMerged and NamesakeStands where what would return has no
    place.
    """
    require_reason(decision)
    change = IdentityChange.objects.select_for_update().filter(pk=change_id).first()
    if change is None:
        raise NoAct
    if change.undone_at is not None:
        raise ActUndone(f"It was undone on {change.undone_at:%Y-%m-%d}.")
    if change.part_of_id is not None:
        raise PartOfAnAct(f"It is a part of act {change.part_of_id}.")
    _require_place(change)
    touched = set[int]()
    for act in [*change.parts.order_by("-id"), change]:
        touched |= _undo_one(act, decision)
    rebuild_facts(change)
    return Moved(change, frozenset(touched))


def _require_place(change: IdentityChange) -> None:
    """A system stands up again at an institution that stands, and no institution has two systems of one name."""
    if change.kind == Kind.SYSTEM and change.action == IdentityChange.Action.MERGE:
        site = System.objects.select_related("site__merged_into").get(slug=change.from_slug).site
        if site.merged_into is not None:
            raise InstitutionMerged(f"{site.slug} is a former name of {site.merged_into.slug}.")
    if change.kind == Kind.SITE and change.action == IdentityChange.Action.SPLIT:
        names = (
            System.objects.filter(slug__in=change.moved["systems"]).exclude(site__slug=change.from_slug).values("name")
        )
        namesake = System.objects.filter(site__slug=change.from_slug, name__in=names).first()
        if namesake is not None:
            raise NamesakeStands(f"{namesake.slug} has that name.")


def _list_held(change: IdentityChange) -> Held:
    """What an act moved, without what went back since because an act before it was undone."""
    earlier = IdentityChange.objects.filter(kind=change.kind, pk__lt=change.pk, undone_at__gt=change.made_at)
    taken_back: dict[str, set[str]] = defaultdict(set)
    for act in earlier:
        taken_back["former"].add(act.from_slug)
        for name in ("results", "systems", "former_systems", "former", "successors"):
            taken_back[name] |= {*act.moved.get(name, ())}
    held: dict[str, Any] = dict(change.moved)
    for name in taken_back.keys() & held.keys():
        held[name] = [value for value in held[name] if value not in taken_back[name]]
    return held


def _undo_one(change: IdentityChange, decision: Decision) -> set[int]:
    former, target = lock_rows(change.kind, change.from_slug, change.to_slug)
    now, held = target.merged_into or target, _list_held(change)
    if change.action == IdentityChange.Action.SPLIT:
        touched = _return_moved(change, held, former.merged_into or former, now)
        _retire_if_empty(change, former, target)
    else:
        model: Any = MODELS[change.kind]
        model.objects.filter(pk=former.pk).update(merged_into=None)
        model.objects.filter(slug__in=held.get("former", ()), merged_into=now).update(merged_into=former)
        former.merged_into = None
        touched = _return_moved(change, held, former, now)
    change.undone_at, change.undone_by, change.undone_reason = (
        timezone.now(),
        decision.decided_by,
        decision.reason.strip(),
    )
    change.moved["returned_from"] = now.slug
    change.save(update_fields=["moved", "undone_at", "undone_by", "undone_reason"])
    return touched


def _return_moved(change: IdentityChange, held: Held, former: Any, now: Any) -> set[int]:
    """What an act moved and what is still there goes from `now` to `former`."""
    if isinstance(former, System):
        return _return_results(change, held, former, now)
    if isinstance(former, Site):
        return _return_systems(change, held, former, now)
    Result.objects.filter(public_id__in=held["results"], platform=now).update(platform=former)
    System.objects.filter(slug__in=held["systems"], platform=now).update(platform=former)
    Platform.objects.filter(slug__in=held["successors"], predecessor=now).update(predecessor=former)
    if "predecessor_of_target" in change.moved:
        before = Platform.objects.filter(slug=change.moved["predecessor_of_target"]).first()
        put_there = None if former.predecessor and former.predecessor.slug == change.to_slug else former.predecessor
        Platform.objects.filter(slug__in=(change.to_slug, now.slug), predecessor=put_there).update(predecessor=before)
    return set()


def _return_results(change: IdentityChange, held: Held, former: System, now: System) -> set[int]:
    results = Result.objects.filter(public_id__in=held["results"], system=now)
    Step.objects.filter(system=now, after__in=results).update(system=former)
    lacking = change.moved.get("platform_of_results", ())
    Result.objects.filter(public_id__in=lacking, system=now).update(platform=None)
    if "platform_of_target" in change.moved:
        System.objects.filter(slug=change.to_slug).update(platform=None)
    results.update(system=former, site=former.site)
    return {former.pk, now.pk}


def _return_systems(change: IdentityChange, held: Held, former: Site, now: Site) -> set[int]:
    slugs = [*held["systems"], *held.get("former_systems", ())]
    systems = list(System.objects.filter(slug__in=slugs, site=now).order_by("pk"))
    System.objects.filter(pk__in=[system.pk for system in systems]).update(site=former)
    for system in systems:
        _keep_later(held, system, now)
    Result.objects.filter(system__in=systems).update(site=former)
    for site in Site.objects.filter(slug__in=(change.to_slug, now.slug)):
        still = {text for row in site.former.all() for text in (row.name, *row.also_printed_as)}
        site.also_printed_as = sorted({*site.also_printed_as} - ({*change.moved.get("spellings", ())} - still))
        site.save(update_fields=["also_printed_as"])
    return {system.pk for system in systems}


def _keep_later(held: Held, system: System, site: Site) -> None:
    """Results that came after the act stay with the site, under a system of the same name."""
    later = Result.objects.filter(system=system).exclude(public_id__in=held["results"])
    ids = list(later.values_list("pk", flat=True))
    if ids:
        twin = new_system(site, system.name, system.platform)
        Result.objects.filter(pk__in=ids).update(system=twin)
        fact_index.rebuild_facts(ids)


def new_system(site: Site, name: str, platform: Platform | None) -> System:
    """A system of a site, with a slug that was never used."""
    slug = canonical_names.system_slug(site.slug, name, set(System.objects.values_list("slug", flat=True)))
    return System.objects.create(slug=slug, site=site, name=name, platform=platform)


def _retire_if_empty(change: IdentityChange, origin: Any, new_row: Any) -> None:
    """What a split made and nothing stands under any more becomes a former name of where it came from."""
    if change.moved.get("made") and new_row.merged_into is None and not new_row.results.exists():
        type(new_row)._default_manager.filter(pk=new_row.pk).update(merged_into=origin.merged_into or origin)
