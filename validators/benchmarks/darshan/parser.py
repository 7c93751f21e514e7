"""Read the text of darshan-parser: --base, --total, --perf and --all, of logs since version 3.

Bandwidth is an estimate: bytes over the time of the slowest rank, in MiB/s whether the unit is printed or not. Counters
are totals over all records; of --base the rows are added. -1 means that a counter was not kept.
Binary logs are not read: their library is C that was never meant for the files of strangers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from typing import Any

from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs, printed_number
from validators.reading.accounting import lines_missing
from validators.signs import Sign

TOOL = "darshan"
MOST_LOGS = 1000
MOST_MODULES = 100
LAST_BYTES = 8192
"""Longer than any line: a row holds a path."""
MODULES = ("POSIX", "MPI-IO", "STDIO")
"""Modules whose figures count, and whose sections must be whole. HEATMAP, LUSTRE and others are left out."""

_COUNTS = frozenset(
    f"{kind}{name}"
    for kind in ("", "COLL_", "INDEP_", "NB_", "SPLIT_")
    for name in ("OPENS", "READS", "WRITES", "SEEKS", "STATS", "FSYNCS")
)
_VOLUMES = frozenset({"BYTES_READ", "BYTES_WRITTEN"})
_TIMES = frozenset({"F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"})
_COUNTERS = _COUNTS | _VOLUMES | _TIMES
_OF_ALL = frozenset({"BYTES_READ", "BYTES_WRITTEN"} | _TIMES)
_OF_MODULES = {
    "POSIX": _OF_ALL | {"OPENS", "READS", "WRITES", "SEEKS", "STATS", "FSYNCS"},
    "STDIO": _OF_ALL | {"OPENS", "READS", "WRITES", "SEEKS"},
    "MPI-IO": _OF_ALL
    | {f"{kind}_{name}" for kind in ("COLL", "INDEP", "NB", "SPLIT") for name in ("READS", "WRITES")}
    | {"COLL_OPENS", "INDEP_OPENS"},
}
"""Counters that every log since version 3 has of a module."""
_LAST = "F_VARIANCE_RANK_BYTES"
"""The last counter of a record, and of the totals of a module."""

_HEADER = Sign(rb"^# darshan log version: \d", b"# darshan log version: ")
_MAGIC = b"75d\0\0\0\0\0"
_HEADER_LINE = re.compile(
    r"# (darshan log version|exe|start_time|end_time|nprocs|run time|metadata): {0,4}(.{0,4000})", re.DOTALL
)
_REGION = re.compile(r"# (\S{1,20}) module: \d+ bytes")
_PARTIAL = re.compile(r"# \*(?:WARNING|ERROR)\*: (?:The )?(\S{1,20}) module contains incomplete data")
_SECTION = re.compile(r"# (\S{1,20}) module data")
_PERFORMANCE = re.compile(r"# (total_bytes|agg_time_by_slowest|agg_perf_by_slowest): (\S{1,40})(?: # (\S{1,20}))?")
_TOTAL = re.compile(r"total_[A-Z0-9]{1,12}_(\w{1,60}): (-?\S{1,40})")
_WHOLE_LINE = re.compile(
    rb"\n(?:# agg_perf_by_slowest: \d+\.\d{6} # MiB/s|total_\w+: -?\d+\.\d{6}|[A-Z-]+\t(?:[^\t\n]*\t){6}[^\t\n]+)$"
)
_UNITS = {
    "total_bytes": ("volume", "B"),
    "agg_time_by_slowest": ("time", "s"),
    "agg_perf_by_slowest": ("bandwidth", "MiB/s"),
}
_PRINTED_UNITS = {"agg_time_by_slowest": ("seconds", ""), "agg_perf_by_slowest": ("MiB/s", ""), "total_bytes": ("",)}
_EXPLANATIONS = ("#   ", "# [", "#<")
"""What columns and counters mean, as the tool prints it before them; no figure of its own begins so."""
_TIME_ROUNDING_S = 5e-7
_TOLERANCE = 1e-3
_HINT_AGAIN = "Upload the whole output: darshan-parser --total --perf LOG > darshan.txt."
_HINT_MEMORY = "Repeat the run with more memory for its modules (DARSHAN_MODMEM)."


@dataclass(slots=True)
class Section:
    """What was printed of one module."""

    totals: dict[str, float] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    performance: dict[str, float] = field(default_factory=dict)
    has_units: bool = False
    negative: set[str] = field(default_factory=set)
    last_total: str = ""
    record: list[str] = field(default_factory=list)
    last_counter: str = ""

    @property
    def counters(self) -> dict[str, float]:
        return self.totals or self.sums


@dataclass(slots=True)
class Log:
    """One log as darshan-parser printed it."""

    header: dict[str, str] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    sections: dict[str, Section] = field(default_factory=dict)
    rows: int = 0
    empty: bool = False
    traced: bool = False
    partial: list[str] = field(default_factory=list)
    begun: str = ""
    ended_well: bool = True

    def add(self, line: str, number: int) -> bool:
        """Take one line; False for one of another form. Raises Refusal for a figure that is none, a cut record."""
        if self.begun and line.strip("#* "):
            self.begun = ""
        if not line.startswith("#"):
            return self._add_figure(line, number)
        elif match := _PERFORMANCE.fullmatch(line.rstrip()):
            self._add_performance(match, number)
        elif match := _SECTION.fullmatch(line.rstrip()):
            self.begun = match[1]
            self.traced = self.traced or match[1].startswith("DXT_")
            self.sections.setdefault(match[1], Section())
            _require_few(self.sections, number)
        elif match := _REGION.match(line):
            self.listed.append(match[1])
            _require_few(self.listed, number)
        elif match := _HEADER_LINE.fullmatch(line):
            self._add_header(match[1], match[2].strip())
        elif match := _PARTIAL.match(line):
            self.partial.append(match[1])
            _require_few(self.partial, number)
        elif line.startswith("# no module data"):
            self.empty = True
        else:
            return line.startswith(_EXPLANATIONS)
        return True

    def _add_header(self, name: str, value: str) -> None:
        if name != "metadata":
            self.header.setdefault(name, value)
        elif value.startswith("lib_ver = "):
            self.header.setdefault("lib_ver", value[10:50])

    def _add_performance(self, match: re.Match[str], number: int) -> None:
        section = self._current(number)
        if (match[3] or "") not in _PRINTED_UNITS[match[1]]:
            message = f"{match[1]} is in {match[3]!r}, a unit that darshan-parser does not print."
            raise Refusal("unit-not-understood", message, _HINT_AGAIN, number)
        if section.performance.get("total_bytes") == 0 and "n" in match[2]:
            return  # nothing over no time
        section.has_units |= bool(match[3])
        section.performance[match[1]] = printed_number(match[2], number)

    def _add_figure(self, line: str, number: int) -> bool:
        """A total, or the row of a record: module, rank, record, counter, value, file, mount point, file system."""
        columns = line.split("\t", 5)
        if len(columns) >= 5:
            self.rows += 1
            if columns[0] in MODULES:
                self._add_row(columns, number)
        elif match := _TOTAL.match(line):
            section = self._current(number)
            section.last_total = match[1]
            if match[1] in _COUNTERS and not match[2].startswith("-"):
                section.totals[match[1]] = printed_number(match[2], number)
            elif match[1] in _COUNTERS:
                section.negative.add(match[1])
        else:
            return False
        return True

    def _add_row(self, columns: list[str], number: int) -> None:
        section = self.sections.get(columns[0]) or self.sections.setdefault(columns[0], Section())
        record, counter = columns[1:3], columns[3].partition("_")[2]
        if record != section.record:
            _require_whole_record(section, number)
            section.record = record
        section.last_counter = counter
        if counter in _COUNTERS and not columns[4].startswith("-"):
            section.sums[counter] = section.sums.get(counter, 0) + printed_number(columns[4], number)

    def _current(self, number: int) -> Section:
        if not self.sections:
            raise Refusal("inconsistent", "A figure stands before any module.", _HINT_AGAIN, number)
        return next(reversed(self.sections.values()))


def find_runs(bundle: Bundle) -> Reading:
    """Every log printed in a bundle; never raises on any content. Binary logs are named, not read."""
    reading = find_outputs(bundle, TOOL, lambda head: bool(_HEADER.search(head)), read)
    binary = [path for path in bundle.files if bundle.head(path, 16)[8:16] == _MAGIC]
    if binary:
        reading.claimed |= set(binary)
        message = f"{len(binary)} binary log(s) of Darshan; only the text of darshan-parser is read."
        hint = "Print them: darshan-parser --total --perf LOG > darshan.txt, and upload that."
        if reading.runs:
            reading.findings.append(Finding("darshan.binary-file", INFO, message, hint, binary[0]))
        else:
            finding = Finding("darshan.binary-file", ERROR, message, hint, binary[0])
            reading.runs.append(Run(TOOL, binary[0], findings=[finding]))
            reading.primary = 0
    return reading


def explain(run: Run) -> list[str]:
    """How each bandwidth follows from bytes and the time of the slowest rank."""
    figures = {(measurement.op, measurement.stat): measurement.printed_value for measurement in run.measurements}
    return [
        f"{op}: {figures[op, 'total_bytes']:.0f} B / 2^20 / {figures[op, 'agg_time_by_slowest']} s = {value} MiB/s"
        for (op, stat), value in figures.items()
        if stat == "agg_perf_by_slowest" and (op, "total_bytes") in figures and (op, "agg_time_by_slowest") in figures
    ]


def read(output: Output) -> list[Run]:
    """A run for each log that was printed to the file. Raises Refusal where one cannot count."""
    logs = list(_logs(output))
    if logs:
        logs[-1].ended_well = _ends_well(output)
    return [_run(output.path, log) for log in logs]


def _logs(output: Output) -> Iterator[Log]:
    log: Log | None = None
    log_count = 0
    for number, line in enumerate(output.lines(), start=1):
        if line.startswith("# darshan log version: "):
            log_count += 1
            if log_count > MOST_LOGS:
                message = f"More than {MOST_LOGS} logs in one file."
                raise Refusal("several-documents", message, "Upload the logs of one run.", number)
            if log:
                yield log
            log = Log()
        if log and log.add(line, number):
            output.ledger.claim()
    if log:
        yield log


def _ends_well(output: Output) -> bool:
    """Whether the last line is whole: it ends with a newline, or holds all that such a line holds."""
    entry = output.bundle.files[output.path]
    end = output.bundle.slice(entry, max(0, entry.size - LAST_BYTES))
    return end.endswith(b"\n") or bool(_WHOLE_LINE.search(end))


def _run(path: str, log: Log) -> Run:
    run = Run(TOOL, path, version=log.header.get("lib_ver", "")[:40])
    run.parameters = _parameters(log)
    try:
        _require_supported(log)
        _require_whole(log)
    except Refusal as refusal:
        run.findings.append(refusal.finding(TOOL, path))
        return run
    run.measurements = [
        measurement for name, section in log.sections.items() for measurement in _measurements(name, section)
    ]
    run.tests = [{"module": name, **section.counters} for name, section in log.sections.items() if section.counters]
    run.findings = [*_partial(log, path), *_disagreements(log, path), *_counters_missing(log, path)]
    if log.empty:
        message = "The log holds no module: the application did no I/O that Darshan saw."
        run.findings.append(Finding("darshan.no-module-data", WARNING, message, "Was it linked with Darshan?", path))
    elif not run.measurements:
        message = "Neither counters nor performance were printed."
        run.findings.append(Finding("darshan.no-results", ERROR, message, _HINT_AGAIN, path))
    return run


def _parameters(log: Log) -> dict[str, Any]:
    """What is known of the job. Of the command only the program's name: its arguments are paths."""
    program = log.header.get("exe", "").split(" ")[0].rpartition("/")[2]
    parameters = {
        "log_version": _matching(r"\d{1,3}\.\d{1,4}", log.header.get("darshan log version", "")),
        "program": _matching(r"[\w.+-]{1,80}", program),
        "tasks": _integer(log.header.get("nprocs", "")),
        "run_time_s": _decimal(log.header.get("run time", "")),
        "started_timestamp_s": _integer(log.header.get("start_time", "")),
        "ended_timestamp_s": _integer(log.header.get("end_time", "")),
        "modules": [name for name in log.listed[:40] if re.fullmatch(r"[A-Z0-9_-]{1,20}", name)],
        "counter_rows": log.rows,
    }
    return {name: value for name, value in parameters.items() if value is not None}


def _matching(pattern: str, text: str) -> str | None:
    return text if re.fullmatch(pattern, text) else None


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else None


def _decimal(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,9})?", text) else None


def _require_few(modules: Sized, number: int) -> None:
    if len(modules) > MOST_MODULES:
        raise Refusal("inconsistent", f"There are more than {MOST_MODULES} modules.", _HINT_AGAIN, number)


def _require_supported(log: Log) -> None:
    version = log.header.get("darshan log version", "")
    if version.startswith(("1.", "2.")):
        raise Refusal(
            "not-supported", f"Logs of version {version[:10]} have other counters.", "Convert it to version 3."
        )
    if log.traced:
        message = "This is a trace (DXT) of darshan-dxt-parser, and no summary."
        raise Refusal("not-supported", message, "Print the log with darshan-parser --total --perf.")


def _require_whole(log: Log) -> None:
    """Raises Refusal where a module that the log lists was not printed, or not to its end."""
    if log.empty:
        return
    if log.begun:
        message = f"The parser gave up at {log.begun}: its records are incomplete, unless the output was cut."
        raise Refusal("incomplete", message, _HINT_MEMORY)
    modules = [name for name in MODULES if name in log.listed or name in log.sections]
    sections = [log.sections.get(name) for name in modules if name not in log.partial]
    present = [section for section in sections if section is not None]
    performed, totalled = (
        any(section.performance for section in present),
        any(section.last_total for section in present),
    )
    for section in present:
        _require_whole_record(section)
    is_complete = (
        len(present) == len(sections)
        and log.ended_well
        and (bool(log.sections) or not log.listed)
        and all("total_bytes" in section.performance for section in present if performed)
        and all(
            "agg_perf_by_slowest" in section.performance
            for section in present
            if section.performance.get("total_bytes")
        )
        and all(section.last_total == _LAST for section in present if totalled)
    )
    if not is_complete or not (log.listed or log.sections):
        raise Refusal("truncated", "The output ends before the last module that the log lists.", _HINT_AGAIN)


def _require_whole_record(section: Section, number: int = 0) -> None:
    if section.record and section.last_counter != _LAST:
        raise Refusal("truncated", "A record ends before its last counter.", _HINT_AGAIN, number)


def _measurements(module: str, section: Section) -> Iterator[Measurement]:
    for name, value in section.performance.items():
        quantity, unit = _UNITS[name]
        yield Measurement.printed(module, quantity, name, value, unit)
    for name, value in section.counters.items():
        if name in _TIMES:
            yield Measurement.printed(module, "time", name, value, "s")
        else:
            yield Measurement.printed(module, "count", name, value, "B" if name in _VOLUMES else "ops")


def _counters_missing(log: Log, path: str) -> Iterator[Finding]:
    """Of a module every counter is printed, 0 as well, and with bytes the time and the rate of its slowest rank.

    The parser that has the unit in the heading does not print the time.
    """
    for name, section in log.sections.items():
        expected = _OF_MODULES.get(name, frozenset()) if section.last_total else frozenset()
        missing = sorted(expected - section.totals.keys() - section.negative)
        if section.performance.get("total_bytes") and section.has_units:
            missing += sorted(_UNITS.keys() - section.performance.keys())
        if missing:
            yield lines_missing(TOOL, f"{name[:20]} has no line for {', '.join(missing[:5])}.", path)


def _partial(log: Log, path: str) -> Iterator[Finding]:
    if log.partial:
        yield Finding(
            "darshan.incomplete",
            ERROR,
            f"Darshan had no memory left for records of {log.partial[0]}: what it counted is too little.",
            _HINT_MEMORY,
            path,
        )


def _disagreements(log: Log, path: str) -> Iterator[Finding]:
    """Bytes are what was read and written; bandwidth is bytes over time; totals are what the rows add up to."""
    for name, section in log.sections.items():
        performance, counters = section.performance, section.counters
        compared = []
        if counters.keys() >= _VOLUMES and "total_bytes" in performance:
            moved = counters["BYTES_READ"] + counters["BYTES_WRITTEN"]
            compared.append(("total_bytes", performance["total_bytes"], moved, _TOLERANCE))
        time = performance.get("agg_time_by_slowest", 0)
        if time and "total_bytes" in performance and "agg_perf_by_slowest" in performance:
            computed = performance["total_bytes"] / 2**20 / time
            rounding = _TOLERANCE + 2 * _TIME_ROUNDING_S / time
            compared.append(("agg_perf_by_slowest", performance["agg_perf_by_slowest"], computed, rounding))
        if section.totals and section.sums:
            both = (_COUNTS | _VOLUMES) & section.totals.keys() & section.sums.keys()
            compared += [
                (counter, section.totals[counter], section.sums[counter], _TOLERANCE) for counter in sorted(both)
            ]
        for what, reported, recomputed, tolerance in compared:
            if abs(reported - recomputed) > tolerance * recomputed + 1e-6:
                yield Finding(
                    "darshan.inconsistent",
                    ERROR,
                    f"{what} of {name[:20]} is {reported:.6g}, but {recomputed:.6g} by its own counters.",
                    "The output was edited, or put together from two logs. " + _HINT_AGAIN,
                    path,
                    expected=f"{recomputed:.6g}",
                    actual=f"{reported:.6g}",
                )
