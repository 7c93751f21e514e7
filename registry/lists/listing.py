"""Ranked lists in the database: gather a list's candidates, compute it, check it, freeze it.

The arithmetic is in ranking.py; this module only brings rows to it and back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from registry.identity.history import NEVER_MOVED, Standing, standings_at
from registry.lists import rank_ranges
from registry.lists.definitions import tool_of
from registry.lists.eligibility import Candidate, entry_of, rank_pool
from registry.lists.ranking import Differences, Entry, PublishedRow, Ranking, compare_lists
from registry.lists.ranking import Override as Decision
from registry.models import Erasure, ListDefinition, ListEntry, Measurement, Override, RankedList, Release, Result
from validators.findings import INFO

Row = dict[str, Any]

ENTRY_FIELDS = (
    *("position", "rank", "rank_low", "rank_high", "score", "bandwidth_gib_per_s", "rate_kiops"),
    *("institution", "system_name", "filesystem_type", "client_nodes", "new", "note"),
)
"""What a list shows of an entry, and its digest therefore covers."""


class ListError(Exception):
    """The list cannot be made: no definition, no pool, or it is a copy or frozen."""


def compute_list(release: Release, name: str) -> Ranking:
    """The list as its definition and the release's overrides make it now, nothing stored. Raises ListError."""
    return _compute_ranking(release, name, _definition_for(release, name))


def check_list(ranked_list: RankedList) -> Differences | None:
    """How a stored list differs from what its definition and overrides make; None where no pool is known."""
    release = ranked_list.release
    definition = ranked_list.definition or _definition_for(release, ranked_list.name)
    if not can_compute(release, definition):
        return None
    stored = ranked_list.entries.values_list("rank", "result__public_id", "score")
    return compare_lists(
        (PublishedRow(*row) for row in stored), _compute_ranking(release, ranked_list.name, definition)
    )


def freeze_list(
    release: Release, name: str, *, freeze: bool = False, definition: ListDefinition | None = None
) -> RankedList:
    """Make or remake a list of a release run here, by default by the newest definition; `freeze` makes it final.

    Raises ListError for a list that is frozen already, and for an imported release: its lists stay as published.
    """
    if release.imported:
        raise ListError(f"The lists of {release.name} are copies and stay as published; only --check is possible.")
    definition = definition or _definition_for(release, name)
    with transaction.atomic():
        ranked_list, _ = RankedList.objects.select_for_update().get_or_create(
            release=release, name=name, defaults=_head(definition)
        )
        if ranked_list.frozen_at:
            raise ListError(f"{ranked_list} is frozen since {ranked_list.frozen_at:%Y-%m-%d}.")
        for field, value in _head(definition).items():
            setattr(ranked_list, field, value)
        ranked_list.entries.all().delete()
        entries = ListEntry.objects.bulk_create(_list_entries(ranked_list, _compute_ranking(release, name, definition)))
        ranked_list.digest = entries_digest(entries)
        ranked_list.frozen_at = timezone.now() if freeze else None
        ranked_list.save()
        rank_ranges.index_ranges([ranked_list])
    return ranked_list


def preview_rank_ranges(release: Release, body: Row, ranking: Ranking) -> dict[str, tuple[int, int]]:
    """By result, the best and the worst rank that `build` would write of a ranking; nothing stored."""
    ranked_list = RankedList(release=release, definition=ListDefinition(body=body), trust=Result.Trust.VERIFIED)
    entries = _list_entries(ranked_list, ranking)
    ranges = rank_ranges.preview_ranges(ranked_list, entries)
    return {entry.result.public_id: ranges.get(entry.result_id, (entry.rank_low, entry.rank_high)) for entry in entries}


def entries_if_made_now(ranked_list: RankedList, ids: Collection[str]) -> list[str]:
    """Those results of `ids` that the list would have if it were made now, in its order."""
    ranking = _compute_ranking(ranked_list.release, ranked_list.name, _definition_of(ranked_list))
    return [row.entry for row in ranking.rows if row.entry in ids]


def can_compute(release: Release, definition: ListDefinition) -> bool:
    """Whether the pool that the definition names is in the record."""
    pool = definition.body["pool"]
    return pool in ("results", "release") or (pool == "full" and release.ranked_lists.filter(name="full").exists())


def arrange_imported(ranked_list: RankedList) -> list[ListEntry]:
    """Entries, not saved, of a list that is ranked here out of results imported with its release.

    What the published figures say against a result stands beside it: the list leaves out none of them.
    """
    body = _definition_of(ranked_list).body
    entries = _list_entries(ranked_list, rank_pool(_imported_with(ranked_list.release, body), body))
    for entry in entries:
        findings = entry.result.snapshot.get("findings", [])
        messages = [f"{finding['level']}: {finding['message']}" for finding in findings if finding["level"] != INFO]
        entry.note = " ".join(messages)[:300]
    return entries


def entries_digest(entries: Iterable[ListEntry]) -> str:
    """sha256 over what a list shows, in its order: the validator of caches and proof that a frozen list never moved."""
    rows = [(entry.result.public_id, *(getattr(entry, field) for field in ENTRY_FIELDS)) for entry in entries]
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def newest_definitions(names: Iterable[str]) -> dict[str, Row]:
    """The bodies of the definitions that make these lists of releases run here, by name."""
    list_definitions = ListDefinition.objects.filter(name__in=list(names), body__applies_to__origin="here")
    return {definition.name: definition.body for definition in list_definitions.order_by("version")}


def _definition_of(ranked_list: RankedList) -> ListDefinition:
    return ranked_list.definition or _definition_for(ranked_list.release, ranked_list.name)


def _definition_for(release: Release, name: str) -> ListDefinition:
    """The newest definition for a release run here; the one stored with an imported list."""
    definitions = ListDefinition.objects.filter(name=name)
    if release.imported:
        definition = definitions.filter(rankedlist__release=release).first()
    else:
        definition = definitions.filter(body__applies_to__origin="here").order_by("version").last()
    if definition is None:
        raise ListError(f"No definition of the list {name} applies to {release.name}.")
    return definition


def _compute_ranking(release: Release, name: str, definition: ListDefinition) -> Ranking:
    if not can_compute(release, definition):
        raise ListError(f"The record does not know which results {name} of {release.name} was chosen from.")
    list_decisions = load_decisions(release, name)
    pool = list_candidates(release, name, definition.body, [decision.entry for decision in list_decisions])
    return rank_pool(pool, definition.body, list_decisions)


def load_decisions(release: Release, name: str) -> list[Decision]:
    """What people decided about a list otherwise than its definition."""
    overrides = Override.objects.filter(release=release, list_name=name)
    return [Decision(*row) for row in overrides.values_list("result__public_id", "action", "reason", "score")]


def list_candidates(release: Release, name: str, body: Row, forced: Sequence[str] = ()) -> list[Entry]:
    """Out of the record, the pool that a definition's body names, with what overrides force onto the list."""
    if body["pool"] == "full":
        return _full_list(release, name, body, forced)
    if body["pool"] == "release":
        return _imported_with(release, body)
    return _measured_candidates(release, body, forced)


def _imported_with(release: Release, body: Row) -> list[Entry]:
    """Each under the names of its time: what was found to be one since then changes no published list."""
    results = Result.objects.filter(release=release, trust=Result.Trust.IMPORTED, tool=tool_of(body))
    published = datetime.combine(release.held_on, time(), UTC)
    results = results.select_related("site", "system", "release", "erasure").defer("erasure__erased_by")
    return _recorded_candidates(list(results), body, published)


def _full_list(release: Release, name: str, body: Row, forced: Sequence[str]) -> list[Entry]:
    """The release's full list with its own scores, and what overrides name beyond it with the score of its own list."""
    rows = ListEntry.objects.filter(ranked_list__release=release).select_related(
        "result__release", "result__erasure", "ranked_list"
    )
    rows = rows.defer("result__erasure__erased_by")
    full = [_imported_entry(row, body) for row in rows.filter(ranked_list__name="full")]
    full_ids = {entry.id for entry in full}
    beyond = rows.filter(ranked_list__name=name, result__public_id__in=forced)
    return full + [_imported_entry(row, body) for row in beyond if row.result.public_id not in full_ids]


def _imported_entry(row: ListEntry, body: Row) -> Entry:
    """Printed names decide, as they did for the published lists."""
    result = row.result
    names = {"institution": result.institution, "system": result.system_name, "filesystem_type": result.filesystem_type}
    if hasattr(result, "erasure"):
        names |= {"institution": result.erasure.system_key, "system": result.erasure.system_key}
    return _make_entry(result, body, names, row.score)


def _measured_candidates(release: Release, body: Row, forced: Sequence[str]) -> list[Entry]:
    """Verified results of the tool up to this release, newest revision; with what overrides name.

    Of this release also those that are reported: none of them ranks, and the exclusions say so.
    A published list does not move by itself: what was withdrawn or revised after the publication stays and says so, and
    what came after it, when an embargo ended, is on it once it was amended for that (`RankedList.entered_until`).
    """
    withdrawn, late, revised = Q(withdrawn_at__isnull=False), Q(pk=None), Q(revised_by__isnull=False)
    if release.published_at:
        amended = release.ranked_lists.filter(name=body["name"]).values_list("entered_until", flat=True).first()
        withdrawn &= Q(withdrawn_at__lte=release.published_at)
        late = Q(published_at__gt=amended or release.published_at)
        late |= Q(published_at__gt=release.published_at, revises__isnull=False)
        revised &= Q(revised_by__published_at__lte=release.published_at)
    joined = ("site", "system", "release", "erasure__system__site", "erasure__system__merged_into__site")
    results = Result.objects.filter(release__held_on__lte=release.held_on).select_related(*joined)
    results = results.defer("erasure__erased_by")
    ranked_or_explained = Q(trust=Result.Trust.VERIFIED) | Q(trust=Result.Trust.REPORTED, release=release)
    standing = results.filter(ranked_or_explained, ~withdrawn, ~late, ~revised, tool=tool_of(body))
    beyond = results.filter(public_id__in=forced).exclude(id__in=standing.values("id"))
    return _recorded_candidates([*standing, *beyond], body, release.published_at)


def _recorded_candidates(results: Sequence[Result], body: Row, published: datetime | None) -> list[Entry]:
    """Entries of results on the record, with the measurement that the list ranks where it ranks one.

    A list that is published goes on by the institutions and systems of that moment.
    """
    stood = standings_at(published) if published else {}
    if "ranks" not in body:
        return [_registered_entry(result, body, (), stood) for result in results]
    ranks = body["ranks"]
    rows: dict[int, list[Row]] = {}
    measurements = Measurement.objects.filter(
        result__in=results, op=ranks["op"], quantity=ranks["quantity"], stat=ranks["stat"]
    )
    for row in measurements.order_by().values("result_id", "op", "quantity", "stat", "context", "value"):
        rows.setdefault(row["result_id"], []).append({**row})
    return [_registered_entry(result, body, rows.get(result.pk, ()), stood) for result in results]


def _registered_entry(result: Result, body: Row, measurements: Iterable[Row], stood: Mapping[str, Standing]) -> Entry:
    """The record's own identities decide what is one system, not the spelling of a run.

    `measurements` are those of the result, as a report has them, where the body ranks one.
    """
    family = result.filesystem_family or result.filesystem_type
    site, system = stood.get(result.public_id, NEVER_MOVED)
    if hasattr(result, "erasure"):
        site, system = _erased_identity(result.erasure, site, system)
    identity = {
        "institution": site or result.site.slug,
        "system": system or result.system.slug,
        "filesystem_type": family,
    }
    return _make_entry(result, body, identity, result.score, measurements)


def _erased_identity(erasure: Erasure, site: str | None, system: str | None) -> tuple[str, str]:
    """Under what an erased result stands: its system while others name it, else what erased runs of it share."""
    if erasure.system:
        now = erasure.system.merged_into or erasure.system
        return site or now.site.slug, system or now.slug
    return site or erasure.system_key, system or erasure.system_key


def candidate_of_result(result: Result, score: float | None) -> Candidate:
    """What a definition may ask of a result, of which the release is joined. `score` is that of its own list."""
    return Candidate(
        trust=result.trust,
        release=result.release.slug if result.release else None,
        tool_version=result.tool_version,
        client_nodes=result.client_nodes,
        ten_node=result.ten_node,
        opted_in=result.opted_in,
        production=result.production,
        reproducibility=result.reproducibility,
        lists=result.lists,
        answers=result.snapshot.get("answers", {}).get("state"),
        parameters=result.parameters,
        scores={"score": score, "bandwidth_gib_per_s": result.bandwidth_gib_per_s, "rate_kiops": result.rate_kiops},
    )


def _make_entry(
    result: Result, body: Row, identity: Mapping[str, str], score: float | None, measurements: Iterable[Row] = ()
) -> Entry:
    entered = result.submitted_on.isoformat() if result.submitted_on else ""
    candidate = candidate_of_result(result, score)
    return entry_of(candidate, result.public_id, body, measurements, identity=identity, entered=entered)


def _head(definition: ListDefinition) -> dict[str, object]:
    return {
        "title": definition.body["title"],
        "position": definition.body["position"],
        "definition": definition,
        "trust": Result.Trust.VERIFIED,
    }


def _list_entries(ranked_list: RankedList, ranking: Ranking) -> list[ListEntry]:
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
                new=result.release_id == ranked_list.release_id and result.revises_id is None,
                institution=result.institution,
                system_name=result.system_name,
                filesystem_type=result.filesystem_type,
                client_nodes=result.client_nodes,
                note=row.reason[:300],
            )
        )
    return entries
