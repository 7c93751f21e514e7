"""The flush after tests that commit: nothing stays, whatever triggers say, and whoever writes meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from registry.database import public_writes
from registry.log import recording
from registry.models import LogLeaf, Release, Result
from submissions.models import Account
from tests import quick_flush
from tests.registry.record import make_measurement, make_release, make_result
from tests.submissions.conftest import somebody_waits, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def flush() -> None:
    """As Django does it after each test that commits."""
    call_command("flush", verbosity=0, interactive=False, reset_sequences=False, allow_cascade=False)


def file_of(table: str) -> Any:
    """The number of the file that holds a table: another one after TRUNCATE."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_filenode(%s)", [table])
        return cursor.fetchone()[0]


def fill() -> Result:
    """A result with references, a leaf of the log that no statement may delete, and an account."""
    result = make_result(make_release("T1"), "hw-1", 40.0, trust="verified", bundle_sha256="ab" * 32)
    make_measurement(result)
    recording.record_results([result.pk], recording.PUBLISHED)
    Account.objects.create(username="alice")
    assert LogLeaf.objects.exists()
    return result


def test_every_table_is_empty_afterwards() -> None:
    fill()
    file = file_of("registry_result")
    flush()
    with connection.cursor() as cursor:
        tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        filled = []
        for table in sorted(set(tables) - quick_flush.SAME_IN_EVERY_DATABASE):
            cursor.execute(f"SELECT exists(SELECT FROM {table})")
            if cursor.fetchone()[0]:
                filled.append(table)
    assert filled == ["registry_publicwrite", "registry_recordchange"], "which note the flush itself"
    assert file_of("registry_result") == file, "rows were deleted, not truncated"


def test_numbers_go_on_and_triggers_work_again() -> None:
    before = fill()
    flush()
    after = make_result(make_release("T2"), "hw-2")
    assert after.pk > before.pk
    state = public_writes.read_state()
    make_release("T3")
    assert public_writes.read_state() != state


def test_the_state_of_the_record_is_another_one() -> None:
    """What a page kept of the record before the flush must not be used after it."""
    flush()
    state = public_writes.read_state()
    flush()
    assert public_writes.read_state() != state


def test_much_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    fill()
    file = file_of("registry_result")
    monkeypatch.setattr(quick_flush, "MOST_BYTES", 0)
    flush()
    assert not Result.objects.exists()
    assert file_of("registry_result") != file


def test_rows_of_an_open_transaction_go_too() -> None:
    def flush_beside() -> None:
        connection.ops = quick_flush.QuickFlush(connection)
        try:
            flush()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            make_release("T1")
            flushing = pool.submit(flush_beside)
            wait_until(somebody_waits, 30)
        flushing.result(30)
    assert not Release.objects.exists()
