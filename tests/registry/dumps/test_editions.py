"""Editions of the record: made after every change, served until the next one is whole, and not with what was erased."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.db.models import F
from django.test import Client, override_settings
from django.utils import timezone

from registry.dumps import db_locks, editions
from registry.models import (
    Edition,
    Erasure,
    ListEntry,
    Measurement,
    Platform,
    RankedList,
    RecordChange,
    Release,
    Reproduction,
    Result,
    Site,
    System,
)
from tests.registry.record import (
    empty,
    make_list,
    make_measurement,
    make_platform,
    make_release,
    make_result,
    stored_in,
)
from tests.submissions.conftest import services_environment, somebody_waits, wait_until

EXPORT = "/api/v1/export/"
STORED = ["manifest.json", "results.parquet", "record.sqlite", "results.csv.gz", "results.ndjson.gz"]
PLAIN = ["results.csv", "results.ndjson"]


@pytest.fixture(scope="module", autouse=True)
def record(django_db_setup: None, django_db_blocker: Any, tmp_path_factory) -> Iterator[Path]:
    """One result on a list, and its edition."""
    folder = tmp_path_factory.mktemp("stored") / "public"
    with override_settings(STORAGES=stored_in(folder)):
        with django_db_blocker.unblock():
            release = make_release("T1")
            result = make_result(release, "hw-1", platform=make_platform("maker-200", "Maker 200"))
            make_measurement(result)
            make_list(release, "full", [result])
            editions.build_if_due()
        yield folder
        with django_db_blocker.unblock():
            empty()


@pytest.fixture
def committed(django_db_blocker: Any) -> Iterator[None]:
    """What is written stays written, as an edition is made of what was committed."""
    with django_db_blocker.unblock():
        yield


def name_it(name: str) -> None:
    Result.objects.update(institution=name)


def is_due() -> bool:
    edition = editions.latest_edition()
    return edition is None or edition.changed_at is not None


def manifest(client: Client) -> dict[str, Any]:
    return client.get(EXPORT + "manifest.json").json()


def test_a_change_is_in_the_next_edition_and_the_one_before_is_removed(client, committed, record: Path) -> None:
    before = manifest(client)
    name_it("Named later")
    assert manifest(client) == before  # nothing is made for who asks
    assert b"Named later" not in client.get(EXPORT + "results.csv").getvalue()
    editions.build_if_due()
    after = manifest(client)
    assert after["edition"] != before["edition"] and after["as_of"] > before["as_of"]
    for name in ("results.csv", "results.ndjson", "record.sqlite"):
        assert b"Named later" in client.get(EXPORT + name).getvalue(), name
    assert [folder.name for folder in (record / "exports").iterdir()] == [after["edition"]]


def test_an_unchanged_edition_is_not_rebuilt_and_answers_304(client, committed) -> None:
    before = manifest(client)["edition"]
    editions.build_if_due()
    assert manifest(client)["edition"] == before
    for name in (*STORED, *PLAIN):
        first = client.get(EXPORT + name)
        assert first["ETag"] == f'"{before}"' and first["Last-Modified"].endswith("GMT")
        assert client.get(EXPORT + name, headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.django_db
def test_the_last_edition_is_served_for_as_long_as_the_next_takes(client) -> None:
    name_it("Named now")
    RecordChange.objects.update(changed_at=timezone.now() - timedelta(days=30))
    held = {"If-None-Match": f'"{manifest(client)["edition"]}"'}
    for name in (*STORED, *PLAIN):
        assert client.get(EXPORT + name).status_code == 200, name
        assert client.get(EXPORT + name, headers=held).status_code == 304, name


@pytest.mark.django_db
def test_filtered_files_have_the_current_record(client) -> None:
    held = {"If-None-Match": f'"{manifest(client)["edition"]}"'}
    name_it("Named now")
    now = client.get(EXPORT + "results.csv?tool=io500", headers=held)
    assert now.status_code == 200 and "ETag" not in now and "Last-Modified" not in now
    assert b"Named now" in now.getvalue()
    assert client.get(EXPORT + "results.csv?tool=fio").getvalue().count(b"\n") == 1


@pytest.mark.django_db
def test_an_edition_that_has_what_was_erased_is_not_served(client) -> None:
    result = Result.objects.get()
    Erasure.objects.create(result=result, category="person", erased_at=timezone.now(), erased_by="x", system_key="1")
    name_it("erased")
    for name in STORED:
        refused(client, name)
    for name in PLAIN:  # made anew, without it
        assert b"hw-1" not in client.get(EXPORT + name).getvalue()


@pytest.mark.django_db
def test_an_earlier_erasure_refuses_no_edition(client) -> None:
    result = Result.objects.get()
    long_ago = timezone.now() - timedelta(days=1)
    Erasure.objects.create(result=result, category="person", erased_at=long_ago, erased_by="x", system_key="1")
    name_it("Named now")
    for name in (*STORED, *PLAIN):
        assert client.get(EXPORT + name).status_code == 200, name


@pytest.mark.django_db
def test_files_are_refused_before_the_first_edition(client) -> None:
    Edition.objects.all().delete()
    for name in STORED:
        refused(client, name)
    assert "ETag" not in client.get(EXPORT + "results.csv")


def refused(client: Client, name: str) -> None:
    for ask in (client.get, client.head):
        answer = ask(EXPORT + name)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60"), name
    assert client.get(EXPORT + name).json()["code"] == "export.being-made"


def test_files_that_are_gone_are_refused_and_made_again(client, committed, record: Path) -> None:
    (record / "exports" / manifest(client)["edition"] / "record.sqlite").unlink()
    answer = client.get(EXPORT + "record.sqlite")
    assert (answer.status_code, answer.json()["code"]) == (503, "export.being-made")
    editions.build_if_due()
    assert client.get(EXPORT + "record.sqlite").getvalue().startswith(b"SQLite format 3")


def test_files_of_an_interrupted_build_are_removed(client, committed, record: Path) -> None:
    storages["public"].save("exports/interrupted/record.sqlite", ContentFile(b"half"))
    name_it("Whole")
    editions.build_if_due()
    assert [folder.name for folder in (record / "exports").iterdir()] == [manifest(client)["edition"]]


def test_a_change_that_is_committed_while_files_are_made_waits_for_the_next(client, committed) -> None:
    name_it("Before")
    other = connection.copy()
    try:
        with other.cursor() as cursor, ThreadPoolExecutor(1) as maker:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE registry_edition IN EXCLUSIVE MODE")  # who makes can't name what it has made
            cursor.execute("UPDATE registry_platform SET name = 'Maker 200X'")
            making = maker.submit(make_in_a_thread)
            wait_until(somebody_waits)
            cursor.execute("COMMIT")
            making.result(60)
    finally:
        other.close()
    assert b"Before" in client.get(EXPORT + "record.sqlite").getvalue()
    assert is_due()
    editions.build_if_due()
    assert b"Maker 200X" in client.get(EXPORT + "record.sqlite").getvalue()


def make_in_a_thread() -> None:
    try:
        editions.build_if_due()
    finally:
        connection.close()


def test_two_workers_do_not_build_at_once(client, committed) -> None:
    before = manifest(client)["edition"]
    name_it("Waits")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [editions.LOCK])
            editions.build_if_due()
            assert manifest(client)["edition"] == before
            cursor.execute("SELECT pg_advisory_unlock(%s)", [editions.LOCK])
    finally:
        other.close()
    editions.build_if_due()
    assert manifest(client)["edition"] != before


@pytest.mark.django_db
@pytest.mark.parametrize(
    "model", [Result, Measurement, RankedList, ListEntry, Release, Site, System, Platform, Reproduction]
)
def test_every_write_to_public_tables_marks_the_edition_as_due(model) -> None:
    assert not is_due()
    key = model._meta.pk.attname
    model.objects.update(**{key: F(key)})
    assert is_due()


@pytest.mark.django_db
def test_an_institution_that_gets_accounts_is_no_change_of_the_record() -> None:
    Site.objects.create(slug="waits", name="Has accounts and no result")
    assert not is_due()


@pytest.mark.django_db
@pytest.mark.parametrize("name", STORED)
def test_finding_the_edition_costs_one_query(client, django_assert_num_queries, name) -> None:
    with django_assert_num_queries(1):
        assert client.get(EXPORT + name).status_code == 200


BUILD = """
import django
django.setup()
from registry.dumps import db_locks, editions
editions.build_if_due()
"""


@pytest.mark.parametrize(
    "held",
    [
        "LOCK TABLE registry_measurement",  # results are read, their numbers wait
        "LOCK TABLE registry_edition IN EXCLUSIVE MODE",  # all files are stored, and no row names them
    ],
)
def test_a_worker_that_is_killed_leaves_the_last_edition_and_nothing_half(client, committed, record, held) -> None:
    before = manifest(client)
    files = {name: client.get(EXPORT + name).getvalue() for name in (*STORED, *PLAIN)}
    name_it(f"Killed at {held}")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(held)
            variables = os.environ | services_environment(record.parent)
            worker = subprocess.Popen([sys.executable, "-c", BUILD], env=variables, cwd=settings.BASE_DIR)
            wait_until(somebody_waits)
            worker.kill()
            worker.wait(30)
            for name, content in files.items():
                assert client.get(EXPORT + name).getvalue() == content, name
            cursor.execute("ROLLBACK")
    finally:
        other.close()
    assert manifest(client) == before and is_due()
    wait_until(lambda: not is_locked())
    editions.build_if_due()
    assert held.encode() in client.get(EXPORT + "results.csv").getvalue()
    assert [folder.name for folder in (record / "exports").iterdir()] == [manifest(client)["edition"]]


def is_locked() -> bool:
    """Whether a process has the turn to make editions; that of a dead one ends when PostgreSQL sees its end."""
    with db_locks.try_advisory_lock(editions.LOCK) as mine:
        return not mine
