"""Refuse a pooler that gives each transaction another connection: locks held between transactions are void there.

A worker's claim and the turns of outbox and editions are session locks
(docs/decisions/0003-claim-is-an-advisory-lock.md). Behind PgBouncer in transaction mode two processes would hold one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import psycopg
from django.core.exceptions import ImproperlyConfigured

REFUSAL = (
    "DATABASE_URL leads to a pooler that changes the connection between transactions: two workers could hold one "
    "claim. Set pool_mode = session for this database (PgBouncer), or name PostgreSQL itself. docs/operate-data.md"
)
_OTHERS, _STATEMENTS = 3, 8
"""Clients that stand in a transaction meanwhile, and statements of the first one after each: this tells a pooler that
hands out the connection used last, and one that hands them out in turn."""

Connect = Callable[[], psycopg.Connection]


class TransactionPooling(ImproperlyConfigured):
    """The database is behind a pooler in transaction mode."""


def is_direct(connection: psycopg.Connection) -> bool:
    """Whether PostgreSQL itself began this connection: a pooler gives clients process numbers of its own."""
    return server_process(connection) == connection.info.backend_pid


def server_process(connection: psycopg.Connection) -> int:
    """The process of PostgreSQL that serves this statement."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def refuse_transaction_pooling(connect: Connect) -> None:
    """Raise TransactionPooling where one client is served by several processes, or several clients by one.

    `connect` opens connections in autocommit mode, of limited patience: behind a pooler in session mode with one
    place the second client waits, and that is no refusal. Costs up to 28 statements.
    """
    with ExitStack() as stack:
        first = stack.enter_context(_open_connection(connect))
        processes = {server_process(first)}
        for _ in range(_OTHERS):
            try:
                other = stack.enter_context(_open_connection(connect))
                other.autocommit = False  # stands in a transaction from its first statement on
                process = server_process(other)
            except psycopg.errors.ProtocolViolation as error:
                raise TransactionPooling(REFUSAL) from error  # a pooler in statement mode has no transactions
            except psycopg.OperationalError:
                return
            if process in processes:
                raise TransactionPooling(REFUSAL)
            processes |= {server_process(first) for _ in range(_STATEMENTS)}
            if len(processes) > 1:
                raise TransactionPooling(REFUSAL)


@contextmanager
def _open_connection(connect: Connect) -> Iterator[psycopg.Connection]:
    connection = connect()
    try:
        yield connection
    finally:
        connection.close()
