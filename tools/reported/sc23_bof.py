"""IO500 BoF at SC23: the ES400 line over the releases, and GPUDirect. Its lists are imported, not reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.reported.tables import Record, Row, measurement, number, read_table, slug

DOCUMENT = {
    "slug": "sc23-bof",
    "title": "IO500 at SC23",
    "publisher": "IO500 BoF, slides",
    "year": 2023,
    "address": "https://io500.org/files/SC23_IO500_Presentation.pdf",
}

DDN = {"institution": "DDN", "storage_vendor": "DDN", "filesystem_type": "Lustre"}
SCORED = (
    *("ior-easy-write", "ior-easy-read", "ior-hard-write", "ior-hard-read", "find"),
    *("mdtest-easy-write", "mdtest-easy-stat", "mdtest-easy-delete"),
    *("mdtest-hard-write", "mdtest-hard-read", "mdtest-hard-stat", "mdtest-hard-delete"),
)
PRELIMINARY = "Preliminary, says the slide: shown for how it works, not for the numbers."
HISTORY_COLUMNS = {
    "Pre-SC19": "ES400NV",
    "SC19": "ES400NV",
    "ISC20": "ES400NV",
    "ISC22": "ES400NVX",
    "SC22": "ES400NVX2",
    "ISC23": "ES400NVX2",
}


def results(folder: Path) -> Iterator[Record]:
    yield from _es400(read_table(folder, "io500_lustre_history.csv"))
    yield from _gpudirect(read_table(folder, "io500_gpudirect_modes.csv"))


def _es400(rows: list[Row]) -> Iterator[Record]:
    row_by_metric = {row["metric"]: row for row in rows}
    for release, system in HISTORY_COLUMNS.items():
        score, computed = (number(row_by_metric[kind][release]) for kind in ("printed Score", "recomputed Score"))
        yield DDN | {
            "id": f"sc23-bof-es400-{release.lower()}",
            "tool": "io500",
            "system": system,
            "platform": f"ddn-{system.lower()}",
            "place": "slide on the performance history of IO500",
            "label": f"measured for {release}",
            "client_nodes": 10,
            "score": score,
            "bandwidth_gib_per_s": number(row_by_metric["printed Bandwidth"][release]),
            "rate_kiops": number(row_by_metric["printed IOPS"][release]),
            "parameters": {"io500_release": release, "appliances": 1, "mdts": 4, "osts": 8, "drives": 24},
            "notes": [
                "Clients, targets and drives are those of the slide on hardware, for all columns.",
                "Which columns belong to which platform is read from the slide's three heads over six columns.",
                *([f"From the printed phases the score is {computed}."] if abs(score - computed) > 0.1 else []),
            ],
            "measurements": [
                _phase(name, row_by_metric[name][release], row_by_metric[name]["unit"]) for name in SCORED
            ],
        }


def _phase(name: str, value: str, unit: str) -> Record:
    quantity = "bandwidth" if unit.endswith("B/s") else "rate"
    return measurement(name, quantity, "phase", value, unit) | {"scored": name in SCORED}


def _gpudirect(rows: list[Row]) -> Iterator[Record]:
    row_by_task = {row["task"]: row for row in rows}
    tasks = [row for row in rows if row["unit"] != "score" and not row["task"].startswith("Score")]
    for column in [name for name in rows[0] if name.startswith("mode_")]:
        mode = column.removeprefix("mode_")
        extended = {"bandwidth_gib_per_s": "ScoreX Bandwidth", "rate_kiops": "ScoreX IOPS"}
        yield {
            "id": f"sc23-bof-gpudirect-{slug(mode)}",
            "tool": "io500",
            "mode": "extended",
            "institution": "GWDG",
            "system": "Grete",
            "storage_vendor": "DDN",
            "filesystem_type": "Lustre",
            "place": "slide on preliminary results with GPUDirect",
            "label": f"buffers of mode {mode[0]}, {'with' if mode.endswith('GPUD') else 'without'} GPUDirect",
            "client_nodes": 1,
            "tasks": 9,
            "bandwidth_gib_per_s": number(row_by_task["Score Bandwidth"][column]),
            "rate_kiops": number(row_by_task["Score IOPS"][column]),
            "scores": {"SCOREX": {name: number(row_by_task[task][column]) for name, task in extended.items()}},
            "parameters": {"allocate_buffer_on_gpu": int(mode[0]), "gpudirect": mode.endswith("GPUD"), "gpus": 3},
            "notes": [
                PRELIMINARY,
                f"The phase called concurrent has the score {row_by_task['concurrent'][column]}, without a unit.",
                "No unit is printed for mdworkbench-create; kIOPS is assumed, as for its neighbours.",
            ],
            "not_comparable_for": [{"reason": PRELIMINARY}],
            "measurements": [_phase(row["task"], row[column], _unit(row)) for row in tasks],
        }


def _unit(row: Row) -> str:
    return "kIOPS" if row["unit"] == "(none printed)" else row["unit"]
