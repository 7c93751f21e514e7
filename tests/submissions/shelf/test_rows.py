"""What is checked comes onto the shelf of its institution, in the form that would be published."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.models import (
    FIRST_NUMBER,
    ShelfFact,
    ShelfMeasurement,
    ShelfResult,
    ShelfRun,
    ShelfSystem,
    Submission,
)
from submissions.shelf import rows


def test_checked_run_is_shelved_with_its_numbers(cast, checked) -> None:
    submission = checked(fields={"metadata": '{"system": "Otter", "client_nodes": 10}'})
    assert rows.shelve_due() == 1
    shelved = ShelfResult.objects.get()
    assert (shelved.public_id, shelved.trust, shelved.system_name) == (str(submission.pk), "checked", "Otter")
    assert shelved.pk == ShelfRun.objects.get().pk
    assert ShelfMeasurement.objects.filter(result=shelved).count() > 10
    assert ShelfFact.objects.filter(result=shelved, name="system").get().text == "Otter"


@pytest.mark.parametrize("hours", [-30, 30])
def test_a_run_is_shelved_once_whatever_the_clock_of_the_worker(checked, hours: int) -> None:
    submission = checked()
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=hours)):
        assert [rows.shelve_due(), rows.shelve_due()] == [1, 0]
        Submission.objects.filter(pk=submission.pk).update(metadata={"system": "Otter"})
        assert [rows.shelve_due(), rows.shelve_due()] == [1, 0]


@pytest.mark.parametrize("senders", [[], ["alice"], ["alice", "charlie"]])
def test_the_last_due_run_costs_no_further_query(cast, checked, senders: list[str]) -> None:
    for sender in senders:
        checked(getattr(cast, sender))
    with CaptureQueriesContext(connection) as queries:
        assert rows.shelve_due() == len(senders)
    assert sum("SKIP LOCKED" in query["sql"] for query in queries) == max(len(senders), 1)
    assert ShelfResult.objects.count() == len(senders)


@pytest.mark.parametrize(("metadata", "platform_reads"), [({}, 0), ({"platform": "Fast Box 2"}, 1)])
def test_platforms_are_read_for_runs_that_name_one(checked, metadata: dict[str, str], platform_reads: int) -> None:
    checked(fields={"metadata": json.dumps(metadata)})
    with CaptureQueriesContext(connection) as queries:
        assert rows.shelve_due() == 1
    statements = [query["sql"] for query in queries]
    assert sum('FROM "registry_platform"' in statement for statement in statements) == platform_reads
    site_reads = [statement for statement in statements if 'FROM "registry_site"' in statement]
    assert all(
        "FOR NO KEY UPDATE" in statement for statement in site_reads
    )  # to make a system; else it came with the run


def test_numbers_of_the_shelf_begin_beyond_those_of_the_record(db) -> None:
    with connection.cursor() as cursor:
        table = ShelfRun._meta.db_table
        cursor.execute(
            "SELECT seqstart FROM pg_sequence WHERE seqrelid = pg_get_serial_sequence(%s, 'id')::regclass", [table]
        )
        assert cursor.fetchone() == (FIRST_NUMBER,)


def test_a_further_run_of_a_system_locks_no_institution(cast, checked) -> None:
    """A lock would let workers shelve the runs of an institution one after another."""
    metadata = {"metadata": json.dumps({"system": "Otter"})}
    locks = []
    for nodes in (10, 12):
        checked(fields=metadata, client_nodes=nodes)
        with CaptureQueriesContext(connection) as queries:
            rows.shelve_due()
        locks.append(sum("FOR NO KEY UPDATE" in query["sql"] for query in queries))
    assert locks == [1, 0]
    assert [system.name for system in ShelfSystem.objects.all()] == ["Otter"]
