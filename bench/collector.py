"""What the collector costs: time and memory of a collect on recorded nodes and on this one, of folding a thousand.

And the time of the most work that a pattern of a site's own may cause, and of verifying a kept proof without a network.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.archives import SHARED
from bench.figures import figure, seconds_of, skipped
from collectors.probes import safe_regex
from launcher.collector_file import build
from tests.collectors.server.log.made_log import MadeLog
from tests.unpacking import extract

TIMES = 5
NODES, LEAVES = 1000, 3000
RECORDED = ("lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile")


def run() -> None:
    _pattern()
    with tempfile.TemporaryDirectory(prefix="highwater-bench-") as scratch:
        folder = Path(scratch)
        (folder / "highwater.pyz").write_bytes(build())
        _verify(folder)
        _report(folder, "this_node", [])
        roots = SHARED / "data" / "collector" / "fakeroots"
        if not roots.is_dir():
            skipped("collector", "no recorded nodes")
            return
        for name in RECORDED:
            _recorded(folder, roots / f"{name}.tar.gz", name)
        _fold(folder)


def _recorded(folder: Path, packed: Path, name: str) -> None:
    """Collect from a recorded node: from its files alone, then with its commands played."""
    with tarfile.open(packed) as archive:
        extract(archive, folder, filter="fully_trusted")
    root = ["--root", str(folder / name / "sysroot"), *(["--role", "oss"] if "oss" in name else [])]
    _report(folder, f"{name}.files", root)
    _report(folder, f"{name}.commands", [*root, "--commands", str(folder / name / "commands.json")])


def _report(folder: Path, name: str, arguments: list[str]) -> None:
    out = folder / f"{name}.json"
    runs = [_run(folder, "collect", "--out", str(out), *arguments) for _ in range(TIMES)]
    figure("collector", f"collect.{name}", median(seconds for seconds, _ in runs), "s", times=TIMES)
    figure("collector", f"collect.{name}.memory", max(peak for _, peak in runs) / 1024, "MiB", times=TIMES)
    figure("collector", f"collect.{name}.document", out.stat().st_size / 1024, "KiB")


def _fold(folder: Path) -> None:
    """Fold nodes that are alike, and nodes each of which differs in three tunables; both beside reading their JSON."""
    node = (folder / "lustre-client-rhel8.files.json").read_text()
    for name, count, write in (
        ("fold.alike", NODES, _write_alike),
        ("fold.differing", NODES, _write_differing),
        ("fold.many_differing", 10 * NODES, _write_differing),
    ):
        lines = folder / f"{name}.jsonl"
        write(node, count, lines)
        arguments = ["fold", str(lines), "--out", str(folder / "folded.json")]
        times = TIMES if count == NODES else 1
        runs = [_run(folder, *arguments) for _ in range(times)]
        begun, _ = _run(folder, "--version")
        reading = median(seconds_of(lambda lines=lines: _read_json(lines), times))
        seconds = median(seconds for seconds, _ in runs) - begun
        figure("collector", name, seconds, "s", nodes=count, times=times)
        figure("collector", f"{name}.over_json", seconds / reading, "times json.loads", nodes=count, times=times)
        figure("collector", f"{name}.memory", max(peak for _, peak in runs) / 1024, "MiB", nodes=count, times=times)


def _write_alike(text: str, count: int, path: Path) -> None:
    """Copies of one node, each with a name of its own and one in a hundred with another tunable."""
    node = json.loads(text)
    with path.open("w") as stream:
        for number in range(count):
            node_copy = copy.deepcopy(node) if number % 100 == 0 else node
            node_copy["node_classes"][0]["members"] = [f"m-{number:08x}"]
            if number % 100 == 0:
                node_copy["node_classes"][0]["parameters"][0]["values"][0]["value"] = "other"
            stream.write(json.dumps(node_copy) + "\n")


def _write_differing(text: str, count: int, path: Path) -> None:
    """Copies of one node, each with a name of its own and with values of its own for three tunables of OSCs."""
    node = json.loads(text)
    (node_class,) = node["node_classes"]
    tunables = [entry for entry in node_class["parameters"] if entry["id"].startswith("lustre.client.osc.max_")][:3]
    with path.open("w") as stream:
        for number in range(count):
            node_class["members"] = [f"m-{number:08x}"]
            for position, entry in enumerate(tunables):
                entry["values"][0]["value"] = 1000 * number + position
            stream.write(json.dumps(node) + "\n")


def _read_json(path: Path) -> None:
    with path.open() as stream:
        for line in stream:
            json.loads(line)


def _pattern() -> None:
    """Match lines until as many steps are taken as a pattern may take at worst."""
    pattern, line = safe_regex.compiled(".*x(.*)y"), "x" * 1000
    text = f"{line}\n" * (safe_regex.MAX_STEPS // safe_regex.work(pattern, line))
    seconds = seconds_of(lambda: safe_regex.find_matches(pattern, text), TIMES)
    figure("collector", "pattern.most", median(seconds), "s", steps=safe_regex.MAX_STEPS, times=TIMES)


def _verify(folder: Path) -> None:
    """Verify a kept proof against a remembered log: the whole command, and again in a process that did."""
    log = MadeLog().fill(LEAVES)
    measurements = [{"op": f"op-{number}", "value": number * 1.5, "context": {}} for number in range(100)]
    record = {"type": "result", "version": 1, "act": "published", "recorded_at": "2026-11-24T09:00:00Z"}
    places = log.chain([record | {"result": {"id": "hw-1", "measurements": measurements}}])
    for name, content in log.files().items():
        (folder / "log" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "log" / name).write_bytes(content)
    proof = folder / "hw-1.proof.json"
    proof.write_text(json.dumps(log.proof(places[0]) | {"records": log.listed(places)}))
    _run(folder, "verify", str(proof), "--log", str(folder / "log"))
    runs = [_run(folder, "verify", str(proof)) for _ in range(TIMES)]
    figure("collector", "verify.command", median(seconds for seconds, _ in runs), "s", leaves=LEAVES, times=TIMES)
    program = _AGAIN.format(path=str(folder / "highwater.pyz"), proof=str(proof))
    command = [sys.executable, "-I", "-S", "-c", program]
    ended = subprocess.run(command, env={"HOME": str(folder), "PATH": "/usr/bin"}, capture_output=True, text=True)
    cold_ms, *warm_ms = [float(line) for line in ended.stderr.split()]
    figure("collector", "verify.first_cpu", cold_ms, "ms", leaves=LEAVES)
    figure("collector", "verify.again_cpu", median(warm_ms), "ms", leaves=LEAVES, times=len(warm_ms))


_AGAIN = """
import sys, time
sys.path.insert(0, "{path}")
from collectors import cli
for _ in range(6):
    begun = time.process_time()
    cli.main(["verify", "{proof}"])
    print((time.process_time() - begun) * 1000, file=sys.stderr)
"""


_TELLING = """
import atexit, runpy, sys
atexit.register(lambda: print(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0], file=sys.stderr))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program that tells its peak memory in KiB at its end; to its parent the kernel would tell the parent's own."""


def _run(folder: Path, *arguments: str) -> tuple[float, int]:
    """Wall time in seconds and peak memory in KiB of one command of the single file, its start included."""
    command = [sys.executable, "-I", "-S", "-c", _TELLING, str(folder / "highwater.pyz"), *arguments]
    begun = time.perf_counter()
    ended = subprocess.run(command, env={"HOME": str(folder), "PATH": "/usr/bin"}, capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    if ended.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {ended.returncode}: {ended.stderr}")
    return seconds, int(ended.stderr.split()[-1])
