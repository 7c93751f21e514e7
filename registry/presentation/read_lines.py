"""From which lines of which file a run was read, and what of the files no benchmark read, as pages show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.presentation import numbers
from validators import catalogue

MOST_ROWS = 100

Lines = Mapping[str, int] | None


def format_lines(lines: Lines) -> str:
    """ "lines 12 to 340", "line 12"; empty for a whole file, or a folder."""
    if not lines:
        return ""
    first, last = lines["first"], lines["last"]
    return f"line {first}" if first == last else f"lines {first} to {last}"


def format_read_from(read_from: Mapping[str, Any]) -> str:
    """ "job.out, lines 12 to 340"."""
    path = read_from["path"] or "the top of the archive"
    return ", ".join(filter(None, [path, format_lines(read_from["lines"])]))


def build_not_read(entries: Iterable[Mapping[str, Any]], cut: Iterable[str] = ()) -> dict[str, Any]:
    """`not_read` of a report for results/not_read.html: the first `rows`, how many `more`, and a `count` in words.

    `cut` are files of which only the lines of runs were read.
    """
    rows = [
        {
            "path": entry["path"],
            "lines": format_lines(entry["lines"]),
            "looks_like": _name(entry["looks_like"]),
            "reason": entry["reason"],
        }
        for entry in entries
    ]
    rows += [{"path": path, "lines": "lines outside of its runs", "reason": "no output that is known"} for path in cut]
    return {"rows": rows[:MOST_ROWS], "more": max(len(rows) - MOST_ROWS, 0), "count": _count(rows)}


def _count(rows: Sequence[Mapping[str, Any]]) -> str:
    """ "3 files and lines of 1 file"; a row without `lines` is a whole file."""
    files = sum(not row["lines"] for row in rows)
    parts = len({row["path"] for row in rows if row["lines"]})
    counts = [numbers.pluralize(files, "file")] if files else []
    counts += [f"lines of {numbers.pluralize(parts, 'file')}"] if parts else []
    return " and ".join(counts)


def _name(tool: str | None) -> str:
    """What a benchmark is called; empty for None."""
    return str(catalogue.descriptor(tool).get("name", tool)) if tool else ""
