"""PostgreSQL with time limits: Django's backend, named by ENGINE, whose connections do not wait for ever.

Connecting is limited in every process, statements in the web alone: a migration, a backup or an export may take hours.
"""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError, connection

# Seconds that the server may take for one statement; 0 for any.
statement_s = 0.0
# Beyond it a server that was to stop the statement itself does not answer at all: it hangs, or its host does.
GRACE_S = 5.0


def limit_statements() -> None:
    """Limit the statements of every connection that this process opens from now on."""
    global statement_s
    statement_s = settings.DATABASE_STATEMENT_S


def refuse_wrong_pooler() -> None:
    """Called when a process starts: its database may be away, but not behind a pooler in transaction mode.

    Raises TransactionPooling (registry/database/pooling.py).
    """
    try:
        with suppress(DatabaseError):
            connection.ensure_connection()
    finally:
        connection.close()
