"""Dell on Lustre with hard disks: peaks that the text states, most with a word such as "over"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.reported.tables import Record, Row, measurement, read_table

DOCUMENT = {
    "slug": "dell-lustre",
    "title": "Dell Storage for HPC with Intel EE for Lustre",
    "publisher": "Dell, white paper",
}

DELL = {
    "institution": "Dell",
    "system": "Dell Storage for HPC with Intel EE for Lustre",
    "platform": "dell-intel-ee-lustre",
    "storage_vendor": "Dell",
    "filesystem_type": "Lustre",
    "filesystem_version": "2.5.37.7",
}
QUALIFIERS = {
    "slightly less than": "below",
    "less than": "below",
    "over": "above",
    "more than": "above",
    "little over": "above",
    "near": "about",
    "almost": "about",
    "": "",
}


def results(folder: Path) -> Iterator[Record]:
    rows = {row["test"]: row for row in read_table(folder, "dell_results.csv")}
    yield from _dell_iozone(rows)
    yield from _dell_mdtest(rows)


def _dell_value(rows: dict[str, Row], test: str, op: str, quantity: str, stat: str, **context: Any) -> Record:
    row = rows[test]
    qualifier = QUALIFIERS[row["qualifier"]]
    context |= {"qualifier": qualifier} if qualifier else {}
    unit = "ops/s" if row["unit"] == "IOPS" else row["unit"]
    return measurement(op, quantity, stat, row["value"], unit, **context)


def _dell_iozone(rows: dict[str, Row]) -> Iterator[Record]:
    raid = {"raid": "RAID 6 8+2", "drives_per_ost": 10, "backend": "ldiskfs", "access": "file-per-process"}
    raid |= {"direct_io": True, "fsync": True, "client_nodes_at_most": 64}  # -I and -e of the commands
    test_groups = (
        ("sequential", "4.1", "peak of sequential I/O over the threads",
         {"osts": 24, "record_KiB": 1024, "total_TB": 2}, {}, (
            ("IOzone sequential write peak", "write", "bandwidth"),
            ("IOzone sequential read peak", "read", "bandwidth"),
        )),
        ("one-client", "4.1", "one client, one thread, 8 OSTs", {"osts": 8, "record_KiB": 1024, "processes": 1},
         {"client_nodes": 1, "tasks": 1}, (
            ("one client, 8 OSTs, write", "write", "bandwidth"),
            ("one client, 8 OSTs, read", "read", "bandwidth"),
        )),
        ("random", "4.2", "peak of random writes over the threads",
         {"osts": 24, "record_KiB": 4, "total_TB": 1, "stripe_count": 1, "stripe_size_bytes": 4 * 2**20}, {}, (
            ("IOzone random write peak", "random_write", "rate"),
        )),
    )  # fmt: skip
    for name, section, label, parameters, facts, tests in test_groups:
        yield (
            DELL
            | facts
            | {
                "id": f"dell-lustre-iozone-{name}",
                "tool": "iozone",
                "tool_version": "3.429",
                "place": f"section {section}",
                "label": label,
                "parameters": raid | parameters,
                "notes": [],
                "measurements": [_dell_value(rows, test, op, quantity, "children_sum") for test, op, quantity in tests],
            }
        )


DELL_MDTEST: dict[str, tuple[int | None, tuple[tuple[str, str], ...]]] = {
    "1": (1, (
        ("mdtest file create 1 thread", "file_create"),
        ("mdtest file stat 1 thread", "file_stat"),
        ("mdtest file remove 1 thread", "file_remove"),
        ("mdtest directory create 1 thread", "dir_create"),
        ("mdtest directory stat 1 thread", "dir_stat"),
        ("mdtest directory remove 1 thread", "dir_remove"),
    )),
    "64": (64, (("mdtest directory stat 64 threads", "dir_stat"),)),
    "216": (216, (("mdtest file stat 216 threads", "file_stat"),)),
    "240": (240, (("mdtest file create 240 threads", "file_create"),)),
    "peak": (None, (
        ("mdtest file remove", "file_remove"),
        ("mdtest directory create", "dir_create"),
        ("mdtest directory remove", "dir_remove"),
    )),
}  # fmt: skip


def _dell_mdtest(rows: dict[str, Row]) -> Iterator[Record]:
    for name, (threads, tests) in DELL_MDTEST.items():
        contradiction = "For 240 threads the text says 2.2 million files, the table of parameters 1.5 million."
        yield (
            DELL
            | ({"tasks": threads} if threads else {})
            | {
                "id": f"dell-lustre-mdtest-{name}",
                "tool": "mdtest",
                "tool_version": "1.9.3",
                "place": "section 4.3",
                "label": f"{threads} thread{'s' if threads > 1 else ''}" if threads else "highest over the threads",
                "parameters": {
                    "iterations": 8,
                    "stripe_count": 1,
                    "stripe_size_bytes": 2**20,
                    "files_per_directory": 3125,
                    "client_nodes_at_most": 64,
                    "raid": "RAID-10, 22 drives and 2 spares",
                    "drives_per_mdt": 22,
                    "backend": "ldiskfs",
                },
                "notes": [contradiction] if threads == 240 else [],
                "measurements": [_dell_value(rows, test, op, "rate", "mean") for test, op in tests],
            }
        )
