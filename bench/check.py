"""What a check costs: CPU time of `validators.checks.check` over the archives, against decompressing and reading them.

And what it costs to make the scrubbed copy of each.
"""

from __future__ import annotations

import io
import statistics
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    _cage(paths)
    scrub_s = [_cpu_s(_scrub, path) for path in paths]
    figure("check", "scrub.median_cpu", statistics.median(scrub_s) * 1000, "ms", archives=len(paths))
    figure("check", "scrub.slowest_cpu", max(scrub_s) * 1000, "ms", archives=len(paths))


def _cage(paths: list[Path]) -> None:
    """What the cage adds to a check: processor time of all its processes, beside the same check outside."""
    if not settings.configured:
        settings.configure(CHECK_MEMORY_BYTES=1024**3)
    jobs.warm_up()
    cage, children = client.Cage(), []
    ended = cage._child_status

    def noted() -> dict:
        children.append(ended())
        return children[-1]

    cage._child_status = noted  # type: ignore[method-assign]
    used_s, alone_s, empty_s = [], [], []

    def used_by(job: Callable[..., Any], paths: list[Path], arguments: dict[str, Any]) -> float:
        server_s, begun = _server_s(cage), time.process_time()
        cage.do_job(job, paths, arguments, seconds=60)
        return time.process_time() - begun + children[-1]["cpu_s"] + _server_s(cage) - server_s

    arguments = {"extra_files": [], "check": {}}
    for path in [paths[0], *paths]:
        used_s.append(used_by(jobs.check_bundle, [path], arguments))
        empty_s.append(used_by(jobs.find_secrets, [], {"files": [], "partly": False, "cleared": []}))
        begun = time.process_time()
        jobs.check_bundle([path], arguments)
        alone_s.append(time.process_time() - begun)
    cage._end_server()
    more_s = [used - alone for used, alone in zip(used_s[1:], alone_s[1:], strict=True)]  # the first began the server
    figure("check", "cage.more_cpu_median", statistics.median(more_s) * 1000, "ms", archives=len(paths))
    figure("check", "cage.empty_job_cpu_median", statistics.median(empty_s[1:]) * 1000, "ms", jobs=len(paths))
    figure("check", "cage.ratio_to_no_cage", sum(used_s[1:]) / sum(alone_s[1:]), "x", archives=len(paths))


def _server_s(cage: client.Cage) -> float:
    """Processor time of the warm process itself, which the kernel counts in nanoseconds."""
    if cage._server is None:
        return 0.0
    return int(Path(f"/proc/{cage._server.pid}/schedstat").read_text().split()[0]) / 1e9


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
