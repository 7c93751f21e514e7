"""The figures of one workload of MLPerf Storage v3.0: what our own reader finds in the files of its runs.

Figures, counts and settings only. No text, host, path or description of the source goes in.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from registry.loading.mlperf_folders import CHECKPOINTING, KV_CACHE, TRAINING, VECTOR_DATABASE
from registry.query.names.canonical_names import plain_text
from validators.bundle import StoredFile
from validators.checks import check
from validators.findings import findings_of_report

TOOL = "mlperf-storage"
RUN_FOLDERS, COUNTED_RUNS = 6, 5
"""Of training: the first is a warm-up, which does not count."""
RUN = "run"
_RUNS_OF_A_RESULT = {TRAINING: COUNTED_RUNS, VECTOR_DATABASE: COUNTED_RUNS}
_OF_THE_RUN = frozenset({f"{TOOL}.au-below-threshold", f"{TOOL}.dataset-too-small"})
"""Errors that speak of what was run; with any other error the files themselves are not trusted."""
_OF_THE_COPY = frozenset(
    f"{TOOL}.{name}"
    for name in ("version-inferred", "warm-up-unknown", "fewer-than-5-runs", "run-folders-missing", "runs-ambiguous")
)
"""Findings that say nothing of the result: the tree tells the version, and which run folders there are."""
_TEXTS = frozenset({"version_known_by", "phases", "open_parameters"})
MOST_FINDINGS, LONGEST_REASON = 20, 300

Row = dict[str, Any]


def read_workload(files: Mapping[str, Path]) -> Row:
    """The facts of a workload: `measurements` (value and unit as printed), `parameters`, `client_nodes`, `runs`.

    `files` by their path in the published tree, of one workload. Where the reader gives no run that counts, or finds
    an error in the files, the row has a `reason` and no figure. Raises OSError where a file cannot be read.
    """
    (name, path), *others = sorted(files.items())
    extra_files = {called: StoredFile(other) for called, other in others}
    report = check(path, name=name, benchmark=TOOL, extra_files=extra_files).as_json()
    errors = [finding for finding in findings_of_report(report) if finding["level"] == "error"]
    doubtful = [finding for finding in errors if finding["code"] not in _OF_THE_RUN]
    if doubtful:
        return {"reason": plain_text(doubtful[0]["message"])[:LONGEST_REASON]}
    if report["primary"] is None:
        several = "Several runs lie in the folder, and none of them is known to count."
        return {"reason": several if report["runs"] else "Our reader finds no result in the files."}
    run = report["runs"][report["primary"]]
    parameters = {name: value for name, value in run["parameters"].items() if name not in _TEXTS}
    row = {
        "started": run["started"],
        "ended": run["ended"],
        "client_nodes": run["client_nodes"],
        "parameters": parameters,
        "measurements": [_measurement_row(measurement) for measurement in run["measurements"]],
        "findings": [_finding_row(finding) for finding in run["findings"] if finding["code"] not in _OF_THE_COPY][
            :MOST_FINDINGS
        ],
    }
    return {name: value for name, value in row.items() if value not in (None, [])}


def missing_part(kind: str, facts: Row, runs: int) -> str:
    """What a whole result of a kind has and these facts lack, in words; empty where they are whole.

    `runs` are the run folders that were read. Without the summaries of all six of training nobody knows which one is
    the warm-up.
    """
    means = {(row["op"], row["quantity"]) for row in facts["measurements"] if row["stat"] == "mean"}
    if kind == TRAINING and runs != RUN_FOLDERS:
        return f"summaries of {runs} of {RUN_FOLDERS} run folders: which of them is the warm-up is not known"
    if kind == CHECKPOINTING:
        ops = [op for op in ("checkpoint-write", "checkpoint-read") if (op, "bandwidth") not in means]
        return f"no figures of {' and '.join(ops)}" if ops else ""
    if kind == KV_CACHE:
        options = [number for number in "123" if (f"kv-option-{number}-read", "bandwidth") not in means]
        return f"no figures of option {' and '.join(options)}" if options else ""
    expected = _RUNS_OF_A_RESULT[kind]
    counted = facts["parameters"].get("runs", runs)
    return "" if counted == expected else f"{counted} of {expected} runs"


def keep_single_run(facts: Row) -> Row:
    """The facts of one of several measured runs: its own figures, and no mean, deviation or worst run of all."""
    alone = [row for row in facts["measurements"] if row["stat"] == RUN]
    settings = {name: value for name, value in facts["parameters"].items() if name not in _OVER_RUNS}
    return facts | {"measurements": alone, "parameters": settings}


_OVER_RUNS = frozenset({"runs", "au_min_run", "run_folders"})
"""Parameters that are counted over all runs of a result."""


def _measurement_row(row: Mapping[str, Any]) -> Row:
    figure = {"op": row["op"], "quantity": row["quantity"], "stat": row["stat"]}
    figure |= {"value": row["printed_value"], "unit": row["printed_unit"]}
    return figure | ({"context": row["context"]} if row["context"] else {})


def _finding_row(finding: Mapping[str, Any]) -> Row:
    return {name: finding[name] for name in ("code", "level", "message")}
