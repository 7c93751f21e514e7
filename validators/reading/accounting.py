"""Every line with numbers inside an output is read, or ignored for a reason; the others are counted and told.

A reader claims the lines that it understands while it is given them. Others are counted from its first claim on, until
it says that the output has ended: text around an output is not the tool's, unless it holds what every run is reported
with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from validators.findings import ERROR, WARNING, Finding
from validators.reading.outlines import Outline

WORD = "lines-not-understood"
MOST_UNREAD = 0.1
"""The share of lines with numbers above which what is not understood is an error."""
_MOST_REPEATED = 0.4
_LABEL = re.compile(r"^[A-Za-z][A-Za-z-]{0,20}[0-9]{1,8}[A-Za-z0-9.-]{0,40}: ")
"""The name of a node before a line, which is another one before the same line of the next."""
_NUMBER = re.compile(r"(?:^|[\s=(\[{,:;|\"'<>/])[-+]?\.?[0-9]")
"""A number that stands by itself: digits inside of names are none."""
_CHARACTERS = 120
_MOST_ENTRIES = 20_000


@dataclass(slots=True)
class Ledger:
    """Which lines of an output with numbers were understood: how many, and those that were not.

    `first` and `last` are the numbers of the first and the last line that the reader claimed, with numbers or without.
    """

    required: re.Pattern[str] | None = None
    understood: int = 0
    first: int = 0
    last: int = 0
    unread: list[tuple[int, str]] = field(default_factory=list)
    more: int = 0
    earlier: list[Ledger] = field(default_factory=list)
    """The same of the runs that stand before in the file, where a reader counts each by itself."""
    repeated: int = 0
    _before: str = ""
    _room: int = _MOST_ENTRIES
    _is_inside: bool = False
    _number: int = 0
    _line: str = ""
    _is_claimed: bool = True
    _ends: bool = False

    def give(self, number: int, line: str) -> None:
        """The next line; that before is counted."""
        self.settle()
        self._number, self._line, self._is_claimed, self._ends = number, line, False, False

    def give_blank(self) -> None:
        """The next line is blank: there is nothing to count of it."""
        if self._number:
            self.settle()

    def claim(self) -> None:
        """The reader understands the line that it was given last."""
        self._is_claimed = True

    def claim_from(self, number: int) -> None:
        """The reader understands that line and all that it was given since."""
        self.unread = [entry for entry in self.unread if entry[0] < number]
        self._is_claimed = True

    def end(self) -> None:
        """The reader understands that line, and with it the output ends."""
        self._is_claimed = self._ends = True

    def begin_run(self) -> None:
        """With the line that was given last another run begins, whose lines are counted by themselves."""
        self.earlier.append(Ledger(self.required, self.understood, self.first, self.last, self.unread, self.more))
        self.earlier[-1].repeated, self.repeated, self._before = self.repeated, 0, ""
        self.understood, self.first, self.last, self.unread, self.more = 0, 0, 0, [], 0
        self._is_inside = False

    def list_runs(self) -> list[Ledger]:
        """What was counted of each run, in the order of the file."""
        self.settle()
        return [*self.earlier, self]

    def settle(self) -> None:
        """Count the line that was given last."""
        if self._is_claimed:
            self._is_inside = not self._ends and (self._is_inside or self._number > 0)
            self.first, self.last = self.first or self._number, self._number or self.last
            if self._number > 0 and _NUMBER.search(self._line) is not None:
                self.understood += 1
                line = _LABEL.sub("", self._line)
                self.repeated += line == self._before
                self._before = line
        elif (self._is_inside or self._is_required) and _NUMBER.search(self._line):
            if self._room:
                self._room -= 1
                self.unread.append((self._number, self._line[:_CHARACTERS]))
            else:
                self.more += 1
        self._number, self._line, self._is_claimed, self._ends = 0, "", True, False

    @property
    def _is_required(self) -> bool:
        return self.required is not None and self.required.search(self._line) is not None

    def findings(self, outline: Outline, path: str) -> list[Finding]:
        """Findings on all lines that are neither read nor ignored, and on lines that stand twice.

        There are none of a reader that claims nothing.
        """
        self.settle()
        return (
            [*self._not_understood(outline, path), *self._find_repeated_lines(outline, path)] if self.understood else []
        )

    def _find_repeated_lines(self, outline: Outline, path: str) -> Iterator[Finding]:
        """A log to which two ranks, or two programs, printed the same: each figure is there twice."""
        if self.repeated > 1 and self.repeated >= _MOST_REPEATED * self.understood:
            what = f"{self.repeated} of {self.understood} lines with numbers are the same as the line before."
            hint = "Upload the output once: of one rank, and of one copy of it."
            yield Finding(f"{outline.tool}.lines-twice", WARNING, what, hint, f"{path}:{self.first}")

    def _not_understood(self, outline: Outline, path: str) -> list[Finding]:
        odd = [
            (number, line)
            for number, line in self.unread
            if not any(ignored.match(line) for ignored in outline.ignored)
        ]
        count = len(odd) + self.more
        if not count:
            return []
        required = next((number for number, line in odd if outline.required and outline.required.search(line)), 0)
        share = count / (count + self.understood)
        is_error = bool(required) or share > MOST_UNREAD
        number, line = next(((at, text) for at, text in odd if at == required), odd[0] if odd else (0, ""))
        what = "line with numbers is" if count == 1 else "lines with numbers are"
        of_required = ", of what every run is reported with" if required else ""
        return [
            Finding(
                f"{outline.tool}.{WORD}",
                ERROR if is_error else WARNING,
                f"{count} {what} not understood{of_required} ({share:.0%} of all), from {line.strip()!r}.",
                "Upload the output as the tool printed it. If it is, its reader has to learn these lines.",
                f"{path}:{number}" if number else path,
                expected="every line with numbers is read, or known not to matter",
                actual=f"{count} not read",
            )
        ]


def lines_missing(tool: str, what: str, where: str, expected: str = "", actual: str = "") -> Finding:
    """The finding that an output has fewer lines than it tells itself that there must be."""
    hint = "Upload the output as the tool printed it, with all of its lines."
    return Finding(f"{tool}.lines-missing", WARNING, what, hint, where, expected=expected, actual=actual)
