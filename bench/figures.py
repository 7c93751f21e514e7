"""One figure is one JSON line on stdout, with its unit and the conditions it was measured under."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable


def figure(bench: str, name: str, value: float, unit: str, **conditions: object) -> None:
    line = {"bench": bench, "figure": name, "value": round(value, 4), "unit": unit, "cpus": os.cpu_count()}
    print(json.dumps(line | conditions), flush=True)


def skipped(bench: str, why: str) -> None:
    print(json.dumps({"bench": bench, "skipped": why}), flush=True)


def note(text: str) -> None:
    """Progress, on stderr."""
    print(text, file=sys.stderr, flush=True)


def seconds_of(call: Callable[[], object], times: int) -> list[float]:
    """Wall time of each of `times` calls, after one that does not count."""
    call()
    durations = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        durations.append(time.perf_counter() - begun)
    return durations


def p50_ms(seconds: Iterable[float]) -> float:
    return statistics.median(seconds) * 1000


def p95_ms(seconds: Iterable[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1] * 1000
