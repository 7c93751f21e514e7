"""The table of single and automatic mode: a column for each test, blank where a test was not asked for.

Columns are known by where they end, as numbers are set to the right; releases before 3.4xx have narrower ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

OPS = (
    "write",
    "rewrite",
    "read",
    "reread",
    "random_read",
    "random_write",
    "bkwd_read",
    "record_rewrite",
    "stride_read",
    "fwrite",
    "frewrite",
    "fread",
    "freread",
)
_WORDS = [op.rpartition("_")[2] for op in OPS]
"""What the head of the table says, whose first line (random, bkwd, ...) is not needed."""
_HEAD = re.compile(r"(?:^|\s)[kK]B\s+reclen(?P<rest>(?:\s+[a-z]{1,12}){1,30})\s*$")
_ROW = re.compile(
    r"^(?:\[\d{1,6}\]|\S{1,64}:)?\s*(?P<size>\d{1,15})\s+(?P<record>\d{1,12})(?P<rest>(?:\s+\S{1,40}){0,30})\s*$"
)
_COLUMN = 9
_LARGE_KIB, _SMALL_KIB = 16 * 1024, 64
_MOST_DOUBLED = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One file size and record size: the figures as printed, each with its operation."""

    file_size_KiB: int
    record_KiB: int
    figures: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each column ends, counted from the end of `reclen`."""

    ends: tuple[int, ...]
    ops: tuple[str, ...]

    def row_of(self, line: str) -> Row | None:
        """The row of a line, or None: it has another form."""
        match = _ROW.match(line)
        if not match or not re.match(r"\s+[\d.,naif+-]|$", match["rest"]):
            return None
        words = [(word[0], word.end()) for word in re.finditer(r"\S+", match["rest"])]
        return Row(int(match["size"]), int(match["record"]), self._placed(words))

    def _placed(self, words: list[tuple[str, int]]) -> list[tuple[str, str]]:
        """Each figure goes to the column that ends nearest to it, behind that of the one before.

        A figure too wide for its column shifts all that follow it.
        """
        placed, column, shift = [], 0, 0
        for remaining, (text, end) in zip(range(len(words), 0, -1), words, strict=True):
            last = len(self.ends) - remaining
            if column > last:
                break
            nearest = min(range(column, last + 1), key=lambda index: abs(self.ends[index] + shift - end))
            placed.append((self.ops[nearest], text))
            shift += max(len(text) - (_COLUMN - 1), 0)
            column = nearest + 1
        return placed


def missing_rows(tests: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """File and record sizes of the automatic mode that have no row: both are doubled from row to row.

    Of files above 16 MiB, small records are left out, unless -z asks for them.
    """
    rows = {(test["file_size_KiB"], test["record_KiB"]) for test in tests if "record_KiB" in test and "ops" in test}
    if not rows:
        return []
    sizes, records = _doubled({size for size, _ in rows}), _doubled({record for _, record in rows})
    grid = [(size, record) for size in sizes for record in records if record <= size]
    return [
        (size, record)
        for size, record in grid
        if (size, record) not in rows and (size <= _LARGE_KIB or record >= _SMALL_KIB)
    ]


def _doubled(numbers: set[int]) -> list[int]:
    number = min(numbers)
    doubled: list[int] = []
    while 0 < number <= max(numbers) and len(doubled) < _MOST_DOUBLED:
        doubled.append(number)
        number *= 2
    return doubled


def columns_of(line: str) -> Columns | None:
    """The columns, if a line is the head of the table."""
    match = _HEAD.search(line)
    if not match:
        return None
    words = list(re.finditer(r"\S+", match["rest"]))
    names = [word[0] for word in words]
    ops = OPS[: len(names)] if names == _WORDS[: len(names)] else None
    if ops is None:
        ops = (*OPS, *names[len(OPS) :]) if names[: len(OPS)] == _WORDS else None
    if ops is None:
        return None
    return Columns(tuple(word.end() for word in words), tuple(ops))
