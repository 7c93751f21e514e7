"""Benchmarks that print one output: find the files by their content, read them bounded, refuse them with a code.

A parser of such a benchmark gives `find_outputs` two functions: one that knows its output by the first bytes, and one
that reads an Output. Whatever is wrong raises Refusal there and becomes an error finding of an empty run.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from validators import catalogue
from validators.bundle import HEAD_BYTES, LINE_LIMIT, Bundle
from validators.catalogue import Reading
from validators.failures import READER_ERRORS, reader_failed
from validators.findings import ERROR, WARNING, Finding
from validators.measurements import Run
from validators.reading.accounting import Ledger
from validators.reading.endings import build_interruption, failures_in

READ_LINE_LIMIT = 8 * 1024
"""Characters of a line that the readers of text are given: no line of a tool's own comes near."""
LONG_LINE = "line-too-long"
_MOST_LONG_LINES = 20
_LONGEST_NUMBER = 40
_ROW_WORDS = 32
_ROW_NUMBERS = 3
TEXT_LIMIT = 64 * 1024 * 1024
"""Bytes of an output that has to be read whole, as JSON has."""

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text begins that PowerShell redirected to a file."""

_NUMBER = re.compile(r"\d{1,300}(?:\.\d{0,100})?(?:[eE][+-]?\d{1,3})?|\.\d{1,100}", re.ASCII)
_LARGEST = 1e30
"""Above everything that was ever measured, in any unit; below what overflows when units are converted."""
_WITH_COMMA = re.compile(r"\d{1,300}(?:[.,]\d{1,100}){1,9}", re.ASCII)


class Refusal(Exception):
    """An output that cannot count: the last word of its code, a message, a hint, and the line, if one is to blame."""

    def __init__(self, word: str, message: str, hint: str, line: int = 0, expected: str = "", actual: str = "") -> None:
        super().__init__(message)
        self.word = word
        self.message = message
        self.hint = hint
        self.line = line
        self.expected = expected
        self.actual = actual

    def finding(self, tool: str, path: str) -> Finding:
        where = f"{path}:{self.line}" if self.line else path
        code = f"{tool}.{self.word}"
        return Finding(code, ERROR, self.message, self.hint, where, expected=self.expected, actual=self.actual)


@dataclass(frozen=True, slots=True)
class Output:
    """One file of a bundle that a tool printed."""

    bundle: Bundle
    path: str
    long_lines: list[Finding] = field(default_factory=list)
    """What was left out for its length, while lines were read."""
    ledger: Ledger = field(default_factory=Ledger)
    """What the reader understood of the lines that it was given: it claims them."""

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.bundle.files[self.path].size

    def text(self, limit: int = TEXT_LIMIT) -> str:
        """The whole text; bytes that are no UTF-8 are replaced. Raises Refusal beyond `limit` bytes."""
        if self.size > limit:
            message = f"The output has {self.size} bytes; more than {limit} are not read."
            raise Refusal(
                "too-large", message, "Upload what the tool printed, without traces and logs of each request."
            )
        return self.bundle.read(self.path).decode("utf-8", "replace")

    def lines(self, longest: int = READ_LINE_LIMIT, *, of_others: bool = False) -> Iterator[str]:
        """Line by line, without the ends of lines, in bounded memory. Raises Refusal for a line of over 512 KiB.

        A line of more than `longest` characters is given as an empty one, and goes to `long_lines`. `of_others`: the
        application that was measured prints there too, so that figures in long lines are its own.
        """
        for number, line in enumerate(self._whole_lines(), start=1):
            if not line:
                self.ledger.give_blank()
                yield line
                continue
            self.ledger.give(number, line)
            if len(line) > longest:
                self._leave_out(line, number, of_others)
                yield ""
            else:
                yield line

    def left_out(self, run: Run) -> list[Finding]:
        """Findings on lines that were too long or not understood: on its own, where the reader counted runs apart."""
        long_lines = [replace(line, code=f"{run.tool}.{line.code}") for line in self.long_lines]
        benchmark = catalogue.find(run.tool)
        if not benchmark:
            return long_lines
        ledgers, outline = self.ledger.list_runs(), benchmark.outline
        if len(ledgers) > 1 and run.lines:
            first, last = run.lines
            ledgers = [ledger for ledger in ledgers if first <= ledger.first <= last]
        return long_lines + [finding for ledger in ledgers for finding in ledger.findings(outline, self.path)]

    def _leave_out(self, line: str, number: int, of_others: bool) -> None:
        """Note a long line: as an error where its words are those of a row of figures."""
        if len(self.long_lines) >= _MOST_LONG_LINES:
            return
        words = line.split(None, _ROW_WORDS)[:_ROW_WORDS]
        numbers = sum(bool(_NUMBER.fullmatch(word[:_LONGEST_NUMBER].strip("[](),;:%"))) for word in words)
        is_row = not of_others and numbers >= _ROW_NUMBERS and 3 * numbers >= len(words)
        what = "a row of figures" if is_row else "a line"
        message = f"It has {what} of {len(line)} characters, which was not read: no line of the tool's own is so long."
        where = f"{self.path}:{number}"
        hint = "Upload the output as the tool printed it, without what was put into its lines."
        self.long_lines.append(Finding(LONG_LINE, ERROR if is_row else WARNING, message, hint, where))

    def _whole_lines(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest, number = "", 0
        for chunk in self.bundle.chunks(self.path):
            *lines, rest = (rest + decoder.decode(chunk)).split("\n")
            _require_length(lines[0] if lines else rest, number + 1)  # others are within a chunk, which is shorter
            for line in lines:
                yield line.rstrip("\r")
            number += len(lines)
            _require_length(rest, number + 1)
        rest += decoder.decode(b"", final=True)
        if rest:
            yield rest.rstrip("\r")


def find_outputs(
    bundle: Bundle,
    tool: str,
    is_output: Callable[[bytes], bool],
    read: Callable[[Output], list[Run]],
    head_bytes: int = HEAD_BYTES,
) -> Reading:
    """The runs of every file whose first `head_bytes` are of the tool; the only run is the one that counts."""
    reading = Reading()
    for path, entry in bundle.files.items():
        head = bundle.head(path, head_bytes) if entry.size else b""
        is_wide = head.startswith(_WIDE_MARKS) and is_output(head.decode("utf-16", "replace").encode())
        if not head or not (is_wide or is_output(head)):
            continue
        reading.claimed.add(path)
        output = Output(bundle, path, ledger=Ledger(catalogue.benchmark(tool).outline.required))
        try:
            if is_wide:
                raise Refusal("bad-encoding", "The output is UTF-16.", "Convert it to UTF-8: iconv -f utf-16 -t utf-8.")
            runs = read(output)
        except Refusal as refusal:
            runs = [Run(tool, path, findings=[refusal.finding(tool, path)])]
        except READER_ERRORS:
            runs = [Run(tool, path, findings=[reader_failed(tool, path)])]
        for run in runs:
            run.findings += output.left_out(run)
        _add_interruption(runs, output, tool)
        reading.runs += runs
    reading.primary = 0 if len(reading.runs) == 1 else None
    return reading


def _add_interruption(runs: Sequence[Run], output: Output, tool: str) -> None:
    """Add a warning where a launcher or the tool says inside of an output that a program was ended early.

    Behind the last line of an output it says so of something else, unless nothing tells that the output has ended.
    A run gets one, and none where it is refused.
    """
    waiting = [run for run in runs if not any(finding.level == ERROR for finding in run.findings)]
    if not waiting:
        return
    outline, ledgers = catalogue.benchmark(tool).outline, output.ledger.list_runs()
    first, last = ledgers[0].first, max(ledger.last for ledger in ledgers)
    for number, message in failures_in(output.bundle.chunks(output.path), outline.interrupted):
        if number >= first and (outline.open_ended or not last or number <= last):
            run = next((run for run in reversed(runs) if run.lines and run.lines[0] <= number), runs[-1])
            if not any(run is other for other in waiting):
                continue
            waiting = [other for other in waiting if other is not run]
            run.findings.append(build_interruption(tool, output.path, number, message))
            if not waiting:
                return


def printed_number(text: str, line: int = 0) -> float:
    """A number that is not negative, as tools print it. Raises Refusal for everything else.

    A decimal comma is refused, not guessed: 1,234 is one and a bit in one language, a thousand and more in another.
    """
    if _NUMBER.fullmatch(text):
        value = float(text)
        if value <= _LARGEST:
            return value
    if "," in text and _WITH_COMMA.fullmatch(text):
        message = f"{text[:40]!r} is written with a comma."
        raise Refusal("number-format", message, "Run the tool with LC_ALL=C and upload what it prints.", line)
    message = f"{text[:40]!r} stands where a number belongs."
    raise Refusal("not-a-number", message, "Upload the output as the tool printed it.", line)


def _require_length(line: str, number: int) -> None:
    if len(line) > LINE_LIMIT:
        message = f"A line has more than {LINE_LIMIT} bytes."
        raise Refusal("line-too-long", message, "Upload the output as the tool printed it.", number)
