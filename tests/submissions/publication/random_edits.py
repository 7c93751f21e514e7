"""Random edits of stored rows, as somebody with the rights of the database's owner could make them."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import dataclass
from typing import Any

from django.db import connection

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
        cursor.execute(f'SELECT ctid::text, "{column.name}" FROM {column.table} ORDER BY ctid')
        rows = cursor.fetchall()
        if not rows:
            return None
        row, value = source.choice(rows)
        cursor.execute(f"SELECT to_jsonb(t) - 'snapshot' - 'document' FROM {column.table} t WHERE ctid = %s", [row])
        before = cursor.fetchone()[0]
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
        return json.loads(before) if isinstance(before, str) else before


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
