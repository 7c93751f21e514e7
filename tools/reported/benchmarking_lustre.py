"""HPE, "Benchmarking Lustre": fabrics and network drivers of the E1000."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.reported.tables import HPE_E1000, Record, Row, measurement, read_table

DOCUMENT = {
    "slug": "benchmarking-lustre",
    "title": "Benchmarking Lustre: Setting Realistic Performance Expectations",
    "publisher": "HPE, slides",
}
SAME_AS = {"benchmarking-lustre-mdtest-0k-ko2iblnd": "benchmarking-lustre-mdtest-both-ib"}
"""Two slides print the same seven numbers of one run; the other one says more of it."""

FABRICS: dict[str, tuple[str, Record]] = {
    "IB (HDR)": ("ib", {"fabric": "InfiniBand HDR", "lnd": "ko2iblnd"}),
    "Ethernet (TCP)": ("tcp", {"fabric": "200 Gb/s Ethernet, TCP", "lnd": "ksocklnd"}),
    "Ethernet (RoCE)": ("roce", {"fabric": "200 Gb/s Ethernet, RoCE", "lnd": "ko2iblnd"}),
    "KFI": ("kfi", {"fabric": "Slingshot-11", "lnd": "kfilnd"}),
}
FLASH_TESTS: dict[str, tuple[str, str, Record]] = {
    "DIO 64PPN": ("dio", "direct I/O", {"direct_io": True, "procs_per_node": 64}),
    "BIO 64PPN": ("bio", "buffered I/O", {"direct_io": False, "procs_per_node": 64}),
    "IOR buffered 4K random": ("4k", "buffered 4 KiB random", {"direct_io": False, "transfer_size_bytes": 4096}),
}
FLASH_UNIT = {"drives": 24, "drive_model": "Samsung PM1733", "data_servers": 2, "enclosures": 1, "rack_units": 2}
UNIT_FROM_SLIDE = (
    "Drives, servers and height are those of the slide on scalable storage units: two GridRAIDs of twelve."
)
JBODS = {"1 JBOD (2 OSTs)": ("1jbod", 1, 2), "2 JBODs (4 OSTs)": ("2jbod", 2, 4)}
GB_ASSUMED = "The slide prints no unit of bandwidth; GB/s is assumed, since the ports allow at most 100 GB/s."
CLIENTS_ROUNDED = "20 or more client nodes, says the slide."
ACCESS_OPEN = "One shared file or a file per process, and the transfer size: the slide does not say."
STONEWALLED = {"client_nodes_at_least": 20, "stonewalling": True}
"""Said of all IOR runs of the slides on fabrics; of mdtest the clients alone hold."""


def results(folder: Path) -> Iterator[Record]:
    yield from _fabric_flash(read_table(folder, "e1000_fabric_ior_flash.csv"))
    yield from _fabric_hdd(read_table(folder, "e1000_fabric_ior_hdd.csv"))
    yield from _fabric_mdtest(read_table(folder, "e1000_fabric_mdtest.csv"))
    yield from _drivers(read_table(folder, "mdtest_ksocklnd_vs_ko2iblnd.csv"))


def _grouped(rows: Iterable[Row], *names: str) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    yield from groups.items()


def _fabric(head: str) -> tuple[str, Record]:
    """ "IB (HDR) 6.1-010.39" -> ("ib", its parameters with the release of the storage software)."""
    fabric_name, _, software = head.rpartition(" ")
    short, parameters = FABRICS[fabric_name]
    return short, parameters | {"storage_software": software}


def _ior_rows(rows: Iterable[Row]) -> list[Record]:
    """Bandwidth of IOR's headline; 4 KiB operations as ops_rate."""
    return [
        measurement(row["io"], "ops_rate", "max", row["value"], "ops/s")
        if row["unit"] == "IOPS"
        else measurement(row["io"], "bandwidth", "max", row["value"], row["unit"])
        for row in rows
        if row["value"]
    ]


def _fabric_flash(rows: list[Row]) -> Iterator[Record]:
    for (test, head), group in _grouped(rows, "test", "fabric"):
        short, words, parameters = FLASH_TESTS[test]
        name, fabric = _fabric(head)
        yield HPE_E1000 | {
            "id": f"benchmarking-lustre-flash-{short}-{name}",
            "tool": "ior",
            "tool_version": "3.3.0",
            "system": "E1000 SSU-F",
            "filesystem_type": "Lustre 2.15",
            "place": "slide on RDMA fabrics, E1000 SSU-F",
            "label": f"{words}, {fabric['fabric']}",
            "parameters": {"raid": "GridRAID", "backend": "ldiskfs", "osts": 2, "raid_layout": "12 [(8+2)+1]"}
            | FLASH_UNIT
            | parameters
            | STONEWALLED
            | fabric,
            "notes": [CLIENTS_ROUNDED, UNIT_FROM_SLIDE, *([] if short == "4k" else [GB_ASSUMED, ACCESS_OPEN])],
            "measurements": _ior_rows(group),
        }


def _fabric_hdd(rows: list[Row]) -> Iterator[Record]:
    for (storage, test, head), group in _grouped(rows, "storage", "test", "fabric"):
        short, words, parameters = FLASH_TESTS[test]
        name, fabric = _fabric(head)
        jbods, enclosures, osts = JBODS[storage]
        yield HPE_E1000 | {
            "id": f"benchmarking-lustre-hdd-{jbods}-{short}-{name}",
            "tool": "ior",
            "tool_version": "3.3.0",
            "system": "E1000 HDD",
            "filesystem_type": "Lustre 2.15",
            "place": "slide on HDD throughput",
            "label": f"{storage.split(' (')[0]}, {words}, {fabric['fabric']}",
            "parameters": {"raid": "GridRAID", "backend": "ldiskfs", "osts": osts, "jbods": enclosures}
            | {"raid_layout": "53 [(8+2)+2]"}
            | parameters
            | STONEWALLED
            | fabric,
            "notes": [CLIENTS_ROUNDED, GB_ASSUMED, ACCESS_OPEN],
            "measurements": _ior_rows(group),
        }


def _mdtest(file_size: str, items: str) -> Record:
    return {
        "directory": "unique",
        "dom": False,
        "file_size_bytes": int(file_size.removesuffix("K")) * 1024,
        "items_kind": items,
        "iterations": 3,
        "mdts": 1,
        "objects_per_mdt": 1_000_000,
        "raid": "RAID-10",
        "drives_per_mdt": 11,
        "backend": "ldiskfs",
    }


def _fabric_mdtest(rows: list[Row]) -> Iterator[Record]:
    kinds = {"files only": ("files", "files"), "dirs+files": ("both", "files/directories")}
    for (pattern, head), group in _grouped(rows, "pattern", "fabric"):
        short, items = kinds[pattern]
        name, fabric = _fabric(head)
        yield HPE_E1000 | {
            "id": f"benchmarking-lustre-mdtest-{short}-{name}",
            "tool": "mdtest",
            "tool_version": "1.9.3",
            "system": "E1000 MDU",
            "filesystem_type": "Lustre 2.15",
            "place": "slide on a single MDT",
            "label": f"{items}, empty files, {fabric['fabric']}",
            "parameters": _mdtest(group[0]["file_size"], items) | {"client_nodes_at_least": 20} | fabric,
            "notes": [CLIENTS_ROUNDED],
            "measurements": [measurement(row["op"], "rate", "mean", row["value"], "ops/s") for row in group],
        }


def _drivers(rows: list[Row]) -> Iterator[Record]:
    fabrics = {"ksocklnd": "200 Gb/s Ethernet, TCP", "ko2iblnd": "InfiniBand HDR"}
    for (size,), group in _grouped(rows, "file_size"):
        for driver, fabric in fabrics.items():
            yield HPE_E1000 | {
                "id": f"benchmarking-lustre-mdtest-{size.lower()}-{driver}",
                "tool": "mdtest",
                "tool_version": "1.9.3",
                "system": "E1000 MDU",
                "place": "slide on TCP/IP and InfiniBand",
                "label": f"files of {size}, {driver}",
                "parameters": _mdtest(size, "files/directories") | {"fabric": fabric, "lnd": driver},
                "notes": ["The slide's column Diff is the ratio ksocklnd to ko2iblnd, not a difference."],
                "measurements": [measurement(row["op"], "rate", "mean", row[driver], "ops/s") for row in group],
            }
