"""IOR's text, from 2.10 to 4.1, line by line: settings, rows of iterations, rows of the summary, the end.

The heads of the tables say which columns a version has. A head that names another unit than IOR prints is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from validators.benchmarks.ior.record import OPERATIONS, Record, Row, Summary, Test
from validators.launcher_output import begins_output
from validators.outputs import Refusal, printed_number
from validators.reading.accounting import Ledger
from validators.reading.endings import is_failure

BANNER = re.compile(r"IOR-(\S{1,40}): MPI Coordinated Test of Parallel I/O")
ERROR_LINE = re.compile(r"^ERROR: .{0,400}\((?:ior|aiori[\w-]*|parse_options|option|utilities|ior-output)\.c:\d+\)")
MOST_ROWS = 20_000
ENVIRONMENT_BEGINS, ENVIRONMENT_ENDS = "STARTING ENVIRON LOOP", "ENDING ENVIRON LOOP"
HINT_AGAIN = "Upload what IOR printed, whole and unchanged."
HINT_SPLIT = "Upload each output as a file of its own; several files may go into one bundle."

_KEY = re.compile(r"[A-Za-z][A-Za-z /]{0,40}")
_COMMAND_CHARACTERS = 20_000
_CLIENTS = re.compile(r"(\d{1,9}) \((\d{1,9}) per node\)")
_BEST = re.compile(r"^Max (Write|Read): +(\S+) MiB/sec \((\S+) MB/sec\)")
_WRONG_DATA = re.compile(r"Incorrect data on \w+ \((\d{1,15}) errors found\)")
_MOVED = re.compile(r"WARNING: Using actual aggregate bytes moved\s*= (\d{1,18})")
_NEW_TEST = re.compile(r"^(?:TestID\s*:|Test) (\d{1,6})(?: started:.*)?\s*$")
_BEGINS_TEST = ("TestID", "Test ", "api ", "Options:", "Summary:", "Parameters:")
_CSV_OF_OLD = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}/?\S*ior ")
_HEAD = re.compile(r"(?:access|Operation) +(?:bw|Max) ?\(")
_ROW_COLUMNS = {
    "bw(MiB/s)": "bandwidth",
    "IOPS": "iops",
    "Latency(s)": "latency",
    "open(s)": "open_time",
    "wr/rd(s)": "transfer_time",
    "close(s)": "close_time",
    "total(s)": "time",
}
_SUMMARY_COLUMNS = {
    "Max(MiB)": ("bandwidth", "max"),
    "Min(MiB)": ("bandwidth", "min"),
    "Mean(MiB)": ("bandwidth", "mean"),
    "StdDev(MiB)": ("bandwidth", "stdev"),
    "Max(OPs)": ("ops_rate", "max"),
    "Min(OPs)": ("ops_rate", "min"),
    "Mean(OPs)": ("ops_rate", "mean"),
    "StdDev(OPs)": ("ops_rate", "stdev"),
    "Mean(s)": ("time", "mean"),
    "Stonewall(s)": ("stonewall_time", "mean"),
    "Stonewall(MiB)": ("stonewall_bandwidth", "mean"),
}
_SUMMARY_SETTINGS = ("Test#", "#Tasks", "tPN", "reps", "fPP", "segcnt", "blksiz", "xsize", "aggsize", "aggs(MiB)")
_PLAIN = {
    *("access", "block(KiB)", "xfer(KiB)", "iter", "numTasks", "Operation", "StdDev"),
    *("reord", "reordoff", "reordrand", "seed", "API", "RefNum"),
    *_SUMMARY_SETTINGS,
}
_COLUMNS = {*_PLAIN, *_ROW_COLUMNS, *_SUMMARY_COLUMNS}


def read(lines: Iterable[str], ledger: Ledger) -> Record:
    """What the lines of one output say. Raises Refusal."""
    reader = _Reader(ledger)
    for number, line in enumerate(lines, start=1):
        if line:
            reader.take(number, line)
    return reader.record


class _Reader:
    """Takes line after line; remembers which table it is in."""

    def __init__(self, ledger: Ledger) -> None:
        self.record = Record()
        self._ledger = ledger
        self._columns: list[str] = []
        self._table = ""
        self._test: Test | None = None
        self._moved: float | None = None
        self._in_environment = False

    def take(self, number: int, line: str) -> None:
        if not self.record.version:
            self._before(number, line)
        elif self._in_environment:
            self._ledger.claim()
            self._in_environment = not line.startswith(ENVIRONMENT_ENDS)
        elif begins_output(line):
            message = "More than one output is in this file."
            raise Refusal("several-documents", message, HINT_SPLIT, number)
        elif self.record.finished or line.startswith("task ") or ": Iter=" in line:
            if line.startswith(("task ", "Test ")) and not line.startswith("task offset"):
                self._ledger.claim()
            return  # what -v -v -v prints of each task, which may be very much
        elif line.startswith(OPERATIONS) and self._table:
            self._row(number, line)
        elif _HEAD.match(line):
            self._head(number, line)
        else:
            self._other(number, line)

    def _before(self, number: int, line: str) -> None:
        """What stands before the banner: the job's own messages, and IOR's where its arguments were wrong."""
        if banner := BANNER.search(line):
            self.record.version = banner[1]
            self._ledger.claim()
        elif ERROR_LINE.match(line) and self.record.failure is None:
            self.record.failure = number, line[:200]

    def _other(self, number: int, line: str) -> None:
        record = self.record
        if line.startswith(("Finished", "Run finished")):
            record.finished = True
            self._ledger.end()
        elif line.startswith(("ERROR: ", "ior ERROR: ")) or is_failure(line):
            record.failure = record.failure or (number, line.strip()[:200])
            self._ledger.claim()
        elif line.startswith("WARNING: "):
            self._warning(line)
            self._ledger.claim()
        elif line.startswith(ENVIRONMENT_BEGINS):
            record.environment_line, self._in_environment = number, True
        elif line.startswith("Max "):
            self._best(number, line)
        elif _is_of_old_csv(line):
            raise unusable("This version of IOR writes CSV without separators.", number)
        elif line.strip() == "{":
            raise unusable("This version of IOR prints JSON that no reader can repair.", number)
        elif not self._table or line.lstrip().startswith(_BEGINS_TEST):
            self._setting(line)

    def _warning(self, line: str) -> None:
        if match := _WRONG_DATA.search(line):
            self.record.verification_errors += int(match[1])
        elif match := _MOVED.match(line):
            self._moved = float(match[1])

    def _setting(self, line: str) -> None:
        if begun := _NEW_TEST.match(line):
            self._ledger.claim()
            self._begin(int(begun[1]))
            return
        key, separator, value = _parts(line)
        if not separator or not _KEY.fullmatch(key):
            return
        self._ledger.claim()
        if key in ("Command line", "Command line used"):
            self.record.command = self.record.command or value[:_COMMAND_CHARACTERS]
        else:
            self._settle(key, value[:400])

    def _settle(self, key: str, value: str) -> None:
        """Keep a setting of the test; the first one after a table begins the next test."""
        if key in ("Began", "Run began", "Machine"):
            return
        if self._test is None or self._table:
            self._begin(len(self.record.tests))
        assert self._test is not None
        if key == "clients" and (clients := _CLIENTS.match(value)):
            self._test.settings |= {"tasks": clients[1], "clients per node": clients[2]}
        elif len(self._test.settings) < 200:
            self._test.settings[key] = value

    def _begin(self, id: int) -> None:
        self._test = self.record.test(id)
        self._table, self._moved = "", None

    def _head(self, number: int, line: str) -> None:
        """The head of a table says which columns follow, and in which unit."""
        self._ledger.claim()
        words = re.sub(r" \((MiB|OPs|s)\)", r"(\1)", line).replace("Std Dev", "StdDev").split()
        for word in words:
            name, _, unit = word.partition("(")
            if word not in _COLUMNS and unit and any(column.startswith(f"{name}(") for column in _COLUMNS):
                message = f"{word[:40]} is a unit that IOR does not print."
                raise Refusal("unit-not-understood", message, HINT_AGAIN, number)
        if words[0] == "Operation" and "Max(MiB)" in words:
            self._table = "summary"
            self._columns = _with_deviations(words)
        elif words[0] == "access" and "bw(MiB/s)" in words:
            self._table, self._columns = "iterations", words
            if words[-1] != "iter":
                self.record.short = self.record.short or number
        if self._test is None:
            self._test = self.record.test(0)

    def _row(self, number: int, line: str) -> None:
        words = line.split()
        if len(words) < 2 or words[0] not in OPERATIONS or not re.match(r"[-+]?(?:[\d.,]|inf|nan|-?$)", words[1], re.I):
            return
        self._ledger.claim()
        if len(words) < len(self._columns):
            self.record.short = self.record.short or number
            return
        if len(self.record.rows) + len(self.record.summaries) >= MOST_ROWS:
            raise too_many()
        cells = dict(zip(self._columns, words, strict=False))
        if self._table == "summary":
            self.record.summaries.append(self._summary(number, words[0], cells))
        else:
            self.record.rows.append(self._iteration(number, words[0], cells))

    def _iteration(self, number: int, op: str, cells: dict[str, str]) -> Row:
        assert self._test is not None
        texts = {_ROW_COLUMNS[name]: text for name, text in cells.items() if name in _ROW_COLUMNS}
        row = row_of(self._test.id, op, texts, number)
        row.iteration = _integer(cells.get("iter", "0"), number)
        row.moved_bytes, self._moved = self._moved, None
        return row

    def _summary(self, number: int, op: str, cells: dict[str, str]) -> Summary:
        assert self._test is not None
        settings = {
            name: value
            for name in (_SUMMARY_SETTINGS if "Test#" in cells else ())
            if name in cells and (value := number_of(cells[name], number)) is not None
        }
        values = {
            _SUMMARY_COLUMNS[name]: value
            for name, text in cells.items()
            if name in _SUMMARY_COLUMNS and (value := number_of(text, number)) is not None
        }
        test = self.record.test(int(settings.get("Test#", self._test.id)))
        return Summary(test.id, op, values, settings, number)

    def _best(self, number: int, line: str) -> None:
        match = _BEST.match(line)
        if match is None:
            if line.startswith(("Max Write:", "Max Read:")) and not self.record.short:
                self.record.short = number
            return
        self._ledger.claim()
        binary, decimal = printed_number(match[2], number), printed_number(match[3], number)
        if abs(binary * 1.048576 - decimal) > 0.02 + 1e-4 * decimal:
            message = f"{line.strip()[:80]} does not agree with itself: 1 MiB is 1.048576 MB."
            raise Refusal("inconsistent", message, HINT_AGAIN, number)
        if self._test is not None:
            self.record.best[self._test.id, match[1].lower()] = binary


def _parts(line: str) -> tuple[str, str, str]:
    """Key, separator and value of `key : value`, `key: value` and `key = value`."""
    colon, equals = line.find(":"), line.find("=")
    separator = "=" if equals >= 0 and not 0 <= colon < equals else ":"
    key, separator, value = line.partition(separator)
    return key.strip(), separator, value.strip()


def _is_of_old_csv(line: str) -> bool:
    return ("ior " in line and _CSV_OF_OLD.match(line) is not None) or (
        "summaryFormat=CSV" in line and not line.startswith("Command line")
    )


def row_of(test: int, op: str, texts: dict[str, str], line: int) -> Row:
    """A row from the texts of its quantities. Raises Refusal for what is no number."""
    values = {name: value for name, text in texts.items() if (value := number_of(text, line)) is not None}
    half = {name: 0.5 * 10.0 ** -len(texts[name].partition(".")[2][:15]) for name in values}
    return Row(test, op, 0, values, half, line)


def number_of(text: str, line: int = 0) -> float | None:
    """A printed number; None for what IOR prints where there is none. Raises Refusal."""
    return None if text in ("-", "NA") else printed_number(text, line)


def unusable(message: str, line: int = 0) -> Refusal:
    return Refusal("unusable-format", message, "Repeat the run and let IOR print text (without summaryFormat).", line)


def too_many() -> Refusal:
    return Refusal("too-large", f"The output has more than {MOST_ROWS} rows.", "Split it by test.")


def _integer(text: str, line: int) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise Refusal("not-a-number", f"{text[:40]!r} is no number of an iteration.", HINT_AGAIN, line)
    return int(text)


def _with_deviations(words: list[str]) -> list[str]:
    """The columns with the two standard deviations told apart: the first is of MiB/s, the second of OPs."""
    units: Iterator[str] = iter(("MiB", "OPs"))
    return [f"StdDev({next(units, '?')})" if word == "StdDev" else word for word in words]
