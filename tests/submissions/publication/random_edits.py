"""Random edits of stored rows, as the owner of the database could make them, and whether the operator finds one.

What no record has is listed by column, with why.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from registry.log import verification as log_verification
from registry.models import RankedList, Result
from submissions.lifecycle import audit_chain
from submissions.publication.verification import private_records, whole_record

_CHANGES = {
    "double precision": "coalesce({0}, 0) * 2 + 1",
    "smallint": "coalesce({0}, 0) + 1",
    "integer": "coalesce({0}, 0) + 1",
    "bigint": "coalesce({0}, 0) + 1",
    "boolean": "NOT coalesce({0}, false)",
    "date": "coalesce({0}, current_date) + 1",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 day'",
    "bytea": "sha256(coalesce({0}, 'x'))",
    "text": "coalesce({0}, '') || 'x'",
    "character varying": "coalesce(left({0}, -1), '') || CASE WHEN right({0}, 1) = 'x' THEN 'y' ELSE 'x' END",
    "ARRAY": "coalesce({0}, ARRAY[]::double precision[]) || 1::double precision",
}
"""By type of a column an expression for another value than it has."""
_LIKE = (
    "translate({0}, 'aceopx', '\u0430\u0441\u0435\u043e\u0440\u0445')",
    "{0} || chr(8203)",
    "replace({0}, ' ', chr(160))",
    "normalize({0}, NFD)",
)
"""Texts that look alike: Cyrillic letters, a sign without width, another blank, an accent of its own."""
EXCHANGED = 0.25
"""The share of edits that exchange the values of two rows."""


PUBLIC_TABLES = [
    *("registry_result", "registry_measurement", "registry_resultfile", "registry_systemsnapshot"),
    *("registry_rankedlist", "registry_listentry", "registry_release", "registry_logopening"),
]
PRIVATE_TABLES = [
    "registry_logleaf",
    *("submissions_submission", "submissions_event", "submissions_check", "submissions_review"),
    "submissions_privaterecord",
]
NAMED_TABLES = {
    *("registry_site", "registry_system", "registry_platform", "registry_identitychange", "registry_edition"),
    *("registry_fact", "registry_observedparameter", "registry_listdefinition", "registry_catalogueload"),
    *("registry_logcheckpoint", "registry_logkey", "registry_logstate", "registry_reproduction"),
}
"""Edited by tests of their own: names, files and what follows from the record. Of some no column but these is found."""
COMPUTED = "computed again from the record by verify_record; test_computed_steps edits them"
UNRECORDED_TABLES = {
    "registry_step": COMPUTED,
    "registry_runverdict": COMPUTED,
    "registry_stepsdue": "systems that wait for a worker",
    "registry_rankrange": "the ranges that a list shows are recorded with it",
    "registry_searchtext": "texts of the site, loaded from its files by each release",
    "registry_demonstrationrun": "runs of the tour, which are no results",
    "registry_savedstudy": "questions that people saved; their answers are computed",
    "registry_override": "recorded for the operator alone; lifecycle/test_withheld_facts.py edits them",
    "registry_erasure": "without the mark an erased result has no record; category and time are in the log alone",
    "registry_recordchange": "who wrote lately, for editions",
    "registry_publicwrite": "who wrote lately, for kept answers",
}
"""Tables of the public record of which not every edit is found, and why."""
STORAGE, ORDER = "what was last seen of the stored bytes", "the order of rows, which a record has by its own"
AGAIN = "found where numbers are derived again from the bytes, which takes too long for each edit"
COUNTED = "counted from the report, of which the digest is recorded"
WORK = "where a worker is with it"
JUDGING = "when a reproduction is tried again that could not be judged"
DECLARED = "declared, and changed until the release; what is published of it is recorded"
EXPIRY = "the clock of drafts and test uploads, which are not published"
NOT_LOGGED = {
    **{
        f"registry_result.{part}_{what}": STORAGE
        for part in ("archive", "copy")
        for what in ("missing_since", "damaged_since")
    },
    "registry_result.copy_withheld_at": STORAGE,
    "registry_result.recorded_at": "when the row was made",
    "registry_result.rules_violated": "the database computes it from the rules, which are recorded",
    **{f"registry_result.{name}": AGAIN for name in ("lists", "opted_in", "ten_node")},
    **{f"registry_systemsnapshot.{name}": AGAIN for name in ("sha256", "summary")},
    **{f"registry_{table}.position": ORDER for table in ("measurement", "rankedlist")},
    "registry_release.called_at": "when the row was made; its first record says when it was called",
    "registry_rankedlist.entered_until": "until when results may enter; those that did are recorded",
    "registry_logleaf.noted_at": "when it began to wait",
    **{f"submissions_check.{name}": COUNTED for name in ("contradictions", "errors", "read_files", "tool", "warnings")},
    "submissions_check.seconds": "how long it took",
    **{
        f"submissions_submission.{name}": WORK
        for name in ("attempts", "bytes_seen_at", "checked_at", "queued_at", "shelved_at")
    },
    **{f"submissions_submission.judging_{name}": JUDGING for name in ("due_at", "failed_at", "failure")},
    **{
        f"submissions_submission.{name}": DECLARED
        for name in (*("answers", "filename", "metadata", "reproduces_id", "revises_id", "revision_reason"),)
    },
    "submissions_submission.result_id": AGAIN,
    **{
        f"submissions_submission.{name}": EXPIRY
        for name in ("changed_at", "expiry_told_at", "expired_bytes_deleted_at")
    },
}
"""Columns that no record has, and why."""
OF_DECISIONS = {
    f"submissions_submission.{name}"
    for name in (
        *("chosen_primary", "embargo_until", "institution_id", "lists", "publication_acknowledged_at", "release_id"),
        *("rules_acknowledged_at", "submitted_at"),
    )
}
"""Columns that the record of a decision has: of a submission that is not decided, they still change."""
NOT_SHOWN = ("registry_logopening.kind", "registry_rankedlist.digest", "registry_listentry.position")
"""Columns of public rows that the API does not show."""


@dataclass(frozen=True)
class Column:
    table: str
    name: str
    kind: str
    refers_to: str | None
    """Table whose keys it holds, if it does."""

    @property
    def place(self) -> str:
        return f"{self.table}.{self.name}"


def columns_of(tables: list[str]) -> list[Column]:
    """Every stored column of these tables but their own keys."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, c.column_name, c.data_type, f.confrelid::regclass::text"
            " FROM information_schema.columns c LEFT JOIN pg_constraint f ON f.contype = 'f'"
            " AND f.conrelid = c.table_name::regclass AND f.conkey = ARRAY[(SELECT attnum FROM pg_attribute"
            " WHERE attrelid = c.table_name::regclass AND attname = c.column_name)]"
            " WHERE c.table_schema = 'public' AND c.table_name = ANY(%s) AND c.is_generated = 'NEVER'"
            " AND c.column_name NOT IN ('id', 'leaf_id') ORDER BY 1, 2",
            [tables],
        )
        return [Column(*row) for row in cursor.fetchall()]


def edit_row(column: Column, source: random.Random) -> dict[str, Any] | None:
    """Change one value of one row of a column; the row as it was, or None where there is nothing else to write."""
    with connection.cursor() as cursor:
        condition = "WHERE id IN (SELECT submission_id FROM submissions_review)" if column.place in OF_DECISIONS else ""
        cursor.execute(f'SELECT ctid::text, "{column.name}" FROM {column.table} {condition} ORDER BY ctid')
        rows = cursor.fetchall()
        if not rows:
            return None
        row, value = source.choice(rows)
        cursor.execute(f"SELECT to_jsonb(t) - 'snapshot' - 'document' FROM {column.table} t WHERE ctid = %s", [row])
        before = cursor.fetchone()[0]
        others = [other for other, other_value in rows if other_value != value]
        if others and source.random() < EXCHANGED:
            return _as_object(before) if exchange_values(column, row, source.choice(others)) else None
        if column.kind in ("text", "character varying") and source.random() < 0.5:
            expression = source.choice(_LIKE).format(f'"{column.name}"')
            cursor.execute(
                f'UPDATE {column.table} SET "{column.name}" = {expression}'
                f' WHERE ctid = %s AND "{column.name}" <> {expression}',
                [row],
            )
            if cursor.rowcount:
                return _as_object(before)
        if column.refers_to:
            cursor.execute(f"SELECT id FROM {column.refers_to} WHERE id IS DISTINCT FROM %s ORDER BY id", [value])
            others = cursor.fetchall()
            if not others:
                return None
            expression, parameters = "%s", [source.choice(others)[0]]
        elif column.kind == "jsonb":
            document = json.loads(value) if isinstance(value, str) else value
            expression, parameters = "%s::jsonb", [json.dumps(changed_document(document, source))]
        elif column.kind in _CHANGES:
            expression, parameters = _CHANGES[column.kind].format(f'"{column.name}"'), []
        else:
            return None
        cursor.execute(f'UPDATE {column.table} SET "{column.name}" = {expression} WHERE ctid = %s', [*parameters, row])
        return _as_object(before)


def _as_object(row: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(row) if isinstance(row, str) else row
    return value


def exchange_values(column: Column, first: str, second: str) -> bool:
    """Exchange what two rows have there; False where both together say the same afterwards."""

    def rows_as_texts(places: tuple[str, str]) -> list[str]:
        cursor.execute(
            f"SELECT (to_jsonb(t) - 'id')::text FROM {column.table} t WHERE ctid = ANY(%s::tid[])", [list(places)]
        )
        return sorted(text for (text,) in cursor.fetchall())

    name = f'"{column.name}"'
    with connection.cursor() as cursor:
        before = rows_as_texts((first, second))
        cursor.execute(
            f"UPDATE {column.table} t SET {name} = (SELECT {name} FROM {column.table} o"
            " WHERE o.ctid = CASE WHEN t.ctid = %s::tid THEN %s::tid ELSE %s::tid END)"
            " WHERE t.ctid = ANY(%s::tid[]) RETURNING t.ctid::text",
            [first, second, first, [first, second]],
        )
        return rows_as_texts(tuple(place for (place,) in cursor.fetchall())) != before


def changed_document(document: Any, source: random.Random) -> Any:
    """A copy with one value, somewhere in it, that is another one."""
    if isinstance(document, dict) and document:
        changed = dict(document)
        name = source.choice(sorted(document))
        changed[name] = changed_document(document[name], source)
        return changed
    if isinstance(document, list) and document:
        changed_list = copy.copy(document)
        place = source.randrange(len(document))
        changed_list[place] = changed_document(document[place], source)
        return changed_list
    if isinstance(document, bool):
        return not document
    if isinstance(document, int | float):
        return document + 1
    return f"{document}x" if isinstance(document, str) else "x"


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


def subjects_of(column: Column, row: dict[str, Any]) -> list[str]:
    """What of the record an edited row is about."""
    if column.table == "registry_logopening":
        return [row["subject"]]
    if column.table == "registry_release":
        return [f"releases/{row['slug']}"]
    if column.table in ("registry_rankedlist", "registry_listentry"):
        key = row["id" if column.table == "registry_rankedlist" else "ranked_list_id"]
        release, name = RankedList.objects.values_list("release__slug", "name").get(pk=key)
        return [f"lists/{release}/{name}"]
    key = row["id" if column.table == "registry_result" else "result_id"]
    return [f"results/{Result.objects.values_list('public_id', flat=True).get(pk=key)}"]
