"""Where the files of a run say what lists and rules ask of it: file and line, by parameter or code of a rule.

`printed_at.json` in the folder of a benchmark names the words of such lines, the best first. A line is found beside
the reading, for a person who wants to look: nothing is computed from it, and a run without one is as good.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from validators import catalogue
from validators.bundle import Bundle
from validators.measurements import Run

Words = tuple[bytes, re.Pattern[bytes]]
"""The first word, and what matches it with those behind it."""
VERSION = "tool_version"
"""The version that the benchmark prints of itself, by its name in the conditions of lists."""
_MOST_FILES = 40
_SEARCHED_BYTES = 64 * 1024
"""Of each file, from the first line of the run on: settings stand before results. A slice of a bundle has more."""
_MOST_LINES = 20
"""With the words in one file; the first that has the value counts, else the first."""


class LineFinder:
    """Finds the lines of the runs of one bundle. A file of many runs is read once where they come in its order."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._begins: dict[str, tuple[int, int]] = {}  # number and first byte of the line found last in a file
        self._paths_by_folder: dict[str, list[str]] = {}

    def find_lines(self, run: Run) -> dict[str, str]:
        """`path:line` for each rule, and each parameter that the run has, whose words stand in its files."""
        words = _words_by_name(run.tool)
        if not words:
            return {}
        texts = [(path, *self._searched_text(run, path)) for path in self._files_of(run)]
        places = {}
        for name, patterns in words.items():
            value = run.version if name == VERSION else run.parameters.get(name)
            if value in (None, "") and not _is_rule(name):
                continue
            if place := _best_place(patterns, _value_text(value), texts):
                places[name] = place
        return places

    def _files_of(self, run: Run) -> list[str]:
        """The file of a run, or those directly in its folder."""
        if run.path in self._bundle.files:
            return [run.path]
        if not self._paths_by_folder:
            for path in sorted(self._bundle.files):
                self._paths_by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        return self._paths_by_folder.get(run.path, [])[:_MOST_FILES]

    def _searched_text(self, run: Run, path: str) -> tuple[bytes, int]:
        """What is searched of a file, and the number of its first line."""
        if not run.lines:
            return self._bundle.read(path, _SEARCHED_BYTES), 1
        first, last = run.lines
        text = self._bundle.slice(self._bundle.files[path], self._begin_of(path, first))[:_SEARCHED_BYTES]
        return _first_lines(text, last - first + 1), first

    def _begin_of(self, path: str, line: int) -> int:
        """The first byte of a line, counted from 1; the size of a file with fewer lines."""
        number, place = self._begins.get(path, (1, 0))
        if number > line:
            number, place = 1, 0
        entry = self._bundle.files[path]
        while number < line and place < entry.size:
            piece = self._bundle.slice(entry, place)
            begin = 0
            while number < line and (end := piece.find(b"\n", begin)) >= 0:
                begin, number = end + 1, number + 1
            place += begin if number == line else len(piece)
        if number == line:
            self._begins[path] = number, place
        return place


def _first_lines(text: bytes, count: int) -> bytes:
    """The first lines of a text, without the last newline; all of a text that has no more."""
    end = -1
    for _ in range(count):
        end = text.find(b"\n", end + 1)
        if end < 0:
            return text
    return text[:end]


def _best_place(patterns: Sequence[Words], value: bytes, texts: Sequence[tuple[str, bytes, int]]) -> str:
    """The first line with the words that has the value, too; else the first with the words; else ""."""
    first_place = ""
    whole_value = re.compile(rb"(?<![\w.])" + re.escape(value) + rb"(?![\w.])")
    for place, line in _lines_with(patterns, texts):
        if value and whole_value.search(line):
            return place
        first_place = first_place or place
    return first_place


def _lines_with(patterns: Sequence[Words], texts: Sequence[tuple[str, bytes, int]]) -> Iterator[tuple[str, bytes]]:
    for first_word, pattern in patterns:
        for path, text, first in texts:
            for match in islice(_find_matches(first_word, pattern, text), _MOST_LINES):
                begin, end = text.rfind(b"\n", 0, match.start()) + 1, text.find(b"\n", match.end())
                number = text.count(b"\n", 0, begin) + first
                yield f"{path}:{number}", text[begin : end if end >= 0 else len(text)].lower()


def _find_matches(first_word: bytes, pattern: re.Pattern[bytes], text: bytes) -> Iterator[re.Match[bytes]]:
    """What `pattern.finditer` gives, in a tenth of its time: a match begins where its first word stands."""
    position = text.find(first_word)
    while position >= 0:
        match = pattern.match(text, position)
        if match:
            yield match
        position = text.find(first_word, match.end() if match else position + 1)


def _value_text(value: Any) -> bytes:
    """How a value may stand on a line; empty for what is compared with no text."""
    return str(value).lower().encode() if isinstance(value, (bool, int, str)) else b""


def _is_rule(name: str) -> bool:
    return "." in name


@cache
def _words_by_name(tool: str) -> dict[str, list[Words]]:
    path = catalogue.FOLDER / catalogue.benchmark(tool).slug / "printed_at.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: [(text.split()[0].encode(), _pattern(text)) for text in texts] for name, texts in rows.items()}


def _pattern(text: str) -> re.Pattern[bytes]:
    """Words one after another, with any blanks between them, not behind a letter."""
    words = rb"[ \t]{0,60}".join(re.escape(word.encode()) for word in text.split())
    return re.compile(rb"(?<![\w-])" + words)
