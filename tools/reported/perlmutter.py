"""NERSC on Perlmutter's file system: one of its servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.reported.tables import Record, Row, measurement, read_facts, read_table

DOCUMENT = {
    "slug": "perlmutter",
    "title": "Architecture and Performance of Perlmutter's 35 PB ClusterStor E1000 All-Flash File System",
    "publisher": "NERSC",
    "address": "https://escholarship.org/uc/item/90r3s04z",
}

PERLMUTTER = {
    "institution": "NERSC",
    "system": "Perlmutter scratch",
    "platform": "clusterstor-e1000",
    "storage_vendor": "HPE",
    "filesystem_type": "Lustre",
}


SETTINGS = {
    "direct_io": False,
    "access": "file-per-process",
    "stripe_count": 1,
    "stripe_size_bytes": 2**20,
}
"""Of all runs of IOR, section III."""
BANDWIDTH_RUNS: dict[str, Record] = {
    "write": {"transfer_size_bytes": 64 * 2**20, "stonewall_s": 45, "wear_out": True},
    "read": {"transfer_size_bytes": 2**20, "stonewall_s": 45, "wear_out": False},
}
IOPS_RUNS: dict[str, Record] = {
    "write": {"transfer_size_bytes": 4096, "stonewall_s": 45, "wear_out": False},
    "read": {"transfer_size_bytes": 4096, "stonewall_s": 300, "wear_out": False},
}


def results(folder: Path) -> Iterator[Record]:
    facts = read_facts(folder, "perlmutter_facts.json")
    raid = {"raid": "GridRAID 8+2", "backend": "ldiskfs", "drives_per_ost": facts["drives_per_ost"]}
    raid |= {"drive_model": "Samsung PM1733"}  # section II-A
    yield _perlmutter_ior(read_table(folder, "perlmutter_table1.csv"), raid)
    yield _perlmutter_obdfilter(facts, raid)
    yield _perlmutter_lst(facts)


def _perlmutter_ior(rows: list[Row], raid: Record) -> Record:
    row_by_metric = {row["metric"]: row for row in rows}
    columns = (
        ("bandwidth", "bandwidth", BANDWIDTH_RUNS),
        ("iops", "ops_rate", IOPS_RUNS),
        ("bandwidth efficiency", "efficiency", {op: {"of": "bandwidth"} for op in BANDWIDTH_RUNS}),
        ("IOPS efficiency", "efficiency", {op: {"of": "ops_rate"} for op in IOPS_RUNS}),
    )
    return PERLMUTTER | {
        "id": "perlmutter-table1",
        "tool": "ior",
        "tool_version": "3.3.0",
        "place": "Table I",
        "label": "one OST",
        "parameters": raid | {"osts": 1, "data_servers": 1} | SETTINGS,
        "notes": [
            "Efficiency is relative to the drives' specification: 42 GB/s in reads, 30.7 GB/s in writes.",
            "The IOPS of writes are held against a third of the drives' rate, for the cost of RAID-6; the table does "
            "not say so.",
            "Seconds are those after which a run stops: 45, in reads of bandwidth at least; 300 in reads of 4 KiB.",
        ],
        "measurements": [
            measurement(op, quantity, "max", row_by_metric[metric][op], row_by_metric[metric]["unit"], **contexts[op])
            for metric, quantity, contexts in columns
            for op in ("write", "read")
        ],
    }


def _perlmutter_obdfilter(facts: Record, raid: Record) -> Record:
    survey = facts["obdfilter"]
    return PERLMUTTER | {
        "id": "perlmutter-obdfilter",
        "tool": "obdfilter-survey",
        "place": "section IV-A",
        "label": f"median of {survey['osts']} OSTs",
        "parameters": raid
        | {
            "osts": survey["osts"],
            "objects_per_ost": survey["objects"],
            "threads_per_ost": survey["threads"],
            "record_KiB": survey["record_MiB"] * 1024,
            "total_KiB": survey["total_MiB"] * 1024,
        },
        "notes": ["Only the share of the drives' specification is printed: 42 GB/s for reads, 30.7 GB/s for writes."],
        "measurements": [
            measurement(op, "efficiency", "median_ost", survey[f"median_{op}_efficiency"], "%", of="bandwidth")
            for op in ("write", "read")
        ],
    }


def _perlmutter_lst(facts: Record) -> Record:
    network = facts["lst"]
    return PERLMUTTER | {
        "id": "perlmutter-lst",
        "tool": "lst",
        "place": "section IV-A",
        "label": f"median of {network['osses']} OSSes",
        "parameters": {
            "data_servers": network["osses"],
            "concurrency": network["concurrency"],
            "size": "1m",
            "sources": network["sources"],
            "fabric": "Slingshot, 200 Gb/s, two ports",
        },
        "notes": [f"Only the share of the ports' {network['network_peak_GBps']} GB/s is printed."],
        "measurements": [
            measurement(
                op, "efficiency", "median_node", network[f"median_{mode}_efficiency"], "%",
                of="bandwidth", mode=mode, group="servers",
            )
            for op, mode in (("receive", "write"), ("send", "read"))
        ],
    }  # fmt: skip
