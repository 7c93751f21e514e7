"""Record in the transparency log what happens to a submission, for its owner: in the transaction in which it happens.

What public rows have that no public record has is recorded too, for the operator alone. A record names people by the
number of their account. The report of a check is recorded by its digest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Func, Max, Model, OuterRef, QuerySet, TextField, Value
from django.db.models.functions import Cast
from django.utils import timezone

from registry.log.canonical_form import canonical_text
from registry.log.recording import FIRST_RECORDED, new_leaves
from registry.models import IdentityChange, Override, Reproduction, Result
from submissions.lifecycle import withheld_facts
from submissions.models import Check, Event, PrivateRecord, Review, State, Submission

Kind = PrivateRecord.Kind
HAPPENED = "happened"
"""The act of a record that is made when the thing happens."""
RowsOfKind = tuple[Kind, Sequence[Any]]
_AT_ONCE = 500


def record_receipt(submission: Submission, act: str = HAPPENED) -> None:
    """Record the bytes that are held of a submission in its current version."""
    former = PrivateRecord.objects.filter(submission=submission, kind=Kind.RECEIPT).order_by("-leaf")
    previous = former.select_related("leaf").first() if submission.version > 1 else None
    _store_records([(Kind.RECEIPT, [submission])], act, str(previous.leaf) if previous else None)


def record_rows(*rows_by_kind: RowsOfKind, act: str = HAPPENED) -> None:
    """Record events, checks, decisions, and receipts of first versions. Two statements, however many kinds.

    The digest of a check's report is one more, and what a decision was about two.
    """
    _store_records(rows_by_kind, act)


def record_withheld(rows: Iterable[IdentityChange | Reproduction]) -> None:
    """Record of changes of names and marks of reproduction what no public record has; data files name no decider."""
    by_kind: dict[Kind, list[Any]] = {Kind.NAMING: [], Kind.SHARING: []}
    for row in rows:
        if isinstance(row, Reproduction):
            by_kind[Kind.SHARING].append(row)
        elif row.decided_by or row.undone_by:
            by_kind[Kind.NAMING].append(row)
    record_rows(*by_kind.items())


def forget_records(submissions: Iterable[Submission]) -> None:
    """Erase salt and text of every record of these submissions, and whose they were; their leaves say nothing."""
    records = PrivateRecord.objects.filter(submission__in=list(submissions), erased_at=None)
    records.update(salt=None, canonical=None, erased_at=timezone.now())


def forget_rankings(results: Iterable[Result]) -> None:
    """Erase salt and text of what was decided about these results for lists: a reason may name them."""
    decided = Override.objects.filter(result__in=list(results)).values_list("pk", flat=True)
    records = PrivateRecord.objects.filter(kind=Kind.RANKING, row__in=list(decided), erased_at=None)
    records.update(salt=None, canonical=None, erased_at=timezone.now())


def record_private() -> int:
    """Record what has no record yet, such as all that happened before this log began; how many were."""
    count = 0
    for kind, rows in unrecorded_rows().items():
        while batch := list(rows[:_AT_ONCE]):
            with transaction.atomic():
                _store_records([(kind, batch)], FIRST_RECORDED)
            count += len(batch)
    return count


def report_digests(checks: Iterable[Check]) -> dict[int, str]:
    """By primary key of a check the sha256, in hex, of its report as PostgreSQL prints it. One query.

    The database does it: a report has some 100 KB, and its canonical form would cost a check ten milliseconds.
    """
    report_text = Func(Cast("report", TextField()), Value("UTF8"), function="convert_to")
    digest = Func(Func(report_text, function="sha256"), Value("hex"), function="encode", output_field=TextField())
    rows = Check.objects.filter(pk__in=[check.pk for check in checks]).order_by()
    return dict(rows.annotate(digest=digest).values_list("pk", "digest"))


def receipt_facts(submission: Submission) -> dict[str, Any]:
    """What is recorded of the bytes of a submission."""
    return {
        "submission": str(submission.pk),
        "account": submission.account_id,
        "version": submission.version,
        "sha256": submission.sha256,
        "size_bytes": submission.size,
        "beside": submission.beside,
        "received_at": submission.received_at,
        "test": submission.test,
    }


def event_facts(event: Event) -> dict[str, Any]:
    """What is recorded of a row of the history."""
    return {
        "submission": str(event.submission_id),
        "number": event.pk,
        "at": event.at,
        "actor": event.actor_id,
        "from_state": event.from_state,
        "to_state": event.to_state,
        "reason": event.reason,
    }


def check_facts(check: Check, report_sha256: str) -> dict[str, Any]:
    """What is recorded of a check."""
    return {
        "submission": str(check.submission_id),
        "number": check.pk,
        "version": check.version,
        "made_at": check.made_at,
        "validators_version": check.validators_version,
        "status": check.status,
        "report_sha256": report_sha256,
    }


def decision_facts(review: Review, submitted: dict[str, Any] | None) -> dict[str, Any]:
    """What is recorded of a reviewer's decision; `submitted` as of `submitted_facts`."""
    return {
        "submission": str(review.submission_id),
        "number": review.pk,
        "made_at": review.made_at,
        "reviewer": review.reviewer_id,
        "decision": review.decision,
        "reproducibility": review.reproducibility,
        "production": review.production,
        "reason": review.reason,
        "findings": review.findings,
        "ties": review.ties,
        "submitted": submitted,
    }


def submitted_facts(reviews: Iterable[Review]) -> dict[int, dict[str, Any] | None]:
    """By primary key of a decision who had submitted what for which lists; None where it is not known any more.

    What is submitted stays as it is until changes are asked for. Two queries.
    """
    ids = {review.submission_id for review in reviews}
    submissions = Submission.objects.select_related("release").in_bulk(ids)
    requests = Event.objects.filter(submission__in=ids, to_state=State.CHANGES_REQUESTED).exclude(
        from_state=F("to_state")
    )
    last_requests = dict(
        requests.order_by().values("submission").annotate(at=Max("at")).values_list("submission", "at")
    )
    facts: dict[int, dict[str, Any] | None] = {}
    for review in reviews:
        requested_at = last_requests.get(review.submission_id)
        is_known = requested_at is None or requested_at < review.made_at
        facts[review.pk] = _submitted_as(submissions[review.submission_id]) if is_known else None
    return facts


def _submitted_as(submission: Submission) -> dict[str, Any]:
    return {
        "account": submission.account_id,
        "institution": submission.institution_id,
        "release": submission.release.slug if submission.release else None,
        "lists": submission.lists,
        "chosen_primary": submission.chosen_primary,
        "submitted_at": submission.submitted_at,
        "rules_acknowledged_at": submission.rules_acknowledged_at,
        "publication_acknowledged_at": submission.publication_acknowledged_at,
        "embargo_until": submission.embargo_until,
    }


def rows_facts(kind: Kind, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """What is recorded of each of these rows of one kind."""
    if kind == Kind.CHECK:
        digests = report_digests(rows)
        return [check_facts(row, digests[row.pk]) for row in rows]
    if kind in withheld_facts.MODELS:
        return withheld_facts.rows_facts(kind, rows)
    if kind == Kind.DECISION:
        submitted = submitted_facts(rows)
        return [decision_facts(row, submitted[row.pk]) for row in rows]
    return [_FACTS[kind](row) for row in rows]


_FACTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    Kind.RECEIPT: receipt_facts,
    Kind.EVENT: event_facts,
}


def _store_records(rows_by_kind: Iterable[RowsOfKind], act: str, previous: str | None = None) -> None:
    envelope = {
        "version": 1,
        "act": act,
        "recorded_at": f"{timezone.now():%Y-%m-%dT%H:%M:%SZ}",
        "previous": previous,
    }
    records = [
        PrivateRecord(
            submission_id=_submission_of(kind, row),
            kind=kind,
            row=row.version if kind == Kind.RECEIPT else row.pk,
            canonical=canonical_text(envelope | {"type": str(kind), str(kind): facts}),
        )
        for kind, rows in rows_by_kind
        for row, facts in zip(rows, rows_facts(kind, rows), strict=True)
    ]
    leaves = new_leaves([record.canonical or "" for record in records])
    for record, (leaf, salt) in zip(records, leaves, strict=True):
        record.leaf, record.salt = leaf, salt
    PrivateRecord.objects.bulk_create(records)


def _submission_of(kind: Kind, row: Any) -> Any:
    """Primary key of the submission whose owner may have the record; None where the operator alone may."""
    if kind in withheld_facts.MODELS:
        return None
    return row.pk if kind == Kind.RECEIPT else row.submission_id


def unrecorded_rows() -> dict[Kind, QuerySet[Any]]:
    """By kind the rows that no record is about. What was erased has lost its bytes, and needs none."""
    recorded = PrivateRecord.objects.order_by()
    of_row = recorded.filter(row=OuterRef("pk"))
    receipts = Submission.objects.exclude(sha256="").exclude(state=State.DRAFT).order_by("pk")
    kinds: dict[Kind, type[Model]] = {Kind.EVENT: Event, Kind.CHECK: Check, Kind.DECISION: Review}
    return {
        Kind.RECEIPT: receipts.filter(
            ~Exists(recorded.filter(kind=Kind.RECEIPT, submission=OuterRef("pk"), row=OuterRef("version")))
        ),
        **{
            kind: model._default_manager.filter(~Exists(of_row.filter(kind=kind))).order_by("pk")
            for kind, model in kinds.items()
        },
        **{
            kind: rows.filter(~Exists(of_row.filter(kind=kind))) for kind, rows in withheld_facts.decided_rows().items()
        },
    }
