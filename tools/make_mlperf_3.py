"""Make registry/loading/data/tables/mlperf-storage-v3.0.json, the rows of that round as facts.

    ./dev.py exec python tools/make_mlperf_3.py [FOLDER]

FOLDER (default: $HIGHWATER_SHARED/data/mlperf-v3, else ../shared/data/...) has the names of the rows in
mlperf_storage_v3.0.csv, ids that were taken back in retired_ids.csv, and the raw files at hand in raw/. The same input
gives the same bytes. Figures are those that our own reader finds in the raw files, none is copied from the table.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from registry.loading import mlperf_facts, mlperf_folders, mlperf_rows  # noqa: E402
from tools import fact_files  # noqa: E402
from tools.fact_files import line  # noqa: E402

RELEASE = {
    "slug": "MLPerf-Storage-v3.0",
    "name": "MLPerf Storage v3.0",
    "month": "2026-08",
    "completeness": "missing",
    "note": "The 150 rows of the round, 148 of the closed and 2 of the open division, of 19 submitters and 99 systems. "
    "MLCommons's own table was not at hand: the rows are those of the published folders and of the text of the review, "
    "last revised in August 2026, by which the round is dated here. Raw files of 36 rows were read: 25 have all their "
    "figures, 11 those of one of five measured runs. The other 114 have no number here, which says nothing of them. "
    "MLCommons publishes no ranking. None is made here either: it would rank what was read, not what was run.",
    "source": "Folders and review of the published results of MLCommons; not an MLCommons publication.",
    "lists": [],
    "unknown_lists": {},
}
NEVER_ISSUED = ("v3.0-0006", "v3.0-0138")
NAMES = {"training": "training", "checkpointing": "checkpointing", "kv_cache": "kv-cache", "vector_database": "vectors"}
NAMESAKES = {("HPE", "e2000"): "e2000 of MLPerf Storage v3.0"}
"""Names under which systems stand here where a document calls another one alike: nobody says that they are one."""
ID_BASES = {"stated": "stated", "derived": "order", "derived, pair order uncertain": "order of a pair uncertain"}
MODEL_BASES = {"listing": mlperf_rows.LISTED, "inferred from name": "name", "from name": "name",
               "inferred from 1Tier0, 2Tier0, 4Tier0": "sisters", "not looked up": "not seen"}  # fmt: skip
FIGURES = {
    "usable_capacity_TiB": "usable_capacity_TiB",
    "rack_units": "rack_units",
    "provisioned_power_W": "provisioned_power_W",
    "storage_nodes": "storage_nodes",
    "storage_drives": "storage_drives",
    "client_hosts_yaml": "client_hosts",
}

Row = dict[str, str]
Record = dict[str, Any]


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else fact_files.collected("mlperf-v3")
    fact_files.write({mlperf_rows.TABLE: make_table(folder)})
    return 0


def make_table(folder: Path) -> str:
    """The text of the data file."""
    rows = sorted(fact_files.read_table(folder / "mlperf_storage_v3.0.csv"), key=_order)
    places = mlperf_folders.find_workloads([folder / "raw"]).places
    lines = ",\n".join(line(result) for result in _results(rows, places))
    retired = ",\n".join(line(row) for row in _retired_rows(folder))
    never = line(list(NEVER_ISSUED))
    return f'{{"release":{line(RELEASE)},"retired":[\n{retired}\n],"never_issued":{never},"results":[\n{lines}\n]}}\n'


def _order(row: Row) -> tuple[str, ...]:
    return (row["submitter"], row["benchmark"], row["division"], row["system"], row["model"])


def _results(rows: list[Row], places: dict[mlperf_folders.Key, mlperf_folders.WorkloadPlace]) -> Iterator[Record]:
    """The number in an id tells rows of one submitter and kind apart; nothing inferred is part of an id."""
    numbers: Counter[str] = Counter()
    for row in rows:
        kind = f"{row['submitter'].lower().replace('_', '-')}-{NAMES[row['benchmark']]}"
        numbers[kind] += 1
        named = mlperf_rows.without_figures(_named_row(row, f"mlperf-3.0-{kind}-{numbers[kind]}"))
        place = places.get(mlperf_rows.row_key(named))
        if place is None:
            if row["runs_read"]:
                raise SystemExit(f"{named['id']}: its raw files are missing")
            yield named
            continue
        facts = mlperf_facts.read_workload(place.files)
        if "reason" in facts:
            raise SystemExit(f"{named['id']}: {facts['reason']}")
        runs = len(place.runs)
        is_one = row["value_basis"] == f"1 of {mlperf_facts.COUNTED_RUNS} measured runs"
        if bool(mlperf_facts.missing_part(row["benchmark"], facts, runs)) != is_one:
            raise SystemExit(f"{named['id']}: the table says {row['value_basis']!r}, the files otherwise")
        yield mlperf_rows.with_figures(named, facts, runs, mlperf_rows.ONE_RUN if is_one else mlperf_rows.ALL_RUNS)


def _named_row(row: Row, public_id: str) -> Record:
    basis = MODEL_BASES[row["model_basis"]]
    key = (row["division"], row["submitter"], row["system"], row["benchmark"])
    folder = mlperf_folders.published_folder((*key, row["model"] if basis == mlperf_rows.LISTED else ""))
    called = NAMESAKES.get((row["submitter"], row["system"]))
    return {
        "id": public_id,
        "release": RELEASE["slug"],
        "tool": mlperf_facts.TOOL,
        "benchmark_version": "3.0",
        "institution": row["submitter"].replace("_", " "),
        "system": row["system"],
        **({"system_called": called} if called else {}),
        "source": f"MLPerf Storage v3.0, {folder}",
        mlperf_rows.ROW: {
            **dict(zip(("division", "submitter", "system", "kind"), key, strict=True)),
            "model": row["model"],
            "model_basis": basis,
            "id": row["public_id"],
            "id_basis": ID_BASES[row["id_basis"]],
            "id_inferred": row["id_basis"] != "stated",
            "described": _described(row),
        },
    }


def _described(row: Row) -> Record:
    """What is known of the described system; a blank cell and a count of zero are not known."""
    facts: Record = {name: row[name] for name in ("availability", "deployment") if row[name]}
    for column, name in FIGURES.items():
        if re.fullmatch(r"\d+(\.\d+)?", row[column]) and float(row[column]):
            facts[name] = float(row[column]) if "." in row[column] else int(row[column])
    if "provisioned_power_W" in facts:
        facts["power_basis"] = "review" if row["power_basis"] == "review text" else "description"
    return facts


def _retired_rows(folder: Path) -> Iterator[Record]:
    for row in fact_files.read_table(folder / "retired_ids.csv"):
        yield {"id": row["public_id"], "submitter": row["organisation"], "what": row["reason"], "by": row["by"]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
