"""Who may go on alone, and with which view of the database: locks and snapshots that outlast one statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError, connection, transaction


@contextmanager
def try_advisory_lock(key: int) -> Iterator[bool]:
    """Whether this process has the turn that `key` (signed, 64 bits) names; nobody waits for it.

    The lock falls with the connection, however that ends (docs/decisions/0003-claim-is-an-advisory-lock.md).
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        (mine,) = cursor.fetchone()
    try:
        yield mine
    finally:
        if mine:
            _give_back(key)


def _give_back(key: int) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
    except (OperationalError, InterfaceError):
        connection.close()  # and the lock with it


@contextmanager
def repeatable_read() -> Iterator[None]:
    """One view of the whole database, from the first statement to the last; nothing can be written in it."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
