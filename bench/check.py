"""What a check costs: CPU time of `validators.checks.check` over the archives, against decompressing and reading them.

And what it costs to make the scrubbed copy of each.
"""

from __future__ import annotations

import io
import os
import statistics
import tarfile
import time
from pathlib import Path

from django.conf import settings

from bench.archives import archives
from bench.figures import figure, skipped
from submissions.bundles import scrubbing
from submissions.bundles.cage import client, jobs
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
    _cage(paths, check_s)
    scrub_s = [_cpu_s(_scrub, path) for path in paths]
    figure("check", "scrub.median_cpu", statistics.median(scrub_s) * 1000, "ms", archives=len(paths))
    figure("check", "scrub.slowest_cpu", max(scrub_s) * 1000, "ms", archives=len(paths))


def _cage(paths: list[Path], alone_s: list[float]) -> None:
    """What the cage adds to a check: processor time of both sides, the child's and that of forking it."""
    if not settings.configured:
        settings.configure(CHECK_MEMORY_BYTES=1024**3)
    jobs.warm_up()
    cage, children = client.Cage(), []
    ended = cage._child_status

    def noted() -> dict:
        children.append(ended())
        return children[-1]

    cage._child_status = noted  # type: ignore[method-assign]
    more_s = []
    arguments = {"extra_files": [], "check": {}}
    for path in [paths[0], *paths]:
        server_s = _server_s(cage)
        begun = time.process_time()
        cage.do_job(jobs.check_bundle, [path], arguments, seconds=60)
        used_s = time.process_time() - begun + children[-1]["cpu_s"] + _server_s(cage) - server_s
        begun = time.process_time()
        jobs.check_bundle([path], arguments)
        more_s.append(used_s - (time.process_time() - begun))
    cage._end_server()
    figure("check", "cage.more_cpu_median", statistics.median(more_s[1:]) * 1000, "ms", archives=len(paths))
    ratio = 1 + sum(more_s[1:]) / sum(alone_s)
    figure("check", "cage.ratio_to_no_cage", ratio, "x", archives=len(paths))


def _server_s(cage: client.Cage) -> float:
    """Processor time of the warm process itself, to the nearest tick (10 ms)."""
    if cage._server is None:
        return 0.0
    numbers = Path(f"/proc/{cage._server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


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
