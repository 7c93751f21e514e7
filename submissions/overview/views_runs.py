"""The runs of a submission on its page: each as a row, and the numbers of those that are looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.presentation import numbers
from registry.presentation.measurement_tables import Table
from registry.presentation.parameter_table import build_parameter_table
from registry.results.page_lead import leading_text
from registry.results.run_page import view
from submissions.bundles.views import line_address as raw_address
from submissions.models import Submission
from submissions.web.formatting import run_row
from validators import catalogue

PRINTED_DIGITS = 1e-4
"""A score is printed with six decimals at most; what differs by less is the same number rounded."""
FEW_RUNS = 20
"""Runs of an archive whose numbers all stand on its page. Of more, those of one run do."""


def runs_context(
    submission: Submission, runs: Sequence[dict[str, Any]], primary: int | None, *, run_number: str, addressed: bool
) -> dict[str, Any]:
    """What the page says of the runs of a check. `run_number` is the number of the run to look at, from its address.

    `addressed` is whether the reader may open the files.
    """
    rows = [run_row(index, run, index == primary) for index, run in enumerate(runs)]
    for row, run in zip(rows, runs, strict=True):
        row["address"] = run_address(submission, run) if addressed else ""
        row["numbers"] = "" if row["scored"] else leading_text(run["measurements"], run["tool"])
    is_many = len(runs) > FEW_RUNS
    opened = next((row["index"] for row in rows if is_many and str(row["index"]) == run_number), primary)
    return {
        "runs": rows,
        "is_many": is_many,
        "chosen_path": "" if primary is None else rows[primary]["path"],
        "numbered": any(row["numbers"] for row in rows),
        "scored": any(row["scored"] for row in rows),
        "missing": any(row["scored"] and numbers.MISSING in row.values() for row in rows),
        "run_tables": [
            {
                "path": row["path"],
                "lines": row["lines"],
                "tool": row["tool"],
                "run": run_tables(run, row["scored"]),
                "parameters": parameter_table(run),
            }
            for row, run in zip(rows, runs, strict=True)
            if run["measurements"]
            and (not row["scored"] or run.get("distributions"))
            and (not is_many or row["index"] == opened)
        ],
    }


def format_run_figures(run: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], findings: str) -> dict[str, Any]:
    """What the check found, as a sentence and figures of the run that counts; {} before a run is found."""
    if not runs:
        return {}
    titles = dict.fromkeys(
        catalogue.benchmark(checked_run["tool"]).descriptor.get("name", checked_run["tool"]) for checked_run in runs
    )
    parts = [", ".join(titles), numbers.pluralize(len(runs), "run")]
    score = run.get("scores", {}).get("SCORE", {}) if run else {}
    if score.get("value") is not None:
        parts.append(f"score {numbers.format_decimal(score['value'])}")
    nodes, tasks = (run.get("client_nodes"), run.get("tasks")) if run else (None, None)
    return {
        "sentence": ", ".join(parts),
        "score": numbers.format_decimal(score.get("value")),
        "score_note": _printed_note(score),
        "bandwidth": numbers.format_decimal(score.get("bandwidth_gib_per_s")),
        "rate": numbers.format_decimal(score.get("rate_kiops")),
        "bandwidth_each": _per_node(score.get("bandwidth_gib_per_s"), nodes),
        "rate_each": _per_node(score.get("rate_kiops"), nodes),
        "client_nodes": numbers.format_int(nodes) if nodes else "",
        "tasks": numbers.format_int(tasks) if tasks else "",
        "findings": findings,
        "tool_version": run.get("version", "") if run else "",
    }


def _printed_note(score: Mapping[str, Any]) -> tuple[str, str]:
    """Whether the recomputed score is the printed one: class of the mark and words."""
    printed_score, value = score.get("printed"), score.get("value")
    if printed_score is None or value is None:
        return "", "no score is printed" if value is not None else ""
    return (
        ("yes", "✓ same as printed") if abs(printed_score - value) < PRINTED_DIGITS else ("no", "▲ differs from print")
    )


def _per_node(value: float | None, nodes: int | None) -> str:
    return numbers.format_decimal(value / nodes) if value is not None and nodes else ""


def parameter_table(run: dict[str, Any]) -> Table:
    """The parameters of a run with where they come from, and what the described system says."""
    return build_parameter_table(
        run.get("parameters", {}), run.get("parameter_sources"), run.get("described_parameters")
    )


def run_tables(run: dict[str, Any], scored: bool) -> dict[str, Any]:
    """What a run measured, and what lies under it; the phases of a scored one have their own table."""
    measurements = [] if scored else run["measurements"]
    tool = run["tool"], run["version"]
    return view(measurements, run.get("distributions", []), run.get("tests", []), run.get("parameters", {}), tool)


def run_address(submission: Submission, run: dict[str, Any]) -> str:
    """The page of the first line of a run that has a part of a file; empty for others."""
    return raw_address(submission, f"{run['path']}:{run['lines']['first']}") if run.get("lines") else ""
