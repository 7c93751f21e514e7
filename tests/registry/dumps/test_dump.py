"""The whole record as files: what is in them, that their sums agree with the manifest, and that memory stays small."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client, override_settings
from django.utils import timezone

from registry.dumps import dump, editions
from registry.models import Site
from tests.registry.record import (
    empty,
    make_list,
    make_measurement,
    make_platform,
    make_release,
    make_result,
    stored_in,
)

EXPORT = "/api/v1/export/"
PACKED = ["results.csv.gz", "results.ndjson.gz"]
NAMES = ["results.csv", "results.ndjson", "results.parquet", "record.sqlite", *PACKED]


@pytest.fixture(scope="module", autouse=True)
def record(django_db_setup: None, django_db_blocker: Any, tmp_path_factory) -> Iterator[None]:
    """An edition of three results; the second withdrawn, the third with a hostile name and two measurements."""
    with override_settings(STORAGES=stored_in(tmp_path_factory.mktemp("public"))):
        with django_db_blocker.unblock():
            release = make_release("T1")
            platform = make_platform("maker-200", "Maker 200")
            fields = {"platform": platform, "production": True, "parameters": {"osts": 4}}
            first = make_result(release, "hw-1", 10.5, repeated_scores={"score": [10.0, 10.5, 11.0]}, **fields)
            make_result(release, "hw-2", 20.0, withdrawn_at=timezone.now())
            third = make_result(release, "hw-3", None, system_name="=1+1", institution="Süd-Labor")
            make_measurement(third, "ior-easy-write", 2.0, context={"test": "1"})
            make_measurement(third, "ior-easy-read", 3.0, repeats=[2.0, 3.0], context={"qualifier": "below"})
            make_list(release, "full", [first])
            Site.objects.create(slug="waits", name="Has accounts and no result")
            editions.build_if_due()
        yield
        with django_db_blocker.unblock():
            empty()


pytestmark = pytest.mark.django_db


def content(client: Client, name: str) -> bytes:
    answer = client.get(EXPORT + name)
    assert answer.status_code == 200, name
    return answer.getvalue()


def test_csv_has_a_row_for_every_result_and_its_measurements(client) -> None:
    rows = list(csv.DictReader(io.StringIO(content(client, "results.csv").decode())))
    assert [(row["id"], row["score"], row["trust"]) for row in rows] == [
        ("hw-1", "10.5", "imported"), ("hw-2", "20.0", "imported"), ("hw-3", "", "imported")
    ]  # fmt: skip
    assert [bool(row["withdrawn_at"]) for row in rows] == [False, True, False]
    assert (rows[0]["parameters"], rows[0]["production"]) == ('{"osts": 4}', "true")
    assert json.loads(rows[0]["repeated_scores"]) == {"score": [10.0, 10.5, 11.0]}
    assert [load["repeats"] for load in json.loads(rows[2]["measurements"])] == [None, [2.0, 3.0]]
    assert rows[2]["system"] == "'=1+1"  # no formula for a spreadsheet
    measurements = json.loads(rows[2]["measurements"])
    assert [(measurement["op"], measurement["value"], measurement["unit"]) for measurement in measurements] == [
        ("ior-easy-write", 2.0 * 2**30, "B/s"), ("ior-easy-read", 3.0 * 2**30, "B/s")
    ]  # fmt: skip


def test_ndjson_and_parquet_have_the_same_rows(client) -> None:
    documents = [json.loads(line) for line in content(client, "results.ndjson").splitlines()]
    assert (documents[2]["system"], documents[2]["institution"]) == ("=1+1", "Süd-Labor")
    assert documents[2]["measurements"][0]["context"] == {"test": "1"}
    table = pyarrow.parquet.read_table(io.BytesIO(content(client, "results.parquet"))).to_pylist()
    columns = ("id", "score", "client_nodes", "published_at", "withdrawn_at")
    assert [[row[name] for name in columns] for row in table] == [
        [document[name] for name in columns] for document in documents
    ]
    assert [json.loads(row["measurements"]) for row in table] == [document["measurements"] for document in documents]


def test_the_sqlite_file_can_be_queried(client, tmp_path: Path) -> None:
    (tmp_path / "record.sqlite").write_bytes(content(client, "record.sqlite"))
    database = sqlite3.connect(tmp_path / "record.sqlite")
    query = """SELECT r.institution, m.op, m.printed_value, m.printed_unit FROM results r
        JOIN measurements m ON m.result = r.id ORDER BY m.value"""
    assert database.execute(query).fetchall() == [
        ("Süd-Labor", "ior-easy-write", 2.0, "GiB/s"), ("Süd-Labor", "ior-easy-read", 3.0, "GiB/s")
    ]  # fmt: skip
    assert database.execute("SELECT op, qualifier FROM measurements ORDER BY value").fetchall() == [
        ("ior-easy-write", ""), ("ior-easy-read", "below")
    ]  # fmt: skip
    assert database.execute("SELECT release, list, rank, result FROM list_entries").fetchall() == [
        ("T1", "full", 1, "hw-1")
    ]
    assert database.execute("SELECT slug, vendor FROM platforms").fetchall() == [("maker-200", "Maker")]
    assert database.execute("SELECT name FROM sites ORDER BY name").fetchall() == [("Site One",), ("Süd-Labor",)]
    assert database.execute("SELECT production, score FROM results WHERE id = 'hw-1'").fetchone() == (1, 10.5)
    database.close()


def test_the_manifest_has_size_and_sha256_of_each_download(client) -> None:
    manifest = json.loads(content(client, "manifest.json"))
    assert (manifest["results"], manifest["measurements"]) == (3, 2)
    assert [file["name"] for file in manifest["files"]] == NAMES
    for file in manifest["files"]:
        got = content(client, file["name"])
        assert (file["size"], file["sha256"]) == (len(got), hashlib.sha256(got).hexdigest()), file["name"]
    assert client.get(EXPORT + "results.csv")["ETag"] == f'"{manifest["edition"]}"'


def test_memory_holds_one_batch(monkeypatch, django_assert_num_queries) -> None:
    monkeypatch.setattr(dump, "BATCH", 2)
    with django_assert_num_queries(2):  # the head line, and results of the first batch with their measurements
        assert len(list(islice(dump.stream_csv(), 2))) == 2
    with django_assert_num_queries(5):  # two batches, and none is left
        assert len(list(dump.stream_csv())) == 3


@pytest.mark.parametrize("name", ["results.xlsx", "..%2fsecret_key", "manifest.json.bak"])
def test_unknown_file_names_return_404(client, name) -> None:
    answer = client.get(EXPORT + name)
    assert answer.status_code == 404


def test_the_files_are_listed(client) -> None:
    listed = client.get(EXPORT).json()["results"]
    assert [file["name"] for file in listed] == [*NAMES, "manifest.json"]
    assert all(client.head(file["url"]).status_code == 200 for file in listed)
