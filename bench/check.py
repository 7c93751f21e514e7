"""What a check costs: CPU time of `validators.checks.check` over the archives, against decompressing and reading them.

And what it costs to make the scrubbed copy of each.
"""

from __future__ import annotations

import io
import statistics
import tarfile
import time
from pathlib import Path

from bench.archives import archives
from bench.figures import figure, skipped
from submissions.bundles import scrubbing
from validators.checks import check


def run() -> None:
    paths = archives()
    if not paths:
        skipped("check", "no shared data")
        return
    read_s = [_cpu_s(_just_read, path) for path in paths]
    check_s = [_cpu_s(check, path) for path in paths]
    figure("check", "checks_per_cpu_second", len(paths) / sum(check_s), "1/s", archives=len(paths))
    figure("check", "median_cpu", statistics.median(check_s) * 1000, "ms", archives=len(paths))
    figure("check", "slowest_cpu", max(check_s) * 1000, "ms", archives=len(paths))
    figure("check", "ratio_to_reading", sum(check_s) / sum(read_s), "x", archives=len(paths))
    scrub_s = [_cpu_s(_scrub, path) for path in paths]
    figure("check", "scrub.median_cpu", statistics.median(scrub_s) * 1000, "ms", archives=len(paths))
    figure("check", "scrub.slowest_cpu", max(scrub_s) * 1000, "ms", archives=len(paths))


def _cpu_s(call, path: Path) -> float:
    begun = time.process_time()
    call(path)
    return time.process_time() - begun


def _scrub(path: Path) -> None:
    scrubbing.derive_copy(path, io.BytesIO())


def _just_read(path: Path) -> int:
    """Decompress an archive and read every byte of its files."""
    with tarfile.open(path) as archive:
        return sum(len(archive.extractfile(member).read()) for member in archive if member.isfile())
