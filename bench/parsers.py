"""What reading an output costs: each tool's largest sample parsed, against decoding the same bytes line by line."""

from __future__ import annotations

import json
from pathlib import Path

from bench.figures import figure, seconds_of
from validators import catalogue
from validators.bundle import open_bundle

TIMES = 30


def run() -> None:
    for benchmark in catalogue.benchmarks():
        samples = [_target(folder) for folder in (catalogue.FOLDER / benchmark.slug / "samples").iterdir()]
        largest = max(samples, key=lambda path: sum(file.stat().st_size for file in _files(path)))
        size = sum(file.stat().st_size for file in _files(largest))
        with open_bundle(largest) as bundle:
            parse_s = min(seconds_of(lambda: benchmark.find_runs(bundle), TIMES))  # noqa: B023
            read_s = min(seconds_of(lambda: [_decode(bundle, path) for path in bundle.files], TIMES))
        name = largest.relative_to(catalogue.FOLDER).as_posix()
        figure("parsers", f"{benchmark.tool}.ratio_to_decoding", parse_s / read_s, "x", sample=name, bytes=size)
        figure("parsers", f"{benchmark.tool}.throughput", size / parse_s / 2**20, "MiB/s", sample=name, bytes=size)


def _target(folder: Path) -> Path:
    return folder / json.loads((folder / "expected.json").read_text())["path"]


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]


def _decode(bundle, path: str) -> int:
    """Read a file of a bundle and decode it line by line."""
    return sum(len(line.decode("utf-8", "replace")) for line in bundle.read(path).split(b"\n"))
