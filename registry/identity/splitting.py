"""Split results off a system, or systems off a site, where one name stood for two. Undone as a merging is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from registry.identity.errors import AlreadyMerged, OtherInstitution, PooledIdentity, SameIdentity, SplitRefused
from registry.identity.merging import (
    POOLS,
    Decision,
    Kind,
    Moved,
    lock_rows,
    new_system,
    rebuild_facts,
    record_act,
    require_reason,
)
from registry.models import IdentityChange, Result, Site, Step, System
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text

NAME_LIMIT = 200


@transaction.atomic
def split_system(slug: str, results: Sequence[str], decision: Decision, *, into: str = "", name: str = "") -> Moved:
    """Move these results (public ids) of a system to another one of its site: `into`, or a new one called `name`.

    Raises NotOnRecord for an unknown slug, NoReason without words, SameIdentity where they stand there already,
    AlreadyMerged for a former name, PooledIdentity for anonymous ones, OtherInstitution where `into` is of another one,
    SplitRefused where none or all are named, or the new name is no good.
    """
    require_reason(decision)
    origin, *others = lock_rows(Kind.SYSTEM, slug, *filter(None, [into]))
    assert isinstance(origin, System)
    _require_own(origin, origin.site.slug)
    standing = Result.objects.filter(system=origin)
    _require_some(results, set(standing.values_list("public_id", flat=True)), "results")
    target = _find_existing(origin, others) or _new_system(origin, name)
    if target.site_id != origin.site_id:
        raise OtherInstitution(f"{target.slug} is of {target.site.slug}.")
    change = _record_split(Kind.SYSTEM, origin, target, decision, is_new=not others)
    change.moved["results"] = sorted({*results})
    moving = standing.filter(public_id__in=results)
    Step.objects.filter(system=origin, after__in=moving).update(system=target)
    moving.update(system=target)
    return _finish_split(change, frozenset((origin.pk, target.pk)))


@transaction.atomic
def split_site(slug: str, systems: Sequence[str], decision: Decision, *, into: str = "", name: str = "") -> Moved:
    """Move these systems (slugs), with all their results, to another institution: `into`, or a new one of `name`.

    Raises NotOnRecord for an unknown slug, NoReason without words, SameIdentity where they stand there already,
    AlreadyMerged for a former name, PooledIdentity for anonymous ones, SplitRefused where none or all are named, or the
    new name is no good.
    """
    require_reason(decision)
    origin, *others = lock_rows(Kind.SITE, slug, *filter(None, [into]))
    assert isinstance(origin, Site)
    _require_own(origin, origin.slug)
    standing = origin.systems.filter(merged_into=None, results__isnull=False)
    _require_some(systems, set(standing.values_list("slug", flat=True)), "systems")
    target = _find_existing(origin, others) or _new_site(name)
    moving = list(System.objects.filter(slug__in=systems).order_by("pk"))
    _require_no_namesake(moving, target)
    change = _record_split(Kind.SITE, origin, target, decision, is_new=not others)
    results = Result.objects.filter(system__in=moving).order_by("pk")
    called_so = System.objects.filter(merged_into__in=moving, site=origin)
    called_so = called_so.exclude(name__in=target.systems.values("name")).order_by("pk")
    change.moved |= {
        "systems": sorted({*systems}),
        "former_systems": list(called_so.values_list("slug", flat=True)),
        "results": list(results.values_list("public_id", flat=True)),
    }
    slugs = [*change.moved["systems"], *change.moved["former_systems"]]
    System.objects.filter(slug__in=slugs).update(site=target)
    results.update(site=target)
    return _finish_split(change, frozenset(system.pk for system in moving))


def _require_own(row: Any, site_slug: str) -> None:
    if row.merged_into is not None:
        raise AlreadyMerged(f"{row.slug} is a former name of {row.merged_into.slug}.")
    if site_slug in POOLS:
        raise PooledIdentity(f"{site_slug} stands for several.")


def _require_some(named: Sequence[str], standing: set[str], what: str) -> None:
    if missing := sorted(set(named) - standing):
        raise SplitRefused(f"{missing[0][:160]!r} is none of its {what}.")
    if not named or set(named) == standing:
        raise SplitRefused(f"It has {len(standing)} {what}, and {len(set(named))} are named.")


def _find_existing(origin: Any, others: Sequence[Any]) -> Any:
    """The one that takes them, if it is there already."""
    if not others:
        return None
    (target,) = others
    if target.pk == origin.pk:
        raise SameIdentity(f"They stand under {origin.slug} already.")
    _require_own(target, target.site.slug if isinstance(target, System) else target.slug)
    return target


def _clean_name(name: str) -> str:
    cleaned = canonical_names.plain_text(name)
    if not cleaned or len(cleaned) > NAME_LIMIT or not slugify(cleaned):
        raise SplitRefused(f"A new name has 1 to {NAME_LIMIT} characters, among them a letter or digit.")
    return cleaned


def _new_system(origin: System, name: str) -> System:
    name = _clean_name(name)
    names = {fold_text(text): slug for text, slug in origin.site.systems.values_list("name", "slug")}
    if fold_text(name) in names:
        raise SplitRefused(f"{names[fold_text(name)]} has that name already.", hint="Send its slug as `into`.")
    return new_system(origin.site, name, origin.platform)


def _new_site(name: str) -> Site:
    name = _clean_name(name)
    sites = {fold_text(text): slug for text, slug in Site.objects.values_list("name", "slug")}
    if fold_text(name) in sites:
        raise SplitRefused(f"{sites[fold_text(name)]} has that name already.", hint="Send its slug as `into`.")
    slug = canonical_names.free_slug(slugify(name)[:90], set(Site.objects.values_list("slug", flat=True)))
    return Site.objects.create(slug=slug, name=name)


def _require_no_namesake(moving: Sequence[System], target: Site) -> None:
    names = {fold_text(name) for name in target.systems.values_list("name", flat=True)}
    for system in moving:
        if fold_text(system.name) in names:
            raise SplitRefused(f"{target.slug} has a system called {system.name!r} already.")


def _record_split(kind: str, origin: Any, target: Any, decision: Decision, *, is_new: bool) -> IdentityChange:
    moved = {"made": True} if is_new else {}
    return record_act(kind, IdentityChange.Action.SPLIT, origin, target, decision, moved=moved)


def _finish_split(change: IdentityChange, systems: frozenset[int]) -> Moved:
    change.save(update_fields=["moved"])
    rebuild_facts(change)
    return Moved(change, systems)
