"""What several files of these tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction

from registry.loading.catalogue_loader import load_catalogue
from registry.models import PublicWrite, RecordChange
from tests.registry.record import empty

_LOADED: dict[str, bytes] = {}
"""The tables of the registry as the first load of this process left them, by name."""


@pytest.fixture(scope="module")
def loaded(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The catalogue, there once for a file; each test works in a transaction of its own on top of it.

    A process loads it once. Later files get the same rows again, which takes a fifth of the time.
    """
    with django_db_blocker.unblock():
        if _LOADED:
            _put_back()
        else:
            load_catalogue()
            _LOADED.update(_copy_out())
    yield
    with django_db_blocker.unblock():
        empty()


def _copy_out() -> dict[str, bytes]:
    by_triggers = {PublicWrite, RecordChange}
    tables = [
        model._meta.db_table for model in apps.get_app_config("registry").get_models() if model not in by_triggers
    ]
    contents = {}
    with connection.cursor() as cursor:
        for table in tables:
            with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)") as rows:
                contents[table] = b"".join(rows)
    return contents


def _put_back() -> None:
    """References are checked at the end of the transaction, so tables come in any order.

    New rows get numbers after these, also where another file's tests began to count anew.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        for table, content in _LOADED.items():
            with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as rows:
                rows.write(content)
        for statement in connection.ops.sequence_reset_sql(no_style(), apps.get_app_config("registry").get_models()):
            cursor.execute(statement)
        # What it knew of the tables is of the file before: planned by that, a query may take a second.
        cursor.execute(f"ANALYZE {', '.join(_LOADED)}")
