"""Fit how far single runs of each kind of number may move, and write it into assumptions.json.

    python tools/make_assumptions.py SHARED

SHARED holds `mlperf_storage_v1.0.csv` and `io500/official_submissions.csv`. A set is what was published of one system
more than once, declared alike. Its sample variance v of logarithms, over d degrees of freedom, has the marginal
distribution v / scale^2 ~ F(d, degrees) where variances of systems are scaled inverse chi-squares; the logarithm of a
further run is then scale x Student's t with as many degrees (G. K. Smyth 2004, doi:10.2202/1544-6115.1027, equation 5).
Scale and degrees are those of the largest likelihood, degrees whole. Coverage is by leaving out one system after the
other: of the pairs of its runs so many have a ratio within the interval that the others give.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from registry.comparison.uncertainty import Assumption, joint_width  # noqa: E402

FILE = ROOT / "registry" / "comparison" / "data" / "assumptions.json"
MLPERF, IO500 = Path("mlperf_storage_v1.0.csv"), Path("io500") / "official_submissions.csv"
MOST_DEGREES = 10
LEAST_VARIANCE = 1e-8
"""Of logarithms, (0.01 %)^2: what printed digits leave open of equal numbers."""
DECLARED = (
    *("institution", "system", "storage_vendor", "filesystem_type", "filesystem_version", "release"),
    *("client_nodes", "client_total_procs", "md_nodes", "ds_nodes"),
)
BANDWIDTHS = ("ior_easy_write", "ior_easy_read", "ior_hard_write", "ior_hard_read")
RATES = (
    *("mdtest_easy_write", "mdtest_easy_stat", "mdtest_easy_delete", "mdtest_hard_write", "mdtest_hard_stat"),
    *("mdtest_hard_read", "mdtest_hard_delete", "find"),
)

Row = dict[str, str]
System = tuple[str, ...]
Set = tuple[System, Sequence[float]]
"""A system, and the logarithms of one number of it in each of its runs."""
Variance = tuple[float, int]
"""A sample variance with its degrees of freedom."""


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def mlperf_variances(rows: Iterable[Row]) -> list[Variance]:
    """Of sets of five runs; what was published twice counts once. Published deviations are of the population."""
    sets = {
        (float(row["samples_per_s_mean"]), float(row["samples_per_s_stdev"])) for row in rows if row["num_runs"] == "5"
    }
    return [((deviation / mean) ** 2 * 5 / 4, 4) for mean, deviation in sorted(sets)]


def alike_runs(rows: Iterable[Row]) -> list[tuple[System, list[Row]]]:
    """Submissions that declare the same system and scale and have all phases, where there are several."""
    runs: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row["client_nodes"] and row["client_total_procs"] and row["system"].strip() and _is_whole(row):
            runs[tuple(row[name].strip().casefold() for name in DECLARED)].append(row)
    return [(key[:2], runs[key]) for key in sorted(runs) if len(runs[key]) > 1]


def _is_whole(row: Row) -> bool:
    return all(row[name] and float(row[name]) > 0 for name in (*BANDWIDTHS, *RATES))


def phase_sets(alike: Iterable[tuple[System, list[Row]]], names: Iterable[str]) -> list[Set]:
    """A set for each of these phases of each system."""
    return [(system, [math.log(float(row[name])) for row in rows]) for system, rows in alike for name in names]


def mean_sets(alike: Iterable[tuple[System, list[Row]]], *halves: Sequence[str]) -> list[Set]:
    """The logarithm of the geometric mean of the geometric means of these groups of phases: a half, or the score."""
    return [
        (system, [statistics.fmean(_log_mean(row, half) for half in halves) for row in rows]) for system, rows in alike
    ]


def _log_mean(row: Row, names: Iterable[str]) -> float:
    return statistics.fmean(math.log(float(row[name])) for name in names)


def variances_of(sets: Iterable[Set]) -> list[Variance]:
    return [(statistics.variance(logs), len(logs) - 1) for _, logs in sets]


def fit_variances(variances: Sequence[Variance]) -> tuple[float, int]:
    """Scale and whole degrees of the largest likelihood; `scale` is of logarithms, 0.01 is about 1 %."""
    best = (-math.inf, 0.0, 0)
    for degrees in range(1, MOST_DEGREES + 1):
        scale = fit_scale(variances, degrees)
        likelihood = log_likelihood(variances, scale, degrees)
        if likelihood < best[0]:
            break
        best = (likelihood, scale, degrees)
    return best[1:]


def fit_scale(variances: Sequence[Variance], degrees: int) -> float:
    """The scale of the largest likelihood by ternary search: the likelihood has one maximum in its logarithm."""
    low, high = math.log(1e-5), math.log(10.0)
    for _ in range(40):
        third = (high - low) / 3
        ends = low + third, high - third
        worse, better = (log_likelihood(variances, math.exp(end), degrees) for end in ends)
        low, high = (ends[0], high) if worse < better else (low, ends[1])
    return math.exp((low + high) / 2)


def log_likelihood(variances: Sequence[Variance], scale: float, degrees: int) -> float:
    """Of variances that are scale^2 x F(d, degrees), without what does not depend on scale and degrees."""
    total = 0.0
    for variance, own in variances:
        ratio = max(variance, LEAST_VARIANCE) / scale**2
        total += math.lgamma((own + degrees) / 2) - math.lgamma(degrees / 2) + own / 2 * math.log(own / degrees)
        total += own / 2 * math.log(ratio) - (own + degrees) / 2 * math.log1p(own * ratio / degrees)
    return total


def left_out_coverage(sets: Sequence[Set]) -> float:
    """The share of ratios of runs of a system that the interval holds which all other systems give, as a share.

    Each set counts once, however many pairs of runs it has.
    """
    shares = []
    for system in {name for name, _ in sets}:
        scale, degrees = fit_variances(variances_of(row for row in sets if row[0] != system))
        assumption = Assumption(scale, degrees)
        width = joint_width(assumption, assumption)
        for _, logs in (row for row in sets if row[0] == system):
            pairs = list(itertools.combinations(logs, 2))
            shares.append(sum(abs(first - other) <= width for first, other in pairs) / len(pairs))
    return statistics.fmean(shares)


def assumption_row(variances: Sequence[Variance]) -> dict[str, Any]:
    scale, degrees = fit_variances(variances)
    median = statistics.median(math.sqrt(variance) for variance, _ in variances)
    return {
        "scale_percent": round(100 * scale, 2),
        "degrees": degrees,
        "sets": len(variances),
        "runs": sum(own + 1 for _, own in variances),
        "median_deviation_percent": round(100 * median, 2),
    }


def io500_row(sets: Sequence[Set]) -> dict[str, Any]:
    row = assumption_row(variances_of(sets))
    return row | {
        "systems": len({name for name, _ in sets}),
        "left_out_coverage_percent": round(100 * left_out_coverage(sets), 1),
    }


def fit_classes(shared: Path) -> dict[str, dict[str, Any]]:
    """What the published tables say of each class, by its name."""
    alike = alike_runs(read_rows(shared / IO500))
    return {
        "bandwidth": io500_row(phase_sets(alike, BANDWIDTHS)),
        "metadata": io500_row(phase_sets(alike, RATES)),
        "bandwidth_half": io500_row(mean_sets(alike, BANDWIDTHS)),
        "metadata_half": io500_row(mean_sets(alike, RATES)),
        "score": io500_row(mean_sets(alike, BANDWIDTHS, RATES)),
        "mlperf": assumption_row(mlperf_variances(read_rows(shared / MLPERF))),
    }


def main(shared: Path) -> None:
    written = json.loads(FILE.read_text(encoding="utf-8"))
    fits = fit_classes(shared)
    written["classes"] = [entry | fits.get(entry["class"], {}) for entry in written["classes"]]
    FILE.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, row in fits.items():
        print(name, row)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
