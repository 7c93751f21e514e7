"""From which lines of which file a run was read, and what of the files no benchmark read, as pages show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.presentation import numbers
from validators import catalogue

MOST_ROWS = 100
MOST_GAPS = 10

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


def describe_read_from(snapshot: Mapping[str, Any], public_paths: Sequence[str]) -> str:
    """The file or folder and the lines that the run was read from, and whether everybody can see it."""
    place = snapshot.get("read_from")
    if place is None:
        return "not known: published before it was written down"
    path = place["path"]
    is_public = not path or any(name == path or name.startswith(f"{path}/") for name in public_paths)
    return format_read_from(place) + ("" if is_public else " (not in the public copy)")


def format_gaps(gaps: Sequence[tuple[int, int]], last: int) -> str:
    """ "lines 1 to 3, line 9 and what stands behind line 40": of a file, what is outside of its runs."""
    texts = [format_lines({"first": first, "last": end}) for first, end in gaps[:MOST_GAPS]]
    if len(gaps) > MOST_GAPS:
        texts.append(f"{len(gaps) - MOST_GAPS} more places")
    behind = f"what stands behind line {last}"
    return f"{', '.join(texts)} and {behind}" if texts else behind


def build_not_read(entries: Iterable[Mapping[str, Any]], cut: Mapping[str, str] | None = None) -> dict[str, Any]:
    """`not_read` of a report for results/not_read.html: the first `rows`, how many `more`, and a `count` in words.

    `cut` are files of which only the lines of runs were read, with the lines that were not.
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
    rows += [
        {"path": path, "lines": lines, "reason": "outside of its runs, no output that is known"}
        for path, lines in (cut or {}).items()
    ]
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
    return catalogue.tool_name(tool) if tool else ""
