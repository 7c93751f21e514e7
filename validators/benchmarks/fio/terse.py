"""fio's terse lines: version 3, which is the default, and 2, 4 and 5 of --terse-version.

A line is a head, a block of fields for each direction, and what tells of CPU, depth and disks. A block is known by its
20 percentiles. 2, 4 and 5 have one for trims; unified_rw_reporting leaves a single one, or adds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validators.benchmarks.fio.directions import QUANTITIES, percentiles
from validators.measurements import Measurement, Run
from validators.outputs import Refusal, printed_number

_ROW = re.compile(
    r"(?:^|[)\]\r])([345];fio-[\w.+-]{1,40};.{1,8192})|^(2;[^;]{1,255};\d{1,9};\d{1,9};(?:\d{1,20};){4}.{1,8192})",
    re.ASCII,
)
"""A line, which may stand behind the progress of jobs in client and server mode."""
_HEAD = {"2": 4, "3": 5, "4": 5, "5": 5}
"""Fields before the first direction; version 2 does not name the release of fio."""
_BLOCK = {"2": 41, "3": 41, "4": 41, "5": 47}
_TAIL = 34
"""CPU, depths, and the two distributions of latencies: what every line has behind its directions."""
_PERCENTILES = 12, 32
_PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)%=(\d{1,18})", re.ASCII)
_RATES = (("volume", "total", 0, "KiB"), ("bandwidth", "mean", 1, "KiB/s"), ("iops", "mean", 2, "ops/s"))
_TIME = 3
_LATENCIES = (("slat", 4), ("clat", 8), ("lat", 32))
"""Where minimum, maximum, mean and deviation of each begin."""
_ALL_CLIENTS = "All clients"

_WITH_TRIM = {1: ("mixed",), 2: ("read", "write"), 3: ("read", "write", "trim"), 4: ("read", "write", "trim", "mixed")}
_WITHOUT = {1: ("mixed",), 2: ("read", "write"), 3: ("read", "write", "mixed")}


def rows_of(text: str) -> list[list[str]]:
    """The fields of each terse line of a text."""
    lines = (line.rstrip("\r") for line in text.split("\n") if ";" in line)
    return [(match[1] or match[2]).split(";") for line in lines if (match := _ROW.search(line))]


def read(tool: str, path: str, rows: list[list[str]]) -> Run:
    """The run of the terse lines of a text. Raises Refusal where one is cut or failed."""
    if len(rows) > 1 and rows[-1][_HEAD[rows[-1][0]] - 3] == _ALL_CLIENTS:
        rows = rows[:-1]  # what fio adds up over the clients that stand before
    run = Run(tool, path, version="" if rows[0][0] == "2" else rows[0][1].removeprefix("fio-"))
    for job, row in enumerate(rows):
        first = _HEAD[row[0]]
        name, group, error = row[first - 3 : first]
        sides = list(_sides(row))
        if not sides or len(row) < first + len(sides) * _BLOCK[row[0]] + _TAIL:
            raise Refusal("truncated", "A terse line ends before its end.", "Upload what fio wrote, whole.")
        if error != "0":
            raise Refusal("run-failed", f"Job {name[:40]} failed: error {error[:10]}.", "Repeat the run.")
        run.tests.append({"name": name[:80], "group": _integer(group), "error": 0})
        for op, fields in sides:
            if any(_integer(fields[at]) for at in range(_TIME + 1)):
                run.operations_done.append((op, {"job": job}))
                run.measurements += _measurements(op, fields, job)
    return run


def _sides(row: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The operations of a line with their fields."""
    first, width = _HEAD[row[0]], _BLOCK[row[0]]
    blocks = []
    while _is_block(fields := row[first : first + width], width):
        blocks.append(fields)
        first += width
    names = (_WITHOUT if row[0] == "3" else _WITH_TRIM).get(len(blocks), ())
    yield from zip(names, blocks, strict=False)


def _is_block(fields: list[str], width: int) -> bool:
    return len(fields) == width and all(map(_PERCENTILE.fullmatch, fields[slice(*_PERCENTILES)]))


def _measurements(op: str, fields: list[str], job: int) -> Iterator[Measurement]:
    context = {"job": job}
    for quantity, stat, at, unit in (*_RATES, ("time", "total", _TIME, "ms")):
        yield Measurement.printed(op, quantity, stat, _integer(fields[at]), unit, context=context)
    for name, at in _LATENCIES:
        largest = _integer(fields[at + 1])
        if name == "lat" or (name == "slat" and largest):  # a synchronous engine submits nothing
            mean = printed_number(fields[at + 2])
            yield Measurement.printed(op, QUANTITIES[name], "mean", mean, "us", context=context)
            yield Measurement.printed(op, QUANTITIES[name], "max", largest, "us", context=context)
    matches = [match for field in fields[slice(*_PERCENTILES)] if (match := _PERCENTILE.fullmatch(field))]
    if _integer(fields[9]):
        for stat, value in percentiles({match[1]: int(match[2]) for match in matches}):
            yield Measurement.printed(op, QUANTITIES["clat"], stat, value, "us", context=context)


def _integer(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise Refusal("not-a-number", f"{text[:40]!r} stands where fio writes a number.", "Upload what fio wrote.")
    return int(text)
