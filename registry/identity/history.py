"""What the record says of identities: former names of a row, and under which a result stood at a moment."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from registry.models import IdentityChange, Site, System
from registry.models.identities import DECIDERS

Row = dict[str, Any]


class Standing(NamedTuple):
    """Slugs under which a result stood; None where no act since then moved it from another one."""

    site: str | None
    system: str | None


NEVER_MOVED = Standing(None, None)


def former_names(kind: str, slug: str) -> list[Row]:
    """What is now called `slug` and was listed under another name before, newest act first. One query.

    {"slug", "name", "on", "reason", "source"}; who decided is not among them, and names that never stood in the record
    are left out.
    """
    acts = IdentityChange.objects.filter(kind=kind, action=IdentityChange.Action.MERGE, undone_at=None, public=True)
    acts = acts.filter(_was_called(kind, slug)).defer(*DECIDERS).order_by("-made_at", "-id")
    return [
        {
            "slug": act.from_slug,
            "name": act.from_name,
            "on": act.made_at.date(),
            "reason": act.reason,
            "source": act.source,
        }
        for act in acts
    ]


def _was_called(kind: str, slug: str) -> Q:
    """Acts into what is called `slug` now, or into what was merged into it later."""
    into_this = Q(to_slug=slug)
    if kind == IdentityChange.Kind.SITE:
        return into_this | Q(to_slug__in=Site.objects.order_by().filter(merged_into__slug=slug).values("slug"))
    if kind == IdentityChange.Kind.SYSTEM:
        return into_this | Q(to_slug__in=System.objects.order_by().filter(merged_into__slug=slug).values("slug"))
    return into_this


def standings_at(moment: datetime) -> dict[str, Standing]:
    """By public id where a result stood at a moment, of those that acts moved since. One query."""
    moved_since = Q(made_at__gt=moment) | Q(undone_at__gt=moment)
    acts = IdentityChange.objects.filter(moved_since, kind__in=("site", "system")).defer(*DECIDERS).order_by("id")
    steps: list[tuple[datetime, int, IdentityChange, str]] = []
    for act in acts:
        if act.made_at > moment:
            steps.append((act.made_at, act.pk, act, act.from_slug))
        if act.undone_at is not None and act.undone_at > moment:
            steps.append((act.undone_at, act.pk, act, act.moved.get("returned_from", act.to_slug)))
    standings: dict[str, Standing] = {}
    for _, _, act, before in sorted(steps, key=lambda step: step[:2], reverse=True):
        _put_back(standings, act.kind, before, act.moved.get("results", ()))
    return standings


def _put_back(standings: dict[str, Standing], kind: str, slug: str, results: Iterable[str]) -> None:
    for public_id in results:
        stood = standings.get(public_id, NEVER_MOVED)
        standings[public_id] = stood._replace(**{kind: slug})
