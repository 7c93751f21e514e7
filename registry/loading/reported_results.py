"""Reported results: numbers that papers and slides print, without raw output, from
registry/loading/data/reported/*.json.

A document is no release: nobody called for these numbers, so they belong to none and can stand on no ranked list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from registry.models import Result
from registry.query import data_files
from validators.measurements import Measurement as Measured

REPORTED = Path(__file__).parent / "data" / "reported"
SCHEMA = "reported-results.schema.json"
WORDS = "Reported: a number from a paper or slide, no raw data."

Row = dict[str, Any]


class ReportedError(Exception):
    """A file of reported results breaks its schema, or two results share an id."""


def read_reported(folder: Path = REPORTED) -> list[Row]:
    """All results of a folder, each with its `document`.

    Raises ReportedError where a file is called unlike its document, is malformed, or an id is there twice.
    """
    rows: dict[str, Row] = {}
    for name, content in data_files.valid_files(folder, SCHEMA, ReportedError):
        if name != f"{content['document']['slug']}.json":
            raise ReportedError(f"{name} holds the document {content['document']['slug']}")
        for row in content["results"]:
            if row["id"] in rows:
                raise ReportedError(f"{name}: {row['id']} is there twice")
            rows[row["id"]] = row | {"document": content["document"]}
    return list(rows.values())


def result_columns(row: Row) -> Row:
    """The columns of a result that follow from its row alone."""
    return {
        "public_id": row["id"],
        "tool": row["tool"],
        "tool_version": row.get("tool_version", ""),
        "mode": row.get("mode", ""),
        "trust": Result.Trust.REPORTED,
        "source": source_text(row),
        "release": None,
        "institution": row["institution"],
        "system_name": row["system"],
        "filesystem_type": row.get("filesystem_type", ""),
        "filesystem_version": row.get("filesystem_version", ""),
        "storage_vendor": row.get("storage_vendor", ""),
        "client_nodes": row.get("client_nodes"),
        "tasks": row.get("tasks"),
        "opted_in": False,
        "score": row.get("score"),
        "bandwidth_gib_per_s": row.get("bandwidth_gib_per_s"),
        "rate_kiops": row.get("rate_kiops"),
        "parameters": {name: row[name] for name in ("client_nodes", "tasks") if name in row} | row["parameters"],
        "snapshot": {
            "document": row["document"],
            "place": row["place"],
            "label": row["label"],
            "notes": row.get("notes", []),
            **({"scores": row["scores"]} if "scores" in row else {}),
        },
    }


def source_text(row: Row) -> str:
    """ "E2000 Performance ... (HPE, Cray User Group 2025), Table 3, row 1"."""
    document = row["document"]
    return f"{document['title']} ({document['publisher']}), {row['place']}"


def read_measurements(row: Row) -> Iterator[Measured]:
    """The numbers of a row: canonical beside what is printed. Raises UnitError."""
    for measurement in row["measurements"]:
        yield Measured.printed(
            measurement["op"],
            measurement["quantity"],
            measurement["stat"],
            measurement["value"],
            measurement["unit"],
            scored=measurement.get("scored"),
            context=measurement.get("context"),
        )
