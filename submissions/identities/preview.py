"""What a merging would move and what would stay, before an editor decides. Nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from registry.errors import Problem
from registry.identity import merging
from registry.identity.merging import Kind
from registry.models import Platform, Result, Site, Step, System
from submissions.models import Account, Invitation, Membership, Submission, Subscription
from submissions.permissions import require_role

MOST_NAMED = 100
"""Results that a preview names; it counts all."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts of what moves (`results`, `systems`, `steps`), goes along (`followers`), and stays apart (the others)."""

    kind: str
    former: merging.Subject
    into: merging.Subject
    refused: Problem | None
    results: int
    first_results: list[str]
    systems: list[str]
    becoming_one: list[tuple[str, str]]
    steps: int
    followers: int
    submissions: int
    members: int
    invitations: int


def preview_merge(account: Account, kind: str, former: str, into: str) -> Preview:
    """What would move. Raises Forbidden, and NotOnRecord for an unknown slug."""
    require_role(account, Account.Role.EDITOR)
    row, target = merging.find_subject(kind, former), merging.find_subject(kind, into)
    results, systems = _results_of(row), _systems_of(row)
    site = row if isinstance(row, Site) else None
    namesakes = merging.clashing_systems(site, target) if site and isinstance(target, Site) else {}
    return Preview(
        kind=kind,
        former=row,
        into=target,
        refused=_find_refusal(row, target, systems, namesakes),
        results=results.count(),
        first_results=list(results.order_by("-pk").values_list("public_id", flat=True)[:MOST_NAMED]),
        systems=[system.slug for system in systems if system.pk not in namesakes],
        becoming_one=[(system.slug, namesakes[system.pk].slug) for system in systems if system.pk in namesakes],
        steps=0 if kind == Kind.PLATFORM else Step.objects.filter(system__in=systems, gone_at=None).count(),
        followers=0 if kind == Kind.PLATFORM else Subscription.objects.filter(system__in=systems).count(),
        submissions=Submission.objects.filter(institution=site).count() if site else _submissions_of(results),
        members=Membership.objects.filter(institution=site).count() if site else 0,
        invitations=Invitation.objects.filter(institution=site).count() if site else 0,
    )


def _submissions_of(results: Any) -> int:
    return Submission.objects.filter(result__in=results).count()


def _results_of(row: merging.Subject) -> Any:
    named = {Site: Q(site=row.pk), System: Q(system=row.pk), Platform: Q(platform=row.pk)}
    return Result.objects.filter(named[type(row)])


def _systems_of(row: merging.Subject) -> list[System]:
    if isinstance(row, System):
        return [row]
    return list(row.systems.filter(merged_into=None).select_related("platform").order_by("slug"))


def _find_refusal(
    former: merging.Subject, into: merging.Subject, systems: list[System], namesakes: dict[int, System]
) -> Problem | None:
    """What the act would be refused with, None where it would not."""
    try:
        merging.require_mergeable(former, into)
        for system in systems:
            if namesake := namesakes.get(system.pk):
                merging.require_one_platform(system, namesake)
    except Problem as problem:
        return problem
    return None
