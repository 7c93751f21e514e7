"""HPE at CUG 2025, "E2000 Performance From Microbenchmarks to Applications": E1000 and E2000."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.reported.tables import HPE_E1000, HPE_E2000, Record, Row, measurement, read_facts, read_table

DOCUMENT = {
    "slug": "cug25",
    "title": "E2000 Performance From Microbenchmarks to Applications",
    "publisher": "HPE, Cray User Group 2025",
    "year": 2025,
}
SAME_AS = {
    "cug25-mlperf-unet3d-e1000-5": "mlperf-1.0-hpe-unet3d-h100-4",
    "cug25-mlperf-unet3d-e1000-1": "mlperf-1.0-hpe-unet3d-h100-3",
    "cug25-mlperf-resnet50-e1000-1": "mlperf-1.0-hpe-resnet50-h100-2",
}
"""Results of MLPerf Storage v1.0 that the paper prints beside its own."""
MLPERF = "MLCommons' MLPerf Storage v1.0 results"
COMPUTE_NODES_DIFFER = "The compute nodes of the two systems differ, so that run times do not compare the storage."
ENDS_OF_A_RANGE = (
    "The least and the most over files are the two ends of a printed range; neither is a gain of the storage."
)


def results(folder: Path) -> Iterator[Record]:
    yield from _obdfilter_e2000(read_table(folder, "obdfilter_e2000.csv"))
    yield _ior_e2000()
    yield from _lst_e2000(read_table(folder, "lst_e2000_nps_cpt.csv"))
    yield from _mlperf(read_table(folder, "mlperf_e1000_e2000.csv"))
    yield from _wrf(read_facts(folder, "wrf_seed000.json"))


def _obdfilter_e2000(rows: list[Row]) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        osts = int(row["osts"])
        computed = round(float(row["recomputed_read_per_drive"]))
        read_rate = int(row["read_per_drive_MiBps"])
        yield HPE_E2000 | {
            "id": f"cug25-table3-{number}",
            "tool": "obdfilter-survey",
            "system": row["platform"],
            "place": f"Table 3, row {number}",
            "label": f"{osts} OSTs, {row['drives_per_controller']} drives per controller",
            "parameters": {
                "backend": "ldiskfs",
                "raid": "GridRAID",
                "osts": osts,
                "drives": 32,
                "data_servers": 2,
                "enclosures": 1,
                "drives_per_controller": int(row["drives_per_controller"]),
                "objects_per_ost": 1,
                "threads_per_ost": 1024,
                "record_KiB": 4096,
            },
            "notes": [
                "Printed per drive: writes without the two parity drives of ten, over 32 drives.",
                *(
                    [f"Read per drive is printed as {read_rate} and should be {computed}, the total over 32 drives."]
                    if read_rate != computed
                    else []
                ),
            ],
            "measurements": [
                measurement(op, "bandwidth", stat, row[f"{op}{column}_MiBps"], "MiB/s", osts=osts)
                for stat, column in (("aggregate", ""), ("per_drive", "_per_drive"))
                for op in ("write", "read")
            ],
        }


def _ior_e2000() -> Record:
    """The only rates of clients that the text prints; its bars have no numbers."""
    unit = {"backend": "ldiskfs", "raid": "GridRAID", "osts": 4, "drives": 32, "data_servers": 2, "enclosures": 1}
    return HPE_E2000 | {
        "id": "cug25-ior-e2000",
        "tool": "ior",
        "system": "E2000-F",
        "place": "section 5",
        "label": "buffered I/O, near its limits",
        "client_nodes": 32,
        "parameters": unit | {"direct_io": False, "procs_per_node": 8, "fabric": "InfiniBand NDR"},
        "notes": [
            "A file per process, a fixed time and requests of 1 MB or larger, says section 3.2.1 of such tests; which "
            "gave these two rates is not said.",
            "Clients and processes are those of the section on IOR, drives and servers those of Tables 2 and 3.",
            "Writes are limited by the drives, reads by the network, says the document.",
        ],
        "measurements": [
            measurement("write", "bandwidth", "max", 150, "GB/s", qualifier="about"),
            measurement("read", "bandwidth", "max", 200, "GB/s", qualifier="below"),
        ],
    }


def _lst_e2000(rows: list[Row]) -> Iterator[Record]:
    """One server; bandwidth and RPCs are counted in the direction in which the data goes."""
    directions = (("receive", "write"), ("send", "read"))
    for number, row in enumerate(rows, 1):
        yield HPE_E2000 | {
            "id": f"cug25-table4-{number}",
            "tool": "lst",
            "system": "E2000",
            "place": f"Table 4, row {number}",
            "label": f"one OSS, NPS {row['nps']}, {row['cpt']} CPU partitions",
            "parameters": {
                "nps": int(row["nps"]),
                "cpt": int(row["cpt"]),
                "concurrency": int(row["concurrency"]),
                "data_servers": 1,
            },
            "notes": [
                "Seen from the server: it receives in writes and sends in reads.",
                "MB/s is decimal: read as MiB/s, writes would exceed the two 400 Gb/s ports.",
                "The paper calls the concurrency not optimal for 4 KiB messages.",
            ],
            "measurements": [
                measurement(
                    op, quantity, "mean_node", row[f"{mode}_{column}"], unit,
                    mode=mode, group="servers", size=size,
                )
                for quantity, column, unit, size in (
                    ("bandwidth", "1m_MBps", "MB/s", "1m"),
                    ("rate", "4k_RPCps", "RPC/s", "4k"),
                )
                for op, mode in directions
            ],
        }  # fmt: skip


def _mlperf(rows: list[Row]) -> Iterator[Record]:
    for row in rows:
        published = row["status"].startswith("published")
        clients, platform, workload = int(row["clients"]), row["platform"], row["workload"]
        about = {} if published else {"qualifier": "about"}
        samples_per_s = row["samples_per_s"]
        rate = (
            [measurement(workload, "samples_rate", "mean", samples_per_s, "samples/s", **about)]
            if samples_per_s
            else []
        )
        yield (HPE_E1000 if platform == "E1000" else HPE_E2000) | {
            "id": f"cug25-mlperf-{workload}-{platform.lower()}-{clients}",
            "tool": "mlperf-storage",
            "tool_version": "1.0" if published else "",
            "mode": "closed" if published else "",
            "system": row["status"].split(" HPE ")[1] if published else platform,
            "place": f"section 3.3, held against {MLPERF}" if published else "section 3.3",
            "label": f"{workload}, {row['accelerators']} {row['accelerator'].upper()}, client nodes: {clients}",
            "client_nodes": clients,
            "parameters": {
                "model": workload,
                "accelerator": row["accelerator"],
                "num_accelerators": int(row["accelerators"]),
            },
            "notes": _mlperf_notes(row, published),
            "measurements": [
                *rate,
                measurement(workload, "accelerators", "max", row["accelerators"], "count"),
            ],
        }


def _mlperf_notes(row: Row, published: bool) -> list[str]:
    if published:
        return ["A published MLPerf Storage result of HPE; not a figure of the paper itself."]
    if not row["samples_per_s"]:
        return [
            "The paper prints five accelerators more than the E1000, and about twice its samples/s without the number; "
            "20 accelerators at the published rate each would be 1.33 times."
        ]
    if row["workload"] == "resnet50":
        return ["The paper calls this 16 accelerators more than the E1000; the published E1000 result has 34, so 28."]
    return []


def _wrf(facts: Record) -> Iterator[Record]:
    for platform, base in (("E1000", HPE_E1000), ("E2000", HPE_E2000)):
        low, high = facts["net_write_BW_GBps"][platform]
        yield base | {
            "id": f"cug25-wrf-{platform.lower()}",
            "tool": "wrf",
            "system": f"{platform}-F",
            "place": "section 4.1",
            "label": "nested domains of 3 km and 1 km, 70 simulated minutes",
            "client_nodes": facts["nodes"],
            "parameters": {
                "aggregators": facts["aggregators"],
                "stripe_count": "4; 32",
                "stripe_size_bytes": 2**20,
                "locking": "lockahead; default",
                "restart_every_min": facts["restart_every_min"],
                "files": facts["files"],
                "domains": len(facts["domains"]),
                "levels": facts["levels"],
                "timestep_s": facts["timestep_s"],
                "simulated_min": facts["simulated_min"],
                "input_GB": facts["input_GB"],
                "output_TB": facts["output_TB"],
            }
            | ({"fabric": "Slingshot, 200 Gb/s, one port"} if platform == "E1000" else {}),
            "notes": [
                "The compute nodes of the two systems differ, so that run times do not compare the storage.",
                "Write bandwidth is a range over files, as the timers of Cray MPICH print it.",
                "Two configurations: 4 stripes with lock-ahead, and 32 stripes with default locking, both with 32 "
                "aggregators. Stripes are printed as 1 MB.",
            ],
            "not_comparable_for": [
                {"quantity": quantity, "reason": COMPUTE_NODES_DIFFER, "with": [f"cug25-wrf-{other}"]}
                for quantity in ("time", "share")
                for other in ("e1000", "e2000")
                if other != platform.lower()
            ]
            + [{"op": "write", "quantity": "bandwidth", "reason": ENDS_OF_A_RANGE}],
            "measurements": [
                measurement("run", "time", "wall", facts["walltime_s"][platform], "s", qualifier="about"),
                measurement("io", "share", "wall", facts["io_share_percent"][platform], "%"),
                measurement("write", "bandwidth", "min", low, "GB/s", timer="cray-mpich"),
                measurement("write", "bandwidth", "max", high, "GB/s", timer="cray-mpich"),
            ],
        }
