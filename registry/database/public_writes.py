"""Which state the record is in: a text that changes with every transaction that writes to any of its tables.

Statement triggers note each such transaction, whoever makes it, and it is seen when its changes are. Nothing has to be
sent for that: whoever keeps an answer asks for the state before using it.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.utils import Error
from psycopg import sql

from registry.database.rights import PUBLIC_APP

KNOWN_FOR_S = 1.0
"""So long a process goes by what it knows of the state. What it keeps is used this much longer at most."""
FORGOTTEN_AFTER_MINUTES = 5
_NOT_WATCHED = {"registry_publicwrite", "registry_recordchange"}
"""They say themselves who wrote, and no page shows them."""
_TRIGGER = "write_is_noted"
_STATE = """
SELECT md5(coalesce(string_agg(transaction || ' ' || written_at, ',' ORDER BY transaction), ''))
FROM registry_publicwrite
"""
# It notes itself: a set of transactions that was there before comes never back. It may have noted itself before.
_FORGET = """
WITH gone AS (
    DELETE FROM registry_publicwrite
    WHERE written_at < clock_timestamp() - make_interval(mins => %s)
    AND transaction <> pg_current_xact_id()::text::bigint RETURNING transaction
)
INSERT INTO registry_publicwrite
SELECT pg_current_xact_id()::text::bigint, clock_timestamp() WHERE EXISTS (SELECT FROM gone)
ON CONFLICT (transaction) DO UPDATE SET written_at = EXCLUDED.written_at
"""

_lock = threading.Lock()
_last_reading: tuple[str | None, float] = (None, float("-inf"))


def read_state() -> str:
    """The state of the record as the database has it now. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        return str(cursor.fetchall()[0][0])


def current_state() -> str | None:
    """The state of the record, at most KNOWN_FOR_S old; None where the database does not say it."""
    global _last_reading
    with _lock:
        state, read_at = _last_reading
        # A clock before the query: the state is at least as new as it says.
        now = time.monotonic()
        if now - read_at < KNOWN_FOR_S:
            return state
        try:
            _last_reading = (read_state(), now)
        except Error:
            # Others do not wait for a database that hangs, one after the other.
            _last_reading = (None, time.monotonic())
        return _last_reading[0]


def forget_old_writes() -> None:
    """Delete what was noted more than FORGOTTEN_AFTER_MINUTES ago; the state is another then. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, [FORGOTTEN_AFTER_MINUTES])


def watched_tables() -> list[str]:
    """Every table of the record, but for those that note writes."""
    models = apps.get_app_config(PUBLIC_APP).get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models} - _NOT_WATCHED)


def watch_after_migrate(**_: Any) -> None:
    """Give each table of the record its trigger, with the migration that made the table. Two queries where all have."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regproc('registry_note_write') IS NOT NULL")
        if not cursor.fetchall()[0][0]:
            return  # an earlier state of the schema
        cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = %s", [_TRIGGER])
        watched = {name for (name,) in cursor.fetchall()}
        for table in set(watched_tables()) & set(connection.introspection.table_names(cursor)) - watched:
            cursor.execute(
                sql.SQL(
                    "CREATE TRIGGER {} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {}"
                    " FOR EACH STATEMENT EXECUTE FUNCTION registry_note_write()"
                ).format(sql.Identifier(_TRIGGER), sql.Identifier(table))
            )
