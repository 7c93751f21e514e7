"""The whole record as CSV: how long it takes, and what memory it needs beside the SQL of the same rows."""

from __future__ import annotations

import time
import tracemalloc

from django.test import Client

from bench.figures import figure
from bench.synthetic import record


def run(size: int) -> None:
    record(size)
    client = Client(HTTP_HOST="localhost")
    tracemalloc.start()
    begun, count, first_s = time.perf_counter(), 0, 0.0
    for chunk in client.get("/api/v1/export/results.csv").streaming_content:
        first_s = first_s or time.perf_counter() - begun
        count += len(chunk)
    elapsed_s = time.perf_counter() - begun
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    conditions = {"results": size, "traced": True}
    figure("export", "CSV first byte", first_s * 1000, "ms", **conditions)
    figure("export", "CSV", elapsed_s, "s", **conditions)
    figure("export", "CSV size", count / 2**20, "MiB", **conditions)
    figure("export", "CSV peak memory", peak / 2**20, "MiB", **conditions)
