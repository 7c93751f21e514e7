"""The whole public record as files: one row per result with its measurements and parameters, and a database of all.

CSV and NDJSON are written while they are read. Parquet and SQLite, which can't be, are made once for each edition of
the record, together with the manifest that says size and sha256 of every file. Memory holds one batch of results.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.files import File
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.db.models import QuerySet

from registry import record, spreadsheet
from registry.models import CatalogueLoad, ListEntry, Measurement, Platform, Release, Result, Site, System
from registry.problems import Problem
from registry.record import Columns, Row, rows_of

BATCH = 500
FOLDER = "exports"
LOCK = 0x4578706F  # one edition is made at a time
MANIFEST = "manifest.json"
KIND = {
    "results.csv": "text/csv; charset=utf-8",
    "results.ndjson": "application/x-ndjson",
    "results.parquet": "application/vnd.apache.parquet",
    "record.sqlite": "application/vnd.sqlite3",
    MANIFEST: "application/json",
}
STREAMED = ("results.csv", "results.ndjson")

COLUMNS: Columns = record.RESULT | {
    "revises": "revises__public_id",
    "withdrawn_at": "withdrawn_at",
    "source": "source",
    "parameters": "parameters",
}
"""Of each result, withdrawn and superseded ones too; its measurements come behind."""
NESTED = ("parameters", "measurements")
WHOLE = ("client_nodes", "tasks", "revision")
REAL = ("score", "bandwidth_gib_per_s", "rate_kiops")

RELEASE: Columns = {name: name for name in ("slug", "name", "held_on", "imported")}
SITE: Columns = {"slug": "slug", "name": "name"}
SYSTEM: Columns = {"slug": "slug", "name": "name", "site": "site__slug", "platform": "platform__slug"}
PLATFORM: Columns = {"slug": "slug", "name": "name", "vendor": "vendor", "predecessor": "predecessor__slug"}
ENTRY: Columns = {"release": "ranked_list__release__slug", "list": "ranked_list__name"} | {
    name: record.ENTRY[name]
    for name in ("position", "rank", "rank_low", "rank_high", "result", "score", "bandwidth_gib_per_s", "rate_kiops")
}


class BeingMade(Problem):
    status = 503
    code = "export.being-made"
    title = "The files of this edition of the record are being made"
    hint = "Ask again in a minute."
    retry_after_s = 60


_CHANGES = " UNION ALL ".join(
    f"SELECT count(*), sum(xmin::text::bigint) FROM {model._meta.db_table}"  # noqa: S608
    for model in (Result, ListEntry, Release, Site, System, Platform, CatalogueLoad)
)
"""Which transaction wrote each row last: a result that is withdrawn or named later changes it as a new one does.

Measurements never change but with their result or by a load of the catalogue."""


def edition() -> str:
    """What tells one state of the record from another: 16 hexadecimal digits. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_CHANGES)
        said = json.dumps([list(COLUMNS), cursor.fetchall()], default=str)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def results() -> Iterator[Row]:
    """Every result with its measurements, in the order that they were recorded; two queries for each batch."""
    last = 0
    while True:
        columns = COLUMNS | {"pk": "pk"}
        batch = rows_of(columns, Result.objects.filter(pk__gt=last).order_by("pk")[:BATCH])
        if not batch:
            return
        last = batch[-1]["pk"]
        measured: dict[int, list[Row]] = {row["pk"]: [] for row in batch}
        found = Measurement.objects.filter(result__in=measured).order_by("result", "position")
        for row in rows_of({"of": "result_id"} | record.MEASUREMENT, found):
            measured[row.pop("of")].append(row)
        for row in batch:
            yield row | {"measurements": measured[row.pop("pk")]}


NAMES = (*COLUMNS, "measurements")


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _flat(row: Row) -> Row:
    """A row of plain values: what is nested becomes JSON."""
    return row | {name: _json(row[name]) for name in NESTED}


def csv() -> Iterator[bytes]:
    """One line per result; `parameters` and `measurements` are JSON."""
    yield spreadsheet.lines([NAMES]).encode()
    for row in map(_flat, results()):
        yield spreadsheet.lines([[row[name] for name in NAMES]]).encode()


def ndjson() -> Iterator[bytes]:
    """One document per line."""
    for row in results():
        yield (_json({name: row[name] for name in NAMES}) + "\n").encode()


STREAMS: dict[str, Callable[[], Iterator[bytes]]] = {"results.csv": csv, "results.ndjson": ndjson}


def stored(name: str) -> BinaryIO:
    """A file of this edition, made now if nobody asked for it before. Raises BeingMade."""
    now = edition()
    key = f"{FOLDER}/{now}/{name}"
    if not default_storage.exists(key):
        make(now)
    return default_storage.open(key)


def make(now: str) -> None:
    """Make the files of an edition and remove those of others. Raises BeingMade where somebody is at it."""
    with transaction.atomic():
        if not _locked():
            raise BeingMade
        with tempfile.TemporaryDirectory() as folder:
            made = {
                "results.parquet": _parquet(Path(folder) / "results.parquet"),
                "record.sqlite": _sqlite(Path(folder) / "record.sqlite"),
            }
            described = [_streamed(name) for name in STREAMED] + [_described(name, path) for name, path in made.items()]
            manifest = Path(folder) / MANIFEST
            manifest.write_text(_json(_manifest(now, described)) + "\n", encoding="utf-8")
            for name, path in (made | {MANIFEST: manifest}).items():  # the manifest last: with it the edition is whole
                _store(f"{FOLDER}/{now}/{name}", path)
        _remove_others(now)


def _locked() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        return bool(cursor.fetchone()[0])


def _store(key: str, path: Path) -> None:
    default_storage.delete(key)
    with path.open("rb") as content:
        default_storage.save(key, File(content))


def _remove_others(now: str) -> None:
    for other in default_storage.listdir(FOLDER)[0]:
        if other != now:
            for name in default_storage.listdir(f"{FOLDER}/{other}")[1]:
                default_storage.delete(f"{FOLDER}/{other}/{name}")
            default_storage.delete(f"{FOLDER}/{other}")


def _manifest(now: str, files: list[Row]) -> Row:
    return {
        "edition": now,
        "results": Result.objects.count(),
        "measurements": Measurement.objects.count(),
        "terms": "/docs/data-terms/",
        "files": files,
    }


def _streamed(name: str) -> Row:
    digest, size = hashlib.sha256(), 0
    for chunk in STREAMS[name]():
        digest.update(chunk)
        size += len(chunk)
    return _file(name, size, digest.hexdigest())


def _described(name: str, path: Path) -> Row:
    with path.open("rb") as content:
        return _file(name, path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def _file(name: str, size: int, sha256: str) -> Row:
    return {"name": name, "media_type": KIND[name], "size": size, "sha256": sha256}


def _parquet(path: Path) -> Path:
    """One row per result; a group of rows for each batch."""
    import pyarrow  # 30 MB of shared libraries, which only files need
    import pyarrow.parquet

    kinds = dict.fromkeys(WHOLE, pyarrow.int64()) | dict.fromkeys(REAL, pyarrow.float64())
    kinds |= {"production": pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in NAMES])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(map(_typed, map(_flat, results()))):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
    return path


def _typed(row: Row) -> Row:
    """Dates and times as text, as everywhere else."""
    return {name: spreadsheet.plain(value) for name, value in row.items()}


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rows = iter(rows)
    for first in rows:
        yield [first, *(row for _, row in zip(range(BATCH - 1), rows, strict=False))]


def _sqlite(path: Path) -> Path:
    """Tables results, measurements, list_entries, releases, sites, systems, platforms; names as in the API."""
    with sqlite3.connect(path) as database:
        _tables(database)
    database.close()
    return path


def _tables(database: sqlite3.Connection) -> None:
    columns = [name for name in NAMES if name != "measurements"]
    measured = ["result", *record.MEASUREMENT]
    _create(database, "results", columns)
    _create(database, "measurements", measured)
    for row in results():
        _insert(database, "results", len(columns), [[_kept(row[name]) for name in columns]])
        rows = ([row["id"], *(_kept(one[name]) for name in record.MEASUREMENT)] for one in row["measurements"])
        _insert(database, "measurements", len(measured), rows)
    others: dict[str, tuple[Columns, QuerySet]] = {
        "list_entries": (ENTRY, ListEntry.objects.exclude(ranked_list__frozen_at=None).order_by("pk")),
        "releases": (RELEASE, Release.objects.order_by("pk")),
        "sites": (SITE, Site.objects.order_by("pk")),
        "systems": (SYSTEM, System.objects.order_by("pk")),
        "platforms": (PLATFORM, Platform.objects.order_by("pk")),
    }
    for table, (named, found) in others.items():
        _create(database, table, list(named))
        found_rows = found.values_list(*named.values()).iterator(chunk_size=BATCH)
        _insert(database, table, len(named), ([_kept(value) for value in row] for row in found_rows))
    database.execute("CREATE INDEX measurements_by_result ON measurements (result)")
    database.execute("CREATE INDEX measurements_by_metric ON measurements (op, quantity, stat)")


def _create(database: sqlite3.Connection, table: str, columns: list[str]) -> None:
    database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")


def _insert(database: sqlite3.Connection, table: str, width: int, rows: Iterable[list[Any]]) -> None:
    """Values go as parameters; names of tables are those above."""
    database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)  # noqa: S608


def _kept(value: Any) -> Any:
    """A value as SQLite has it: what is nested becomes JSON, a truth value a number, a time its text."""
    return _json(value) if isinstance(value, dict | list) else spreadsheet.plain(value)
