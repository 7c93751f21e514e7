"""Reported results: numbers that papers and slides print, without raw output, from
registry/loading/data/reported/*.json.

A document is no release: nobody called for these numbers, so they belong to none and can stand on no ranked list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from registry.models import Result
from registry.query import data_files
from registry.query.responses import declared_limits
from validators.measurements import Measurement as Measured

REPORTED = Path(__file__).parent / "data" / "reported"
SCHEMA = "reported-results.schema.json"
WORDS = "Reported: a number from a paper or slide, no raw data."

Row = dict[str, Any]


class ReportedError(Exception):
    """A file of reported results breaks its schema, or two results share an id."""


def read_reported(folder: Path = REPORTED) -> list[Row]:
    """All results of a folder, each with its `document`.

    Raises ReportedError where a file is called unlike its document, is malformed, or an id is there twice, and where a
    limit of comparison holds against a result that is not there.
    """
    rows: dict[str, Row] = {}
    for name, content in data_files.valid_files(folder, SCHEMA, ReportedError):
        if name != f"{content['document']['slug']}.json":
            raise ReportedError(f"{name} holds the document {content['document']['slug']}")
        for row in content["results"]:
            if row["id"] in rows:
                raise ReportedError(f"{name}: {row['id']} is there twice")
            rows[row["id"]] = row | {"document": content["document"]}
    _refuse_dangling_limits(rows)
    return list(rows.values())


def _refuse_dangling_limits(rows: Mapping[str, Row]) -> None:
    """A limit that names a result under a wrong id would be obeyed by nobody."""
    for id, row in rows.items():
        named = {other for limit in row.get(declared_limits.FIELD, ()) for other in limit.get("with", ())}
        if missing := sorted(named - (rows.keys() - {id})):
            raise ReportedError(f"{id} may not be compared with {', '.join(missing)}, which is no other result")


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
            **{name: row[name] for name in ("scores", declared_limits.FIELD) if name in row},
        },
    }


def link_printed_again(rows: list[Row]) -> None:
    """Point each row that prints a measurement once more to the result that counts.

    Raises ReportedError where that is missing, or prints another one again itself.
    """
    named = {row["id"]: row["same_as"] for row in rows if "same_as" in row}
    pks = dict(Result.objects.filter(public_id__in=named.values()).values_list("public_id", "pk"))
    for public_id, same_as in named.items():
        if same_as not in pks or same_as in named:
            raise ReportedError(f"{public_id} is the same as {same_as}, which is no result that counts")
    results = Result.objects.filter(public_id__in=[row["id"] for row in rows])
    results.exclude(public_id__in=named).exclude(same_as=None).update(same_as=None)
    for result in results.filter(public_id__in=named):
        results.filter(pk=result.pk).update(same_as=pks[named[result.public_id]])


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
