"""fio's terse lines: version 3, which is the default, and 2, 4 and 5 of --terse-version.

A line is a head, a block of fields for each direction, and what tells of CPU, depth and disks. A block is known by its
20 percentiles. 2, 4 and 5 have one for trims; unified_rw_reporting leaves a single one, or adds one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from validators.benchmarks.fio.directions import ALL_CLIENTS, QUANTITIES, percentiles
from validators.findings import Finding
from validators.measurements import Measurement, Run
from validators.outputs import Refusal, printed_number
from validators.reading.accounting import lines_missing

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

_WITH_TRIM = {1: ("mixed",), 2: ("read", "write"), 3: ("read", "write", "trim"), 4: ("read", "write", "trim", "mixed")}
_WITHOUT = {1: ("mixed",), 2: ("read", "write"), 3: ("read", "write", "mixed")}


class Row(NamedTuple):
    """The fields of a terse line, and its number in the text."""

    fields: list[str]
    line: int

    @property
    def head(self) -> list[str]:
        """Name, group and error of the job."""
        first = _HEAD[self.fields[0]]
        return self.fields[first - 3 : first]

    @property
    def adds_up_clients(self) -> bool:
        return self.head[0] == ALL_CLIENTS


def rows_of(text: str) -> list[Row]:
    """Each terse line of a text."""
    lines = ((number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1) if ";" in line)
    return [Row((match[1] or match[2]).split(";"), number) for number, line in lines if (match := _ROW.search(line))]


def split_invocations(rows: Sequence[Row]) -> list[list[Row]]:
    """The lines of each start of fio, as far as they tell: groups count up, and the sum over clients comes last."""
    parts: list[list[Row]] = []
    for row in rows:
        last = parts[-1][-1] if parts else None
        is_next = last is not None and not last.adds_up_clients and last.fields[0] == row.fields[0]
        if last is not None and is_next and _group_of(row) >= _group_of(last):
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def may_be_several(rows: Sequence[Row]) -> bool:
    """Whether lines of one group are jobs of one run, or runs one after another: fio does not say which."""
    groups = [_group_of(row) for row in rows]
    return not rows[-1].adds_up_clients and len(set(groups)) < len(groups)


def _group_of(row: Row) -> int:
    return int(row.head[1]) if row.head[1:2] and row.head[1].isdecimal() else 0


def read(tool: str, path: str, terse_rows: Sequence[Row]) -> Run:
    """The run of terse lines. Raises Refusal where one is cut or failed."""
    rows = [row.fields for row in terse_rows]
    total: list[str] = []
    if len(rows) > 1 and terse_rows[-1].adds_up_clients:
        *rows, total = rows  # what fio adds up over the clients that stand before
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
    if total:
        run.findings += _missing_clients(tool, path, rows, total)
    return run


def _missing_clients(tool: str, path: str, rows: list[list[str]], total: list[str]) -> Iterator[Finding]:
    """That the lines of clients move less than the line of all of them, in whole KiB of each."""
    moved: Counter[str] = Counter()
    for row in rows:
        moved.update({op: _integer(fields[0]) for op, fields in _sides(row)})
    for op, fields in _sides(total):
        if (expected := _integer(fields[0])) - moved[op] > len(rows):
            what = f"All clients moved {expected} KiB by {op}, and the lines of clients say {moved[op]}."
            yield lines_missing(tool, what, path, str(expected), str(moved[op]))
            return


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
