"""Read the lines of gdsio: one for each run, with all that it says.

    IoType: READ XferType: GPUD Threads: 8 DataSetSize: 8388608/8388608(KiB) IOSize: 1024(KiB)
    Throughput: 6.5 GiB/sec, Avg_Latency: 1197.4 usecs ops: 8192 total_time 1.2 secs

(one line; some copies break it before Throughput). The first size is what was moved, the second what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, WARNING, Finding
from validators.measurements import Measurement, Run
from validators.outputs import Output, Refusal, find_outputs, printed_number
from validators.reading.accounting import lines_missing
from validators.signs import Sign
from validators.units import to_canonical

TOOL = "gdsio"
MOST_LINES = 20_000

_HEAD = (
    r"IoType: (?P<op>[A-Z_]{2,20}) XferType: (?P<xfer_type>[A-Z0-9_]{2,30}) Threads: (?P<threads>\d{1,7}) "
    r"DataSetSize: (?P<moved>\d{1,18})(?:/(?P<asked>\d{1,18}))?\((?P<size_unit>\w{1,5})\) "
    r"IOSize: (?P<io_size>[\d.:-]{1,40})\((?P<io_unit>\w{1,5})\)"
)
_REST = (
    r"Throughput: (?P<bandwidth>\S{1,40}) (?P<unit>\S{1,12})/sec,? Avg_Latency: (?P<latency>\S{1,40}) usecs "
    r"ops: (?P<ops>\S{1,40}) total_time:? (?P<time>\S{1,40}) secs"
)
_SIGNS = (
    Sign(rb"^.{0,200}\bIoType: [A-Z_]{2,20} XferType: [A-Z0-9_]{2,30} Threads: ", b"IoType: "),
    Sign(rb"^(?:Error: )?IO failed stopping traffic", b"IO failed stopping traffic"),
)
_BEGUN, _BEGIN, _END = re.compile(r"IoType: [A-Z_]{2,20}"), re.compile(_HEAD), re.compile(_REST)
_FAILURE = re.compile(
    r"IO failed|io failed|file register error|cuFile\w{0,30} (?:failed|error)|[Vv]erification (?:failed|failure)"
    r"|failed to open"
)
_COMMAND = re.compile(
    r"^(?:.{0,120}[$#>%] |\+{1,9} |)(?:[\w./=-]{1,80} ){0,4}?(?:\S{0,200}/)?gdsio (?=.{0,400}-[Dfw] ?\S)"
)
"""A call of gdsio behind the prompt of a shell, as `set -x` prints it, or alone; each prints one result."""
_SIGNS_OF_FAILURE = ("ailed", "ailure", "rror")
_BANDWIDTHS = ("KiB", "MiB", "GiB", "TiB")
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB")
_TOLERANCE = 0.01
_ROUNDING_S = 1e-6
_ROUNDING_GIB_S = 1e-6
_HINT_AGAIN = "Upload what gdsio printed, whole."


def find_runs(bundle: Bundle) -> Reading:
    """Every output of gdsio in a bundle; never raises on any content."""
    return find_outputs(bundle, TOOL, is_gdsio, read)


def explain(run: Run) -> list[str]:
    """The bandwidth of each line; gdsio has no score."""
    return [
        f"line {row.context['test']}: {row.op} {row.context['xfer_type']} {row.printed_value} {row.printed_unit}"
        for row in run.measurements
        if row.quantity == "bandwidth"
    ]


def is_gdsio(head: bytes) -> bool:
    return any(sign.search(head) for sign in _SIGNS)


def read(output: Output) -> list[Run]:
    """The run of one output: a line for each test. Raises Refusal where it cannot count."""
    run, calls = Run(TOOL, output.path), [0]
    for number, head, rest in _results(output, calls):
        _add(run, head, rest, number)
        if len(run.tests) > MOST_LINES:
            message = f"There are more than {MOST_LINES} results."
            raise Refusal("too-large", message, "Upload one sweep in each file.", number)
    if not run.tests:
        raise Refusal("truncated", "No line of results is whole.", _HINT_AGAIN)
    run.parameters = _parameters(run)
    if calls[0] > len(run.tests):
        what = f"gdsio was called {calls[0]} times, and there are {len(run.tests)} results."
        run.findings.append(lines_missing(TOOL, what, output.path, str(calls[0]), str(len(run.tests))))
    return [run]


def _results(output: Output, calls: list[int]) -> Iterator[tuple[int, re.Match[str], re.Match[str]]]:
    """Both halves of each result, while calls are counted.

    Raises Refusal for one that lacks its end, and for messages of failure.
    """
    head: re.Match[str] | None = None
    begun = 0
    for number, line in enumerate(output.lines(), start=1):
        if any(sign in line for sign in _SIGNS_OF_FAILURE) and _FAILURE.search(line):
            raise Refusal("run-failed", "gdsio stopped with an error.", "Repair the cause, repeat the run.", number)
        if "gdsio " in line and _COMMAND.match(line):
            calls[0] += 1
        if _BEGUN.search(line):
            output.ledger.claim()
            _require_end(head, begun)
            head, begun = _BEGIN.search(line), number
            if head is None:
                raise Refusal("truncated", "A result ends before its end.", _HINT_AGAIN, number)
        if head is None:
            continue
        if rest := _END.search(line, head.end() if begun == number else 0):
            output.ledger.end()
            yield number, head, rest
            head = None
        elif number > begun:
            _require_end(head, begun)
    _require_end(head, begun)


def _require_end(head: re.Match[str] | None, begun: int) -> None:
    if head is not None:
        raise Refusal("truncated", "A result ends before its end.", _HINT_AGAIN, begun)


def _add(run: Run, head: re.Match[str], rest: re.Match[str], line: int) -> None:
    """The figures of one result, and a finding where they don't agree with each other."""
    op, context = head["op"].lower(), _context(run, head)
    if rest["unit"] not in _BANDWIDTHS or head["size_unit"] not in _SIZES or head["io_unit"] not in _SIZES:
        units = f"{rest['unit']}/sec, {head['size_unit']}, {head['io_unit']}"
        message = f"Not all of the units are known: {units}."
        raise Refusal("unit-not-understood", message, _HINT_AGAIN, line, ", ".join(_BANDWIDTHS), units)
    figures = [
        ("bandwidth", "mean", rest["bandwidth"], f"{rest['unit']}/s"),
        ("latency", "mean", rest["latency"], "us"),
        ("ops", "total", rest["ops"], "ops"),
        ("time", "total", rest["time"], "s"),
        ("volume", "total", head["moved"], head["size_unit"]),
    ]
    by_quantity = {}
    for quantity, stat, text, unit in figures:
        measurement = Measurement.printed(op, quantity, stat, printed_number(text, line), unit, context=context)
        run.measurements.append(measurement)
        by_quantity[quantity] = measurement
    run.tests.append({"op": op, **context, **({"asked_KiB": _kib(head)} if head["asked"] else {})})
    _weigh(run, by_quantity, f"{run.path}:{line}")


def _context(run: Run, head: re.Match[str]) -> dict[str, Any]:
    size = head["io_size"]
    if head["io_unit"] in _SIZES and head["io_unit"] != "KiB" and size.isdecimal():
        size = f"{to_canonical(float(size), head['io_unit'])[0] / 1024:g}"
    return {
        "xfer_type": head["xfer_type"],
        "threads": int(head["threads"]),
        "io_size_KiB": size,
        "test": len(run.tests),
    }


def _kib(head: re.Match[str]) -> float:
    return to_canonical(float(head["asked"]), head["size_unit"])[0] / 1024


def _weigh(run: Run, by_quantity: dict[str, Measurement], where: str) -> None:
    """Data over time is the bandwidth; nothing moved is no result."""
    volume, time, bandwidth = by_quantity["volume"].value, by_quantity["time"].value, by_quantity["bandwidth"].value
    if not volume or not by_quantity["ops"].value:
        message = "Nothing was moved."
        run.findings.append(Finding(f"{TOOL}.no-results", ERROR, message, "Repeat the run.", where))
        return
    computed = volume / time if time else 0.0
    slack = _TOLERANCE * computed + _ROUNDING_GIB_S * 2**30 + (computed * _ROUNDING_S / time if time else 0.0)
    if abs(computed - bandwidth) > slack:
        message = f"{volume:.0f} B in {time} s are not {by_quantity['bandwidth'].printed_value} GiB/s."
        hint = "The output was edited. " + _HINT_AGAIN
        run.findings.append(Finding(f"{TOOL}.inconsistent", ERROR, message, hint, where))
    share = volume / 1024 / run.tests[-1].get("asked_KiB", 0) if run.tests[-1].get("asked_KiB") else 1.0
    if share < 0.5:
        message = f"Only {share:.0%} of the data that was asked for was moved."
        run.findings.append(Finding(f"{TOOL}.cut-short", WARNING, message, "Take a longer time (-T).", where))


def _parameters(run: Run) -> dict[str, Any]:
    """What all lines share, how many there are, and how long the shortest took."""
    names = ("op", "xfer_type", "threads", "io_size_KiB")
    shared = {name: run.tests[0][name] for name in names if all(test[name] == run.tests[0][name] for test in run.tests)}
    times = [measurement.value for measurement in run.measurements if measurement.quantity == "time"]
    return {**shared, "results": len(run.tests), "shortest_s": min(times)}
