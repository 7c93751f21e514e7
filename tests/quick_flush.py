"""Tests that commit leave a full database, which is emptied after each: by deleting the few rows that there are.

TRUNCATE makes new files for all tables and indexes, which takes as long as three small tests.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql.operations import DatabaseOperations

MOST_BYTES = 4 * 2**20
"""Of all tables. From there on, TRUNCATE is quicker, and takes away what deleted rows leave in the files."""
SAME_IN_EVERY_DATABASE = {"django_content_type", "auth_permission"}
"""What `migrate` makes of the models; a flush makes it again."""
NOTED = "registry_result"
"""A table whose triggers note each statement, also one that finds no row."""


class QuickFlush(DatabaseOperations):
    def sql_flush(self, style: Any, tables: list[str], **options: bool) -> list[str]:
        """As Django has it, but where sequences begin anew or much is to be deleted.

        It waits for transactions of others, whose rows would stay otherwise. Triggers that refuse to delete are silent.
        """
        quoted = [self.quote_name(table) for table in tables if table not in SAME_IN_EVERY_DATABASE]
        if any(options.values()) or not self._has_few_bytes(tables):
            return super().sql_flush(style, tables, **options)
        statements = [
            f"LOCK TABLE {', '.join(quoted)}",
            "SET LOCAL session_replication_role = replica",
            *(f"DELETE FROM {table}" for table in quoted),
            "SET LOCAL session_replication_role = origin",
            f"DELETE FROM {NOTED}",
        ]
        return ["; ".join(statements)]

    def _has_few_bytes(self, tables: list[str]) -> bool:
        """Whether we may delete quickly, too, which a database of somebody else may refuse."""
        with self.connection.cursor() as cursor:
            cursor.execute(
                "SELECT sum(pg_relation_size(oid)) <= %s AND current_setting('is_superuser')::boolean"
                " FROM pg_class WHERE relkind = 'r' AND relname = ANY(%s)",
                [MOST_BYTES, tables],
            )
            return bool(cursor.fetchone()[0])
