"""What the latest check read of the files of a submission, and what it did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from registry.presentation.read_lines import build_not_read, format_gaps
from submissions.models import Check, ScrubbedCopy
from validators.scrubbing import personal

ALL, PART, NOTHING, UNKNOWN = "all", "part", "nothing", "unknown"

Report = Mapping[str, Any]


def list_not_read(report: Report) -> list[dict[str, Any]] | None:
    """The files and lines that no benchmark read; None for a check from before that was written down.

    A report without such entries has no `not_read`; of an older one its runs do not say their lines.
    """
    if any("lines" not in run for run in report["runs"]):
        return None
    return list(report.get("not_read", []))


def cut_files(check: Check) -> dict[str, str]:
    """Files of which only the lines of runs were read, with those that were not; none where it is not known."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for run in check.report["runs"]:
        if lines := run.get("lines"):
            spans.setdefault(run["path"], []).append((lines["first"], lines["last"]))
    if check.read_files is None:
        return {}
    listed: dict[str, list[tuple[int, int]]] = {}
    for entry in list_not_read(check.report) or ():
        if lines := entry["lines"]:
            listed.setdefault(entry["path"], []).append((lines["first"], lines["last"]))
    cut = {}
    for path, rows in spans.items():
        ranges = sorted([*rows, *listed.get(path, ())])
        if path not in check.read_files or _list_gaps(sorted(rows)):
            cut[path] = format_gaps(_list_gaps(ranges), max(last for _, last in ranges))
    return cut


def _list_gaps(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines before the first and between two; what stands behind the last is not known."""
    gaps, end = [], 0
    for first, last in spans:
        if first > end + 1:
            gaps.append((end + 1, first - 1))
        end = max(end, last)
    return gaps


def not_read_table(check: Check) -> dict[str, Any]:
    """What was not read, for pages; where there is nothing, a `sentence` on that."""
    entries = list_not_read(check.report)
    if entries is None:
        return {
            "sentence": "Which parts were not read is not known: they were checked before the registry recorded that."
        }
    table = build_not_read(entries, cut_files(check))
    if not table["rows"]:
        table["sentence"] = (
            "No file, and no output in one, was left unread."
            if check.report["runs"]
            else "No result was read from them; the findings say why."
        )
    return table


def read_states(check: Check, names: Sequence[str]) -> dict[str, str]:
    """How much of each uploaded file was read: ALL, PART, NOTHING, or UNKNOWN. The first of `names` is the bundle."""
    entries, cut = list_not_read(check.report), set(cut_files(check))
    bundle, *others = names
    states = {}
    for name in others:
        of_file = [entry for entry in entries or () if entry["path"] == name]
        if any(entry["lines"] is None for entry in of_file):
            states[name] = NOTHING
        elif of_file or name in cut:
            states[name] = PART
        else:
            states[name] = ALL if name in (check.read_files or ()) else UNKNOWN
    runs = [run["path"] for run in check.report["runs"] if run["path"] not in others]
    skipped = [entry["path"] for entry in entries or () if entry["path"] not in others]
    if entries is None:
        states[bundle] = UNKNOWN
    elif not runs:
        states[bundle] = PART if check.read_files else NOTHING
    else:
        states[bundle] = PART if skipped or cut - set(others) else ALL
    return states


def public_reading(
    report: Mapping[str, Any], run: Mapping[str, Any], derivative: ScrubbedCopy, names: personal.Names
) -> dict[str, Any]:
    """`read_from` and `not_read` with paths as the copy has them; nothing where the check did not write them down.

    What is not in the copy is not in `not_read`: what it looks like stays private. A name that a file of the copy
    shares with one that is left out, once scrubbed, counts as private.
    """
    entries = list_not_read(report)
    if entries is None:
        return {}
    left_out = {row["path"] for row in derivative.report.get("left_out", [])}
    public_paths = {file["path"] for file in derivative.files} - left_out
    renamed = [{**entry, "path": _scrub_path(entry["path"], names)} for entry in entries]
    return {
        "read_from": {"path": _scrub_path(run["path"], names), "lines": run["lines"]},
        "not_read": [entry for entry in renamed if entry["path"] in public_paths],
    }


def _scrub_path(path: str, names: personal.Names) -> str:
    return str(personal.scrub_path(path, names, Counter()))
