"""Where the files of a run say what lists and rules ask of it: file and line, by parameter or code of a rule.

`printed_at.json` in the folder of a benchmark names the words of such lines, the best first. A line is found beside
the reading, for a person who wants to look: nothing is computed from it, and a run without one is as good.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
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
"""Of each file, from the first line of the run on: settings stand before results."""
_MOST_LINES = 20
"""With the words in one file; the first that has the value counts, else the first."""


def find_lines(run: Run, bundle: Bundle) -> dict[str, str]:
    """`path:line` for each rule, and each parameter that the run has, whose words stand in its files."""
    words = _words_by_name(run.tool)
    if not words:
        return {}
    texts = [(path, *_searched_text(run, path, bundle)) for path in _files_of(run, bundle)]
    places = {}
    for name, patterns in words.items():
        value = run.version if name == VERSION else run.parameters.get(name)
        if value in (None, "") and not _is_rule(name):
            continue
        if place := _best_place(patterns, _value_text(value), texts):
            places[name] = place
    return places


def _files_of(run: Run, bundle: Bundle) -> list[str]:
    """The file of a run, or those directly in its folder."""
    if run.path in bundle.files:
        return [run.path]
    folder = f"{run.path}/" if run.path else ""
    names = [path for path in bundle.files if path.startswith(folder) and "/" not in path[len(folder) :]]
    return sorted(names)[:_MOST_FILES]


def _searched_text(run: Run, path: str, bundle: Bundle) -> tuple[bytes, int]:
    """What is searched of a file, and the number of its first line."""
    if not run.lines:
        return bundle.read(path, _SEARCHED_BYTES), 1
    first, last = run.lines
    return bytes(_lines_of(bundle.chunks(path), first, last, _SEARCHED_BYTES)), first


def _lines_of(chunks: Iterable[bytes], first: int, last: int, limit: int) -> bytearray:
    """The lines from `first` to `last`, counted from 1, without the last newline; at most `limit` bytes of them."""
    text, number = bytearray(), 1
    for chunk in chunks:
        begin = 0
        while number < first and begin < len(chunk):
            end = chunk.find(b"\n", begin)
            begin, number = (end + 1, number + 1) if end >= 0 else (len(chunk), number)
        text += chunk[begin:] if number >= first else b""
        if len(text) >= limit or text.count(b"\n") > last - first:
            break
    return bytearray(b"\n").join(text.split(b"\n")[: last - first + 1])[:limit]


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
            if first_word not in text:  # a tenth of the time of the pattern
                continue
            for match in islice(pattern.finditer(text), _MOST_LINES):
                begin, end = text.rfind(b"\n", 0, match.start()) + 1, text.find(b"\n", match.end())
                number = text.count(b"\n", 0, begin) + first
                yield f"{path}:{number}", text[begin : end if end >= 0 else len(text)].lower()


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
