"""Random edits of what had been logged: those of public rows an outsider finds, all of them the operator.

The outsider has the head of the log of an earlier day and the API. What no record has is listed by column, with why.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import DatabaseError, transaction

from registry.log import verification as log_verification
from registry.models import RankedList, Result
from submissions.lifecycle import audit_chain
from submissions.publication.verification import private_records, whole_record
from tests.registry.log.second_reader import Disagreement, SecondReader
from tests.submissions.publication.random_edits import Column, columns_of, edit_row
from tests.submissions.publication.test_verification import Outsider, bundles, logged, outsider, subjects  # noqa: F401
from tests.submissions.stage import Stage

PUBLIC_TABLES = [
    *("registry_result", "registry_measurement", "registry_resultfile", "registry_systemsnapshot"),
    *("registry_rankedlist", "registry_listentry", "registry_logopening"),
]
PRIVATE_TABLES = [
    "registry_logleaf",
    *("submissions_submission", "submissions_event", "submissions_check", "submissions_review"),
    "submissions_privaterecord",
]
STORAGE, ORDER = "what was last seen of the stored bytes", "the order of rows, which a record has by its own"
AGAIN = "found where numbers are derived again from the bytes, which takes too long for each edit"
COUNTED = "counted from the report, of which the digest is recorded"
WORK = "where a worker is with it"
DECLARED = "declared, and changed until the release; what is published of it is recorded"
NOT_LOGGED = {
    **{
        f"registry_result.{part}_{what}": STORAGE
        for part in ("archive", "copy")
        for what in ("missing_since", "damaged_since")
    },
    "registry_result.copy_withheld_at": STORAGE,
    "registry_result.recorded_at": "when the row was made",
    **{f"registry_result.{name}": AGAIN for name in ("lists", "opted_in", "ten_node")},
    **{f"registry_systemsnapshot.{name}": AGAIN for name in ("sha256", "summary")},
    **{f"registry_{table}.position": ORDER for table in ("measurement", "rankedlist")},
    "registry_rankedlist.entered_until": "until when results may enter; those that did are recorded",
    "registry_logleaf.noted_at": "when it began to wait",
    **{f"submissions_check.{name}": COUNTED for name in ("contradictions", "errors", "read_files", "tool", "warnings")},
    "submissions_check.seconds": "how long it took",
    **{f"submissions_submission.{name}": WORK for name in ("attempts", "bytes_seen_at", "checked_at", "queued_at")},
    **{
        f"submissions_submission.{name}": DECLARED
        for name in (
            *("account_id", "answers", "chosen_primary", "embargo_until", "filename", "institution_id", "lists"),
            *("metadata", "publication_acknowledged_at", "release_id", "result_id", "revises_id", "revision_reason"),
            *("rules_acknowledged_at", "submitted_at"),
        )
    },
}
"""Columns that no record has, and why."""
NOT_SHOWN = ("registry_logopening.kind", "registry_rankedlist.digest", "registry_listentry.position")
"""Columns of public rows that the API does not show."""
COUNT, COUNT_DEEP = 30, 10_000


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is written inside is taken back."""
    savepoint = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(savepoint)


def is_found_by_operator(column: Column) -> bool:
    """Whether `manage verify_record` has a line about it, without deriving numbers again from the bytes."""
    if column.table.startswith("submissions_"):
        parts = [private_records.record_breaks, audit_chain.find_breaks]
    elif column.table in ("registry_logopening", "registry_logleaf"):
        parts = [log_verification.opening_breaks, log_verification.log_breaks, private_records.record_breaks]
    else:
        parts = [log_verification.table_breaks, whole_record.list_breaks]
    return any(next(iter(find()), None) for find in parts)


def require_record_list(proof: dict[str, Any]) -> None:
    """Raise Disagreement unless the list of records says of the proven one what that says itself."""
    row = next(row for row in proof["records"] if row["leaf"] == proof["leaf"])
    if any(row[name] != proof["record"][name] for name in ("act", "recorded_at")):
        raise Disagreement("the list of records says something else")


def subjects_of(column: Column, row: dict[str, Any]) -> list[str]:
    """What of the record an edited row is about."""
    if column.table == "registry_logopening":
        return [row["subject"]]
    if column.table in ("registry_rankedlist", "registry_listentry"):
        key = row["id" if column.table == "registry_rankedlist" else "ranked_list_id"]
        release, name = RankedList.objects.values_list("release__slug", "name").get(pk=key)
        return [f"lists/{release}/{name}"]
    key = row["id" if column.table == "registry_result" else "result_id"]
    return [f"results/{PUBLIC_IDS[key]}"]


PUBLIC_IDS: dict[int, str] = {}


def is_found_outside(reader_outside: Outsider, reader: SecondReader, names: list[str]) -> bool:
    cache.clear()
    try:
        for subject in names:
            proof = reader_outside.ask(f"{subject}/proof/")
            reader.require_proof(proof)
            require_record_list(proof)
            reader_outside.hold_answer(subject, proof["record"])
    except (Disagreement, LookupError, ValueError, TypeError):  # also what is no proof or answer at all
        return True
    return False


def test_random_edits_are_found(
    logged: Stage,  # noqa: F811
    outsider: Outsider,  # noqa: F811
    subjects: list[str],  # noqa: F811
    request: pytest.FixtureRequest,
) -> None:
    PUBLIC_IDS.update(Result.objects.values_list("pk", "public_id"))
    source, reader = random.Random(19), SecondReader(outsider.fetch)
    columns = [column for column in columns_of([*PUBLIC_TABLES, *PRIVATE_TABLES]) if column.place not in NOT_LOGGED]
    outcomes, unseen = Counter[str](), Counter[str]()
    wanted = COUNT_DEEP if request.config.option.deep else COUNT
    while sum(outcomes.values()) < wanted:
        column = source.choice(columns)
        with undone():
            try:
                with transaction.atomic():
                    row = edit_row(column, source)
                if row is None:
                    continue
            except DatabaseError:
                continue  # the database itself refuses it: a condition of the table, or a value that stands twice
            is_public = column.table in PUBLIC_TABLES and column.place not in NOT_SHOWN
            by_operator = is_found_by_operator(column)
            by_outsider = is_public and is_found_outside(outsider, reader, subjects_of(column, row))
            outcomes["public" if is_public else "private"] += 1
            if not by_operator or (is_public and not by_outsider):
                unseen[f"{column.place} operator={by_operator} outsider={by_outsider}"] += 1
    print(outcomes, *sorted(unseen.items()), sep="\n")
    assert not unseen
