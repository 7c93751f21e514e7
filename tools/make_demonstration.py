"""Write the raw files of the demonstration at /tour/. Nothing was measured: every number in them is made up here.

./dev.py exec python -m tools.make_demonstration

The files have the formats that IOR, IO500, obdfilter-survey and the collector write, so that the readers of this
project read them as they read any upload. The text is written from the formats; nothing is copied.
"""

from __future__ import annotations

import datetime as dt
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.make_io500 import make_run
from tests.make_system import TIB, make_class, make_parameter, make_system

FILE = Path(__file__).resolve().parent.parent / "registry" / "loading" / "data" / "demonstration" / "runs.1.json"
NODES, TASKS_PER_NODE, BLOCK_GIB, TRANSFER_MIB = 2, 8, 8, 16
TASKS = NODES * TASKS_PER_NODE
FILE_MIB = TASKS * BLOCK_GIB * 1024

DEFAULT_RPCS, MORE_RPCS = 8, 64
WITH_DEFAULT = (3834.0, 3862.0, 3805.0, 3850.0, 3826.0)
WITH_MORE = (5055.0, 5000.0, 5110.0, 5030.0, 5078.0)
"""MiB/s of the five repeats of each run of the first screen."""
NIGHTS = (5048.0, 5071.0, 5022.0, 5060.0, 5035.0, 5079.0, 5054.0, 4262.0, 4231.0, 4275.0, 4248.0, 4266.0)
"""MiB/s of each night; from the eighth on the clients write checksums."""
FIRST_SLOW_NIGHT = 7
TARGETS = 3000
SLOW_TARGETS = {1207: 905.25, 2641: 1240.5}
"""Numbers of the slow targets, and MiB/s of their fastest second; the others reach from 1610 to 1700."""

Run = dict[str, Any]


def document() -> str:
    """The file: each run with the commands that would make it, and the text of its files by path."""
    runs = [
        _tunable_run(1, DEFAULT_RPCS, WITH_DEFAULT),
        _tunable_run(2, MORE_RPCS, WITH_MORE),
        _rejected_run(3),
        *(_night(4 + night, night, speed) for night, speed in enumerate(NIGHTS)),
        _survey(4 + len(NIGHTS)),
    ]
    return json.dumps({"runs": runs}, indent=1) + "\n"


def _tunable_run(number: int, rpcs: int, speeds: Sequence[float]) -> Run:
    begun = dt.datetime(2026, 3, 2, 8 + number, 0)
    files = {
        f"results/ior-{place}.txt": ior_output(speed, begun + dt.timedelta(minutes=2 * place))
        for place, speed in enumerate(speeds, 1)
    }
    commands = [
        f"lctl set_param osc.*.max_rpcs_in_flight={rpcs}",
        f"mkdir demo-{number}",
        "for i in 1 2 3 4 5; do",
        f"  python3 highwater.pyz run --out system-$i -- sh -c '{_ior_command()} > demo-{number}/ior-'$i.txt",
        "done",
        *_pack_and_upload(f"demo-{number}", "system-1"),
    ]
    system = _system(begun, {"lustre.client.osc.max_rpcs_in_flight": rpcs})
    return _run_row(number, "tunable", commands, files, system)


def _night(number: int, night: int, speed: float) -> Run:
    begun = dt.datetime(2026, 3, 3, 2, 0) + dt.timedelta(days=night)
    commands = [
        "mkdir tonight",
        f"python3 highwater.pyz run --out system -- sh -c '{_ior_command()} > tonight/ior.txt'",
        *_pack_and_upload("tonight", "system"),
    ]
    checksums = night >= FIRST_SLOW_NIGHT
    system = _system(
        begun, {"lustre.client.osc.max_rpcs_in_flight": MORE_RPCS, "lustre.client.osc.checksums": checksums}
    )
    return _run_row(number, "change", commands, {"results/ior.txt": ior_output(speed, begun)}, system)


def _rejected_run(number: int) -> Run:
    """An IO500 run that ended a phase too early, and in which a figure was raised afterwards."""
    started = dt.datetime(2026, 3, 2, 14, 0)
    files = make_run(
        folder="results/2026.03.02-14.00.00",
        started=started,
        performance=0.1,
        short="ior-easy-write",
        edited_phase="find",
    )
    commands = [
        "mpirun -np 160 ./io500 config.ini",
        "python3 highwater.pyz validate results/2026.03.02-14.00.00",
    ]
    return _run_row(number, "rejected", commands, {path: text.decode() for path, text in files.items()}, None)


def _survey(number: int) -> Run:
    commands = [
        "nobjlo=1 nobjhi=1 thrlo=16 thrhi=16 size=32768 tests_str=write rslt=/tmp/survey obdfilter-survey",
        "mkdir demo-16 && cp /tmp/survey* demo-16",
        "python3 highwater.pyz pack --results demo-16 --out demo-16.tar.gz",
        "python3 highwater.pyz upload demo-16.tar.gz",
    ]
    summary, detail = survey_outputs()
    return _run_row(number, "targets", commands, {"survey.summary": summary, "survey.detail": detail}, None)


def _run_row(number: int, screen: str, commands: list[str], files: dict[str, str], system: Run | None) -> Run:
    described = {"system.json": json.dumps(system)} if system else {}
    return {"id": f"demo-{number}", "screen": screen, "commands": commands, "files": described | files}


def _ior_command() -> str:
    return f"mpirun -np {TASKS} {_ior_words()}"


def _ior_words() -> str:
    return f"ior -w -F -e -t {TRANSFER_MIB}m -b {BLOCK_GIB}g -o /lustre/demo/f"


def _pack_and_upload(folder: str, system: str) -> list[str]:
    return [
        f"python3 highwater.pyz pack --results {folder} --system {system}/system.json --out {folder}.tar.gz",
        f"python3 highwater.pyz upload {folder}.tar.gz",
    ]


def ior_output(speed: float, begun: dt.datetime) -> str:
    """The standard output of one IOR 4.0 run that writes a file per process at `speed` MiB/s."""
    seconds = FILE_MIB / speed
    rate = speed / TRANSFER_MIB
    opening, closing = 0.001412, 0.002206
    ended = begun + dt.timedelta(seconds=round(seconds) + 1)
    day = "%a %b %d %H:%M:%S %Y"
    options = {
        "api": "POSIX", "apiVersion": "", "test filename": "/lustre/demo/f", "access": "file-per-process",
        "type": "independent", "segments": "1", "ordering in a file": "sequential",
        "ordering inter file": "no tasks offsets", "nodes": str(NODES), "tasks": str(TASKS),
        "clients per node": str(TASKS_PER_NODE), "memoryBuffer": "CPU", "dataAccess": "CPU", "GPUDirect": "0",
        "repetitions": "1", "xfersize": f"{TRANSFER_MIB} MiB", "blocksize": f"{BLOCK_GIB} GiB",
        "aggregate filesize": f"{FILE_MIB // 1024} GiB",
    }  # fmt: skip
    row = ("write", f"{speed:.2f}", f"{rate:.2f}", f"{TASKS / rate:.6f}", str(BLOCK_GIB * 2**20),
           f"{TRANSFER_MIB * 1024:.2f}", f"{opening:.6f}", f"{seconds - opening - closing:.6f}", f"{closing:.6f}",
           f"{seconds:.6f}", "0")  # fmt: skip
    summary = ("write", *(f"{speed:.2f}" for _ in range(3)), "0.00", *(f"{rate:.2f}" for _ in range(3)), "0.00",
               f"{seconds:.5f}", "NA", "NA", "0", str(TASKS), str(TASKS_PER_NODE), "1", "1", "0", "1", "0", "0", "1",
               str(BLOCK_GIB * 2**30), str(TRANSFER_MIB * 2**20), f"{FILE_MIB:.1f}", "POSIX", "0")  # fmt: skip
    return "\n".join(
        [
            "IOR-4.0.0: MPI Coordinated Test of Parallel I/O",
            f"Began               : {begun:{day}}",
            f"Command line        : {_ior_words()}",
            "Machine             : Linux demo001",
            "TestID              : 0",
            f"StartTime           : {begun:{day}}",
            "Path                : /lustre/demo/f.00000000",
            "FS                  : 13.9 TiB   Used FS: 21.4%   Inodes: 64.0 Mi   Used Inodes: 1.2%",
            "",
            "Options: ",
            *(f"{name:<20}: {value}" for name, value in options.items()),
            "",
            "Results: ",
            "",
            "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   "
            "total(s)   iter",
            "------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   "
            "--------   ----",
            " ".join(f"{cell:<10}" for cell in row).rstrip(),
            "",
            "Summary of all tests:",
            "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     StdDev    "
            "Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   "
            "blksiz    xsize aggs(MiB)   API RefNum",
            " ".join(summary),
            f"Finished            : {ended:{day}}",
            "",
        ]
    )


def survey_outputs() -> tuple[str, str]:
    """The summary and the detail file of obdfilter-survey over all targets, in MiB/s."""
    fastest = [SLOW_TARGETS.get(number, 1610 + 90 * (number * 7919 % 1009) / 1008) for number in range(TARGETS)]
    slowest = [speed * (0.93 + 0.03 * (number * 104729 % 997) / 996) for number, speed in enumerate(fastest)]
    pairs = [(f"{low:.3f}", f"{high:.3f}") for low, high in zip(slowest, fastest, strict=True)]
    aggregate = TARGETS * statistics.fmean((*slowest, *fastest))
    total_KiB = TARGETS * 32 * 2**20
    place = f"ost {TARGETS} sz {total_KiB}K rsz 1024K obj {TARGETS} thr {16 * TARGETS}"
    low, high = min(float(low) for low, _ in pairs), max(float(high) for _, high in pairs)
    summary = (
        "Mon Mar  2 18:00:00 UTC 2026 Obdfilter-survey for case=disk from demo001\n"
        f"{place} write {aggregate:.2f} [{low:.2f}, {high:.2f}] \n"
        "done!\n"
    )
    samples = round(total_KiB / 1024 / aggregate) - 1
    lines = [f"=======================> {place}", "=============> write global"]
    return summary, "\n".join([*lines, *(f"{samples} {low} {high}" for low, high in pairs), ""])


SETTINGS: tuple[tuple[str, Any], ...] = (
    ("lustre.version", "2.15.4"),
    ("lustre.client.osc.checksums", False),
    ("lustre.client.osc.max_rpcs_in_flight", DEFAULT_RPCS),
    ("lustre.client.osc.max_pages_per_rpc", 1024),
    ("lustre.client.osc.max_dirty_mb", 2000),
    ("lustre.client.mdc.max_rpcs_in_flight", 8),
)


def _system(begun: dt.datetime, changes: dict[str, Any]) -> Run:
    """Two clients, and one server with two drives of 3.2 GB/s each: the ceiling of the first two screens."""
    settings = dict(SETTINGS) | changes
    client = make_class(
        count=NODES,
        members=[f"m-{number:08x}" for number in range(NODES)],
        parameters=[
            *(make_parameter(name, value, instances=2) for name, value in settings.items()),
            make_parameter("vm.sysctl", 10, key="vm.dirty_ratio"),
            make_parameter("vm.sysctl", 5, key="vm.dirty_background_ratio"),
        ],
        missing=[],
    )
    server = make_class(
        class_id="11112233445566bb",
        name="server",
        role=["oss", "mds"],
        count=1,
        members=["m-000000ff"],
        block=[
            {
                "count": 2,
                "model": "Samsung PM1733, 15.36 TB",
                "bytes": 15_360_950_534_144,
                "pcie": {"current_speed": "16.0 GT/s", "current_width": 2, "max_width": 4},
            }
        ],
        mounts=[],
        parameters=[make_parameter("lustre.version", "2.15.4")],
        missing=[],
    )
    moments = {
        name: f"{begun + dt.timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"
        for name, minutes in (("pre", -1), ("post", 20))
    }
    return make_system(
        captures=[
            {
                "id": phase,
                "phase": phase,
                "started": moment,
                "launcher": "ssh",
                "nodes_expected": 3,
                "nodes_reported": 3,
            }
            for phase, moment in moments.items()
        ],
        system={"name": "Demonstration machine", "exclusive_during_run": True},
        node_classes=[client, server],
        storage_systems=[
            {
                "name": "demo",
                "type": "lustre",
                "usable_bytes": 14 * TIB,
                "data_targets": 2,
                "metadata_targets": 1,
                "targets": [
                    {"kind": "data", "count": 2, "drives_per_target": 1, "drive_model": "Samsung PM1733, 15.36 TB"}
                ],
            }
        ],
        job={"nodes": NODES, "ranks": TASKS, "ranks_per_node": TASKS_PER_NODE},
        run={
            "command": "mpirun",
            "exit_status": 0,
            "started": moments["pre"],
            "ended": moments["post"],
            "duration_s": 21 * 60,
        },
    )


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(document(), encoding="utf-8")
