"""Series of runs without a change, and how often a new run of them is called lower or higher: seeded simulation."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from registry.timeseries import change_points, run_verdicts

Noise = Callable[[random.Random, int], list[float]]
DAY = dt.date(2026, 1, 1)
LENGTH = 60


def independent(source: random.Random, count: int) -> list[float]:
    return [source.gauss(0, 1) for _ in range(count)]


def serial(share: float) -> Noise:
    """Each value has a share of the one before it; the deviation is 1."""

    def draw(source: random.Random, count: int) -> list[float]:
        values, value = [], source.gauss(0, 1)
        for _ in range(count):
            value = share * value + math.sqrt(1 - share * share) * source.gauss(0, 1)
            values.append(value)
        return values

    return draw


def heavy_tailed(source: random.Random, count: int) -> list[float]:
    """Student's t of 3 degrees of freedom, with a deviation of 1."""
    return [
        source.gauss(0, 1) / math.sqrt(sum(source.gauss(0, 1) ** 2 for _ in range(3)) / 3) / math.sqrt(3)
        for _ in range(count)
    ]


def make_values(source: random.Random, noise: Noise, deviation: float, count: int = LENGTH) -> list[float]:
    """Values around 100 whose logarithms vary so."""
    return [100 * math.exp(deviation * value) for value in noise(source, count)]


def series_row(values: Sequence[float], op: str = "write", resolution: float = 0.0, step_free: bool = False) -> Any:
    """A series as registry/timeseries/series.py makes it, a run each day."""
    points = [
        {"result": f"hw-{place}", "day": DAY + dt.timedelta(days=place), "value": value, "qualifier": ""}
        for place, value in enumerate(values)
    ]
    steps = [] if step_free else [{"place": step.place} for step in change_points.find_change_points(values)]
    return {
        **{"tool": "ior", "mode": "", "trust": "verified", "client_nodes": 10, "list": "", "scale": {}, "settings": {}},
        **{"op": op, "quantity": "bandwidth", "stat": "max", "unit": "B/s", "printed_unit": "MB/s", "context": {}},
        **{"points": points, "steps": steps, "resolution": resolution},
    }


def judge_newest(metrics: Sequence[Sequence[float]], resolution: float = 0.0) -> Any:
    """The verdict on the last run of a system, of which each metric has these values."""
    rows = [series_row(values, f"op{number}", resolution) for number, values in enumerate(metrics)]
    return run_verdicts.judge_results(rows)[f"hw-{len(metrics[0]) - 1}"]


def count_outside(metrics: Sequence[Sequence[float]], resolution: float = 0.0) -> tuple[int, int]:
    """Of the runs of a system how many are lower or higher, and how many were judged at all."""
    rows = [series_row(values, f"op{number}", resolution) for number, values in enumerate(metrics)]
    verdicts = [row["verdict"] for row in run_verdicts.judge_results(rows).values()]
    outside = sum(verdict in ("lower", "higher") for verdict in verdicts)
    return outside, outside + verdicts.count("as expected")
