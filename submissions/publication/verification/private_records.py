"""Receipts, rows of history, checks and decisions held against what the log has of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Exists, Model, OuterRef, Q

from registry.log import recording
from registry.log.canonical_form import canonical_text, read_record
from registry.log.verification import differing_values
from registry.models import LogLeaf, LogOpening
from submissions.lifecycle import private_records, withheld_facts
from submissions.models import Check, Event, PrivateRecord, Review, State, Submission, Version
from submissions.publication.verification import withheld_rows

AT_ONCE = 500
MOST_NAMED = 20
"""Rows without a record that are named; many are missing together, or none."""
Kind = PrivateRecord.Kind
_MODELS: dict[str, type[Model]] = {Kind.EVENT: Event, Kind.CHECK: Check, Kind.DECISION: Review}


def record_breaks() -> Iterator[str]:
    """What does not fit between private rows and their records, a sentence for each."""
    gone = dict[str, list[Mapping[str, Any]]]()
    of_submissions = PrivateRecord.objects.exclude(kind__in=withheld_facts.MODELS)
    rows = of_submissions.order_by("leaf").select_related("leaf").iterator(AT_ONCE)
    while batch := list(islice(rows, AT_ONCE)):
        yield from _batch_breaks(batch, gone)
    for submission_id, kept_records in gone.items():
        if not _may_be_deleted(kept_records):
            yield f"Submission {submission_id}: the log has {len(kept_records)} records of it, and it is gone."
    yield from _wrongly_expired()
    yield from _unrecorded_rows()
    yield from _emptied_without_row()
    yield from _unopened_leaves()
    yield from withheld_rows.withheld_breaks()


def _batch_breaks(batch: list[PrivateRecord], gone: dict[str, list[Mapping[str, Any]]]) -> Iterator[str]:
    submissions = Submission.objects.in_bulk({row.submission_id for row in batch if row.submission_id})
    records = dict[int, Mapping[str, Any]]()
    for row in batch:
        if row.canonical is None or row.salt is None:
            owner = submissions.get(row.submission_id) if row.submission_id else None
            if owner is None or owner.sha256:
                yield f"Submission {row.submission_id}: a record of its {row.kind} was emptied, and it was not erased."
        elif recording.entry_of(bytes(row.salt), row.canonical) != bytes(row.leaf.entry):
            yield f"Submission {row.submission_id}: the record of its {row.kind} {row.row} was changed since."
        else:
            record = read_record(row.canonical)
            if record is not None and _has_form(record):
                records[row.pk] = record
            else:
                yield f"Submission {row.submission_id}: the record of its {row.kind} {row.row} is none in its form."
    current = _current_facts(batch, records)
    for row in batch:
        if row.pk in records:
            yield from _record_breaks(row, records[row.pk], current, gone)


def _has_form(record: Mapping[str, Any]) -> bool:
    """Whether a record says of which row it is, and what decides whether that row may be deleted."""
    try:
        kind, facts = record["type"], record[record["type"]]
        UUID(facts["submission"])
        number = facts["version" if kind == Kind.RECEIPT else "number"]
        is_decided = {Kind.RECEIPT: "test", Kind.EVENT: "to_state"}.get(kind, "submission") in facts
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    has_state = kind != Kind.EVENT or isinstance(facts.get("to_state"), str)
    return type(number) is int and 0 <= number < 2**63 and is_decided and has_state


def _record_breaks(
    row: PrivateRecord,
    record: Mapping[str, Any],
    current: Mapping[tuple[str, str, int], Any],
    gone: dict[str, list[Mapping[str, Any]]],
) -> Iterator[str]:
    """What a row says otherwise than its record, which knows by itself what it is of."""
    kind, facts = record["type"], record[record["type"]]
    submission_id, number = facts["submission"], facts["version" if kind == Kind.RECEIPT else "number"]
    if (row.kind, row.row, str(row.submission_id or submission_id)) != (kind, number, submission_id):
        yield f"Submission {submission_id}: the row of its record of {kind} {number} says something else."
    if (Kind.RECEIPT, submission_id, 0) not in current:
        gone.setdefault(submission_id, []).append(record)
    elif (kind, submission_id, number) not in current:
        yield f"Submission {submission_id}: the log has {kind} {number}, and it is gone."
    else:
        stored = json.loads(canonical_text(current[kind, submission_id, number]))
        comparable = {name: value for name, value in stored.items() if _is_comparable(name, value, facts)}
        recorded_facts = {name: value for name, value in facts.items() if name in comparable or name not in stored}
        for name, before, now in differing_values({"": recorded_facts}, {"": comparable}, ""):
            name = name.lstrip(".")
            yield f"Submission {submission_id}: {kind} {number} has {name} {now!r:.80}, the log {before!r:.80}."


def _is_comparable(name: str, value: Any, facts: Mapping[str, Any]) -> bool:
    """Whether a record and its row both know a value: earlier records have fewer names; what was submitted may change.

    A decision whose submission was changed since, or whose record came after that, does not know what was submitted.
    """
    return name in facts and (name != "submitted" or None not in (value, facts[name]))


def _current_facts(
    batch: Iterable[PrivateRecord], records: Mapping[int, Mapping[str, Any]]
) -> dict[tuple[str, str, int], Any]:
    """By kind, submission and number what the rows say that these records are of; number 0: the submission is there."""
    facts_by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for record in records.values():
        facts_by_kind.setdefault(record["type"], []).append(record[record["type"]])
    ids = {UUID(facts["submission"]) for rows in facts_by_kind.values() for facts in rows}
    current: dict[tuple[str, str, int], Any] = {}
    for submission in Submission.objects.filter(pk__in=ids):
        current[Kind.RECEIPT, str(submission.pk), 0] = None
        current[Kind.RECEIPT, str(submission.pk), submission.version] = private_records.receipt_facts(submission)
    for version in Version.objects.filter(submission__in=ids).select_related("submission"):
        bundle, *others = version.files
        facts = private_records.receipt_facts(version.submission) | {"version": version.number, "beside": others}
        facts |= {"sha256": bundle["sha256"], "size_bytes": bundle["size"]}
        current[Kind.RECEIPT, str(version.submission_id), version.number] = facts
    for kind, model in _MODELS.items():
        numbers = [facts["number"] for facts in facts_by_kind.get(kind, ())]
        stored_rows = list(model._default_manager.filter(pk__in=numbers)) if numbers else []
        for row, facts in zip(stored_rows, private_records.rows_facts(Kind(kind), stored_rows), strict=True):
            current[kind, facts["submission"], row.pk] = facts
    return current


def _wrongly_expired() -> Iterator[str]:
    """Submissions that are marked as expired, so that their bytes go, and that the registry did not withdraw."""
    withdrawals = Event.objects.filter(submission=OuterRef("pk"), to_state=State.WITHDRAWN, actor=None)
    marked = Submission.objects.filter(~Exists(withdrawals), expired_at__isnull=False)
    for submission_id in marked.order_by("pk").values_list("pk", flat=True):
        yield f"Submission {submission_id}: it is marked as expired, and its history does not say so."


def _may_be_deleted(records: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a submission was a trial, or a draft to which nothing was ever sent: those are not kept."""
    receipts = [record["receipt"] for record in records if record["type"] == Kind.RECEIPT]
    states = [record["event"]["to_state"] for record in records if record["type"] == Kind.EVENT]
    return all(receipt["test"] for receipt in receipts) and bool(receipts or set(states) <= {State.DRAFT})


def _unrecorded_rows() -> Iterator[str]:
    """Rows that no record is about: they were written past the application, or wait for the first append."""
    for kind, rows in private_records.unrecorded_rows().items():
        for row in rows[:MOST_NAMED]:
            yield f"The {kind} {row.pk} has no record in the log."
        more = rows.count() - MOST_NAMED
        if more > 0:
            yield f"And {more} more rows of this kind, {kind}, have no record in the log."


def _emptied_without_row() -> Iterator[str]:
    """Emptied records of rows that are not there, or that have another record: they hide what a leaf was made of."""
    emptied = PrivateRecord.objects.exclude(erased_at=None)
    for kind, model in _MODELS.items():
        rows = model._default_manager.filter(pk=OuterRef("row"), submission=OuterRef("submission"))
        for submission_id, row in emptied.filter(~Exists(rows), kind=kind).values_list("submission", "row"):
            yield f"Submission {submission_id}: the emptied record of its {kind} {row} is of nothing that it has."
    others = PrivateRecord.objects.filter(
        ~Q(pk=OuterRef("pk")), kind=OuterRef("kind"), row=OuterRef("row"), submission=OuterRef("submission")
    )
    for submission_id, kind, row in emptied.filter(Exists(others)).values_list("submission", "kind", "row"):
        yield f"Submission {submission_id}: its {kind} {row} has more than one record."


def _unopened_leaves() -> Iterator[str]:
    """Entries of the log that nothing opens any more: the record was deleted, or lost when a backup was restored."""
    opened = (LogOpening.objects.filter(leaf=OuterRef("pk")), PrivateRecord.objects.filter(leaf=OuterRef("pk")))
    leaves = LogLeaf.objects.filter(*(~Exists(rows) for rows in opened)).order_by("pk")
    for leaf in leaves[:MOST_NAMED]:
        yield f"The log: entry {leaf.index} has no record here: it was deleted, or lost when a backup was restored."
    more = leaves.count() - MOST_NAMED
    if more > 0:
        yield f"The log: {more} more entries have no record here."
