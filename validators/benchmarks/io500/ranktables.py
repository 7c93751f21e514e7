"""The CSV tables beside the text of a phase: one row per rank, from which a phase can be checked and its spread told.

mdtest's first row, `all`, is the rate that was scored: equal in all 581 published tables. IOR writes no such row, but
all bytes over the longest time of a rank are as fast as the phase can have been: its own clock runs from the first
start to the last end. In 231 published tables that belong to all ranks no phase was faster by more than 0.003 %.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import mul

from validators.distributions import Distribution, summed

GIB = 2**30
_MDTEST_COLUMNS = {
    "write": b"rate-File creation",
    "stat": b"rate-File stat",
    "read": b"rate-File read",
    "delete": b"rate-File removal",
}
_FIND_RUNTIME = re.compile(rb"runtime: (\d{1,9}(?:\.\d{1,9})?) rate: (\d{1,15}(?:\.\d{1,9})?)")
_IOR_HEADER = [b"access", b"rank", b"runtime-with-openclose", b"runtime", b"throughput-withopenclose", b"throughput"]


@dataclass(slots=True)
class RankTable:
    """One table. `rates` are B/s or ops/s by rank; `phase` is what it says of the phase, in GiB/s or kIOPS, or None.

    `phase` of mdtest is the value itself, of IOR the most that it can be. `work` are bytes or items by rank, by its
    rate and its seconds; `farthest` the row that agrees least with itself: its line, its work, and what that should be.
    `seconds` are those of the phase: of mdtest in the row of all ranks, of IOR those of the slowest rank. `busy` are
    those by rank: of IOR without opening and closing, in which ranks wait for each other.
    """

    path: str
    quantity: str
    rates: list[float] = field(default_factory=list)
    phase: float | None = None
    readable: bool = True
    work: list[float] = field(default_factory=list)
    farthest: tuple[int, float, float] | None = None
    seconds: float | None = None
    busy: list[float] = field(default_factory=list)

    @property
    def unit(self) -> str:
        return "B/s" if self.quantity == "bandwidth" else "ops/s"


def read_table(content: bytes, path: str, phase: str) -> RankTable:
    """The table of a phase of IOR or mdtest; any content gives one, `readable` is False where it is no such table."""
    header, *rows = [line.split(b",") for line in content.split(b"\n") if line.strip()] or [[]]
    try:
        if phase.startswith("ior"):
            return _ior(path, [name.strip() for name in header], rows)
        return _mdtest(path, header, rows, _MDTEST_COLUMNS[phase.rsplit("-", 1)[-1]])
    except (ValueError, IndexError, KeyError):
        return RankTable(path, "bandwidth" if phase.startswith("ior") else "rate", readable=False)


def _ior(path: str, header: list[bytes], rows: list[list[bytes]]) -> RankTable:
    if header != _IOR_HEADER:
        raise ValueError("not the columns of IOR")
    seconds = _positive_numbers(row[2] for row in rows)
    rates = _positive_numbers(row[4] for row in rows)
    longest = max(seconds)
    work = list(map(mul, rates, seconds))
    busy = _positive_numbers(row[3] for row in rows)
    inside = list(map(mul, busy, _positive_numbers(row[5] for row in rows)))
    most = sum(work) / longest / GIB
    return RankTable(path, "bandwidth", rates, most, True, work, _farthest(work, inside), longest, busy)


def _mdtest(path: str, header: list[bytes], rows: list[list[bytes]], name: bytes) -> RankTable:
    column = header.index(name)
    if rows[0][0] != b"all":
        raise ValueError("no row of all ranks")
    rates = _positive_numbers(row[column] for row in rows[1:])
    busy = _positive_numbers(row[column + 1] for row in rows[1:])
    work = list(map(mul, rates, busy))
    items = [_positive(rows[0][1])] * len(work)
    of_phase, seconds = _positive(rows[0][column]), _positive(rows[0][column + 1])
    return RankTable(path, "rate", rates, of_phase / 1000, True, work, _farthest(work, items, 1), seconds, busy)


def _farthest(work: list[float], expected: list[float], before: int = 0) -> tuple[int, float, float] | None:
    """The row whose work lies farthest from what it should be; `before` are rows of the table that are of no rank."""
    apart = [abs(math.log(rate / other)) for rate, other in zip(work, expected, strict=True)]
    if not apart:
        return None
    place = max(range(len(apart)), key=apart.__getitem__)
    return place + 2 + before, work[place], expected[place]


def _positive(text: bytes) -> float:
    return _positive_numbers([text])[0]


def _positive_numbers(texts: Iterable[bytes]) -> list[float]:
    values = list(map(float, texts))
    if not (all(map(math.isfinite, values)) and min(values, default=1) > 0):
        raise ValueError("not positive numbers")
    return values


@dataclass(frozen=True, slots=True)
class FindTable:
    """`find.csv`: seconds and files per second of the whole, and what the ranks searched and matched."""

    path: str
    seconds: float
    rate: float
    files_by_rank: list[int]
    matches: int

    @property
    def ranks(self) -> int:
        return len(self.files_by_rank)

    @property
    def files(self) -> int:
        return sum(self.files_by_rank)


def read_find(content: bytes, path: str) -> FindTable | None:
    """The table that pfind writes; None where the file is no such table, or a row is not of one rank of its own."""
    head, _, rest = content.partition(b"\n")
    runtime = _FIND_RUNTIME.match(head[:200])
    header, *rows = [[cell.strip() for cell in line.split(b",")] for line in rest.split(b"\n") if line.strip()] or [[]]
    if runtime is None or header[:1] != [b"rank"] or not {b"found", b"total"} <= set(header):
        return None
    if len({row[0] for row in rows}) != len(rows) or any(len(row) != len(header) for row in rows):
        return None
    try:
        files, matches = ([int(row[header.index(name)]) for row in rows] for name in (b"total", b"found"))
    except ValueError:
        return None
    return FindTable(path, float(runtime[1]), float(runtime[2]), files, sum(matches))


def over_ranks(table: RankTable, phase: str) -> list[Distribution]:
    """The rates of a phase by rank."""
    return summed(phase, table.quantity, "rank", "ranks", table.rates, table.unit)
