"""Ranked lists in the database: gather a list's candidates, compute it, check it, freeze it.

The arithmetic is in registry/ranking.py; this module only brings rows to it and back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from registry.models import ListDefinition, ListEntry, Override, RankedList, Release, Result
from registry.ranking import Differences, Entry, Published, Ranking, compare_lists, rank
from registry.ranking import Override as Decision

SHOWN = (
    *("position", "rank", "rank_low", "rank_high", "score", "bandwidth_gib_per_s", "rate_kiops"),
    *("institution", "system_name", "filesystem_type", "client_nodes", "new", "note"),
)
"""What a list shows of an entry, and its digest therefore covers."""


class ListError(Exception):
    """The list cannot be made: no definition, no pool, or it is a copy or frozen."""


def compute(release: Release, name: str) -> Ranking:
    """The list as its definition and the release's overrides make it now, nothing stored. Raises ListError."""
    return _compute(release, name, _definition(release, name))


def check(ranked_list: RankedList) -> Differences | None:
    """How a stored list differs from what its definition and overrides make; None where no pool is known."""
    release = ranked_list.release
    definition = ranked_list.definition or _definition(release, ranked_list.name)
    if not can_compute(release, definition):
        return None
    stored = ranked_list.entries.values_list("rank", "result__public_id", "score")
    return compare_lists((Published(*row) for row in stored), _compute(release, ranked_list.name, definition))


def build(release: Release, name: str, *, freeze: bool = False, definition: ListDefinition | None = None) -> RankedList:
    """Make or remake a list of a release run here, by default by the newest definition; `freeze` makes it final.

    Raises ListError for a list that is frozen already, and for an imported release: its lists stay as published.
    """
    if release.imported:
        raise ListError(f"The lists of {release.name} are copies and stay as published; only --check is possible.")
    definition = definition or _definition(release, name)
    with transaction.atomic():
        ranked_list, _ = RankedList.objects.select_for_update().get_or_create(
            release=release, name=name, defaults=_head(definition)
        )
        if ranked_list.frozen_at:
            raise ListError(f"{ranked_list} is frozen since {ranked_list.frozen_at:%Y-%m-%d}.")
        for field, value in _head(definition).items():
            setattr(ranked_list, field, value)
        ranked_list.entries.all().delete()
        entries = ListEntry.objects.bulk_create(_entries(ranked_list, _compute(release, name, definition)))
        ranked_list.digest = entries_digest(entries)
        ranked_list.frozen_at = timezone.now() if freeze else None
        ranked_list.save()
    return ranked_list


def can_compute(release: Release, definition: ListDefinition) -> bool:
    """Whether the pool that the definition names is in the record."""
    pool = definition.body["pool"]
    return pool == "results" or (pool == "full" and release.ranked_lists.filter(name="full").exists())


def entries_digest(entries: Iterable[ListEntry]) -> str:
    """sha256 over what a list shows, in its order: the validator of caches and proof that a frozen list never moved."""
    shown = [(entry.result.public_id, *(getattr(entry, field) for field in SHOWN)) for entry in entries]
    return hashlib.sha256(json.dumps(shown, separators=(",", ":")).encode()).hexdigest()


def _definition(release: Release, name: str) -> ListDefinition:
    """The newest definition for a release run here; the one stored with an imported list."""
    definitions = ListDefinition.objects.filter(name=name)
    if release.imported:
        definition = definitions.filter(rankedlist__release=release).first()
    else:
        definition = definitions.filter(body__applies_to__origin="here").order_by("version").last()
    if definition is None:
        raise ListError(f"No definition of the list {name} applies to {release.name}.")
    return definition


def _compute(release: Release, name: str, definition: ListDefinition) -> Ranking:
    if not can_compute(release, definition):
        raise ListError(f"The record does not know which results {name} of {release.name} was chosen from.")
    overrides = list(
        Override.objects.filter(release=release, list_name=name).values_list(
            "result__public_id", "action", "reason", "score"
        )
    )
    forced = [result for result, *_ in overrides]
    pool = _full_list(release, name, forced) if definition.body["pool"] == "full" else _results(release, forced)
    return rank(pool, definition.body, [Decision(*override) for override in overrides])


def _full_list(release: Release, name: str, forced: Sequence[str]) -> list[Entry]:
    """The release's full list with its own scores, and what overrides name beyond it with the score of its own list."""
    rows = ListEntry.objects.filter(ranked_list__release=release).select_related("result", "ranked_list")
    full = [_imported_entry(row) for row in rows.filter(ranked_list__name="full")]
    known = {entry.id for entry in full}
    beyond = rows.filter(ranked_list__name=name, result__public_id__in=forced)
    return full + [_imported_entry(row) for row in beyond if row.result.public_id not in known]


def _imported_entry(row: ListEntry) -> Entry:
    """Printed names decide, as they did for the published lists."""
    result = row.result
    facts = {"institution": result.institution, "system": result.system_name, "filesystem_type": result.filesystem_type}
    return _entry(result, facts, score=row.score)


def _results(release: Release, forced: Sequence[str]) -> list[Entry]:
    """Verified results up to this release, newest revision; with what overrides name.

    A published list does not move by itself: what was withdrawn after the publication stays and says so, and what came
    after it, when an embargo ended, stands on the lists of later releases.
    """
    withdrawn, late = Q(withdrawn_at__isnull=False), Q(pk=None)
    if release.published_at:
        withdrawn &= Q(withdrawn_at__lte=release.published_at)
        late = Q(published_at__gt=release.published_at)
    results = Result.objects.filter(release__held_on__lte=release.held_on).select_related("site", "system", "release")
    standing = results.filter(~withdrawn, ~late, trust=Result.Trust.VERIFIED, revised_by=None)
    beyond = results.filter(public_id__in=forced).exclude(id__in=standing.values("id"))
    return [_registered_entry(result) for result in (*standing, *beyond)]


def _registered_entry(result: Result) -> Entry:
    """The record's own identities decide what is one system, not the spelling of a run."""
    family = result.filesystem_family or result.filesystem_type
    facts = {"institution": result.site.slug, "system": result.system.slug, "filesystem_type": family}
    return _entry(result, facts, score=result.score)


def _entry(result: Result, facts: dict[str, str], score: float | None) -> Entry:
    declared = {
        "trust": result.trust,
        "client_nodes": result.client_nodes,
        "ten_node": result.ten_node,
        "opted_in": result.opted_in,
        "production": result.production,
        "lists": result.lists,
        "answers": result.snapshot.get("answers", {}).get("state"),
    }
    scores = {"score": score, "bandwidth_gib_per_s": result.bandwidth_gib_per_s, "rate_kiops": result.rate_kiops}
    entered = result.submitted_on.isoformat() if result.submitted_on else ""
    return Entry(result.public_id, scores, declared | facts, entered)


def _head(definition: ListDefinition) -> dict[str, object]:
    return {
        "title": definition.body["title"],
        "position": definition.body["position"],
        "definition": definition,
        "trust": Result.Trust.VERIFIED,
    }


def _entries(ranked_list: RankedList, ranking: Ranking) -> list[ListEntry]:
    results = Result.objects.in_bulk([row.entry for row in ranking.rows], field_name="public_id")
    entries = []
    for position, row in enumerate(ranking.rows, 1):
        result = results[row.entry]
        entries.append(
            ListEntry(
                ranked_list=ranked_list,
                result=result,
                position=position,
                rank=row.rank,
                rank_low=row.rank_low,
                rank_high=row.rank_high,
                score=row.score,
                bandwidth_gib_per_s=result.bandwidth_gib_per_s,
                rate_kiops=result.rate_kiops,
                new=result.release_id == ranked_list.release_id,
                institution=result.institution,
                system_name=result.system_name,
                filesystem_type=result.filesystem_type,
                client_nodes=result.client_nodes,
                note=row.reason[:300],
            )
        )
    return entries
