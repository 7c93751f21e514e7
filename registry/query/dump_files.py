"""The files of the whole record, by name with their media type: who writes them and who points to them agree."""

from __future__ import annotations

DUMP_FILES = {
    "results.csv": "text/csv; charset=utf-8",
    "results.ndjson": "application/x-ndjson",
    "results.parquet": "application/vnd.apache.parquet",
    "record.sqlite": "application/vnd.sqlite3",
    "results.csv.gz": "application/gzip",
    "results.ndjson.gz": "application/gzip",
}
