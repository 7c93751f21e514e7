"""Write records: a leaf for the log, and for the public what opens it, in the transaction of the act itself.

An act names what it is, and each record the leaf of the one before it. So a reader sees why a thing was recorded again,
and what changed without any act shows as a difference to its newest record.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from registry.dumps import editions
from registry.log import records
from registry.log.canonical_form import canonical_text, read_record
from registry.models import (
    Edition,
    IdentityChange,
    LogLeaf,
    LogOpening,
    LogState,
    RankedList,
    Release,
    Reproduction,
    Result,
)
from registry.query.public_record import Row

PUBLISHED, AMENDED, WITHDRAWN, NAMED = "published", "amended", "withdrawn", "named"
CALLED, CHANGED, UNDONE = "called", "changed", "undone"
IDENTIFIED, RECHECKED, LOADED, FIRST_RECORDED = "identified", "rechecked", "loaded", "first-recorded"
ERASED, RANGED, ADDED, RESTORED, REMOVED = "erased", "ranged", "added", "restored", "removed"
EXPLAINED = "explained"
ACTS = {
    CALLED: "It was made: a call for submissions.",
    CHANGED: "What it says of itself was changed: a release before it was published, the name of an institution.",
    PUBLISHED: "It was published.",
    AMENDED: "Its list was amended, for the reason in its note.",
    WITHDRAWN: "It was withdrawn.",
    NAMED: "It had been published without a name, and got it.",
    IDENTIFIED: "Names of institutions, systems or platforms were merged or split.",
    UNDONE: "A change of names was taken back.",
    RECHECKED: "Later rules found something in its files.",
    LOADED: "It was copied from a published source, or such a copy was corrected.",
    RANGED: "The ranks that its entries may have were computed again.",
    FIRST_RECORDED: "It had been published before this log began, or before it was looked for.",
    ERASED: "It was erased on request.",
    ADDED: "A key was used for the first time.",
    RESTORED: "The registry was restored from a backup.",
    EXPLAINED: "An operator looked at records whose times do not fit, and gave the reason.",
    REMOVED: "A name stands for nothing any more: its result got another one.",
}
"""Every act that records something, and what it means."""
CHANGED_BY = {
    WITHDRAWN: ("withdrawn_at", "withdrawn_reason"),
    IDENTIFIED: ("institution_slug", "system_slug", "platform"),
    RECHECKED: ("later_evidence",),
}
"""What of a result an act changes. The rest is recorded as it was: no other change slips in with it."""
NAME_FIELDS = {
    "site": ("also_printed_as", "former_slugs"),
    "system": ("site", "platform", "former_slugs"),
    "platform": ("predecessor", "former_slugs"),
}
"""What of a name any act changes. An editor's change of a name changes `name`, and a load all of a platform."""
ERASED_NAMES = "names/erased"
"""Subject of the emptied records of names that were erased: the subject itself would name them."""
SALT_SIZE = 32
BATCH = 200
_RANGE = ("rank_low", "rank_high")
_UNDOING = ("undone_at", "undone_reason")
_NO_RECORD = (LookupError, TypeError, AttributeError, ValueError, RecursionError)
"""What a text raises that has the form of a record, and not its facts: who writes to the tables can add one."""
ENVELOPE = ("type", "version", "act", "recorded_at", "previous")
"""What every record has beside its facts."""


def record_results(ids: Iterable[int], act: str) -> int:
    """Record these results where they are not as they were recorded last; how many were."""
    return _record_in_batches(LogOpening.Kind.RESULT, records.result_records, ids, act)


def record_lists(lists: Iterable[RankedList], act: str) -> int:
    """Record these lists, as far as they are published, where they are not as they were recorded last."""
    published_lists = RankedList.objects.filter(
        records.RECORDED_LISTS, pk__in=[ranked_list.pk for ranked_list in lists]
    )
    with transaction.atomic():
        current_records = dict(
            records.list_records(list(published_lists.select_related("release", "definition").order_by("pk")))
        )
        return record_changed(LogOpening.Kind.LIST, current_records, act)


def record_releases(releases: Iterable[Release], act: str) -> int:
    """Record these releases where they are not as they were recorded last; how many were."""
    stored = Release.objects.filter(pk__in=[release.pk for release in releases]).order_by("pk")
    with transaction.atomic():
        return record_changed(LogOpening.Kind.RELEASE, dict(records.release_records(list(stored))), act)


def record_name_changes(changes: Iterable[IdentityChange], act: str) -> int:
    """Record these changes of names, as far as everybody may know them, where they are not as recorded last."""
    changed = list(changes)
    ids = [change.pk for change in changed]
    public = IdentityChange.objects.filter(records.PUBLIC_CHANGES, pk__in=ids).order_by("pk")
    with transaction.atomic():
        _record_withheld(changed, act)
        return record_changed(LogOpening.Kind.NAME_CHANGE, dict(records.name_change_records(list(public))), act)


def record_marks(ids: Iterable[int], act: str) -> int:
    """Record the marks of reproduction of these results where they are not as recorded last; how many were."""
    marks = Reproduction.objects.filter(pk__in=list(ids)).order_by("pk")
    with transaction.atomic():
        _record_withheld(marks, act)
        return _record_in_batches(LogOpening.Kind.REPRODUCTION, records.mark_records, [mark.pk for mark in marks], act)


def _record_withheld(rows: Iterable[IdentityChange | Reproduction], act: str) -> None:
    if act == FIRST_RECORDED:
        return  # HOLDERS look for what has no record
    for record_withheld in WITHHELD_RECORDERS:
        record_withheld(rows)


def _record_in_batches(
    kind: str, read_records: Callable[[Collection[int]], Iterator[tuple[str, Row]]], ids: Iterable[int], act: str
) -> int:
    count, ids_to_record = 0, list(ids)
    for start in range(0, len(ids_to_record), BATCH):
        with transaction.atomic():
            current_records = dict(read_records(ids_to_record[start : start + BATCH]))
            count += record_changed(kind, current_records, act)
    return count


def record_edition(edition: Edition) -> None:
    """Record what the manifest of a new edition says."""
    record_own(LogOpening.Kind.EDITION, {"edition": edition.manifest}, PUBLISHED, records.edition_subject(edition))


def record_own(kind: str, facts: Mapping[str, Any], act: str, subject: str = "log") -> None:
    """Record something that happens once: a key, a restoration, an erasure, a reason for times that do not fit."""
    now = timezone.now()
    _store_openings(kind, {subject: _make_envelope(kind, act, now, None) | dict(facts)}, act, now)


def forget_openings(subjects: Collection[str]) -> Counter[str]:
    """Erase salt and text of every record of these subjects; their leaves prove nothing any more, and say nothing.

    How many records were emptied, by subject.
    """
    openings = LogOpening.objects.filter(subject__in=subjects, erased_at=None)
    emptied = Counter(openings.values_list("subject", flat=True))
    openings.update(salt=None, canonical=None, erased_at=timezone.now())
    return emptied


WITHHELD_RECORDERS: list[Callable[[Iterable[IdentityChange | Reproduction]], None]] = []
"""What records of these rows, as they are recorded, what no public record has."""
HOLDERS: list[Callable[[], int]] = []
"""What else looks for things without a record, and says how many it recorded."""


def note_unrecorded() -> None:
    """Say, in the transaction of a load, that the record may hold what the log does not; the next append looks."""
    LogState.objects.update_or_create(pk=1, defaults={"unheld_since": timezone.now()})


def record_unrecorded() -> int:
    """Record all that is published and not recorded as it is; how many were. Costs what is stored: after loads alone.

    What was published here is only recorded for the first time: no change of it goes into the log without its act.
    """
    since = LogState.objects.filter(pk=1).values_list("unheld_since", flat=True).first()
    if since is None:
        return 0
    recorded = LogOpening.objects.order_by().values("subject")
    count = 0
    results = Result.objects.filter(erasure=None).order_by("pk").values_list("pk", "public_id", "trust")
    recorded_subjects = set(recorded.filter(kind=LogOpening.Kind.RESULT).values_list("subject", flat=True).distinct())
    new = [pk for pk, public_id, _ in results if f"results/{public_id}" not in recorded_subjects]
    loaded = [
        pk
        for pk, public_id, trust in results
        if trust != Result.Trust.VERIFIED and f"results/{public_id}" in recorded_subjects
    ]
    count += record_results(new, FIRST_RECORDED) + record_results(loaded, LOADED)
    lists = RankedList.objects.filter(records.RECORDED_LISTS).select_related("release").order_by("pk")
    recorded_subjects = set(recorded.filter(kind=LogOpening.Kind.LIST).values_list("subject", flat=True).distinct())
    for ranked_list in lists:
        is_known = f"lists/{ranked_list.release.slug}/{ranked_list.name}" in recorded_subjects
        act = FIRST_RECORDED if not is_known else LOADED if ranked_list.release.imported else RANGED
        count += record_lists([ranked_list], act)
    count += _record_unrecorded_releases() + _record_unrecorded_changes() + sum(hold() for hold in HOLDERS)
    count += _record_unrecorded_edition() + _record_unrecorded_marks()
    LogState.objects.filter(pk=1, unheld_since=since).update(unheld_since=None)
    return count


def _record_unrecorded_releases() -> int:
    openings = LogOpening.objects.filter(kind=LogOpening.Kind.RELEASE)
    known_subjects = set(openings.order_by().values_list("subject", flat=True).distinct())
    releases = list(Release.objects.order_by("pk"))
    recorded_releases = [release for release in releases if f"releases/{release.slug}" in known_subjects]
    new = [release for release in releases if release not in recorded_releases]
    copied = [release for release in recorded_releases if release.imported]
    return record_releases(new, FIRST_RECORDED) + record_releases(copied, LOADED)


def _record_unrecorded_edition() -> int:
    """The edition that was made before editions had records. A later one without a record was not made here."""
    if LogOpening.objects.filter(kind=LogOpening.Kind.EDITION).exists():
        return 0
    return record_changed(LogOpening.Kind.EDITION, dict(records.edition_records()), FIRST_RECORDED)


def _record_unrecorded_marks() -> int:
    """A mark never changes: those that were made before marks had records."""
    openings = LogOpening.objects.filter(kind=LogOpening.Kind.REPRODUCTION)
    known_subjects = set(openings.order_by().values_list("subject", flat=True).distinct())
    marks = Reproduction.objects.order_by("pk").values_list("pk", "result__public_id")
    return record_marks(
        [pk for pk, public_id in marks if records.mark_subject(public_id) not in known_subjects], FIRST_RECORDED
    )


def _record_unrecorded_changes() -> int:
    """Changes of names are never loaded again: what is recorded of one changes by its undoing alone."""
    openings = LogOpening.objects.filter(kind=LogOpening.Kind.NAME_CHANGE)
    known_subjects = set(openings.order_by().values_list("subject", flat=True).distinct())
    changes = IdentityChange.objects.filter(records.PUBLIC_CHANGES).order_by("pk")
    return record_name_changes(
        [change for change in changes if records.name_change_subject(change) not in known_subjects], FIRST_RECORDED
    )


def new_leaves(texts: list[str]) -> list[tuple[LogLeaf, bytes]]:
    """A leaf that waits for its place in the log, and its salt, for each canonical text."""
    salts = [secrets.token_bytes(SALT_SIZE) for _ in texts]
    leaves = [LogLeaf(entry=entry_of(salt, text)) for salt, text in zip(salts, texts, strict=True)]
    return list(zip(LogLeaf.objects.bulk_create(leaves), salts, strict=True))


def entry_of(salt: bytes, canonical: str) -> bytes:
    """What the log holds of a record: sha256 over the salt and the canonical text in UTF-8."""
    return hashlib.sha256(salt + canonical.encode()).digest()


def newest_openings(subjects: Collection[str]) -> dict[str, LogOpening]:
    """By subject its newest record that is not erased, with its leaf."""
    newest = LogOpening.objects.filter(subject=OuterRef("subject")).order_by("-leaf").values("leaf")[:1]
    openings = LogOpening.objects.filter(subject__in=subjects, erased_at=None, leaf=Subquery(newest))
    return {opening.subject: opening for opening in openings.select_related("leaf")}


def record_changed(kind: str, current_records: Mapping[str, Row], act: str) -> int:
    """Record of these bodies, by subject, those that differ from what was recorded last; how many did.

    What stands last and is no record stays, and the next one follows it: an act builds on the last that is one.
    """
    now, before, changed = timezone.now(), newest_openings(list(current_records)), {}
    for subject, body in current_records.items():
        newest = before.get(subject)
        recorded, is_unchanged = (body, False) if newest is None else _build_on(newest, act, body)
        if not is_unchanged:
            changed[subject] = _make_envelope(kind, act, now, newest) | recorded
    _store_openings(kind, changed, act, now)
    return len(changed)


def _build_on(newest: LogOpening, act: str, body: Row) -> tuple[Row, bool]:
    """What is recorded now, and whether the newest record says just that."""
    earlier = LogOpening.objects.filter(subject=newest.subject, erased_at=None, leaf_id__lt=newest.leaf_id)
    for former in chain([newest], earlier.select_related("leaf").order_by("-leaf_id").iterator(BATCH)):
        former_record = proven_record(former)
        if former_record is None:
            continue
        try:
            carried = _as_changed_by(act, former_record, body)
            text = canonical_text({name: former_record[name] for name in ENVELOPE} | carried)
        except _NO_RECORD:
            continue
        return carried, former is newest and text == former.canonical
    return body, False


def proven_record(opening: LogOpening) -> Row | None:
    """The record that a leaf was made of; None for a text that was changed since, or that is no record."""
    if opening.canonical is None or not is_of_leaf(opening, opening.canonical):
        return None
    return read_record(opening.canonical)


def is_of_leaf(opening: LogOpening, canonical: str) -> bool:
    """Whether a leaf was made of a record, its text and its salt."""
    return opening.salt is not None and entry_of(bytes(opening.salt), canonical) == bytes(opening.leaf.entry)


def _as_changed_by(act: str, former_record: Row, body: Row) -> Row:
    """What is recorded now, of which an act may change only its own part; `former_record` is the record before."""
    if "release" in body:
        published = {"published_at": body["release"]["published_at"]}
        return {"release": former_record["release"] | published} if act == PUBLISHED else body
    if "name_change" in body:
        undone = {name: body["name_change"][name] for name in _UNDOING}
        parts = body if act == UNDONE else former_record
        changed = {"parts": parts["parts"]} if "parts" in parts else {}
        return changed | {"name_change": former_record["name_change"] | (undone if act == UNDONE else {})}
    if name := next((name for name in NAME_FIELDS if name in body), None):
        changed = {field: body[name][field] for field in (*NAME_FIELDS[name], *["name"] * (act == CHANGED))}
        return {name: body[name] if (act, name) == (LOADED, "platform") else former_record[name] | changed}
    if act in CHANGED_BY:
        changed = {name: body["result"][name] for name in CHANGED_BY[act]}
        return {"result": former_record["result"] | changed, "parts": former_record["parts"]}
    if act == RANGED:
        ranges = {row["result"]: {name: row[name] for name in _RANGE} for row in body["list"]["entries"]}
        entries = [row | ranges.get(row["result"], {}) for row in former_record["list"]["entries"]]
        return {"list": former_record["list"] | {"entries": entries}, "parts": former_record["parts"]}
    return body


def _make_envelope(kind: str, act: str, now: datetime, former: LogOpening | None) -> Row:
    return {
        "type": str(kind),
        "version": records.VERSION,
        "act": act,
        "recorded_at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "previous": str(former.leaf) if former else None,
    }


def _store_openings(kind: str, documents: Mapping[str, Row], act: str, now: datetime) -> None:
    """Store these records by subject, with the time as they have it: in whole seconds."""
    now = now.replace(microsecond=0)
    texts = {subject: canonical_text(document) for subject, document in documents.items()}
    leaves = new_leaves(list(texts.values()))
    LogOpening.objects.bulk_create(
        LogOpening(leaf=leaf, kind=kind, act=act, recorded_at=now, subject=subject, salt=salt, canonical=text)
        for (subject, text), (leaf, salt) in zip(texts.items(), leaves, strict=True)
    )


editions.RECORDERS.append(record_edition)
