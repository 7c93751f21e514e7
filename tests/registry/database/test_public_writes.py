"""The state of the record is another after each transaction that writes to it, whatever the table."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from registry.database import public_writes
from registry.models import Fact, PublicWrite, Site, StepsDue
from tests.registry.record import empty

NEVER_READ = (None, float("-inf"))


@pytest.fixture(autouse=True)
def committed(monkeypatch, django_db_setup, django_db_blocker):
    """What is written is committed; a process remembers nothing."""
    monkeypatch.setattr(public_writes, "KNOWN_FOR_S", 0.0)
    monkeypatch.setattr(public_writes, "_last_reading", NEVER_READ)
    with django_db_blocker.unblock():
        yield
        empty()


@pytest.mark.django_db
def test_every_table_of_the_record_is_watched() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'write_is_noted'")
        assert sorted(name for (name,) in cursor.fetchall()) == public_writes.watched_tables()
    assert {"registry_result", "registry_erasure", "registry_savedstudy"} <= set(public_writes.watched_tables())


def test_a_lost_trigger_comes_back_with_the_next_migration() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER write_is_noted ON registry_fact")
    public_writes.watch_after_migrate()
    before = public_writes.read_state()
    Fact.objects.all()._raw_delete("default")
    assert public_writes.read_state() != before


def test_a_write_changes_the_state_once_it_is_committed() -> None:
    before = public_writes.read_state()
    with transaction.atomic():
        Site.objects.create(slug="a", name="A")
    after = public_writes.read_state()
    Site.objects.filter(slug="a").update(name="B")
    assert len({before, after, public_writes.read_state()}) == 3
    assert public_writes.current_state() == public_writes.read_state()


def test_a_write_that_is_rolled_back_changes_nothing() -> None:
    before = public_writes.read_state()
    with transaction.atomic():
        Site.objects.create(slug="a", name="A")
        transaction.set_rollback(True)
    assert public_writes.read_state() == before


@pytest.mark.parametrize("table", public_writes.watched_tables())
def test_a_statement_on_any_table_is_noted(table: str) -> None:
    before = public_writes.read_state()
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE false")
    assert public_writes.read_state() != before


def test_forgetting_never_brings_an_earlier_state_back() -> None:
    Site.objects.create(slug="a", name="A")
    states = []
    for _ in range(3):
        PublicWrite.objects.update(written_at=timezone.now() - timedelta(hours=1))
        states.append(public_writes.read_state())
        public_writes.forget_old_writes()
        states.append(public_writes.read_state())
    assert len(set(states)) == len(states)
    assert PublicWrite.objects.count() == 1


def test_a_transaction_that_wrote_itself_forgets_old_writes() -> None:
    Site.objects.create(slug="a", name="A")
    PublicWrite.objects.update(written_at=timezone.now() - timedelta(hours=1))
    with transaction.atomic():
        Site.objects.create(slug="b", name="B")
        public_writes.forget_old_writes()
        PublicWrite.objects.update(written_at=timezone.now() - timedelta(hours=1))
        public_writes.forget_old_writes()
    assert PublicWrite.objects.count() == 1


def test_a_new_write_is_not_forgotten() -> None:
    public_writes.forget_old_writes()
    Site.objects.create(slug="a", name="A")
    before = public_writes.read_state()
    public_writes.forget_old_writes()
    assert public_writes.read_state() == before


def test_a_number_that_was_used_before_counts_again() -> None:
    """Numbers of transactions begin anew where a dump is put into another server."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO registry_publicwrite VALUES (pg_current_xact_id()::text::bigint, now() - interval '1 day')"
        )
        before = public_writes.read_state()
        StepsDue.objects.all()._raw_delete("default")
        assert public_writes.read_state() != before


def test_a_state_that_cannot_be_read_is_unknown_for_a_while(monkeypatch) -> None:
    monkeypatch.setattr(public_writes, "KNOWN_FOR_S", 1000.0)
    monkeypatch.setattr(public_writes, "_STATE", "SELECT no_such_function()")
    assert public_writes.current_state() is None
    monkeypatch.setattr(public_writes, "read_state", lambda: pytest.fail("asked again"))
    assert public_writes.current_state() is None


def test_a_process_asks_once_within_its_time(monkeypatch, django_assert_num_queries) -> None:
    monkeypatch.setattr(public_writes, "KNOWN_FOR_S", 1000.0)
    with django_assert_num_queries(1):
        assert public_writes.current_state() == public_writes.current_state()
    Fact.objects.all()._raw_delete("default")
    assert public_writes.current_state() != public_writes.read_state()
