"""mdtest's text, from 1.9.3 to 4.1, line by line: how it was started, rates of iterations, tables of the summary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from validators.launcher_output import begins_output
from validators.outputs import Refusal, printed_number
from validators.reading.accounting import Ledger
from validators.reading.endings import is_failure

BANNER = re.compile(r"mdtest-(\S{1,40}) was launched with (\d{1,9}) total task\(s\) on (\d{1,9}) node\(s\)")
ERROR_LINE = re.compile(r"^ERROR: .{0,400}\(mdtest(?:-main)?\.c:\d+\)")
MOST_FIGURES = 20_000
HINT_AGAIN = "Upload what mdtest printed, whole and unchanged."
HINT_SPLIT = "Upload each output as a file of its own; several files may go into one bundle."

OPERATIONS = {
    f"{kind} {done}": f"{short}_{what}"
    for kind, short, steps in (
        ("Directory", "dir", ("creation", "stat", "read", "rename", "removal")),
        ("File", "file", ("creation", "stat", "read", "rename", "removal")),
        ("Tree", "tree", ("creation", "removal")),
    )
    for done, what in ((step, step.replace("creation", "create").replace("removal", "remove")) for step in steps)
}
_BEGINNINGS = ("Dire", "File", "Tree")
_NAME = re.compile("|".join(OPERATIONS))
_UNTIL_STONEWALL = {"File create (stonewall)": "file_create", "Directory create (stonewall)": "dir_create"}
_ITERATION_BEGUN = re.compile(r"^V-1:.{0,40}main: \* iteration (\d{1,9}) \*")
_CLOCK = re.compile(r"^-- (?:started|finished) at (\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d) --")
_COMMAND = re.compile(r"^Command line used: (.+)$")
_ITEMS = re.compile(r"^(?:V-\d: .{0,40}?)?(\d{1,9}) tasks, (\d{1,15}) (files/directories|files|directories)\s*$")
_TABLE = re.compile(r"^SUMMARY(?: (rate|time))?(?: \(in ([^)]{1,20})\))?\s*: \(of (\d{1,9}) iterations\)")
_STONEWALL = re.compile(r"^Continue stonewall hit min: (\d{1,15}) max: (\d{1,15}) avg: (\S{1,30})")
_FAILED = re.compile(
    r"(?i)\bunable to (stat|create|remove|rename|read|open|close|write|mknod|unlink|delete)\b"
    r"(?! file ?system).{0,30}?\b(file|dir|directory|item)\b(.*)"
)
_ITEM = re.compile(r"\b(?:file|dir)\.mdtest\.")
_UNITS = {
    ("rate", None): "ops/s",
    ("rate", "ops/sec"): "ops/s",
    ("time", None): "s",
    ("time", "ops/sec"): "s",
    ("time", "ms/op"): "ms/op",
}
"""Units by what a table says of itself. Times are seconds of a phase in the source; the labels came later, and lie."""
STATS = ("max", "min", "mean", "stdev")
RANK_STATS = ("rank_max", "rank_min", "rank_mean")


@dataclass(slots=True)
class Row:
    """One operation of a table: figures by statistic. `has_colon` is the form of 3.3 and before."""

    op: str
    figures: dict[str, float]
    has_colon: bool
    line: int

    @property
    def is_empty(self) -> bool:
        return not any(self.figures.values())


@dataclass(slots=True)
class Table:
    """One summary: of rates or of times, in a unit."""

    quantity: str
    unit: str
    iterations: int
    label: str = ""
    rows: list[Row] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return any(row.op == "tree_remove" for row in self.rows)


@dataclass(slots=True)
class Test:
    """One number of tasks: mdtest repeats itself with more tasks where it is told so (-f, -l, -s)."""

    tasks: int = 0
    items: int = 0
    kind: str = ""
    tables: list[Table] = field(default_factory=list)
    iterations: list[tuple[int, str, float, float]] = field(default_factory=list)
    until_stonewall: list[tuple[str, float]] = field(default_factory=list)
    stonewalls: list[tuple[int, int, float]] = field(default_factory=list)


@dataclass(slots=True)
class Record:
    """An output as a whole. `failed` counts operations on items that failed, by what they were.

    `setup_failed` is the line of the first that failed on a directory around them, which is not timed.
    """

    version: str = ""
    tasks: int = 0
    nodes: int = 0
    command: str = ""
    tests: list[Test] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    """When it started and finished, in seconds of a clock."""
    finished: bool = False
    failure: tuple[int, str] | None = None
    short: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    first_failed: int = 0
    setup_failed: int = 0
    wrong_data: int = 0


def read(lines: Iterable[str], ledger: Ledger) -> Record:
    """What the lines of one output say. Raises Refusal."""
    reader = _Reader(ledger)
    for number, line in enumerate(lines, start=1):
        if line:
            reader.take(number, line)
    return reader.record


class _Reader:
    """Takes line after line; remembers the table and the iteration it is in."""

    def __init__(self, ledger: Ledger) -> None:
        self.record = Record()
        self._ledger = ledger
        self._table: Table | None = None
        self._iteration = 0
        self._figures = 0

    def take(self, number: int, line: str) -> None:
        record = self.record
        if not record.version:
            self._before(number, line)
        elif begins_output(line):
            raise Refusal("several-documents", "More than one output is in this file.", HINT_SPLIT, number)
        elif record.finished:
            return
        elif line.startswith("-- finished at"):
            record.finished = True
            self._take_clock(line)
            self._ledger.end()
        elif line.startswith("SUMMARY"):
            self._begin_table(number, line)
        elif line.startswith("V-"):
            self._verbose(number, line)
        elif self._table is not None and line.lstrip().startswith(_BEGINNINGS):
            self._row(number, line.strip())
        else:
            self._other(number, line)

    def _take_clock(self, line: str) -> None:
        if match := _CLOCK.match(line):
            month, day, year, hour, minute, second = map(int, match.groups())
            try:
                self.record.clock.append(
                    datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc).timestamp()
                )
            except ValueError:
                return

    def _before(self, number: int, line: str) -> None:
        if banner := BANNER.search(line):
            self._ledger.claim()
            self.record.version, self.record.tasks, self.record.nodes = banner[1], int(banner[2]), int(banner[3])
        elif line.startswith("-- started at"):
            self.record.clock.clear()
            self._take_clock(line)
        elif ERROR_LINE.match(line) and self.record.failure is None:
            self.record.failure = number, line[:200]

    def _other(self, number: int, line: str) -> None:
        record = self.record
        if command := _COMMAND.match(line):
            self._ledger.claim()
            record.command = record.command or command[1][:20_000]
        elif items := _ITEMS.match(line):
            self._begin_test(int(items[1]), int(items[2]), items[3])
        elif stonewall := _STONEWALL.match(line):
            self._stonewall(number, stonewall)
            self._ledger.claim()
        elif "verifying the data" in line:
            record.wrong_data = record.wrong_data or number
        elif "nable to " in line and (failed := _FAILED.search(line)):
            self._failed(number, failed)
            self._ledger.claim()
        elif line.startswith("WARNING: "):
            self._ledger.claim()
        elif line.startswith("ERROR: ") or is_failure(line):
            self._ledger.claim()
            record.failure = record.failure or (number, line.strip()[:200])

    def _failed(self, number: int, match: re.Match[str]) -> None:
        what, kind, name = match[1].lower(), match[2].lower(), match[3]
        if what in ("create", "remove") and kind != "file" and not _ITEM.search(name):
            self.record.setup_failed = self.record.setup_failed or number
            return
        self.record.failed[what] = self.record.failed.get(what, 0) + 1
        self.record.first_failed = self.record.first_failed or number

    def _verbose(self, number: int, line: str) -> None:
        """Lines of -v: the rates of rank 0 in each iteration. Others trace which function is at work."""
        if "ops/sec" not in line and " tasks, " not in line:
            self._ledger.claim()
        if "* iteration " in line and (begun := _ITERATION_BEGUN.match(line)):
            self._iteration = int(begun[1]) - 1
            self._ledger.claim()
        elif "ops/sec" in line and (match := _NAME.search(line)):
            self._rate_of_iteration(number, OPERATIONS[match[0]], line[match.end() :].replace(":", " ", 1).split())
        elif " tasks, " in line and (items := _ITEMS.match(line)):
            self._begin_test(int(items[1]), int(items[2]), items[3])

    def _rate_of_iteration(self, number: int, op: str, words: list[str]) -> None:
        if len(words) != 4 or (words[1], words[3]) != ("sec,", "ops/sec"):
            return
        self._ledger.claim()
        self._count(1)
        seconds, rate = printed_number(words[0], number), printed_number(words[2], number)
        if rate:
            self._test().iterations.append((self._iteration, op, rate, seconds))

    def _begin_test(self, tasks: int, items: int, kind: str) -> None:
        self._ledger.claim()
        self._count(1)
        self.record.tests.append(Test(tasks, items, kind))
        self._table, self._iteration = None, 0

    def _test(self) -> Test:
        if not self.record.tests:
            self.record.tests.append(Test(self.record.tasks))
        return self.record.tests[-1]

    def _stonewall(self, number: int, match: re.Match[str]) -> None:
        self._count(1)
        self._test().stonewalls.append((int(match[1]), int(match[2]), printed_number(match[3], number)))

    def _begin_table(self, number: int, line: str) -> None:
        match = _TABLE.match(line)
        if match is None:
            self.record.short = self.record.short or number
            return
        quantity = match[1] or "rate"
        unit = _UNITS.get((quantity, match[2]))
        if unit is None:
            message = f"{(match[2] or '')[:20]} is a unit that mdtest does not print."
            raise Refusal("unit-not-understood", message, HINT_AGAIN, number)
        self._ledger.claim()
        self._count(1)
        self._table = Table(quantity, unit, int(match[3]), match[2] or "")
        self._test().tables.append(self._table)

    def _row(self, number: int, line: str) -> None:
        """A row of a table, by what it begins with: an operation, then its figures."""
        assert self._table is not None
        name = next((name for name in (*OPERATIONS, *_UNTIL_STONEWALL) if line.startswith(name)), "")
        rest = line[len(name) :].lstrip()
        words = rest.removeprefix(":").split()
        if name in _UNTIL_STONEWALL and len(words) == len(STATS):
            self._ledger.claim()
            self._until_stonewall(number, _UNTIL_STONEWALL[name], words)
        elif name in OPERATIONS and len(words) in (len(STATS), len(RANK_STATS) + len(STATS)):
            names = STATS if len(words) == len(STATS) else (*RANK_STATS, *STATS)
            self._ledger.claim()
            self._count(1)
            figures = {name: printed_number(word, number) for name, word in zip(names, words, strict=True)}
            self._table.rows.append(Row(OPERATIONS[name], figures, rest.startswith(":"), number))
        elif not self._table.is_complete:
            self.record.short = self.record.short or number

    def _until_stonewall(self, number: int, op: str, words: list[str]) -> None:
        """The rate until the stonewall, over all ranks: a row of its own in 3.3, with a mean only."""
        assert self._table is not None
        self._count(1)
        if self._table.quantity == "rate":
            self._test().until_stonewall.append((op, printed_number(words[STATS.index("mean")], number)))

    def _count(self, more: int) -> None:
        self._figures += more
        if self._figures > MOST_FIGURES:
            raise Refusal("too-large", f"The output has more than {MOST_FIGURES} figures.", "Split it by test.")
