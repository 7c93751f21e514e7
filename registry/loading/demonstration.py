"""The demonstration: made-up runs, read from their raw files by the readers that read every upload.

The files are registry/loading/data/demonstration/, which tools/make_demonstration.py writes. Nothing of them becomes a
result: the rows go into a table of their own.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from registry.comparison import repeat_runs
from registry.comparison.spreads import measurement_key
from registry.models import DemonstrationRun
from validators import VERSION, checks

FILE = Path(__file__).parent / "data" / "demonstration" / "runs.1.json"
_PARTS = ("scores", "hashes", "rules", "tests", "parameter_sources", "described_parameters")

Row = dict[str, Any]


def load_demonstration() -> int:
    """Read the raw files and put the runs in the place of those that are there; how many there are."""
    runs = json.loads(FILE.read_text(encoding="utf-8"))["runs"]
    rows = [DemonstrationRun(**run_columns(run)) for run in runs]
    with transaction.atomic():
        with connection.cursor() as cursor:  # two at a time would have every id twice
            cursor.execute(f"LOCK TABLE {DemonstrationRun._meta.db_table} IN EXCLUSIVE MODE")
        DemonstrationRun.objects.all().delete()
        DemonstrationRun.objects.bulk_create(rows)
    return len(rows)


def remove_demonstration() -> int:
    """Take the demonstration out; how many runs it had."""
    return DemonstrationRun.objects.all().delete()[0]


def run_columns(run: Mapping[str, Any]) -> Row:
    """The columns of one run: `id`, `screen`, `commands` and `files` are given, the rest our readers find in the files.

    Of several runs of one configuration the first counts, and has the values of all as its repeats.
    """
    with tempfile.TemporaryDirectory(prefix="demonstration-") as folder:
        for path, text in run["files"].items():
            place = Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        report = checks.check(folder)
    index = report.primary or 0
    document = report.as_json()
    counted_run = document["runs"][index]
    again = repeat_runs.repeat_group(document, index)
    return {
        "public_id": run["id"],
        "screen": run["screen"],
        "commands": run["commands"],
        "files": run["files"],
        "status": document["status"],
        "tool": counted_run["tool"],
        "tool_version": counted_run["version"] or "",
        "mode": counted_run["mode"] or "",
        "client_nodes": counted_run["client_nodes"],
        "tasks": counted_run["tasks"],
        "scores": _score_columns(counted_run["scores"]),
        "started": counted_run["started"] or "",
        "parameters": counted_run["parameters"],
        "measurements": _measurement_rows(counted_run["measurements"], repeat_runs.repeated_values(again["runs"])),
        "snapshot": _make_snapshot(document, counted_run, again["distributions"]),
        "system_document": report.system.document if report.system else None,
    }


def _score_columns(scores: Mapping[str, Any]) -> Row:
    score = scores.get("SCORE") or {}
    return {column: score[name] for column, name in repeat_runs.COLUMNS.items() if score.get(name) is not None}


def _measurement_rows(measurements: list[Row], again: Mapping[Any, list[float]]) -> list[Row]:
    return [row | {"repeats": again.get(measurement_key(row))} for row in measurements]


def _make_snapshot(document: Row, counted_run: Row, over_runs: list[Row]) -> Row:
    """What stands beside the numbers, as publication keeps it of a result."""
    return {
        **{name: counted_run[name] for name in _PARTS},
        "findings": document["findings"] + counted_run["findings"],
        "evidence": counted_run["evidence"],
        "distributions": [*counted_run["distributions"], *over_runs],
        "versions": {"validators": VERSION},
        "not_read": document.get("not_read", []),
    }
