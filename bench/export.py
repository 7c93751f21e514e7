"""The whole record as files: how long CSV and a whole edition take, and by how much the process grows meanwhile."""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

from django.test import Client

from bench.figures import figure, p50_ms, seconds_of
from bench.synthetic import record
from registry.dumps import db_locks, dump, editions


def run(size: int) -> None:
    record(size)
    conditions = {"results": size}
    client = Client(HTTP_HOST="localhost")
    client.get("/api/v1/export/")  # so that what every first request loads is not counted
    _csv(client, conditions)
    _edition(conditions)
    figure("export", "finding the edition p50", p50_ms(seconds_of(editions.latest_edition, 50)), "ms", **conditions)


def _csv(client: Client, conditions: dict[str, int]) -> None:
    before_kib = _largest_kib()
    begun, count, first_s = time.perf_counter(), 0, 0.0
    for chunk in client.get("/api/v1/export/results.csv").streaming_content:
        first_s = first_s or time.perf_counter() - begun
        count += len(chunk)
    elapsed_s = time.perf_counter() - begun
    figure("export", "CSV first byte", first_s * 1000, "ms", **conditions)
    figure("export", "CSV", elapsed_s, "s", **conditions)
    figure("export", "CSV size", count / 2**20, "MiB", **conditions)
    figure("export", "CSV growth of memory", (_largest_kib() - before_kib) / 1024, "MiB", **conditions)


def _edition(conditions: dict[str, int]) -> None:
    before_kib, begun, begun_cpu = _largest_kib(), time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        with db_locks.repeatable_read():
            files = dump.write_dump(Path(folder))
        figure("export", "edition", time.perf_counter() - begun, "s", **conditions)
        figure("export", "edition CPU", time.process_time() - begun_cpu, "s", **conditions)
    for file in files:
        figure("export", f"{file['name']} size", file["size"] / 2**20, "MiB", **conditions)
    figure("export", "edition growth of memory", (_largest_kib() - before_kib) / 1024, "MiB", **conditions)


def _largest_kib() -> int:
    """The most memory that this process ever had; Linux counts it in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
