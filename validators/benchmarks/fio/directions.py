"""The figures of one direction of a job in fio's JSON, whatever version wrote it.

| version | volume | bandwidth | latency |
|---|---|---|---|
| 3.2 and later | `io_bytes` B | `bw_bytes` B/s, `bw` KiB/s | `lat_ns`, `clat_ns` |
| 3.0, 3.1 | `io_bytes` B, `io_kbytes` KiB | `bw` KiB/s | `lat_ns`, `clat_ns` |
| 2.x | `io_bytes` KiB (late ones B) | `bw` KiB/s | `lat`, `clat`, us |

`bw` is KiB/s in all of them. What `io_bytes` is in follows from `io_kbytes` beside it, else from its ratio to `bw`, and
is held against requests times block size where both are known. What does not follow is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from validators.units import is_finite_number, to_canonical

PERCENTILES = {"50.000000": "p50", "99.000000": "p99", "99.900000": "p99.9"}
TOLERANCE = 0.02
ROUNDING_MS = 1.0
"""fio prints whole milliseconds."""

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
    latency, latency_unit = ("lat_ns", "ns") if "lat_ns" in side or "lat" not in side else ("lat", "us")
    completion, completion_unit = ("clat_ns", "ns") if "clat_ns" in side or "clat" not in side else ("clat", "us")
    found = [
        ("bandwidth", "mean", *_bandwidth(side, unit)),
        ("iops", "mean", number(side, "iops"), "ops/s"),
        ("volume", "total", number(side, "io_bytes") if unit else None, unit),
        ("ops", "total", number(side, "total_ios"), "ops"),
        ("time", "total", number(side, "runtime"), "ms"),
        ("latency", "mean", number(side, latency, "mean"), latency_unit),
        ("latency", "max", number(side, latency, "max"), latency_unit),
        *(
            ("completion_latency", stat, number(side, completion, "percentile", key), completion_unit)
            for key, stat in PERCENTILES.items()
        ),
    ]
    for quantity, stat, value, printed_unit in found:
        if value is not None:
            yield quantity, stat, value, printed_unit


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
    """A single block size, 4k as 4096; 0 for ranges, lists and what is none."""
    found = _SIZE.fullmatch(text) if isinstance(text, str) else None
    return int(found[1]) * 1024 ** " kmgtp".index(found[2].lower() or " ") if found else 0
