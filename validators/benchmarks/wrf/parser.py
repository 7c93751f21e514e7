"""Read the timings that WRF prints to rsl.error.0000, rsl.out.0000 or its standard output.

    Timing for Writing wrfout_d01_2016-03-23_00:00:00 for domain        1:    1.07135 elapsed seconds

Times are wall-clock seconds of the first rank. A step of a domain contains the steps of the domains nested in it and
the writes between, so that the times of domains are never added. Writes of restart files name no file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from validators.benchmarks.wrf.clocks import Clocks, model_time
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs, printed_number
from validators.reading.accounting import lines_missing

TOOL = "wrf"
HEAD_BYTES = 4 * 1024 * 1024
"""A log with debug_level holds megabytes before the first timing."""
MOST_EVENTS = 100_000
MOST_DOMAINS = 100
SUCCESS = "SUCCESS COMPLETE WRF"
FATAL, CRASHED, CRASHED_INTEL = "FATAL CALLED FROM FILE", "Program received signal", "forrtl: severe"

_SIGN = re.compile(rb"Timing for (?:Writing|main|processing)\b[^\n]{1,300} elapsed seconds|WRF V\d[\w.]{0,20} MODEL")
_EVENT = re.compile(
    r"Timing for (?P<verb>Writing|processing) (?P<what>.{1,300}?)(?: \(stream \d{1,3}\))? for domain\s{1,20}"
    r"(?P<domain>\d{1,3}):\s{0,20}(?P<seconds>\S{1,40}) elapsed"
)
_STEP = re.compile(
    r"Timing for main(?: \(dt=\s{0,9}(?P<dt>[^)]{1,20})\))?: time (?P<time>\S{1,40})"
    r" on domain\s{1,20}(?P<domain>\d{1,3}):\s{0,20}(?P<seconds>\S{1,40}) elapsed"
)
_END = re.compile(r"\bd(\d\d) (\S{19}) wrf: " + SUCCESS)
_FILE = re.compile(r"(?P<stream>.{1,100}?)_d\d{2}(?:_.*)?")
_VERSION = re.compile(r"WRF V(\d[\w.]{0,20}) MODEL")
_TASKS = re.compile(r"Ntasks in X\s{1,20}(\d{1,6})\s{0,20}, ntasks in Y\s{1,20}(\d{1,6})")
_QUILTING = re.compile(r"Quilting with\s{1,20}(\d{1,6}) groups of\s{1,20}(\d{1,6}) I/O tasks")
_GRID = re.compile(r"Domain # (\d{1,3}): dx =\s{0,20}(\d{1,9}\.\d{1,6}) m")
_HINT_AGAIN = "Upload rsl.error.0000 of the whole run."


@dataclass(frozen=True, slots=True)
class Event:
    """One write or read: the stream, its domain, the file if it is named, and seconds."""

    op: str
    stream: str
    domain: int
    file: str | None
    seconds: float


@dataclass(slots=True)
class Log:
    """What the model printed from its start to its end."""

    version: str = ""
    events: list[Event] = field(default_factory=list)
    steps: dict[int, list[float]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    grids_m: dict[int, float] = field(default_factory=dict)
    clocks: Clocks = field(default_factory=Clocks)
    fatal: int = 0
    complete: bool = False

    def add(self, line: str, number: int) -> bool:
        """Take one line; False for one with a time that is of no known form. Raises Refusal for a time that is none."""
        if "Timing for" in line:
            return self._add_timings(line, number)
        elif "WRF" in line:
            match = _VERSION.search(line)
            self.version = match[1] if match else self.version
            self.complete = SUCCESS in line
            if (end := _END.search(line)) and (time := model_time(end[2])) is not None:
                self.clocks.end = int(end[1]), time
        elif "tasks" in line:
            self._add_tasks(line)
        elif "Domain #" in line and (match := _GRID.search(line)):
            self.grids_m[int(match[1])] = float(match[2])
        elif FATAL in line or CRASHED in line or CRASHED_INTEL in line:
            self.fatal = self.fatal or number
        return "elapsed seconds" not in line and "Timing for " not in line

    def _add_timings(self, line: str, number: int) -> bool:
        """Every timing of a line, of which MPI may have put several into one; False where one was not read."""
        count = 0
        if "Timing for main" in line:
            for step in _STEP.finditer(line):
                self._add_step(int(step["domain"]), printed_number(step["seconds"], number), number)
                self.clocks.take_step(int(step["domain"]), model_time(step["time"]), step["dt"], number)
                count += 1
        if "Writing" in line or "processing" in line:
            timings = [_event(timing, number) for timing in _EVENT.finditer(line)]
            self.events += timings
            for event in timings:
                if event.op == "write":
                    self.clocks.take_file(event.stream, event.domain, event.file, number)
                elif event.domain == 1:
                    self.clocks.reads.add(event.stream)
            count += len(timings)
            if len(self.events) > MOST_EVENTS:
                raise Refusal("too-large", f"More than {MOST_EVENTS} files were written.", _HINT_AGAIN, number)
        return count == line.count("Timing for")

    def _add_tasks(self, line: str) -> None:
        for name, pattern in (("tasks", _TASKS), ("io_tasks", _QUILTING)):
            if match := pattern.search(line):
                self.settings[name] = int(match[1]) * int(match[2])

    def _add_step(self, domain: int, seconds: float, number: int) -> None:
        """Sum and number of the steps of a domain, of which a long run has millions."""
        total = self.steps.setdefault(domain, [0.0, 0.0])
        if len(self.steps) > MOST_DOMAINS:
            raise Refusal("inconsistent", f"More than {MOST_DOMAINS} domains.", _HINT_AGAIN, number)
        total[0] += seconds
        total[1] += 1


def find_runs(bundle: Bundle) -> Reading:
    """Every run of the model in a bundle; never raises on any content.

    WRF prints the same to rsl.out and rsl.error, and other ranks print no timings: neither is another run.
    """
    reading = find_outputs(bundle, TOOL, is_wrf, read, HEAD_BYTES)
    timed = [run for run in reading.runs if _NO_RESULTS not in [finding.code for finding in run.findings]]
    reading.runs = _without_twins(timed) or reading.runs[:1]
    reading.primary = 0 if len(reading.runs) == 1 else None
    return reading


def is_wrf(head: bytes) -> bool:
    return (b"Timing for " in head or b"WRF V" in head) and bool(_SIGN.search(head))


def explain(run: Run) -> list[str]:
    """What the sum over all writes is made of."""
    rows = [row for row in run.tests if row["op"] == "write"]
    return [f"{row['stream']} of domain {row['domain']}: {row['count']} writes, {row['sum_s']} s" for row in rows]


def read(output: Output) -> list[Run]:
    """A run for each time that the model ran to its end, and for what comes after. Raises Refusal for no number."""
    return [_run(output.path, log) for log in _logs(output)]


def _logs(output: Output) -> Iterator[Log]:
    log, run_count = Log(), 0
    for number, line in enumerate(output.lines(of_others=True), start=1):
        if log.add(line, number):
            output.ledger.claim()
        if log.complete:
            run_count += bool(log.events or log.steps)
            if run_count > MOST_DOMAINS:
                raise Refusal("several-documents", f"More than {MOST_DOMAINS} runs.", "Upload one run.", number)
            if log.events or log.steps:
                yield log
            log = Log(version=log.version)
    if log.events or log.steps or not run_count:
        yield log


def _event(match: re.Match[str], number: int) -> Event:
    seconds, domain = printed_number(match["seconds"], number), int(match["domain"])
    if match["verb"] == "processing":
        return Event("read", match["what"][:80], domain, None, seconds)
    if match["what"].strip() == "restart":  # the file is not named
        return Event("write", "restart", domain, None, seconds)
    name = PurePosixPath(match["what"].strip()).name[:120]
    named = _FILE.fullmatch(name)
    return Event("write", named["stream"] if named else name, domain, None if " " in name else name, seconds)


_NO_RESULTS = "wrf.no-results"


def _run(path: str, log: Log) -> Run:
    run = Run(TOOL, path, version=log.version)
    run.tests = list(_sums(log))
    run.measurements = list(_measurements(log, run.tests))
    domains = {event.domain for event in log.events} | log.steps.keys()
    run.parameters = {
        **log.settings,
        "domains": len(domains),
        "grid_spacing_m": [log.grids_m[domain] for domain in sorted(log.grids_m)][:MOST_DOMAINS],
        "writes": sum(event.op == "write" for event in log.events),
        "complete": log.complete,
    }
    run.findings = list(_findings(log, path))
    return run


def _sums(log: Log) -> Iterator[dict[str, Any]]:
    """A row for each stream of each domain."""
    groups: dict[tuple[str, str, int], list[float]] = {}
    for event in log.events:
        groups.setdefault((event.op, event.stream, event.domain), []).append(event.seconds)
    for (op, stream, domain), seconds in groups.items():
        yield {
            "op": op,
            "stream": stream,
            "domain": domain,
            "count": len(seconds),
            "sum_s": _sum(seconds),
            "min_s": min(seconds),
            "max_s": max(seconds),
        }


def _measurements(log: Log, rows: list[dict[str, Any]]) -> Iterator[Measurement]:
    for event in log.events:
        context = {"stream": event.stream, "domain": event.domain, "file": event.file}
        yield Measurement.printed(event.op, "time", "event", event.seconds, "s", context=context)
    for row in rows:
        context = {name: row[name] for name in ("stream", "domain", "count")}
        yield Measurement.printed(row["op"], "time", "sum", row["sum_s"], "s", context=context)
    writes = [event.seconds for event in log.events if event.op == "write"]
    if writes:
        yield Measurement.printed("write", "time", "sum_all", _sum(writes), "s", context={"count": len(writes)})
    for domain, (seconds, count) in sorted(log.steps.items()):
        context = {"domain": domain, "count": int(count)}
        yield Measurement.printed("compute", "time", "sum", round(seconds, 5), "s", context=context)


def _sum(seconds: list[float]) -> float:
    """Seconds are printed with five decimals."""
    return round(math.fsum(seconds), 5)


def _findings(log: Log, path: str) -> Iterator[Finding]:
    if not log.events and not log.steps:
        message = "The log of WRF holds no timing: it is of another rank than the first, or the run ended early."
        yield Finding(_NO_RESULTS, ERROR, message, "Upload rsl.error.0000.", path)
        return
    if log.fatal:
        message, hint = "The model ended with a fatal error.", "Repeat the run; the message stands at the line."
        yield Finding("wrf.run-failed", ERROR, message, hint, f"{path}:{log.fatal}")
    if not log.complete:
        message = f"There is no line {SUCCESS!r}: the model did not finish, or the log was cut."
        yield Finding("wrf.truncated", ERROR, message, _HINT_AGAIN, path)
    if not any(event.op == "write" for event in log.events):
        message = "No file was written: there is no time of I/O."
        yield Finding("wrf.no-writes", WARNING, message, "Look at history_interval and restart_interval.", path)
    for what, line in log.clocks.list_gaps(has_start=bool(log.version), is_complete=log.complete):
        yield lines_missing(TOOL, what, f"{path}:{line}" if line else path)
    if log.settings.get("io_tasks"):
        message = "I/O tasks wrote the files (quilting): the times are those of handing data over to them."
        yield Finding("wrf.quilted", WARNING, message, "Do not compare them with runs without I/O tasks.", path)


def _without_twins(runs: list[Run]) -> list[Run]:
    """The runs without those that a file of the same folder tells as well."""
    distinct_runs: list[Run] = []
    for run in runs:
        folder = PurePosixPath(run.path).parent
        twins = [
            other for other in distinct_runs if PurePosixPath(other.path).parent == folder and other.path != run.path
        ]
        if not any(twin.measurements == run.measurements for twin in twins):
            distinct_runs.append(run)
    return distinct_runs
