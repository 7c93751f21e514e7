"""The CSV tables beside the text of a phase: one row per rank, from which a phase can be checked and its spread told.

mdtest's first row, `all`, is the rate that was scored: equal in all 581 published tables. IOR writes no such row, but
all bytes over the longest time of a rank are as fast as the phase can have been: its own clock runs from the first
start to the last end. In 231 published tables that belong to all ranks no phase was faster by more than 0.003 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from validators.distributions import Distribution, summed

GIB = 2**30
_MDTEST_COLUMNS = {
    "write": b"rate-File creation",
    "stat": b"rate-File stat",
    "read": b"rate-File read",
    "delete": b"rate-File removal",
}
_IOR_HEADER = [b"access", b"rank", b"runtime-with-openclose", b"runtime", b"throughput-withopenclose", b"throughput"]


@dataclass(slots=True)
class RankTable:
    """One table. `rates` are B/s or ops/s by rank; `phase` is what it says of the phase, in GiB/s or kIOPS, or None.

    `phase` of mdtest is the value itself, of IOR the most that it can be.
    """

    path: str
    quantity: str
    rates: list[float] = field(default_factory=list)
    phase: float | None = None
    readable: bool = True

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
    seconds = [_positive(row[2]) for row in rows]
    rates = [_positive(row[4]) for row in rows]
    longest = max(seconds)
    total = sum(rate * time for rate, time in zip(rates, seconds, strict=True))
    return RankTable(path, "bandwidth", rates, total / longest / GIB)


def _mdtest(path: str, header: list[bytes], rows: list[list[bytes]], name: bytes) -> RankTable:
    column = header.index(name)
    if rows[0][0] != b"all":
        raise ValueError("no row of all ranks")
    rates = [_positive(row[column]) for row in rows[1:]]
    return RankTable(path, "rate", rates, _positive(rows[0][column]) / 1000)


def _positive(text: bytes) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise ValueError("not a positive number")
    return value


def over_ranks(table: RankTable, phase: str) -> list[Distribution]:
    """The rates of a phase by rank."""
    return summed(phase, table.quantity, "rank", "ranks", table.rates, table.unit)
