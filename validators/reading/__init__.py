"""What tools get to see of a bundle: clean text, cut where outputs begin.

A file may hold many outputs of several tools, behind labels of launchers, time stamps and colours, after any preamble.
Here each becomes a file of its own for the tool that printed it; what is found is told by the lines of the real file.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from validators.bundle import ArchiveEntry, Bundle
from validators.findings import Finding
from validators.measurements import Run
from validators.reading.cleaning import cleaned, readable, undecorated
from validators.reading.outlines import Outline
from validators.reading.segments import Segment, names_in, segments_of

SEARCHED_BYTES = 64 * 1024 * 1024
"""Of one file: an output that has to be read whole may have as much."""
SEARCHED_IN_ALL = 512 * 1024 * 1024
_MARK = "\x1d"
"""In the name of a part of a file; names with such a character are in no bundle."""
_MARKED = re.compile(f"{_MARK}\\d{{1,9}}{_MARK}")
_PROSE = re.compile(r"(?:^|/)readme(?:[._-][^/]{0,100})?$|\.(?:md|markdown|rst|adoc|asciidoc|tex|org)$", re.IGNORECASE)
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_HINT_BYTES = 4 * 1024 * 1024
"""Of a file that is no plain text: what it seems to be is told, and nothing of it is read."""
MOST_PREAMBLE_LINES = 40
"""Before the only output of a file, which count as read with it: what a launcher prints, and no environment."""


class Hint(NamedTuple):
    """The tools whose output a file seems to hold, and why it was not read."""

    tools: list[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a file that one output has; `path` is its name for readers, `file` that in the bundle."""

    path: str
    file: str
    tool: str
    entry: ArchiveEntry
    first: int
    last: int


@dataclass(slots=True)
class Prepared:
    """A bundle as readers see it.

    `clean` is what stands in the place of files, `parts` are those of files that were cut, by their own path, `cut` the
    same by file, `owner` the tool whose only output a file is. `prose` are documents that show outputs of tools, with
    their names, and `hints` files with a banner where none is expected. Of files in `unsearched` not all was searched.
    The members of `archives` are in the bundle, so that nothing is read of themselves.
    """

    bundle: Bundle
    outlines: Sequence[Outline]
    clean: dict[str, ArchiveEntry] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    cut: dict[str, list[Part]] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    prose: dict[str, list[str]] = field(default_factory=dict)
    hints: dict[str, Hint] = field(default_factory=dict)
    unsearched: set[str] = field(default_factory=set)
    archives: set[str] = field(default_factory=set)
    preambles: dict[str, int] = field(default_factory=dict)
    """Number of lines before the only output of a file, where they are more than launchers print of it."""

    def view(self, outline: Outline, claimed: Container[str]) -> Bundle:
        """What one tool sees: its own parts, and files that belong to no tool; nothing that another one has claimed.

        A tool that holds the output of others, or prints into it, sees files whole; unless they hold still others.
        """
        files: dict[str, ArchiveEntry] = {}
        for path, entry in self.bundle.files.items():
            parts = self.cut.get(path, ())
            if path in claimed or path in self.prose or path in self.archives:
                continue
            if not parts or outline.within or self._holds_all(outline, parts):
                if outline.sees_whole or self.owner.get(path, outline.tool) == outline.tool:
                    files[path] = self.clean.get(path, entry)
            else:
                files |= {part.path: part.entry for part in parts if part.tool == outline.tool}
        return replace(self.bundle, files={path: files[path] for path in files if path not in claimed}, _heads={})

    def _holds_all(self, outline: Outline, parts: Sequence[Part]) -> bool:
        return bool(outline.holds) and all(part.tool in outline.holds for part in parts)

    def files_read(self, claimed: Container[str]) -> set[str]:
        """Files of the bundle that were read from the first line to the last.

        Of a log with an output inside, the other lines were read by nobody: it is none of them.
        """
        complete = {path for path in self.bundle.files if path in claimed and path not in self.preambles}
        return complete | {file for file, parts in self.cut.items() if self._cover(file, parts, claimed)}

    def _cover(self, file: str, parts: Sequence[Part], claimed: Container[str]) -> bool:
        if not all(part.path in claimed for part in parts):
            return False
        follows = all(part.first <= before.last + 1 for before, part in pairwise(parts))
        lines = self.bundle.read(file, SEARCHED_BYTES).rstrip(b"\n").count(b"\n") + 1
        return follows and parts[0].first == 1 and parts[-1].last >= lines

    def restore(self, run: Run) -> None:
        """Give a run the path and the lines of the file that it was read from."""
        part = self.parts.get(run.path)
        if part:
            shift = part.first - 1
            first, last = run.lines or (1, part.last - shift)
            run.lines = (first + shift, last + shift)
        run.path = _unmarked(run.path)
        run.findings = [self.restored(finding) for finding in run.findings]

    def restored(self, finding: Finding) -> Finding:
        """A finding that names the file of the bundle, and the line there."""
        if not any(_MARK in text for text in (finding.where, finding.message, finding.hint)):
            return finding
        path, colon, line = finding.where.rpartition(":")
        where = finding.where
        if colon and line.isdecimal() and path in self.parts:
            where = f"{path}:{int(line) + self.parts[path].first - 1}"
        elif where in self.parts:
            where = f"{where}:{self.parts[where].first}"
        message, hint = _unmarked(finding.message), _unmarked(finding.hint)
        return replace(finding, where=_unmarked(where), message=message, hint=hint)


def prepare(bundle: Bundle, outlines: Sequence[Outline]) -> Prepared:
    """Clean and cut the texts of a bundle. Files are left as they are where there is nothing to do."""
    prepared, budget = Prepared(bundle, outlines), SEARCHED_IN_ALL
    prepared.archives = {parent for path in bundle.files for parent in _parents(path) if parent in bundle.files}
    for path, entry in bundle.files.items():
        if not entry.size or path in prepared.archives:
            continue
        head = bundle.head(path)
        if head.startswith(_WIDE) or b"\0" in head[:4096]:
            _hint(prepared, path, bundle.read(path, _HINT_BYTES))
            continue
        if budget <= 0 or entry.size > SEARCHED_BYTES:
            prepared.unsearched.add(path)
        if budget <= 0:
            continue
        content = bundle.read(path, SEARCHED_BYTES)
        budget -= len(content)
        _prepare(prepared, path, entry, content)
    return prepared


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _hint(prepared: Prepared, path: str, content: bytes) -> None:
    """Note the tools whose output a file seems to hold in a form that is not read."""
    text, reason = readable(content)
    if tools := names_in(text, prepared.outlines):
        prepared.hints[path] = Hint(tools, reason)


def _prepare(prepared: Prepared, path: str, entry: ArchiveEntry, content: bytes) -> None:
    bundle = prepared.bundle
    text = cleaned(content)
    segments = segments_of(text, prepared.outlines)
    if segments and _PROSE.search(path):
        prepared.prose[path] = sorted({segment.tool for segment in segments})
        return
    is_whole = len(content) == entry.size
    if not segments:
        _hint(prepared, path, text)
        plain = undecorated(text)
        if plain != content and is_whole:
            prepared.clean[path] = bundle.store(plain, entry)
        return
    if len(segments) == 1 and segments[0].is_near_the_start and segments[0].end == len(text):
        segment = segments[0]
        prepared.owner[path] = segment.tool
        sees_whole = any(outline.sees_whole for outline in prepared.outlines if outline.tool == segment.tool)
        if segment.first > MOST_PREAMBLE_LINES + 1 and not sees_whole:
            prepared.preambles[path] = segment.first - 1
        plain = segment.undecorated(text)
        if plain != content and is_whole:
            prepared.clean[path] = bundle.store(plain, entry)
        return
    if text != content and is_whole:
        prepared.clean[path] = bundle.store(text, entry)
    _cut(prepared, path, entry, content, text, segments)


def _cut(
    prepared: Prepared, path: str, entry: ArchiveEntry, content: bytes, text: bytes, segments: Sequence[Segment]
) -> None:
    folder, slash, name = path.rpartition("/")
    for number, segment in enumerate(segments):
        plain = segment.lines(text)
        if text is content and len(plain) == segment.end - segment.begin:
            end = entry.size if segment.end == len(content) else segment.end
            stored = replace(entry, offset=entry.offset + segment.begin, size=end - segment.begin)
        else:
            stored = prepared.bundle.store(plain, entry)
        marked = f"{folder}{slash}{_MARK}{number}{_MARK}{name}"
        last = segment.first + plain.rstrip(b"\n").count(b"\n")
        part = Part(marked, path, segment.tool, stored, segment.first, last)
        prepared.parts[marked] = part
        prepared.cut.setdefault(path, []).append(part)


def _unmarked(text: str) -> str:
    return _MARKED.sub("", text)
