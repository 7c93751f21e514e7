"""The figures of one direction of a job in fio's JSON, whatever version wrote it.

| version | volume | bandwidth | latency |
|---|---|---|---|
| 3.2 and later | `io_bytes` B | `bw_bytes` B/s, `bw` KiB/s | `lat_ns`, `clat_ns`, `slat_ns` |
| 3.0, 3.1 | `io_bytes` B, `io_kbytes` KiB | `bw` KiB/s | `lat_ns`, `clat_ns`, `slat_ns` |
| 2.x | `io_bytes` KiB (late ones B) | `bw` KiB/s | `lat`, `clat`, `slat`, us |

`bw` is KiB/s in all of them. What `io_bytes` is in follows from `io_kbytes` beside it, else from its ratio to `bw`, and
is held against requests times block size where both are known. What does not follow is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from validators.units import is_finite_number, to_canonical

DIRECTIONS = ("read", "write", "trim", "mixed")
ALL_CLIENTS = "All clients"
"""The name under which fio adds up what its clients did."""
SYNC = "sync"
"""The operation that `fsync` and the like make between the others."""
QUANTITIES = {"lat": "latency", "clat": "completion_latency", "slat": "submission_latency", "sync": "latency"}
"""What fio's names of latencies are called, in every form of its output."""
TOLERANCE = 0.02
ROUNDING_MS = 1.0
"""fio prints whole milliseconds."""

_EVERY_PERCENTILE = frozenset(
    ("1", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "95", "99", "99.5", "99.9", "99.95", "99.99")
)
"""What fio prints where no percentile_list is set."""
_KEPT_PERCENTILES = frozenset(("50", "95", "99", "99.9", "99.99"))
_PERCENTILE = re.compile(r"\d{1,3}(?:\.\d{1,9})?", re.ASCII)
_MOST_PERCENTILES = 20

_WORK = ("io_bytes", "io_kbytes", "total_ios", "bw_bytes", "bw", "iops")
_SIZE = re.compile(r"(\d{1,9})([kmgtp]?)(?:i?b)?", re.IGNORECASE | re.ASCII)
_MOST_OFF = 8
"""Requests are rarely all full, and a k is 1000 or 1024; a wrong unit is off by a thousand."""

Figure = tuple[str, str, float, str]


def number(value: Any, *path: str) -> float | None:
    """A finite number that is not negative below a path of keys, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if is_finite_number(value) and value >= 0 else None


def did_work(side: object) -> bool:
    """Whether any figure says that something was done."""
    return isinstance(side, dict) and any(number(side, name) for name in _WORK)


def figures(side: Mapping[str, Any], block_size: object) -> Iterator[Figure]:
    """Quantity, statistic, value and unit as printed. What was printed as 0 is there, too."""
    unit = volume_unit(side, block_size)
    rates = [
        ("bandwidth", "mean", *_bandwidth(side, unit)),
        ("iops", "mean", number(side, "iops"), "ops/s"),
        ("volume", "total", number(side, "io_bytes") if unit else None, unit),
        ("ops", "total", number(side, "total_ios"), "ops"),
        ("time", "total", number(side, "runtime"), "ms"),
    ]
    for quantity, stat, value, printed_unit in rates:
        if value is not None:
            yield quantity, stat, value, printed_unit
    yield from _latencies(side, "lat", ("mean", "max"))
    yield from _latencies(side, "clat", ())
    if any(number(side, name, "max") for name in ("slat_ns", "slat")):  # a synchronous engine submits nothing
        yield from _latencies(side, "slat", ("mean", "max"))


def sync_figures(side: Mapping[str, Any]) -> Iterator[Figure]:
    """The same of `sync`, which has a latency and no volume."""
    requests = number(side, "total_ios")
    if requests is not None:
        yield "ops", "total", requests, "ops"
    yield from _latencies(side, "lat", ("mean", "max"))


def _latencies(side: Mapping[str, Any], name: str, stats: Iterable[str]) -> Iterator[Figure]:
    """Some statistics of one latency, and its percentiles."""
    key, unit = (f"{name}_ns", "ns") if f"{name}_ns" in side or name not in side else (name, "us")
    for stat in stats:
        value = number(side, key, stat)
        if value is not None:
            yield QUANTITIES[name], stat, value, unit
    latency = side.get(key)
    listed = latency.get("percentile") if isinstance(latency, dict) else None
    if isinstance(listed, dict):
        values = {percent: value for percent in listed if (value := number(listed, percent)) is not None}
        for stat, value in percentiles(values):
            yield QUANTITIES[name], stat, value, unit


def percentiles(values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The statistics of percentiles: of the list that fio prints by itself some, of any other all.

    A percentile of 0 fills the rest of a list, and is none.
    """
    names = {_percent(text): value for text, value in values.items()}
    names.pop("", None)
    is_usual = names.keys() == _EVERY_PERCENTILE
    for name, value in list(names.items())[:_MOST_PERCENTILES]:
        if not is_usual or name in _KEPT_PERCENTILES:
            yield f"p{name}", value


def usual_percentiles_missing(listed: Iterable[str]) -> list[str]:
    """Those that a list lacks of what fio prints by itself; none where the list is another one, that was asked for.

    Who asks for percentiles does not ask for half of the usual ones and nothing else.
    """
    names = {_percent(text) for text in listed} - {""}
    if not names < _EVERY_PERCENTILE or 2 * len(names) < len(_EVERY_PERCENTILE):
        return []
    return sorted(_EVERY_PERCENTILE - names, key=float)


def _percent(text: str) -> str:
    """`99.900000` as 99.9; empty for 0 and for what is no percentile."""
    if not _PERCENTILE.fullmatch(text) or not 0 < float(text) <= 100:
        return ""
    whole_part, _, fraction = text.partition(".")
    return f"{int(whole_part)}.{fraction}".rstrip("0").rstrip(".")


def _bandwidth(side: Mapping[str, Any], unit: str) -> tuple[float | None, str]:
    """`bw_bytes`, or `bw` of a document whose volume agrees with it."""
    if number(side, "bw_bytes") is not None:
        return number(side, "bw_bytes"), "B/s"
    return (number(side, "bw") if unit else None), "KiB/s"


def volume_unit(side: Mapping[str, Any], block_size: object) -> str:
    """What `io_bytes` is in: B or KiB; empty where the document does not tell, or contradicts itself."""
    if number(side, "bw_bytes") is not None:
        return "B"
    volume, kibibytes = number(side, "io_bytes"), number(side, "io_kbytes")
    if volume is None:
        return ""
    if kibibytes is not None:
        fits = ["B"] if abs(volume / 1024 - kibibytes) <= 1 else []
    else:
        fits = ["B", "KiB"]
    fits = [unit for unit in fits if is_rate_of(side, volume, unit) and _is_requests(side, volume, unit, block_size)]
    return fits[0] if len(fits) == 1 else ""


def is_rate_of(side: Mapping[str, Any], volume: float, unit: str) -> bool:
    """Whether a volume in a unit, over the run time, is `bw`, which is cut off to whole KiB/s."""
    seconds, bandwidth = (number(side, "runtime") or 0.0) / 1000, number(side, "bw")
    if not seconds or bandwidth is None:
        return False
    computed = to_canonical(volume, unit)[0] / seconds / 1024
    return abs(bandwidth - computed) <= (TOLERANCE + ROUNDING_MS / (seconds * 1000)) * computed + 1


def _is_requests(side: Mapping[str, Any], volume: float, unit: str, block_size: object) -> bool:
    """Whether a volume in a unit can be the requests of one block size; true where either is not known."""
    requests, size = number(side, "total_ios"), size_in_bytes(block_size)
    if not requests or not size:
        return True
    moved = to_canonical(volume, unit)[0]
    return requests * size / _MOST_OFF <= moved <= requests * size * _MOST_OFF


def size_in_bytes(text: object) -> int:
    """A single size, 4k as 4096; 0 for ranges, lists and what is none."""
    match = _SIZE.fullmatch(text) if isinstance(text, str) else None
    return int(match[1]) * 1024 ** " kmgtp".index(match[2].lower() or " ") if match else 0
