"""Make registry/loading/data/tables/mlperf-storage-v1.0.json, the published results of that round as facts, from their
table.

    ./dev.py exec python tools/make_mlperf.py [FILE]

FILE (default: $HIGHWATER_SHARED/data/mlperf_storage_v1.0.csv, else ../shared/data/...) has a row per published result:
the numbers of its report, and what its run folders record. The same input gives the same bytes. "MB" of the report is
MiB: samples/s times the length of a record over 2^20. Findings are those that the benchmark's own rules give.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import fact_files  # noqa: E402
from tools.fact_files import line  # noqa: E402
from validators.benchmarks.mlperf_storage import agreement, rules  # noqa: E402
from validators.bundle import Bundle  # noqa: E402
from validators.findings import Finding  # noqa: E402
from validators.measurements import Run  # noqa: E402
from validators.rules import Context  # noqa: E402

TABLE = ROOT / "registry" / "loading" / "data" / "tables" / "mlperf-storage-v1.0.json"
RELEASE = {
    "slug": "MLPerf-Storage-v1.0",
    "name": "MLPerf Storage v1.0",
    "month": "2024-09",
    "completeness": "complete",
    "note": "All 132 results of the round, 130 of the closed and 2 of the open division, as their reports print them. "
    "MLCommons publishes no ranking: the lists by workload and accelerator are made here from published throughput.",
    "source": "Copy of the published results of MLCommons; not an MLCommons publication.",
    "lists": [
        *(f"mlperf-{workload}-{chip}" for workload in ("unet3d", "resnet50", "cosmoflow") for chip in ("h100", "a100")),
        "mlperf-unet3d-h100-open",
    ],
    "unknown_lists": {},
}
RUN_FIGURES = {
    "Closed/YanRongTech/results/F8000X_8x7000GiB_nvme_2xHDR200_Nclient1/unet3d-h100/unet3d_1acc/"
    "mlperf_storage_report.json": "1 accelerator and 21.24 samples/s of the runs",
}
"""What the runs say where a report contradicts them; the table has the report's numbers only."""

Row = dict[str, str]
Record = dict[str, Any]


def main(arguments: list[str]) -> int:
    file = Path(arguments[0]) if arguments else fact_files.collected("mlperf_storage_v1.0.csv")
    fact_files.write({TABLE: make_table(file)})
    return 0


def make_table(file: Path) -> str:
    """The text of the data file."""
    rows = sorted(fact_files.read_table(file), key=lambda row: row["report"])
    lines = ",\n".join(line(result) for result in _results(rows))
    return f'{{"release":{line(RELEASE)},"results":[\n{lines}\n]}}\n'


def _results(rows: list[Row]) -> Iterator[Record]:
    """The number in an id tells results of one submitter, workload and accelerator apart, in the order of reports."""
    numbers: Counter[str] = Counter()
    for row in rows:
        submitter = row["submitter"].replace("_", " ")
        kind = "-".join((submitter.lower().replace(" ", "-"), row["workload"], row["accelerator"]))
        numbers[kind] += 1
        yield {
            "id": f"mlperf-1.0-{kind}-{numbers[kind]}",
            "release": RELEASE["slug"],
            "tool": "mlperf-storage",
            "benchmark_version": "1.0",
            "mode": "training",
            "institution": submitter,
            "system": row["system"],
            "client_nodes": int(row["num_hosts"]),
            "parameters": _parameters(row),
            "measurements": list(_measurements(row)),
            "findings": [finding.as_json() for finding in _findings(row)],
            "rules": _rules(row),
            "source": f"MLPerf Storage v1.0, {row['report']}",
        }


def _parameters(row: Row) -> Record:
    """Under the names that the benchmark's parser gives them."""
    return {
        "model": row["workload"],
        "accelerator": row["accelerator"],
        "num_accelerators": int(row["num_accelerators"]),
        "num_hosts": int(row["num_hosts"]),
        "client_nodes": int(row["num_hosts"]),
        "division": row["division"].lower(),
        "runs": int(row["num_runs"]),
        "au_threshold": agreement.THRESHOLDS[row["workload"]],
        "au_min_run": float(row["au_min_run"]),
        "num_files_train": int(row["num_files_train"]),
        "num_samples_per_file": int(row["num_samples_per_file"]),
        "dataset_over_memory": float(row["dataset_over_client_memory"]),
        "hosts_flagged_potential_caching": int(row["hosts_flagged_potential_caching"]),
        "report_equals_runs": row["report_matches_runs"] == "yes",
    }


def _measurements(row: Row) -> Iterator[Record]:
    figures = [
        ("samples_rate", "mean", "samples_per_s_mean", "samples/s"),
        ("samples_rate", "stdev", "samples_per_s_stdev", "samples/s"),
        ("bandwidth", "mean", "MiB_per_s_mean", "MiB/s"),
        ("bandwidth", "stdev", "MiB_per_s_stdev", "MiB/s"),
        ("au", "mean", "au_mean_of_runs", "%"),
        ("au", "min_run", "au_min_run", "%"),
    ]
    for quantity, stat, column, unit in figures:
        yield {
            "op": row["workload"],
            "quantity": quantity,
            "stat": stat,
            "value": float(row[column]),
            "unit": unit,
        }


def _rules(row: Row) -> list[Record]:
    """What the benchmark's rules say of the published parameters; a rule that needs the files is not evaluated."""
    run = Run("mlperf-storage", row["report"], version="1.0", parameters=_parameters(row))
    return [rule.evaluate(run, Context(Bundle())).as_json() for rule in rules.RULES if rule.applies(run)]


def _findings(row: Row) -> Iterator[Finding]:
    where = row["report"]
    yield from agreement.dataset_size(float(row["dataset_over_client_memory"]), where)
    hosts = int(row["hosts_flagged_potential_caching"])
    if hosts:
        yield agreement.caching(hosts, where)
    if row["report_matches_runs"] != "yes":
        claim = (
            f"{row['num_accelerators']} accelerators and {float(row['samples_per_s_mean']):.2f} samples/s of the report"
        )
        yield agreement.contradiction(where, expected=RUN_FIGURES[where], actual=claim)
    least, threshold = float(row["au_min_run"]), agreement.THRESHOLDS[row["workload"]]
    if least < threshold:
        raise SystemExit(f"{where}: utilisation {least} is below {threshold}, which no published result was")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
