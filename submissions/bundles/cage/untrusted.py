"""Answers of the cage, held against the shapes of what they stand for: who wrote them has read hostile bytes.

A forged answer may say what it likes of its own bundle, as its bytes may. It must not break who reads it later.
The shapes come from the classes that the answers are made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from submissions.bundles.cage import archive_view
from submissions.bundles.cage.client import JobFailed
from submissions.bundles.scrubbing import DerivedFile, ScrubResult
from validators.findings import ERROR, LEVELS, Finding
from validators.measurements import OUTCOMES, Measurement, RuleOutcome, Run
from validators.runs.report import INVALID, UNREADABLE, VALID, Report

_CODE = re.compile(r"[A-Za-z0-9_+.-]{1,200}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_RUNS = 20_000
_NUMBER = (int, float)
_TEXT = dict.fromkeys(Finding("", ERROR, "").as_json(), str)
_RULE = {field.name: str for field in fields(RuleOutcome)}
_SCRUBBED = {"sha256": str, "size": int, "files": list, "report": list, "left_out": list, "names": dict}
_MEASUREMENT: dict[str, Any] = {
    **dict.fromkeys(("op", "quantity", "stat", "unit", "printed_unit"), str),
    **{name: (*_NUMBER, type(None)) for name in ("value", "printed_value")},
    "scored": (bool, type(None)),
    "context": dict,
}
_OPTIONAL: dict[str, Any] = {
    "lines": (dict, type(None)),
    "given_options": (dict, type(None)),
    **{name: (str, type(None)) for name in ("started", "ended")},
    **{name: (int, type(None)) for name in ("client_nodes", "tasks")},
}
_RUN: dict[str, Any] = {name: _OPTIONAL.get(name, type(value)) for name, value in Run("", "").as_json().items()}
assert set(_MEASUREMENT) == {field.name for field in fields(Measurement)}
assert set(_SCRUBBED) == {field.name for field in fields(ScrubResult)}


def require_answer(answer: Any) -> dict[str, Any]:
    """The answer of `check_bundle`: `report`, `read_files`, `system`. Raises JobFailed where it has another shape."""
    _require_shape(answer, {"report": dict, "read_files": list, "system": (dict, type(None))}, "the answer")
    report = answer["report"]
    _require_shape(report, {"status": str, "primary": (int, type(None)), "findings": list, "runs": list}, "the report")
    unknown = set(report) - {*Report().as_json(), "groups", "not_read", "system"}
    _refuse_if(bool(unknown), "the report has other fields")
    runs = report["runs"]
    _refuse_if(len(runs) > _MOST_RUNS, "too many runs")
    _refuse_if(not all(isinstance(report.get(name, []), list) for name in ("groups", "not_read")), "a list is none")
    _refuse_if(report["status"] not in (VALID, INVALID, UNREADABLE), "an unknown status")
    _refuse_if((report["status"] == UNREADABLE) != (not runs), "the status does not follow from the runs")
    primary = report["primary"]
    _refuse_if(primary is not None and not 0 <= primary < len(runs), "the run that counts is none")
    require_findings(report["findings"])
    for run in runs:
        _require_shape(run, _RUN, "a run", closed=True)
        require_findings(run["findings"])
        for measurement in run["measurements"]:
            _require_shape(measurement, _MEASUREMENT, "a measurement", closed=True)
        for rule in run["rules"]:
            _require_shape(rule, _RULE, "a rule", closed=True)
            _refuse_if(rule["outcome"] not in OUTCOMES, "an unknown outcome")
        _refuse_if(not all(isinstance(score, dict) and "value" in score for score in run["scores"].values()), "a score")
    _refuse_if(not all(isinstance(path, str) for path in answer["read_files"]), "a path is no text")
    if answer["system"] is not None:
        _require_shape(answer["system"], {"sha256": str, "summary": dict, "document": dict}, "the system", closed=True)
        _refuse_if(not _SHA256.fullmatch(answer["system"]["sha256"]), "a digest is none")
    accepted: dict[str, Any] = answer
    return accepted


def require_findings(rows: Any) -> list[dict[str, Any]]:
    """Findings in JSON. Raises JobFailed where one is of another shape."""
    _refuse_if(not isinstance(rows, list), "the findings are no list")
    for row in rows:
        _require_shape(row, _TEXT, "a finding")
        _refuse_if(bool(set(row) - {*_TEXT, "sha256"}), "a finding has other fields")
        _refuse_if(row["level"] not in LEVELS or not _CODE.fullmatch(row["code"]), "a finding of no known kind")
        _refuse_if(row.get("sha256", "") != "" and not _is_digest(row["sha256"]), "a digest is none")
    accepted: list[dict[str, Any]] = rows
    return accepted


def require_scrubbed(answer: Any) -> ScrubResult:
    """The answer of `scrub_bundle`. Raises JobFailed where it has another shape; its digest is still to be compared."""
    _require_shape(answer, _SCRUBBED, "the scrubbed copy", closed=True)
    _refuse_if(not _is_digest(answer["sha256"]), "a digest is none")
    for row in answer["files"]:
        _require_shape(row, {"path": str, "size": int, "sha256": str, "scrubbed": list}, "a file", closed=True)
        _refuse_if(not _is_digest(row["sha256"]) or not _are_texts(row["scrubbed"]), "a file of another shape")
    for row in answer["report"]:
        _require_shape(row, {"rule": str, "count": int, "files": int}, "a rule of scrubbing", closed=True)
    for row in answer["left_out"]:
        _require_shape(row, {"path": str, "reason": str}, "a file that is left out", closed=True)
    _refuse_if(not all(isinstance(names, list) and _are_texts(names) for names in answer["names"].values()), "names")
    return ScrubResult(**{**answer, "files": [DerivedFile(**row) for row in answer["files"]]})


def require_look(answer: Any, look: Callable[..., Any]) -> dict[str, Any]:
    """The answer of a function of `archive_view`. Raises JobFailed where it has another shape, or says too much."""
    _refuse_if(not isinstance(answer, dict), "a look is no object")
    if "refused" in answer:
        _require_shape(answer, {"refused": str, "detail": str}, "a refusal", closed=True)
        _refuse_if(answer["refused"] not in _REFUSALS, "an unknown refusal")
    elif look is archive_view.read_lines:
        _require_shape(answer, {"path": str, "size": int, "lines": list, "more": bool}, "a page of lines", closed=True)
        _refuse_if(len(answer["lines"]) > archive_view.LINES, "too many lines")
        for line in answer["lines"]:
            shaped = isinstance(line, list) and [type(part) for part in line] == [str, bool]
            _refuse_if(not shaped, "a line of another shape")
            _refuse_if(len(line[0]) > archive_view.CHARACTERS, "a line is too long")
    elif look is not archive_view.require_texts:
        _require_shape(answer, {"files": list}, "a list of files", closed=True)
        marks = {"marks": (list, type(None))} if look is archive_view.offer_texts else {}
        for row in answer["files"]:
            _require_shape(row, {"path": str, "size": int, **marks}, "a file", closed=True)
            for mark in row.get("marks") or ():
                _require_shape(mark, {"line": int, "word": str, "why": str}, "a mark", closed=True)
    looked: dict[str, Any] = answer
    return looked


_REFUSALS = (archive_view.UNREADABLE, archive_view.UNKNOWN, archive_view.BINARY)


def add_finding(report: dict[str, Any], finding: Finding) -> None:
    """Add what was found outside of the cage to a report, worst first; an error makes a valid report invalid."""
    rows = [*report["findings"], finding.as_json()]
    report["findings"] = sorted(rows, key=lambda row: LEVELS.index(row["level"]))
    if finding.level == ERROR and report["status"] == VALID:
        report["status"] = INVALID


def _require_shape(row: Any, shape: Mapping[str, Any], what: str, *, closed: bool = False) -> None:
    """Every field of the shape, of its type; with `closed` no other one. True and False are no numbers."""
    _refuse_if(not isinstance(row, dict), f"{what} is no object")
    for name, kinds in shape.items():
        accepted = isinstance(row.get(name, _MISSING), kinds)
        if accepted and row[name] is not None and isinstance(row[name], bool):
            accepted = bool in (kinds if isinstance(kinds, tuple) else (kinds,))
        _refuse_if(not accepted, f"{what} has no {name} of its type")
    _refuse_if(closed and len(row) != len(shape), f"{what} has other fields")


_MISSING = object()


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and bool(_SHA256.fullmatch(value))


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _refuse_if(wrong: bool, why: str) -> None:
    if wrong:
        raise JobFailed(f"The answer of the cage is not what it should be: {why}.")
