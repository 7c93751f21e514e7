"""The table of single and automatic mode: a column for each test, blank where a test was not asked for.

Columns are known by where they end, as numbers are set to the right; releases before 3.4xx have narrower ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
        for left, (text, end) in zip(range(len(words), 0, -1), words, strict=True):
            last = len(self.ends) - left
            if column > last:
                break
            nearest = min(range(column, last + 1), key=lambda one: abs(self.ends[one] + shift - end))
            placed.append((self.ops[nearest], text))
            shift += max(len(text) - (_COLUMN - 1), 0)
            column = nearest + 1
        return placed


def columns_of(line: str) -> Columns | None:
    """The columns, if a line is the head of the table."""
    match = _HEAD.search(line)
    if not match:
        return None
    words = list(re.finditer(r"\S+", match["rest"]))
    names = [word[0] for word in words]
    known = OPS[: len(names)] if names == _WORDS[: len(names)] else None
    if known is None:
        known = (*OPS, *names[len(OPS) :]) if names[: len(OPS)] == _WORDS else None
    if known is None:
        return None
    return Columns(tuple(word.end() for word in words), tuple(known))
