"""What the collector costs: time and memory of a collect on recorded nodes and on this one, of folding a thousand.

And the time of the most work that a pattern of a site's own may cause.
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

TIMES = 5
NODES = 1000
RECORDED = ("lustre-client-rhel8", "lustre-oss-e1000", "plain-debian-nfs", "hostile")


def run() -> None:
    _pattern()
    with tempfile.TemporaryDirectory(prefix="highwater-bench-") as scratch:
        folder = Path(scratch)
        (folder / "highwater.pyz").write_bytes(build())
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
        archive.extractall(folder, filter="fully_trusted")
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
    """Fold a thousand copies of one node, each with a name of its own and one in a hundred with another tunable."""
    node = json.loads((folder / "lustre-client-rhel8.files.json").read_text())
    with (folder / "nodes.jsonl").open("w") as stream:
        for number in range(NODES):
            node_copy = copy.deepcopy(node)
            node_copy["node_classes"][0]["members"] = [f"m-{number:08x}"]
            if number % 100 == 0:
                node_copy["node_classes"][0]["parameters"][0]["values"][0]["value"] = "other"
            stream.write(json.dumps(node_copy) + "\n")
    arguments = ["fold", str(folder / "nodes.jsonl"), "--out", str(folder / "folded.json")]
    runs = [_run(folder, *arguments) for _ in range(TIMES)]
    figure("collector", "fold", median(seconds for seconds, _ in runs), "s", nodes=NODES, times=TIMES)
    figure("collector", "fold.memory", max(peak for _, peak in runs) / 1024, "MiB", nodes=NODES, times=TIMES)


def _pattern() -> None:
    """Match lines until as many steps are taken as a pattern may take at worst."""
    pattern, line = safe_regex.compiled(".*x(.*)y"), "x" * 1000
    text = f"{line}\n" * (safe_regex.MAX_STEPS // safe_regex.work(pattern, line))
    seconds = seconds_of(lambda: safe_regex.find_matches(pattern, text), TIMES)
    figure("collector", "pattern.most", median(seconds), "s", steps=safe_regex.MAX_STEPS, times=TIMES)


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
