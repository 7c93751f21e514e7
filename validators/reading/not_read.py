"""What nobody read of a bundle: files and lines, with what they look like, if they look like anything."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from validators.bundle.redaction_report import is_report
from validators.findings import INFO, WARNING, Finding
from validators.measurements import Run
from validators.reading import SEARCHED_BYTES, Prepared
from validators.reading.cleaning import cleaned
from validators.reading.segments import MOST_SEGMENTS, traces_in

CODE = "bundle.not-read"
MOST_ENTRIES = 500
_MOST_FINDINGS = 20
_BAG = ("bagit.txt", "bag-info.txt")
_MANIFESTS = ("manifest-", "tagmanifest-")
_NOT_RECOGNISED = "not the output of a known benchmark"


def listed(prepared: Prepared, claimed: Collection[str], companions: Sequence[str]) -> list[dict[str, Any]]:
    """`not_read` of a report: path, lines (null for a whole file), `looks_like` (a tool or null) and the reason.

    `companions` are patterns of files that belong to the outputs which were read.
    """
    bundle = prepared.bundle
    entries: list[dict[str, Any]] = []
    for path, entry in bundle.files.items():
        if len(entries) >= MOST_ENTRIES:
            break
        if path in claimed and path in prepared.preambles:
            lines = {"first": 1, "last": prepared.preambles[path]}
            entries.append({"path": path, "lines": lines, "looks_like": None, "reason": _PREAMBLE})
        if path in claimed or path in prepared.archives or _is_of_a_bag(path):
            continue
        if path in prepared.cut:
            entries += _parts(prepared, path, claimed)
            continue
        tool, reason = _why(prepared, path, entry.size)
        if tool is None and (is_report(bundle, path) or any(_matches(path, pattern) for pattern in companions)):
            continue
        entries.append({"path": path, "lines": None, "looks_like": tool, "reason": reason})
    return entries


def find_overlooked(
    prepared: Prepared, runs: Sequence[Run], entries: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Results that stand among what the reader of another tool took, as entries of `not_read`.

    Such a file has a run, so that nothing else says that a part of it was not read.
    """
    runs_by_path: dict[str, list[Run]] = {}
    for run in runs:
        runs_by_path.setdefault(run.path, []).append(run)
    bounds_by_output: dict[tuple[str, str | None], list[tuple[int, int] | None]] = {}
    for entry in entries:
        bounds_by_output.setdefault((entry["path"], entry["looks_like"]), []).append(_bounds_of(entry))
    for path, runs_of_file in runs_by_path.items():
        if path not in prepared.bundle.files:
            continue
        text = cleaned(prepared.bundle.read(path, SEARCHED_BYTES))
        tools = {run.tool for run in runs_of_file}
        held = {tool for outline in prepared.outlines if outline.tool in tools for tool in outline.holds}
        for outline in prepared.outlines:
            if not outline.traces or outline.tool in held:
                continue
            ranges_read = [run.lines for run in runs_of_file if run.tool == outline.tool]
            ranges_read += bounds_by_output.get((path, outline.tool), ())
            if None in ranges_read:
                continue
            for first, last in _ranges_outside(
                _line_numbers(text, traces_in(text, outline)), [lines for lines in ranges_read if lines]
            ):
                lines = {"first": first, "last": last}
                yield {"path": path, "lines": lines, "looks_like": outline.tool, "reason": _AMONG_OTHERS}


def _line_numbers(text: bytes, begins: Sequence[int]) -> list[int]:
    """The number of each line, by where it begins."""
    numbers, counted, number = [], 0, 1
    for begin in begins:
        number += text.count(b"\n", counted, begin)
        counted = begin
        numbers.append(number)
    return numbers


def _ranges_outside(numbers: Sequence[int], ranges_read: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last of ascending lines that lie in none of the ranges that were read, apart where one lies between."""
    ordered = sorted(ranges_read)
    ranges: list[tuple[int, int]] = []
    begun, begun_before, read_to = 0, 0, 0
    for number in numbers:
        while begun < len(ordered) and ordered[begun][0] <= number:
            read_to = max(read_to, ordered[begun][1])
            begun += 1
        if number <= read_to:
            continue
        if ranges and begun == begun_before:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
        begun_before = begun
    return ranges


def _bounds_of(entry: Mapping[str, Any]) -> tuple[int, int] | None:
    return (entry["lines"]["first"], entry["lines"]["last"]) if entry["lines"] else None


def findings(entries: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Iterator[Finding]:
    """One for each entry that looks like the output of a tool: figures are in it that the report does not have.

    `names` are those of the tools that are looked for here: who asks for one of them does not ask for the others.
    """
    for entry in [entry for entry in entries if entry["looks_like"] in names][:_MOST_FINDINGS]:
        lines, tool = entry["lines"], entry["looks_like"]
        where = f"{entry['path']}:{lines['first']}" if lines else entry["path"]
        what = f"Lines {lines['first']} to {lines['last']} look" if lines else "This looks"
        is_prose = entry["reason"] == _PROSE
        yield Finding(
            CODE,
            INFO if is_prose else WARNING,
            f"{what} like the output of {names[tool]}, and no figure of it was read: {entry['reason']}.",
            "" if is_prose else "Upload the output as the tool printed it, as a file of its own.",
            where,
        )


_AMONG_OTHERS = "it stands in or behind the output of another benchmark, without a beginning of its own"
_TOO_MANY = f"more than {MOST_SEGMENTS} outputs stand before it"
_PREAMBLE = "before the output that was read"
_PROSE = "a document that shows an output, and no result itself"


def _why(prepared: Prepared, path: str, size: int) -> tuple[str | None, str]:
    """The tool that a file looks like, and the reason why it was not read."""
    if path in prepared.prose:
        return prepared.prose[path][0], _PROSE
    if path in prepared.bundle.unopened:
        return None, prepared.bundle.unopened[path]
    if path in prepared.owner:
        return prepared.owner[path], "its reader does not know what stands there"
    if path in prepared.hints:
        return prepared.hints[path].tools[0], prepared.hints[path].reason
    if not size:
        return None, "empty"
    if b"\0" in prepared.bundle.head(path)[:4096]:
        return None, "not text"
    if path in prepared.unsearched:
        return None, "too large to be searched to its end"
    return None, _NOT_RECOGNISED


def _parts(prepared: Prepared, path: str, claimed: Collection[str]) -> Iterator[dict[str, Any]]:
    for part in prepared.cut[path]:
        if part.path not in claimed:
            tool = part.tool or prepared.cut[path][0].tool
            lines = {"first": part.first, "last": part.last}
            reason = "its reader does not know what stands there" if part.tool else _TOO_MANY
            yield {"path": path, "lines": lines, "looks_like": tool, "reason": reason}


def _is_of_a_bag(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _BAG or name.startswith(_MANIFESTS)


def _matches(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern) or fnmatchcase("/" + path, pattern.replace("**/", "*/"))
