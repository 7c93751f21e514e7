"""The whole record as CSV: how long it takes, and by how much the memory of the process grows meanwhile."""

from __future__ import annotations

import resource
import time

from django.test import Client

from bench.figures import figure
from bench.synthetic import record


def run(size: int) -> None:
    record(size)
    client = Client(HTTP_HOST="localhost")
    client.get("/api/v1/export/")  # so that what every first request loads is not counted
    before_kib = _largest_kib()
    begun, count, first_s = time.perf_counter(), 0, 0.0
    for chunk in client.get("/api/v1/export/results.csv").streaming_content:
        first_s = first_s or time.perf_counter() - begun
        count += len(chunk)
    elapsed_s = time.perf_counter() - begun
    conditions = {"results": size}
    figure("export", "CSV first byte", first_s * 1000, "ms", **conditions)
    figure("export", "CSV", elapsed_s, "s", **conditions)
    figure("export", "CSV size", count / 2**20, "MiB", **conditions)
    figure("export", "CSV growth of memory", (_largest_kib() - before_kib) / 1024, "MiB", **conditions)


def _largest_kib() -> int:
    """The most memory that this process ever had; Linux counts it in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
