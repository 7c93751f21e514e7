"""Editions of the record: made after every change, served until the next, and never for long after a change."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.db.models import F
from django.test import Client, override_settings
from django.utils import timezone

from registry.dumps import editions
from registry.models import (
    Edition,
    ListEntry,
    Measurement,
    Platform,
    RankedList,
    RecordChange,
    Release,
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
from tests.submissions.conftest import somebody_waits, wait_until

EXPORT = "/api/v1/export/"
STORED = ["manifest.json", "results.parquet", "record.sqlite"]


@pytest.fixture(scope="module", autouse=True)
def record(django_db_setup: None, django_db_blocker: Any, tmp_path_factory) -> Iterator[Path]:
    """One result on a list, and its edition."""
    folder = tmp_path_factory.mktemp("public")
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


def manifest(client: Client) -> dict[str, Any]:
    return client.get(EXPORT + "manifest.json").json()


def test_a_change_is_in_the_next_edition_and_the_one_before_is_removed(client, committed, record: Path) -> None:
    before = manifest(client)
    name_it("Named later")
    assert manifest(client) == before  # nothing is made for who asks
    assert b"Named later" in client.get(EXPORT + "results.csv").getvalue()
    editions.build_if_due()
    after = manifest(client)
    assert after["edition"] != before["edition"] and after["as_of"] > before["as_of"]
    assert b"Named later" in client.get(EXPORT + "record.sqlite").getvalue()
    assert [folder.name for folder in (record / "exports").iterdir()] == [after["edition"]]


def test_an_unchanged_record_is_not_made_again_and_costs_304(client, committed) -> None:
    before = manifest(client)["edition"]
    editions.build_if_due()
    assert manifest(client)["edition"] == before
    for name in (*STORED, "results.csv", "results.ndjson"):
        first = client.get(EXPORT + name)
        assert first["ETag"] == f'"{before}"' and first["Last-Modified"].endswith("GMT")
        assert client.get(EXPORT + name, headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.django_db
def test_a_changed_record_has_no_etag_where_it_is_told_as_it_is_now(client) -> None:
    held = {"If-None-Match": f'"{manifest(client)["edition"]}"'}
    name_it("Named now")
    now = client.get(EXPORT + "results.csv", headers=held)
    assert now.status_code == 200 and "ETag" not in now and b"Named now" in now.getvalue()
    assert client.get(EXPORT + "results.parquet", headers=held).status_code == 304


@pytest.mark.django_db
def test_an_edition_is_not_served_for_long_after_a_change(client) -> None:
    name_it("Anonymous")
    RecordChange.objects.update(changed_at=timezone.now() - editions.SERVED_FOR + timedelta(minutes=1))
    assert client.get(EXPORT + "record.sqlite").status_code == 200
    RecordChange.objects.update(changed_at=timezone.now() - editions.SERVED_FOR - timedelta(seconds=1))
    for name in STORED:
        refused(client, name)
    assert client.get(EXPORT + "results.ndjson").status_code == 200


@pytest.mark.django_db
def test_before_the_first_edition_files_are_refused_and_the_record_is_told(client) -> None:
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


def test_what_an_interrupted_making_left_is_removed(client, committed, record: Path) -> None:
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
    assert editions.current_edition() is None
    editions.build_if_due()
    assert b"Maker 200X" in client.get(EXPORT + "record.sqlite").getvalue()


def make_in_a_thread() -> None:
    try:
        editions.build_if_due()
    finally:
        connection.close()


def test_two_do_not_make_at_once(client, committed) -> None:
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
@pytest.mark.parametrize("model", [Result, Measurement, RankedList, ListEntry, Release, Site, System, Platform])
def test_whatever_is_written_to_the_record_is_noted(model) -> None:
    assert editions.current_edition() is not None
    model.objects.update(id=F("id"))
    assert editions.current_edition() is None


@pytest.mark.django_db
def test_an_institution_that_gets_accounts_is_no_change_of_the_record() -> None:
    Site.objects.create(slug="waits", name="Has accounts and no result")
    assert editions.current_edition() is not None


@pytest.mark.django_db
@pytest.mark.parametrize("name", STORED)
def test_finding_the_edition_costs_one_query(client, django_assert_num_queries, name) -> None:
    with django_assert_num_queries(1):
        assert client.get(EXPORT + name).status_code == 200
