"""Calls for submissions, as editors make and change them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.lists.definitions import SCORED, tool_of
from registry.log import recording
from registry.models import ListDefinition, Release
from submissions.errors import ReleaseExists, ReleaseInvalid, ReleasePublished
from submissions.publication.checklist import items as checklist_items

DEMO = "next"
SLUG = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_AOE = re.compile(r"(\d{4}-\d{2}-\d{2}) +AoE", re.IGNORECASE)


def create_release(
    slug: str,
    deadline: datetime,
    *,
    name: str = "",
    opens: datetime | None = None,
    publishes: datetime | None = None,
    benchmark_versions: Iterable[str] = (),
    lists: Iterable[str] = (),
    accepting_reviewers: int = 1,
) -> Release:
    """A new call; without `lists` it makes those of IO500. Its checklist is that of the last release, all open.

    Raises ReleaseInvalid where it would not be valid, ReleaseExists where the slug is taken.
    """
    if not SLUG.fullmatch(slug) or len(slug) > 40:
        raise ReleaseInvalid(f"{slug!r} is no slug: letters, digits and single hyphens, at most 40.")
    release = Release(
        slug=slug,
        name=name,
        opens=opens,
        deadline=deadline,
        publishes=publishes,
        benchmark_versions=list(benchmark_versions),
        list_names=_list_names(lists),
        accepting_reviewers=accepting_reviewers,
    )
    with transaction.atomic():
        release = _save_release(release)
        recording.record_releases([release], recording.CALLED)
        checklist_items.copy_from_last(release)
    return release


def change_release(release: Release, **changes: Any) -> Release:
    """Change a call that is not published: any argument of `create` but the slug.

    Raises ReleaseInvalid where it would not be valid, ReleasePublished after it was published.
    """
    with transaction.atomic():
        release = Release.objects.select_for_update().get(pk=release.pk)
        if release.imported or release.published_at:
            raise ReleasePublished
        if "lists" in changes:
            changes["list_names"] = _list_names(changes.pop("lists"))
        for field, value in changes.items():
            setattr(release, field, value)
        release = _save_release(release)
        recording.record_releases([release], recording.CHANGED)
        return release


def ensure_demo(days: int = 180) -> Release:
    """The open release of the demo record, made once."""
    release = Release.objects.filter(slug=DEMO).first()
    if release is not None:
        return release
    deadline = (timezone.now() + timedelta(days=days)).replace(hour=12, minute=0, second=0, microsecond=0)
    return create_release(DEMO, deadline, name="Next", lists=[name for name, _ in known_lists()])


def read_time(text: str) -> datetime:
    """RFC 3339 with its offset, or `2027-04-30 AoE`: the end of that day anywhere on earth (UTC-12).

    Raises ValueError for anything else: a time without an offset would be guessed.
    """
    if match := _AOE.fullmatch(text.strip()):
        return datetime.fromisoformat(match[1]).replace(tzinfo=UTC) + timedelta(hours=36) - timedelta(seconds=1)
    forms = "write 2027-04-30T12:00:00Z or 2027-04-30 AoE"
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"{text!r} is no time: {forms}") from error
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no offset: {forms}")
    return moment.astimezone(UTC)


def known_lists() -> list[tuple[str, Any]]:
    """Name and newest definition of every list that a release run here may make, in their order."""
    list_definitions = ListDefinition.objects.filter(body__applies_to__origin="here").order_by("version")
    newest = {definition.name: definition.body for definition in list_definitions}
    return sorted(newest.items(), key=lambda pair: (pair[1]["position"], pair[0]))


def _list_names(requested: Iterable[str]) -> list[str]:
    """In the order of the definitions for releases run here. Raises ReleaseInvalid for a name without one."""
    requested = {name.strip().lower() for name in requested}
    defined = known_lists()
    unknown = sorted(requested - {name for name, _ in defined})
    if unknown:
        names = ", ".join(name for name, _ in defined)
        raise ReleaseInvalid(f"There is no list {unknown[0][:40]!r}.", hint=f"Known: {names}.")
    return [name for name, body in defined if name in requested or (not requested and tool_of(body) == SCORED)]


def _save_release(release: Release) -> Release:
    release.name, deadline = release.name or release.slug, release.deadline
    if deadline is None:
        raise ReleaseInvalid("It has no deadline.", errors={"deadline": ["Say when submitting ends."]})
    if release.opens and release.opens >= deadline:
        raise ReleaseInvalid("It opens after its deadline.", errors={"opens": ["Must lie before the deadline."]})
    if release.publishes and release.publishes < deadline:
        raise ReleaseInvalid(
            "It is published before its deadline.", errors={"publishes": ["Must not lie before the deadline."]}
        )
    release.held_on = (release.publishes or deadline).date()
    try:
        with transaction.atomic():
            release.save()
    except IntegrityError as error:
        raise ReleaseExists(f"There is a release {release.slug!r}, perhaps in other letter case.") from error
    return release
