"""What is recorded of a published result, a list, a release: all facts, numbers and words that its page shows of it.

A field has the name and the value that it has in the API, so whoever reads a record can hold it against the answer of
today. What a page computes out of these (ranges of repeats, source links, neighbours) is not recorded again; what has
an address of its own is recorded by the sha256 of its canonical form, in `parts`. docs/log.md has the tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Q, QuerySet

from registry.log.canonical_form import canonical_text
from registry.models import (
    Edition,
    IdentityChange,
    ListEntry,
    PublicSystemSnapshot,
    RankedList,
    Release,
    Reproduction,
    Result,
    ResultFile,
)
from registry.models.identities import NONCE
from registry.query import public_record
from registry.query.public_record import Row
from registry.query.responses import record_rows

VERSION = 1

SNAPSHOT = {
    "scores": dict,
    "hashes": dict,
    "findings": list,
    "rules": list,
    "evidence": dict,
    "missing_measurements": list,
    "tests": list,
    "versions": dict,
    "answers": dict,
    "parameter_sources": dict,
    "described_parameters": dict,
}
"""What openapi.json promises of Result.snapshot, and its empty form; the rest stands under `facts`."""
FROM_FILES = ("read_from", "not_read")
"""Parts of Result.snapshot that are null where they are not known."""
DISTRIBUTIONS = "distributions"
"""Part of Result.snapshot with an address of its own, as it can be long."""
ENTRY_FIELDS = (
    *("rank", "rank_low", "rank_high", "result", "institution", "system", "filesystem_type", "client_nodes", "score"),
    *("bandwidth_gib_per_s", "rate_kiops", "new", "note"),
)
"""What a list says of an entry by itself; the rest of a row is told of the result."""

NAME_CHANGE = {
    **{name: name for name in ("id", "kind", "from_slug", "from_name", "to_slug", "to_name", "reason", "source")},
    **{name: name for name in ("made_at", "undone_at", "undone_reason")},
    "act": "action",
    "part_of": "part_of_id",
}
"""What is recorded of a change of names, and the column that has it."""
MARK_FIELDS = (*("kind", "outcome", "ratio", "low", "high", "why", "musts", "numbers", "differences", "judged_at"),)
"""What is recorded of a mark of reproduction, as the API has it, beside both results."""
RECORDED_LISTS = Q(frozen_at__isnull=False)
"""Of ranked lists those that are published."""
PUBLIC_CHANGES = Q(public=True)
"""Of changes of names those of names that stood in the record."""


def result_fields(result: Result, measurements: list[Row]) -> Row:
    """The recorded facts of a result with its joined rows, under the names of the API."""
    snapshot = result.snapshot
    return {
        "id": result.public_id,
        "tool": result.tool,
        "tool_version": result.tool_version,
        "mode": result.mode,
        "trust": result.trust,
        "source": result.source,
        "origin_id": result.origin_id,
        "release": result.release.slug if result.release else None,
        "label": snapshot.get("label"),
        "institution": result.institution,
        "institution_slug": result.site.slug,
        "system": result.system_name,
        "system_slug": result.system.slug,
        "platform": result.platform.slug if result.platform else None,
        "vendor": result.vendor or result.storage_vendor,
        "storage_vendor": result.storage_vendor,
        "filesystem_type": result.filesystem_type,
        "filesystem_family": result.filesystem_family,
        "filesystem_name": result.filesystem_name,
        "filesystem_version": result.filesystem_version,
        "client_nodes": result.client_nodes,
        "tasks": result.tasks,
        "score": result.score,
        "bandwidth_gib_per_s": result.bandwidth_gib_per_s,
        "rate_kiops": result.rate_kiops,
        "repeated_scores": result.repeated_scores,
        "reproducibility": result.reproducibility,
        "production": result.production,
        "submitted_on": result.submitted_on,
        "published_at": result.published_at,
        "bundle_sha256": result.bundle_sha256,
        "public_sha256": result.public_sha256,
        "revision": result.revision,
        "revises": result.revises.public_id if result.revises else None,
        "same_as": result.same_as.public_id if result.same_as else None,
        "revision_reason": result.revision_reason,
        "withdrawn_at": result.withdrawn_at,
        "withdrawn_reason": result.withdrawn_reason,
        "parameters": result.parameters,
        "measurements": measurements,
        "later_evidence": result.later_evidence,
        **{name: snapshot.get(name) or empty() for name, empty in SNAPSHOT.items()},
        **{name: snapshot.get(name) for name in FROM_FILES},
        "facts": {
            name: value for name, value in snapshot.items() if name not in {*SNAPSHOT, *FROM_FILES, DISTRIBUTIONS}
        },
    }


def result_records(ids: Collection[int]) -> Iterator[tuple[str, Row]]:
    """(`results/ID`, what is recorded) of each of these results that was not erased. Four queries."""
    joined = ("release", "site", "system", "platform", "revises", "same_as")
    results = Result.objects.filter(pk__in=ids, erasure=None).select_related(*joined).defer("search").order_by("pk")
    measurements = public_record.measurements_by_result(ids)
    files: dict[int, list[Row]] = {}
    for row in public_record.rows_of(
        {"of": "result_id", **public_record.FILE}, ResultFile.objects.filter(result__in=ids).order_by("path")
    ):
        files.setdefault(row.pop("of"), []).append(row)
    systems = dict(PublicSystemSnapshot.objects.filter(result__in=ids).values_list("result_id", "document"))
    for result in results:
        yield (
            f"results/{result.public_id}",
            {
                "result": result_fields(result, measurements[result.pk]),
                "parts": {
                    "distributions": part_digest(result.snapshot.get(DISTRIBUTIONS, [])),
                    "files": part_digest(files.get(result.pk, [])),
                    "system": part_digest(systems[result.pk]) if result.pk in systems else None,
                },
            },
        )


def list_records(lists: Collection[RankedList]) -> Iterator[tuple[str, Row]]:
    """(`lists/RELEASE/LIST`, what is recorded) of each of these lists, release and definition joined. One query."""
    columns = {name: public_record.ENTRY[name] for name in ENTRY_FIELDS}
    entries: dict[int, list[Row]] = {ranked_list.pk: [] for ranked_list in lists}
    stored = ListEntry.objects.filter(ranked_list__in=lists).order_by("ranked_list_id", "position")
    for row in public_record.rows_of({"of": "ranked_list_id", **columns}, stored):
        entries[row.pop("of")].append(row)
    for ranked_list in lists:
        definition = ranked_list.definition
        fields = {
            "release": ranked_list.release.slug,
            "release_name": ranked_list.release.name,
            "list": ranked_list.name,
            "title": ranked_list.title,
            "trust": ranked_list.trust,
            "complete": ranked_list.complete,
            "source": ranked_list.source,
            "note": ranked_list.note,
            "definition": {"name": definition.name, "version": definition.version} if definition else None,
            "entries": entries[ranked_list.pk],
        }
        if not ranked_list.release.imported:
            # Of a copy it is when the copy was loaded, which each load moves.
            fields["frozen_at"] = ranked_list.frozen_at
        parts = {"definition": part_digest(definition.body) if definition else None}
        yield f"lists/{ranked_list.release.slug}/{ranked_list.name}", {"list": fields, "parts": parts}


def release_records(releases: Collection[Release]) -> Iterator[tuple[str, Row]]:
    """(`releases/RELEASE`, what is recorded) of each of these releases. No query."""
    for release in releases:
        yield f"releases/{release.slug}", {"release": record_rows.release_row(release)}


def name_change_subject(change: IdentityChange) -> str:
    return f"name-changes/{change.pk}"


def name_change_fields(change: IdentityChange) -> Row:
    """The recorded facts of a merging or splitting, under the names of the API; not who decided."""
    return {name: getattr(change, column) for name, column in NAME_CHANGE.items()}


def name_change_records(changes: Collection[IdentityChange]) -> Iterator[tuple[str, Row]]:
    """(`name-changes/ID`, what is recorded) of each of these changes. No query.

    What moved is recorded by a digest that nobody can guess: the list may name a result that is erased later.
    """
    for change in changes:
        parts = {"parts": {"moved": part_digest(change.moved)}} if NONCE in change.moved else {}
        yield name_change_subject(change), {"name_change": name_change_fields(change)} | parts


def mark_subject(public_id: str) -> str:
    return f"reproductions/{public_id}"


def mark_records(ids: Collection[int]) -> Iterator[tuple[str, Row]]:
    """(`reproductions/ID`, what is recorded) of the mark of each of these results that was to reproduce another.

    One query.
    """
    for mark in public_marks().filter(pk__in=ids).order_by("pk"):
        yield mark_subject(mark.result.public_id), {"reproduction": mark_fields(mark)}


def public_marks() -> QuerySet[Reproduction]:
    """Marks of reproduction with both results joined; not with which institutions have members in common."""
    public = Reproduction.objects.filter(result__erasure=None, original__erasure=None)
    return public.select_related("result", "original").defer("shares_members_with")


def mark_fields(mark: Reproduction) -> Row:
    """The recorded facts of a mark of reproduction with both results, under the names of the API."""
    results = {"result": mark.result.public_id, "original": mark.original.public_id}
    return results | {name: getattr(mark, name) for name in MARK_FIELDS}


def edition_records() -> Iterator[tuple[str, Row]]:
    """(`editions/NAME`, what is recorded) of each edition of the record as files. One query."""
    for edition in Edition.objects.order_by("pk"):
        own = {"edition": edition.name, "as_of": edition.as_of}
        yield edition_subject(edition), {"edition": edition.manifest | own}


def edition_subject(edition: Edition) -> str:
    return f"editions/{edition.name}"


def part_digest(document: Any) -> str:
    """sha256 of the canonical form of what has an address of its own, in hex."""
    return hashlib.sha256(canonical_text(document).encode()).hexdigest()
