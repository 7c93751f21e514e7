"""Change points that Apache Otava finds in constructed series, for tests/registry/timeseries/otava.json.

Otava needs another version of numpy and a package that is called `validators`, as one of ours is. So it runs in an
environment of its own, and its answers are kept:

    python3 -m venv /tmp/otava && /tmp/otava/bin/pip install apache-otava==0.8.0
    /tmp/otava/bin/python tools/otava_change_points.py tests/registry/timeseries/otava.json

Otava has the default options of its command, but for the least move: 1 %, as below it we find none either. Series have
60 values and 3 % noise but where their name says something else; they are the same in every run.
"""

from __future__ import annotations

import json
import math
import random
import sys
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path

WINDOW, CHANCE, LEAST_MOVE = 50, 0.001, 0.01
SEEDS = (1, 2, 3)
Levels = list[float]

STEP_FREE = {"noise": [100.0] * 60, "short-noise": [100.0] * 12}
STEPS = {
    "fall-25": [100.0] * 30 + [75.0] * 30,
    "rise-15": [100.0] * 30 + [115.0] * 30,
    "fall-10": [100.0] * 30 + [90.0] * 30,
    "fall-5": [100.0] * 30 + [95.0] * 30,
    "late-fall-25": [100.0] * 52 + [75.0] * 8,
    "last-three-25": [100.0] * 57 + [75.0] * 3,
    "last-one-25": [100.0] * 59 + [75.0],
    "repaired-fall-20": [100.0] * 25 + [80.0] * 10 + [100.0] * 25,
    "stairs-20": [100.0] * 20 + [80.0] * 20 + [64.0] * 20,
    "short-fall-25": [100.0] * 6 + [75.0] * 6,
}
OTHER = {
    "outlier": [100.0] * 30 + [60.0] + [100.0] * 29,
    "two-outliers": [100.0] * 30 + [60.0] * 2 + [100.0] * 28,
    "drift-1": [100.0 * 1.01**place for place in range(60)],
}


def make_series() -> dict[str, list[float]]:
    """By name and seed the values of each constructed series."""
    series = {
        f"{name}.{seed}": _add_noise(levels, random.Random(f"{name}.{seed}"))
        for name, levels in (STEP_FREE | STEPS | OTHER).items()
        for seed in SEEDS
    }
    for seed in SEEDS:
        series[f"serial-0.5.{seed}"] = _serial_noise(0.5, random.Random(f"serial.{seed}"))
    return series


def _add_noise(levels: Levels, source: random.Random) -> list[float]:
    return [round(level * math.exp(source.gauss(0, 0.03)), 4) for level in levels]


def _serial_noise(share: float, source: random.Random) -> list[float]:
    """Values of which each has a share of the one before it, with 3 % deviation in all."""
    drawn = [source.gauss(0, 0.03 * math.sqrt(1 - share * share)) for _ in range(100)]
    moved = list(accumulate(drawn, lambda before, addend: share * before + addend))
    return [round(100 * math.exp(value), 4) for value in moved[40:]]


def find_by_otava(values: list[float]) -> list[int]:
    """Places of the first value after each change point."""
    from otava.analysis import compute_change_points  # of the other environment

    change_points, _ = compute_change_points(values, WINDOW, CHANCE, LEAST_MOVE)
    return [int(change_point.index) for change_point in change_points]


def main(target: Path) -> None:
    """Write the series and what Otava finds in each to a file."""
    document = {
        "otava": version("apache-otava"),
        "options": {"window": WINDOW, "max_pvalue": CHANCE, "min_magnitude": LEAST_MOVE},
        "series": [
            {"name": name, "values": values, "change_points": find_by_otava(values)}
            for name, values in make_series().items()
        ],
    }
    target.write_text(json.dumps(document, indent=None).replace('{"name"', '\n{"name"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
