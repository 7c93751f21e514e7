"""The facts of one published IO500 archive: what our own reader finds in it, as one compact row.

Figures, versions, options and outcomes only. No text of the archive goes in, no content of a file, no name of a host
or a person; paths are relative to the archive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from validators.checks import check
from validators.units import from_canonical, to_canonical

TOOL = "io500"
PREFIX = f"{TOOL}.evidence."
SEVERAL = "several"
"""The status of an archive of several runs, none of which is the one that was submitted."""
MOST_FINDINGS = 40

Row = dict[str, Any]

_TEXTS = frozenset({"declared", "job_scripts", "job_outputs", "rank_rates"})
"""Parameters that hold texts or paths of the submitter, and one that the distributions say better."""
_QUOTES_OUTPUT = {
    f"{PREFIX}machine": "The raw text of one phase names another machine than that of the first phase.",
    f"{TOOL}.interrupted": "A program was ended before its end, as its output says.",
}
"""Findings whose message quotes the output, and what is kept of them instead."""
_OF_THE_COPY = frozenset({f"{TOOL}.raw.missing"})
"""Findings that say nothing of the run where files of the copy are left out."""
_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS", "s": "s"}
"""The unit of the figures of a row by their canonical one."""
SHARE_UNIT = "%"
"""The unit of what is a share of its phase."""
_SIGNIFICANT = 7


def read_archive(path: Path, left_out: Collection[str] = ()) -> Row:
    """The facts of the archive or folder `path`. Bandwidths and rates are as printed, times in seconds.

    `left_out` are paths in the archive that are not read because this copy of it has only a part of them; what rests on
    them is missing. Raises OSError where the path cannot be read.
    """
    top = f"{path.name.split('.')[0]}/"
    report = check(path, benchmark=TOOL, left_out={top + name for name in left_out} | set(left_out)).as_json()
    return facts_of_report(report, is_whole=not left_out)


def facts_of_report(report: Mapping[str, Any], *, is_whole: bool = True) -> Row:
    """The facts of a report of a check. `is_whole`: no file of the archive was left out."""
    if report["primary"] is None:
        status = SEVERAL if report["runs"] else report["status"]
        return {"status": status, "findings": _finding_rows(report["findings"], is_whole=True)}
    run = report["runs"][report["primary"]]
    row = {
        "status": report["status"],
        "run": _strip_folder(run["path"]),
        "version": run["version"],
        "mode": run["mode"],
        "started": run["started"],
        "ended": run["ended"],
        "client_nodes": run["client_nodes"],
        "tasks": run["tasks"],
        "scores": run["scores"],
        "hashes": run["hashes"],
        "measurements": [_measurement_row(row) for row in run["measurements"] if row["unit"] in _UNITS],
        "shares": [_share_row(row) for row in run["measurements"] if row["unit"] == SHARE_UNIT],
        "missing_shares": _missing_rows(run["missing_measurements"]),
        "parameters": {name: value for name, value in run["parameters"].items() if name not in _TEXTS},
        "distributions": [_distribution_row(distribution) for distribution in run["distributions"]],
        "evidence": _evidence_row(run["evidence"]),
        "findings": _finding_rows(run["findings"], is_whole=is_whole),
    }
    return {name: value for name, value in row.items() if value not in (None, "", {}, [])}


def _strip_folder(place: str) -> str:
    """A path without the folder of the archive itself."""
    return re.sub(r"^submission-\d+(/|$)", "", place)


def _measurement_row(row: Mapping[str, Any]) -> list[Any]:
    """A figure with the digits that are printed, in the unit that its label means: old ones say GB/s for GiB/s."""
    unit = _UNITS[row["unit"]]
    value = row["printed_value"]
    if not math.isclose(to_canonical(value, unit)[0], row["value"], rel_tol=1e-12):
        value = from_canonical(row["value"], unit)
    return [row["op"], row["quantity"], row["stat"], value, unit, row["scored"],
            *([row["context"]] if row["context"] else [])]  # fmt: skip


def _share_row(row: Mapping[str, Any]) -> list[Any]:
    """Operation, quantity and share in %."""
    return [row["op"], row["quantity"], _round_figure(row["value"])]


def _missing_rows(missing: Collection[Mapping[str, str]]) -> dict[str, list[str]]:
    """By reason the shares that the files do not tell, each as OPERATION.QUANTITY."""
    by_reason: dict[str, list[str]] = {}
    for row in missing:
        by_reason.setdefault(row["reason"], []).append(f"{row['op']}.{row['quantity']}")
    return by_reason


def _distribution_row(row: Mapping[str, Any]) -> list[Any]:
    """The summary and the quantiles of a distribution, without its members. Figures in the unit of the row."""
    figures = [row["mean"], row["deviation"], *row["quantiles"]]
    return [row["op"], row["quantity"], row["stat"], row["over"], row["unit"], row["count"],
            *(_round_figure(figure) for figure in figures)]  # fmt: skip


def _round_figure(figure: float | None) -> float | None:
    return None if figure is None else float(f"{figure:.{_SIGNIFICANT}g}")


def _evidence_row(evidence: Mapping[str, Any]) -> Row:
    kinds = evidence["kinds"]
    compared = {outcome: _compared_kinds(kinds, outcome) for outcome in ("agrees", "contradicts")}
    absent = [_short_code(kind) for kind in kinds if kind["outcome"] == "absent"]
    rest = {name: evidence[name] for name in ("missing", "unconfirmed", "summary_alone", "in_short")}
    return {**compared, "absent": absent, **rest}


def _compared_kinds(kinds: Collection[Mapping[str, Any]], outcome: str) -> Row:
    """By kind how many pairs were compared, and the least and the most deviation of them where they are numbers."""
    return {
        _short_code(kind): [kind["compared"], *(kind[name] for name in ("least", "most") if name in kind)]
        for kind in kinds
        if kind["outcome"] == outcome
    }


def _short_code(kind: Mapping[str, Any]) -> str:
    return str(kind["code"]).removeprefix(PREFIX)


def _finding_rows(findings: Collection[Mapping[str, Any]], *, is_whole: bool) -> list[Row]:
    """Code, level, message and place of the first findings. What would quote the output is said in our words."""
    eligible = [finding for finding in findings if is_whole or finding["code"] not in _OF_THE_COPY]
    return [_finding_row(finding) for finding in eligible[:MOST_FINDINGS]]


def _finding_row(finding: Mapping[str, Any]) -> Row:
    row = {"code": finding["code"], "level": finding["level"]}
    row["message"] = _QUOTES_OUTPUT.get(finding["code"]) or re.sub(r"submission-\d+/", "", finding["message"])
    return row | ({"where": _strip_folder(finding["where"])} if finding.get("where") else {})
