"""The whole public record as files: one row per result with its measurements and parameters, and a database of all.

All files are written by whoever makes an edition (`registry/dumps/editions.py`), CSV and NDJSON compressed. These two
can be sent while they are read, too, of some results. Memory holds one batch of results.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q, QuerySet
from msgspec import inspect as types

from registry.dumps.responses import ExportedResult
from registry.models import ListEntry, Release, Result
from registry.query import public_record
from registry.query.dump_files import DUMP_FILES
from registry.query.public_record import Columns, Row, rows_of
from registry.query.responses import csv_safe
from registry.query.responses.shapes import columns_of, fields_of

BATCH = 500
PACKED_LEVEL = 6

COLUMNS: Columns = {name: path for name, path in columns_of(ExportedResult).items() if name != "measurements"}
"""Of each result, withdrawn and superseded ones too; its measurements come behind."""
KINDS = {field.name: field.kind for field in fields_of(ExportedResult)}
NAMES = list(KINDS)
NESTED = [name for name, kind in KINDS.items() if isinstance(kind, types.CollectionType | types.DictType)]

RELEASE: Columns = {name: name for name in ("slug", "name", "held_on", "imported")}
SYSTEM: Columns = {name: path for name, path in public_record.SYSTEM.items() if name != "institution"}
ENTRY: Columns = {"release": "ranked_list__release__slug", "list": "ranked_list__name"} | {
    name: public_record.ENTRY[name]
    for name in ("position", "rank", "rank_low", "rank_high", "result", "score", "bandwidth_gib_per_s", "rate_kiops")
}


def result_batches(condition: Q | None = None) -> Iterator[list[Row]]:
    """Results that were not erased with their measurements, in the order of recording; two queries for each batch."""
    results = Result.objects.filter(condition or Q(), erasure=None).order_by("pk")
    last = 0
    while True:
        columns = {**COLUMNS, "pk": "pk"}
        batch = rows_of(columns, results.filter(pk__gt=last)[:BATCH])
        if not batch:
            return
        last = batch[-1]["pk"]
        measurements_by_result = public_record.measurements_by_result([row["pk"] for row in batch])
        yield [row | {"measurements": measurements_by_result[row.pop("pk")]} for row in batch]


def _dump_json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _flatten_row(row: Row) -> Row:
    """A row of plain values: what is nested becomes JSON."""
    return row | {name: _dump_json(row[name]) for name in NESTED}


def stream_csv(condition: Q | None = None) -> Iterator[bytes]:
    """One line per result; `parameters` and `measurements` are JSON."""
    yield _format_csv([NAMES])
    for rows in result_batches(condition):
        yield _format_csv(_row_values(map(_flatten_row, rows)))


def stream_ndjson(condition: Q | None = None) -> Iterator[bytes]:
    """One document per line."""
    for rows in result_batches(condition):
        yield _format_ndjson(rows)


STREAMS: dict[str, Callable[[Q | None], Iterator[bytes]]] = {"results.csv": stream_csv, "results.ndjson": stream_ndjson}


def _row_values(rows: Iterable[Row]) -> Iterator[list[Any]]:
    return ([row[name] for name in NAMES] for row in rows)


def _format_csv(rows: Iterable[Iterable[Any]]) -> bytes:
    return csv_safe.csv_lines(rows).encode()


def _format_ndjson(rows: Iterable[Row]) -> bytes:
    return "".join(
        _dump_json({name: csv_safe.plain_value(row[name]) for name in NAMES}) + "\n" for row in rows
    ).encode()


# All files at once


def write_dump(folder: Path) -> list[Row]:
    """Write all files into a folder, in one pass over the record; what the manifest says of each, plain ones too."""
    parquet, database = folder / "results.parquet", folder / "record.sqlite"
    packed_csv, packed_ndjson = folder / "results.csv.gz", folder / "results.ndjson.gz"
    with _packed_writer(packed_csv) as lines, _packed_writer(packed_ndjson) as documents:
        lines.write_packed(_format_csv([NAMES]))
        with _parquet_writer(parquet) as add_to_parquet, _sqlite_writer(database) as add_to_database:
            for rows in result_batches():
                flat = list(map(_flatten_row, rows))
                lines.write_packed(_format_csv(_row_values(flat)))
                documents.write_packed(_format_ndjson(rows))
                add_to_parquet(flat)
                add_to_database(rows)
    stored = map(_describe_file, (parquet, database, packed_csv, packed_ndjson))
    return [lines.as_row(), documents.as_row(), *stored]


class _PackedFile:
    """A file that is written compressed; its size and sha256 without that."""

    def __init__(self, name: str, file: gzip.GzipFile) -> None:
        self._name, self._file, self._size, self._digest = name, file, 0, hashlib.sha256()

    def write_packed(self, content: bytes) -> None:
        self._file.write(content)
        self._size += len(content)
        self._digest.update(content)

    def as_row(self) -> Row:
        return _file_row(self._name, self._size, self._digest.hexdigest())


@contextmanager
def _packed_writer(path: Path) -> Iterator[_PackedFile]:
    """The compressed file at this path; the same rows give the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", PACKED_LEVEL, raw, mtime=0) as file:
        yield _PackedFile(path.stem, file)


def _describe_file(path: Path) -> Row:
    with path.open("rb") as content:
        return _file_row(path.name, path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def _file_row(name: str, size: int, sha256: str) -> Row:
    return {"name": name, "media_type": DUMP_FILES[name], "size": size, "sha256": sha256}


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Callable[[list[Row]], None]]:
    """Takes flat rows, one per result; a group of rows for each batch."""
    import pyarrow  # 30 MB of shared libraries, which only files need
    import pyarrow.parquet

    numbers = {types.IntType: pyarrow.int64(), types.FloatType: pyarrow.float64(), types.BoolType: pyarrow.bool_()}
    schema = pyarrow.schema([(name, numbers.get(type(kind), pyarrow.string())) for name, kind in KINDS.items()])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        yield lambda flat: writer.write_table(pyarrow.Table.from_pylist(list(map(_dates_as_text, flat)), schema))


def _dates_as_text(row: Row) -> Row:
    """Dates and times as text, as everywhere else."""
    return {name: csv_safe.plain_value(value) for name, value in row.items()}


@contextmanager
def _sqlite_writer(path: Path) -> Iterator[Callable[[list[Row]], None]]:
    """Takes rows of results; at the end come the other tables of the record. Names are those of the API."""
    columns = [name for name in NAMES if name != "measurements"]
    with closing(sqlite3.connect(path)) as database, database:
        _create_table(database, "results", columns)
        _create_table(database, "measurements", ["result", *public_record.MEASUREMENT, "qualifier"])

        def add(rows: list[Row]) -> None:
            """Insert results and their measurements."""
            _insert_rows(
                database, "results", len(columns), ([_sqlite_value(row[name]) for name in columns] for row in rows)
            )
            measurements = ((row["id"], measurement) for row in rows for measurement in row["measurements"])
            values = (
                [
                    result,
                    *(_sqlite_value(measurement[name]) for name in public_record.MEASUREMENT),
                    measurement["context"].get("qualifier", ""),
                ]
                for result, measurement in measurements
            )
            _insert_rows(database, "measurements", 2 + len(public_record.MEASUREMENT), values)

        yield add
        _add_others(database)


def _add_others(database: sqlite3.Connection) -> None:
    others: dict[str, tuple[Columns, QuerySet[Any]]] = {
        "list_entries": (ENTRY, ListEntry.objects.exclude(ranked_list__frozen_at=None).order_by("pk")),
        "releases": (RELEASE, Release.objects.order_by("pk")),
        "sites": (public_record.SITE, public_record.current_sites().order_by("pk")),
        "systems": (SYSTEM, public_record.current_systems().order_by("pk")),
        "platforms": (public_record.PLATFORM, public_record.current_platforms().order_by("pk")),
    }
    for table, (named, queryset) in others.items():
        _create_table(database, table, list(named))
        found_rows = queryset.values_list(*named.values()).iterator(chunk_size=BATCH)
        _insert_rows(database, table, len(named), ([_sqlite_value(value) for value in row] for row in found_rows))
    database.execute("CREATE INDEX measurements_by_result ON measurements (result)")
    database.execute("CREATE INDEX measurements_by_metric ON measurements (op, quantity, stat)")


def _create_table(database: sqlite3.Connection, table: str, columns: list[str]) -> None:
    database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")


def _insert_rows(database: sqlite3.Connection, table: str, width: int, rows: Iterable[list[Any]]) -> None:
    """Values go as parameters; names of tables are those above."""
    database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)  # noqa: S608


def _sqlite_value(value: Any) -> Any:
    """A value as SQLite has it: what is nested becomes JSON, a truth value a number, a time its text."""
    return _dump_json(value) if isinstance(value, dict | list) else csv_safe.plain_value(value)
