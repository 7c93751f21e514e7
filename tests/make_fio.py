"""Outputs of fio for tests: one group of processes that were reported together, of any rate."""

from __future__ import annotations

import json
from typing import Any

SECONDS = 40


def make_output(gib_per_s: int, op: str = "write", **options: Any) -> bytes:
    """What `fio --output-format=json --group_reporting` prints of sequential direct I/O, with `options` changed."""
    volume = gib_per_s * 2**30 * SECONDS
    requests = volume // 2**20
    moved = {
        "io_bytes": volume,
        "io_kbytes": volume // 1024,
        "bw_bytes": gib_per_s * 2**30,
        "bw": gib_per_s * 2**20,
        "iops": requests / SECONDS,
        "runtime": SECONDS * 1000,
        "total_ios": requests,
        "short_ios": 0,
        "drop_ios": 0,
    }
    job_options = {
        "rw": op,
        "bs": "1M",
        "direct": "1",
        "numjobs": "4",
        "iodepth": "16",
        "group_reporting": "1",
    } | options
    job = {"jobname": "stream", "groupid": 0, "error": 0, "elapsed": SECONDS, "job options": job_options, op: moved}
    document = {"fio version": "fio-3.33", "timestamp": 1795201249, "global options": {"size": "64g"}, "jobs": [job]}
    return json.dumps(document, indent=2).encode()
