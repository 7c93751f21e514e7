"""fio's normal text, of 3.x and of 2.x.

Since 3.0 a unit says whether it is of 1000 or of 1024, in either order (--kb_base), of bytes or of bits (--unit_base).
Before, KB stood for both: which it is follows from requests times block size, and what does not follow is not taken.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from validators.benchmarks.fio import terse
from validators.benchmarks.fio.directions import (
    ALL_CLIENTS,
    QUANTITIES,
    SYNC,
    percentiles,
    size_in_bytes,
    usual_percentiles_missing,
)
from validators.benchmarks.fio.known_lines import is_understood
from validators.findings import INFO, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, printed_number
from validators.reading.accounting import lines_missing
from validators.units import UNITS

_JOB = re.compile(
    r"(?P<name>\S.{0,100}?): \(groupid=(?P<group>\d{1,9}), jobs=(?P<processes>\d{1,9})\): err=\s{0,4}(?P<error>\d{1,9})"
    r"(?:.{0,400}?: pid=(?P<pid>\d{1,10}))?"
)
_SIDE = re.compile(
    r"[ \t]{1,8}(?P<op>read|write|trim|mixed)\s{0,4}: IOPS=(?P<iops>[\d.]{1,20})(?P<iops_scale>[kMG]?), "
    r"BW=(?P<bw>[\d.]{1,20})(?P<bw_unit>[kKMGTP]?i?(?:B|bit)/s) \([\d.]{1,20}[kKMGTP]?i?(?:B|bit)/s\)"
    r"\((?P<volume>[\d.]{1,20})(?P<volume_unit>[kKMGTP]?i?B)/(?P<ms>\d{1,18})msec\)"
)
_OLD_SIDE = re.compile(
    r"[ \t]{1,8}(?P<op>read|write|trim|mixed)\s{0,4}: io=(?P<volume>[\d.]{1,20}) ?(?P<volume_scale>[KMGTP]?)B, "
    r"bw=(?P<bw>[\d.]{1,20}) ?(?P<bw_scale>[KMGTP]?)B/s, iops=(?P<iops>[\d.]{1,20})(?P<iops_scale>[KMG]?) ?, "
    r"runt= {0,20}(?P<ms>\d{1,18})msec"
)
_ANY_SIDE = re.compile(r"[ \t]{1,8}(?P<op>read|write|trim|mixed)\s{0,4}: (?:IOPS|io)=")
_LATENCY = re.compile(
    r"[ \t]{1,8}(?P<name>slat|clat|lat|sync) \((?P<unit>[num]?sec)\)\s{0,4}: min=.{1,30}?, "
    r"max= {0,20}(?P<max>[\d.]{1,20})(?P<scale>[kKMG]?), avg= {0,20}(?P<mean>[\d.]{1,30}), stdev="
)
_OF_EVERY_JOB = ("cpu ", "IO depths ")
_PERCENTILES = re.compile(r"[ \t]{1,8}(?:(?P<name>slat|clat|lat|sync) )?percentiles \((?P<unit>[num]?sec)\):")
_PERCENTILE = re.compile(r"(\d{1,3}\.\d{1,9})th=\[ {0,20}(\d{1,18})\]")
_ISSUED = re.compile(
    r"[ \t]{1,8}issued (?:rwts?|rwt)?\s{0,8}: total=(?:r=)?(?P<read>\d{1,18})[/,](?:w=)?(?P<write>\d{1,18})[/,](?:d=)?"
    r"(?P<trim>\d{1,18})(?:,(?P<sync>\d{1,18}))?"
)
_STEADY = re.compile(r"[ \t]{1,8}steadystate\s{0,4}: attained=(yes|no)")
_SYNC_HEADING = "fsync/fdatasync/sync_file_range:"
_SETTINGS = re.compile(
    r"(?:<[^>\n]{1,253}> )?(?P<name>\S.{0,100}?): \(g=(?P<group>\d{1,9})\): rw=(?P<rw>\w{1,20}), "
    r"bs=(?P<sizes>.{1,200}), ioengine=(?P<ioengine>[\w-]{1,40}), iodepth=(?P<iodepth>\d{1,9})$"
)
_STARTED = re.compile(r"Starting (\d{1,9}) (?:process|thread)(?:e?s)?(?: and (\d{1,9}) process(?:es)?)?$")
_SIZES = re.compile(r"\(([RWT])\) ([^\s-]{1,20})-([^\s,]{1,20})")
_OLD_SIZE = re.compile(r"([^\s/-]{1,20})-([^\s/-]{1,20})")
_VERSION = re.compile(r"(?:^|, fio=)fio-([^\s,]{1,40})(?:[ \t\r]{0,80}$|,)", re.MULTILINE)
_CLIENT = re.compile(r"<([^>\n]{1,253})>\s{0,4}")
"""What stands alone before the report of each client, in client and server mode."""
_THOUSANDS = {"": 1, "k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000}
_SECONDS = {"nsec": "ns", "usec": "us", "msec": "ms", "sec": "s"}
_ASYNCHRONOUS = ("libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio")
"""Engines of which fio measures the time until a request is submitted."""
_COMPLETE = "Run status group"
_MOST_ROUNDED = 0.005
"""How far a printed volume may be from its requests: a wrong unit is off by 2.4 % at least."""


@dataclass(slots=True)
class _Job:
    """The block of one job: what its first line says, and its lines."""

    head: re.Match[str]
    client: int
    lines: list[str] = field(default_factory=list)

    @property
    def identity(self) -> tuple[Any, ...]:
        return self.client, self.head["group"], self.head["pid"]


def read(tool: str, output: Output, text: str) -> Run:
    """The run of a normal output. Raises Refusal where it is cut, failed or empty."""
    return _with_rates(_normal(tool, output, text))


def read_terse(tool: str, output: Output, parts: Sequence[Sequence[terse.Row]]) -> list[Run]:
    """A run for the terse lines of each start of fio. Raises Refusal where one is cut, failed or empty."""
    for line in output.lines():
        if is_understood(line.rstrip()):
            output.ledger.claim()
    runs = [_with_rates(terse.read(tool, output.path, part)) for part in parts]
    for run, part in zip(runs, parts, strict=True):
        if len(parts) > 1:
            run.lines = part[0].line, part[-1].line
    return runs


def _with_rates(run: Run) -> Run:
    if not any(measurement.quantity == "iops" for measurement in run.measurements):
        _refuse_nothing(read_nothing=bool(run.operations_done))
    return run


def _normal(tool: str, output: Output, text: str) -> Run:
    version, path = _VERSION.search(text), output.path
    run = Run(tool, path, version=version[1] if version else "")
    lines: list[str] = []
    blocks, clients = _blocks(output, lines)
    failed = [job for job in blocks if job.head["error"] != "0"]
    if failed:
        name, error = failed[0].head["name"], failed[0].head["error"]
        raise Refusal("run-failed", f"Job {name} failed: error {error}.", "Repeat the run.")
    if not any(line.startswith(_COMPLETE) for line in lines):
        raise Refusal("truncated", "The report has no run status, which ends it.", "Upload what fio wrote, whole.")
    last = {job.identity: job for job in blocks if job.head["pid"]}  # of running totals the last
    jobs = [job for job in blocks if not job.head["pid"] or last[job.identity] is job]
    settings = _settings(lines)
    for number, job in enumerate(jobs):
        _add_job(run, job, number, settings.get(job.head["name"], {}), clients > 0)
    run.tasks = sum(int(job.head["processes"]) for job in jobs) or None
    if clients:
        run.parameters["clients"] = clients
        run.unknown["client_nodes"] = "The text of fio does not say on how many nodes its clients ran."
    run.findings += _missing(tool, path, lines, jobs) if not clients else _missing_of_clients(tool, path, lines, jobs)
    run.findings += _missing_in_jobs(tool, path, jobs, settings)
    if len(jobs) < len(blocks):
        reports = max(sum(other.identity == job.identity for other in blocks) for job in jobs[:1])
        message = f"{reports} reports of one run (--status-interval): they are running totals, the last counts."
        run.findings.append(Finding(f"{tool}.several-documents", INFO, message, "", path))
    return run


def _missing(tool: str, path: str, lines: list[str], jobs: list[_Job]) -> Iterator[Finding]:
    """That fewer groups, or processes, are reported than the lines before the run announce."""
    announced = {match["group"] for line in lines if "(g=" in line and (match := _SETTINGS.fullmatch(line))}
    if missing := sorted(announced - {job.head["group"] for job in jobs}, key=int):
        what = f"No job is reported of group {', '.join(missing[:5])}, of which fio announced jobs."
        yield lines_missing(tool, what, path)
        return
    started = next((match for line in lines if (match := _STARTED.match(line))), None)
    expected = sum(int(count) for count in started.groups(default="0")) if started else 0
    reported = sum(int(job.head["processes"]) for job in jobs)
    if started and reported < expected:
        what = f"fio started {expected} processes, and {reported} are reported."
        yield lines_missing(tool, what, path, str(expected), str(reported))


def _missing_of_clients(tool: str, path: str, lines: list[str], jobs: list[_Job]) -> Iterator[Finding]:
    """That a group has fewer reports than clients announced its jobs."""
    announced = Counter(match.group("group", "name") for line in lines if (match := _SETTINGS.fullmatch(line)))
    reported = Counter(job.head["group"] for job in jobs if job.head["pid"])
    for (group, _), count in announced.items():
        if reported[group] < count:
            what = f"{count} clients announced jobs of group {group}, and {reported[group]} reports are of it."
            yield lines_missing(tool, what, path, str(count), str(reported[group]))
            return


def _missing_in_jobs(
    tool: str, path: str, jobs: list[_Job], settings: Mapping[str, Mapping[str, str]]
) -> Iterator[Finding]:
    """That a job lacks lines of which its other lines tell: a finding for the first of them."""
    for number, job in enumerate(jobs):
        if missing := _lines_missing_in(job, settings.get(job.head["name"], {}).get("ioengine", "")):
            yield lines_missing(tool, f"Job {number} has no {', '.join(missing)}.", path)
            return


def _lines_missing_in(job: _Job, engine: str) -> list[str]:
    """What the lines of a job tell that there must be, and is not."""
    issued = next((match for line in job.lines if (match := _ISSUED.match(line))), None)
    sides = [side["op"] for line in job.lines if (side := _ANY_SIDE.match(line))]
    if issued is None:
        return ["count of the requests that were issued"] if sides else []
    ops = () if "mixed" in sides else ("read", "write", "trim")
    missing = [f"rates of {op}" for op in ops if op not in sides and int(issued[op]) > 0]
    latencies: defaultdict[str, set[str]] = defaultdict(set)
    lists: list[list[str]] = []
    current, goes_on = "", False
    missing += [
        f"line of {name.strip()}"
        for name in _OF_EVERY_JOB
        if not any(line.lstrip().startswith(name) for line in job.lines)
    ]
    for line in job.lines:
        if side := _ANY_SIDE.match(line):
            current = side["op"]
        elif line.strip() == _SYNC_HEADING:
            current = SYNC
        elif latency := _LATENCY.match(line):
            latencies[current].add(latency["name"])
        elif _PERCENTILES.match(line):
            lists.append([])
        elif lists and line.lstrip().startswith("|"):
            lists[-1] += [percent for percent, _ in _PERCENTILE.findall(line)]
            goes_on = line.rstrip().endswith(",")
    if int(issued["sync"] or 0) and "sync" not in latencies[SYNC]:
        missing.append("latency of fsync")
    for op, names in latencies.items():
        if "clat" in names and "lat" not in names:
            missing.append(f"latency of {op} beside that until completion (unless disable_lat is set)")
        if {"clat", "lat"} <= names and "slat" not in names and engine in _ASYNCHRONOUS:
            missing.append(f"latency of {op} until submission (unless disable_slat is set)")
    if goes_on:
        missing.append("end of the percentiles")
    of_any = set().union(*lists)
    for listed in lists:
        absent = usual_percentiles_missing(listed) or sorted(of_any.difference(listed), key=float)
        if absent:
            missing.append(f"percentile {', '.join(absent[:5])}")
            break
    return missing


def _blocks(output: Output, lines: list[str]) -> tuple[list[_Job], int]:
    """The blocks of all jobs in their order, and the number of clients that are named. Every line goes to `lines`.

    What is understood is claimed where it stands: rates in a job, percentiles below their heading.
    """
    jobs: list[_Job] = []
    clients: list[str] = []
    is_inside = is_of_all = in_list = False
    for raw in output.lines():
        line = raw.rstrip()
        lines.append(line)
        if not line:
            in_list = False
            continue
        head = _JOB.match(line) if "(groupid=" in line else None
        label = _CLIENT.fullmatch(line) if line.startswith("<") else None
        if head and clients and head["name"] == ALL_CLIENTS:
            is_inside, is_of_all = False, True  # what fio adds up over the clients that stand before
        elif head:
            jobs.append(_Job(head, len(clients)))
            is_inside, is_of_all = True, False
        elif line.startswith(_COMPLETE):
            is_inside = is_of_all = False
        elif label:
            clients.append(label[1])
            is_inside = is_of_all = False
        elif is_inside:
            jobs[-1].lines.append(line)
        in_list = _PERCENTILES.match(line) is not None or (in_list and line.lstrip().startswith("|"))
        if is_understood(line, in_job=is_inside or is_of_all, in_list=in_list):
            output.ledger.claim()
    return jobs, len(clients)


def _settings(lines: list[str]) -> dict[str, dict[str, str]]:
    """What the first lines say of each job: access, block sizes, engine and depth. What differs is not known."""
    by_name: dict[str, dict[str, str]] = {}
    for line in lines:
        match = _SETTINGS.fullmatch(line) if "(g=" in line else None
        if not match:
            continue
        options = {name: match[name] for name in ("rw", "ioengine", "iodepth")} | _block_sizes(match["sizes"])
        other = by_name.setdefault(match["name"], options)
        by_name[match["name"]] = {name: value for name, value in other.items() if options.get(name) == value}
    return by_name


def _block_sizes(text: str) -> dict[str, str]:
    """`bs` where it is one, and `bs_read`, `bs_write`, `bs_trim` where it is one for each."""
    ends = [(low, high) for _, low, high in _SIZES.findall(text)] or _OLD_SIZE.findall(text)
    by_op = {f"bs_{op}": low for op, (low, high) in zip(("read", "write", "trim"), ends, strict=False) if low == high}
    sizes = set(by_op.values())
    return {"bs": sizes.pop()} if len(sizes) == 1 and len(by_op) == len(ends) else by_op


def _add_job(run: Run, job: _Job, number: int, options: Mapping[str, str], with_client: bool) -> None:
    """Add what one job was, and its figures."""
    test = {"name": job.head["name"][:80], "group": int(job.head["group"]), "error": 0, **options}
    test["processes"] = int(job.head["processes"])
    if with_client:
        test["client"] = max(job.client - 1, 0)
    issued = next((match for line in job.lines if (match := _ISSUED.match(line))), None)
    op = ""
    reader = _Reader(issued, options, {"job": number})
    for line in job.lines:
        if side := _ANY_SIDE.match(line):
            op = side["op"]
            run.operations_done.append((op, {"job": number}))
        elif line.strip() == _SYNC_HEADING:
            op = SYNC
            run.operations_done.append((op, {"job": number}))
        elif steady := _STEADY.match(line):
            test["steady_state_attained"] = steady[1] == "yes"
        run.measurements += reader.measurements(line, op)
    run.measurements += reader.percentiles()
    run.tests.append(test)


@dataclass(slots=True)
class _Reader:
    """Reads the lines of one job; percentiles stand on several lines below a heading."""

    issued: re.Match[str] | None
    options: Mapping[str, str]
    context: dict[str, Any]
    listed: dict[str, float] = field(default_factory=dict)
    list_of: tuple[str, str, str] = ("", "", "")

    def measurements(self, line: str, op: str) -> Iterator[Measurement]:
        if self.list_of[0] and line.lstrip().startswith("|"):
            pairs = _PERCENTILE.findall(line)
            if len(pairs) != line.count("th="):
                message = f"A percentile has no number: {line.strip()[:60]!r}."
                raise Refusal("not-a-number", message, "Upload what fio wrote, without what was put into its lines.")
            self.listed |= {percent: int(value) for percent, value in pairs}
            return
        if heading := _PERCENTILES.match(line):
            yield from self.percentiles()
            self.list_of = op, heading["name"] or "clat", _SECONDS[heading["unit"]]
        elif not op:
            return
        elif latency := _LATENCY.match(line):
            yield from self._latency(latency, op)
        elif side := _SIDE.match(line):
            yield from self._side(side)
        elif old := _OLD_SIDE.match(line):
            yield from self._old_side(old)
        if line.strip() == _SYNC_HEADING and self.issued and self.issued["sync"]:
            yield self._measurement(SYNC, "ops", "total", int(self.issued["sync"]), "ops")

    def percentiles(self) -> Iterator[Measurement]:
        """Those of the list that has just ended."""
        op, name, unit = self.list_of
        if op:
            for stat, value in percentiles(self.listed):
                yield self._measurement(op, QUANTITIES[name], stat, value, unit)
        self.list_of, self.listed = ("", "", ""), {}

    def _latency(self, latency: re.Match[str], op: str) -> Iterator[Measurement]:
        quantity, unit = QUANTITIES[latency["name"]], _SECONDS[latency["unit"]]
        if latency["name"] != "clat":
            largest = printed_number(latency["max"]) * _THOUSANDS[latency["scale"]]
            yield self._measurement(op, quantity, "mean", printed_number(latency["mean"]), unit)
            yield self._measurement(op, quantity, "max", largest, unit)

    def _side(self, side: re.Match[str]) -> Iterator[Measurement]:
        op = side["op"]
        figures = [
            ("bandwidth", "mean", side["bw"], side["bw_unit"]),
            ("volume", "total", side["volume"], side["volume_unit"]),
        ]
        for quantity, stat, value, unit in figures:
            if unit in UNITS:
                yield self._measurement(op, quantity, stat, printed_number(value), unit)
        yield from self._rates(side)

    def _old_side(self, side: re.Match[str]) -> Iterator[Measurement]:
        """The same of 2.x, whose KB is of 1024 or of 1000."""
        op = side["op"]
        base = self._base(op, printed_number(side["volume"]), side["volume_scale"])
        if base:
            for quantity, stat, name, end in (("bandwidth", "mean", "bw", "B/s"), ("volume", "total", "volume", "B")):
                scale = side[f"{name}_scale"]
                prefix = f"{scale}i" if scale and base == 1024 else scale.replace("K", "k")
                yield self._measurement(op, quantity, stat, printed_number(side[name]), prefix + end)
        yield from self._rates(side)

    def _rates(self, side: re.Match[str]) -> Iterator[Measurement]:
        op = side["op"]
        iops = printed_number(side["iops"]) * _THOUSANDS[side["iops_scale"]]
        yield self._measurement(op, "iops", "mean", iops, "ops/s")
        yield self._measurement(op, "time", "total", printed_number(side["ms"]), "ms")
        if requests := self._requests(op):
            yield self._measurement(op, "ops", "total", requests, "ops")

    def _requests(self, op: str) -> int:
        """Requests of an operation; 0 where they are not there."""
        if not self.issued:
            return 0
        if op == "mixed":
            return sum(int(self.issued[name]) for name in ("read", "write", "trim"))
        return int(self.issued[op])

    def _base(self, op: str, volume: float, scale: str) -> int:
        """Whether a K of 2.x is 1024 or 1000, by requests times their size; 0 where that is not known."""
        size = size_in_bytes(self.options.get("bs", self.options.get(f"bs_{op}")))
        moved = self._requests(op) * size
        power = " KMGTP".index(scale or " ")
        fits = [base for base in (1024, 1000) if moved and abs(volume * base**power / moved - 1) < _MOST_ROUNDED]
        return fits[0] if fits else 0

    def _measurement(self, op: str, quantity: str, stat: str, value: float, unit: str) -> Measurement:
        return Measurement.printed(op, quantity, stat, value, unit, context=self.context)


def _refuse_nothing(*, read_nothing: bool) -> None:
    """Raise Refusal: nothing was read; `read_nothing`: though there are lines with rates, in another form."""
    if read_nothing:
        message = "The lines with the rates are of a form that is not read here."
        raise Refusal("not-supported", message, "Upload the JSON of the run: fio --output-format=json.")
    raise Refusal("no-results", "No job has a line with rates above 0.", "Check rw= and size= of the jobs.")
