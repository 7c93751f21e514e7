"""Read what IOzone prints: blocks of throughput mode, rows of single and automatic mode.

kB are of 1024 B. Throughput mode stops every process when the first one is done (unless -x): the sum that the children
see counts each over its own time, and says nothing where a process had not begun. The parent's figure counts all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from validators.benchmarks.iozone import table
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, WARNING, Finding
from validators.launcher_output import PLACES, place
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs, printed_number
from validators.reading.accounting import Ledger, lines_missing
from validators.signs import Sign

TOOL = "iozone"
MOST_MEASUREMENTS = 60_000
SETTING_LINES = 1000
"""What was set stands within so many lines behind the banner, even where a launcher mixes others in."""

_BANNER = re.compile(r"Iozone: Performance Test of File I/O")
_SIGNS = (
    Sign(rb"\bIozone: Performance Test of File I/O", b"Iozone: Performance Test"),
    Sign(rb'^Unable to open client file "', b'Unable to open client file "'),
    Sign(
        rb"^(?:iozone: interrupted|invalid options: -f and -F|Usage: For usage information type iozone)",
        *(b"iozone: interrupted", b"invalid options: -f and -F", b"Usage: For usage information type iozone"),
    ),
)
_VERSION = re.compile(r"Version \$Revision: (\d[\w.]{0,20}) \$")
_COMPLETE = "iozone test complete."
_SUM = re.compile(
    r"(?P<who>Children|Parent) sees? throughput for +(?P<processes>\d{1,7}) (?P<label>[a-z][a-z -]{2,30}?)\s*="
    r"\s*(?P<value>\S{1,40})\s+(?P<unit>\S{1,20})"
)
_SINGLE = re.compile(
    r"(?P<name>(?:Min|Max|Avg) throughput per (?:process|thread)|Min xfer)\s*="
    r"\s*(?P<value>\S{1,40})\s+(?P<unit>\S{1,20})"
)
_STATS = {"Children": "children_sum", "Parent": "parent", "Min": "min_process", "Max": "max_process"}
_STATS |= {"Avg": "mean_process"}
_BLOCK = frozenset({*_STATS.values(), "min_xfer"})
"""The lines of a test in throughput mode."""
_OPS = {
    "initial writers": "write",
    "rewriters": "rewrite",
    "readers": "read",
    "initial readers": "read",
    "re-readers": "reread",
    "random readers": "random_read",
    "random writers": "random_write",
    "mixed workload": "mixed",
    "reverse readers": "bkwd_read",
    "stride readers": "stride_read",
    "pwrite writers": "pwrite",
    "pread readers": "pread",
    "fwriters": "fwrite",
    "freaders": "fread",
}
_UNITS = {
    "kb/sec": ("bandwidth", "KiB/s"),
    "kbytes/sec": ("bandwidth", "KiB/s"),
    "ops/sec": ("rate", "ops/s"),
    "kb": ("volume", "KiB"),
    "kbytes": ("volume", "KiB"),
    "ops": ("volume", "ops"),
}
_MODES = {"Auto Mode": "auto", "Throughput test with": "throughput"}
_OUTPUTS = (
    ("Output is in operations per second", "ops/sec", ("rate", "ops/s")),
    ("Output is in microseconds per operation", "microseconds/op", ("time", "us/op")),
    ("Output is in ", "kB/sec (1 kB = 1024 B)", ("bandwidth", "KiB/s")),
)
_SETTINGS: tuple[tuple[str, str, Any], ...] = (
    ("O_DIRECT feature enabled", "direct", True),
    ("Include close in write timing", "close_included", True),
    ("Include fsync in write timing", "fsync_included", True),
    ("No retest option selected", "retest", False),
    ("SYNC Mode.", "sync", True),
    ("Purge Mode On", "purge", True),
    ("Using mmap files", "mmap", True),
    ("Network distribution mode enabled", "several_clients", True),
)
_SIZES = (
    (re.compile(r"(?<!Minimum )(?<!Maximum )Record Size +(\d{1,12}) [kK]B"), "record_KiB"),
    (re.compile(r"File size set to +(\d{1,15}) [kK]B"), "file_size_KiB"),
    (re.compile(r"Each (?:process|thread) writes a +(\d{1,15}) [kK][bB]yte file"), "file_size_KiB"),
    (re.compile(r"[kK][bB]yte file in +(\d{1,12}) [kK][bB]yte records"), "record_KiB"),
    (re.compile(r"Throughput test with +(\d{1,7}) (?:process|thread)"), "processes"),
)
_COMMAND = re.compile(r"Command line used: (\S.{0,8000})")
_FAILURE = re.compile(
    r"Unable to open client file|iozone: interrupted|Error (?:writing|reading|in file|:)|Error: |Can ?not open "
    r"|Can't open |I/O error during read|No space left on device|Disk quota exceeded|Fork failed|Child \d{1,7} exit"
    r"|invalid options|Usage: For usage information|Shared memory not working|Memory allocation failed"
    r"|Unable to get client_work"
)
_SIGNS_OF_FAILURE = (
    "rror",
    "Unable",
    "iozone:",
    "open",
    "left on",
    "exceeded",
    "ailed",
    "exit",
    "options",
    "Usage",
    "work",
)
_HINT_AGAIN = "Upload the whole output of iozone."
_ROUNDING = 0.011


@dataclass(slots=True)
class _Read:
    """What was read so far. `block` are the figures of the throughput test that is being read, by statistic."""

    run: Run
    ledger: Ledger
    quantity_and_unit: tuple[str, str] = ("bandwidth", "KiB/s")
    has_banner: bool = False
    last_setting: int = 0
    is_complete: bool = False
    columns: table.Columns | None = None
    op: str = ""
    context: dict[str, int] = field(default_factory=dict)
    block: dict[str, float] = field(default_factory=dict)

    def say(self, word: str, level: str, message: str, hint: str, line: int = 0) -> None:
        """Add a finding, unless the same was said before."""
        code = f"{TOOL}.{word}"
        if not any(finding.code == code for finding in self.run.findings):
            where = f"{self.run.path}:{line}" if line else self.run.path
            self.run.findings.append(Finding(code, level, message, hint, where))


def find_runs(bundle: Bundle) -> Reading:
    """Every output of IOzone in a bundle; never raises on any content."""
    return find_outputs(bundle, TOOL, is_iozone, read)


def explain(run: Run) -> list[str]:
    """How far sum and parent are apart in each throughput test; IOzone has no score."""
    parents = {
        (measurement.op, str(measurement.context)): measurement
        for measurement in run.measurements
        if measurement.stat == "parent"
    }
    return [
        f"{row.op}: children sum {row.printed_value} {row.printed_unit}, parent {parent.printed_value}"
        for row in run.measurements
        if row.stat == "children_sum" and (parent := parents.get((row.op, str(row.context))))
    ]


def is_iozone(head: bytes) -> bool:
    return any(sign.search(head) for sign in _SIGNS)


def read(output: Output) -> list[Run]:
    """The run of one output. Raises Refusal where it cannot count."""
    state = _Read(Run(TOOL, output.path, mode="single"), output.ledger)
    for number, line in enumerate(output.lines(), start=1):
        _take(state, line, number)
        if len(state.run.measurements) > MOST_MEASUREMENTS:
            message = f"The output has more than {MOST_MEASUREMENTS} figures."
            raise Refusal("too-large", message, "Upload one run of iozone.", number)
    _end_block(state, 0)
    _weigh(state)
    if state.run.parameters.get("several_clients"):
        state.run.unknown_settings.append("client_nodes")  # they stand in the file of -+m
    return [state.run]


def _take(state: _Read, line: str, number: int) -> None:
    if " throughput for " in line and (sum_line := _SUM.search(line)):
        state.ledger.claim()
        _take_sum(state, sum_line, number)
    elif ("throughput per" in line or "Min xfer" in line) and (single := _SINGLE.search(line)):
        state.ledger.claim()
        _take_single(state, single, number)
    elif _COMPLETE in line:
        state.is_complete = True
        state.ledger.end()
    elif _BANNER.search(line):
        state.ledger.claim()
        if state.has_banner:
            message = "Several outputs of iozone stand in one file; which of them counts is not clear."
            raise Refusal("several-documents", message, "Upload each output as a file of its own.", number)
        state.has_banner, state.last_setting = True, number + SETTING_LINES
    elif not state.is_complete:
        _take_rest(state, line, number)
    elif "Timer resolution is poor" in line:
        message = "The clock was too coarse for the smallest transfers; iozone itself says so."
        state.say("timer-resolution", WARNING, message, "Take larger files.", number)


def _take_rest(state: _Read, line: str, number: int) -> None:
    """Rows of the table, what was set, and what went wrong."""
    if line.startswith('"'):
        state.ledger.claim()  # the report for spreadsheets (-R), which repeats the figures above it
    elif "reclen" in line and (columns := table.columns_of(line)):
        state.columns = columns
        state.ledger.claim()
    elif state.columns and (row := state.columns.row_of(line)):
        state.ledger.claim()
        _take_row(state, row, number)
    elif command := _COMMAND.search(line):
        state.ledger.claim()
        state.run.parameters["command_line"] = _command_shape(command[1])
        if places := [place(word) for word in command[1].split()[1:] if "/" in word]:
            state.run.undisclosed_settings = {PLACES: " ".join(places)}
    elif version := _VERSION.search(line):
        state.run.version = version[1]
        state.ledger.claim()
    elif any(sign in line for sign in _SIGNS_OF_FAILURE) and _FAILURE.search(line):
        state.ledger.claim()
        state.say("run-failed", ERROR, "iozone stopped with a message.", "Repair the cause, repeat the run.", number)
    elif number <= state.last_setting:
        _take_setting(state, line)


def _take_setting(state: _Read, line: str) -> None:
    parameters = state.run.parameters
    for text, name, value in _SETTINGS:
        if text in line:
            parameters[name] = value
            state.ledger.claim()
    for text, mode in _MODES.items():
        if text in line:
            state.run.mode = mode
            state.ledger.claim()
    for pattern, name in _SIZES:
        if match := pattern.search(line):
            parameters[name] = max(int(match[1]), parameters.get(name, 0))
            state.ledger.claim()
    for text, unit, quantity_and_unit in _OUTPUTS:
        if text in line:
            parameters.setdefault("unit_printed", unit)
            state.ledger.claim()
            state.quantity_and_unit = (
                quantity_and_unit if parameters["unit_printed"] == unit else state.quantity_and_unit
            )
            break
    if "Performance measurements are invalid in this mode" in line:
        message = "Every byte was verified, so the rates are of checking, as iozone itself says."
        state.say("verify-mode", WARNING, message, "Repeat the run without -V and -+d.")


def _command_shape(command: str) -> str:
    """The command line without files and hosts: options, numbers and sizes stay."""
    words = command.split()[1:]
    plain_words = [word if re.fullmatch(r"-[+\w]{1,6}|\d{1,15}[kKmMgG]?", word, re.ASCII) else "..." for word in words]
    return re.sub(r"\.\.\.(?: \.\.\.)+", "...", " ".join(["iozone", *plain_words]))[:400]


def _take_row(state: _Read, row: table.Row, number: int) -> None:
    quantity, unit = state.quantity_and_unit
    context = {"file_size_KiB": row.file_size_KiB, "record_KiB": row.record_KiB}
    for op, text in row.figures:
        value = printed_number(text, number)
        if value:
            measurement = Measurement.printed(op, quantity, "single", value, unit, context=context)
            state.run.measurements.append(measurement)
        else:
            state.run.not_measured.append(f"{op} {quantity}")
    state.run.tests.append({**context, "ops": [op for op, _ in row.figures]})


def _take_sum(state: _Read, match: re.Match[str], number: int) -> None:
    op = _OPS.get(match["label"])
    if op is None:
        raise Refusal("not-supported", f"{match['label']!r} is no test that is known here.", _HINT_AGAIN, number)
    if match["who"] == "Children":
        _end_block(state, number)
        state.op, state.context = op, {"processes": int(match["processes"])}
    elif op != state.op:
        raise Refusal("inconsistent", f"The parent's line of {op} follows the children's of another test.", "", number)
    _add(state, _STATS[match["who"]], match["value"], match["unit"], number)


def _take_single(state: _Read, match: re.Match[str], number: int) -> None:
    if not state.op:
        raise Refusal("truncated", "A test begins without the sum of its processes.", _HINT_AGAIN, number)
    stat = "min_xfer" if match["name"] == "Min xfer" else _STATS[match["name"][:3]]
    _add(state, stat, match["value"], match["unit"], number)


def _add(state: _Read, stat: str, text: str, unit: str, line: int) -> None:
    value = printed_number(text, line)
    quantity_and_unit = _UNITS.get(unit.lower())
    if quantity_and_unit is None or (quantity_and_unit[0] == "volume") != (stat == "min_xfer"):
        message = f"The unit {unit[:20]!r} is none that iozone prints there."
        raise Refusal("unit-not-understood", message, _HINT_AGAIN, line)
    quantity, known_unit = quantity_and_unit
    measurement = Measurement.printed(state.op, quantity, stat, value, known_unit, context=dict(state.context))
    state.run.measurements.append(measurement)
    state.block[stat] = value


def _end_block(state: _Read, line: int) -> None:
    """Weigh the figures of the test that was read last."""
    block, processes = state.block, state.context.get("processes", 0)
    if not block:
        return
    state.run.tests.append({"op": state.op, **state.context})
    if missing := sorted(_BLOCK - block.keys()):
        what = f"{state.op} has no line for {', '.join(missing)}."
        state.run.findings.append(lines_missing(TOOL, what, f"{state.run.path}:{line}" if line else state.run.path))
    total, mean = block.get("children_sum", 0.0), block.get("mean_process")
    idle = 0.0 in (block.get("min_process"), block.get("min_xfer"))
    if not total:
        state.say("run-failed", ERROR, f"No process of {state.op} moved anything.", "Repeat the run.", line)
    elif idle and processes > 1:
        message = f"A process of {state.op} had done nothing when the first one was done: the sum says nothing."
        state.say("idle-process", WARNING, message, "Take the parent's figure, or larger files.", line)
    if mean is not None and abs(mean * processes - total) > _ROUNDING * (processes + 1) + 1e-6 * total:
        message = f"The mean of {processes} processes of {state.op} is {mean}, their sum {total}."
        state.say("inconsistent", ERROR, message, "The output was edited. " + _HINT_AGAIN, line)
    low, high = block.get("min_process"), block.get("max_process")
    if mean is not None and low is not None and high is not None and not low - 0.02 <= mean <= high + 0.02:
        message = f"The mean of {state.op} is not between the slowest and the fastest process."
        state.say("inconsistent", ERROR, message, "The output was edited. " + _HINT_AGAIN, line)
    state.block = {}


def _weigh(state: _Read) -> None:
    """What the output says as a whole."""
    failed = any(finding.code == f"{TOOL}.run-failed" for finding in state.run.findings)
    if state.has_banner and not state.is_complete:
        message = f"The output ends before {_COMPLETE!r}."
        state.say("truncated", ERROR, message, _HINT_AGAIN)
    if state.run.mode == "auto" and (missing := table.missing_rows(state.run.tests)):
        size, record = missing[0]
        what = (
            f"{len(missing)} rows of automatic mode are missing, first that of {size} KiB in records of {record} KiB."
        )
        state.run.findings.append(lines_missing(TOOL, what, state.run.path))
    filled = {tuple(test["ops"]) for test in state.run.tests if "ops" in test}
    if len(filled) > 1:
        message = "Rows of the table have figures in other columns than others."
        state.say("incomplete", ERROR, message, "Repeat the run; look for messages among the rows.")
    if not state.run.measurements and not failed and state.is_complete:
        state.say("no-results", ERROR, "No test has a figure.", "Choose tests with -i, or -a for all.")
    if state.run.mode == "throughput" and state.quantity_and_unit[0] == "time":
        message = "-N was asked for; throughput mode prints kB/sec all the same."
        state.say("unit-label-ambiguous", WARNING, message, "Repeat the run without -N.")
