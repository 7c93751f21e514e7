"""Every archive that IO500 published, checked here and by the earlier release: none fails, none became unreadable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.deep import earlier_release
from tests.running import ROOT

pytestmark = pytest.mark.deep

FOLDERS = ("io500", "io500-rest")
CPU_SECONDS, MEMORY_BYTES = 120, 1024 * 2**20
"""What one archive may take: the worker's time, here of the processor, so that a busy machine is no failure; and memory
of a process that checks all archives one after another."""

PROGRAM = """
import json, resource, signal, sys, time
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
from validators.checks import check

class TooLong(BaseException):
    pass

def stop(*_):
    raise TooLong("more than %s s of processor time" % sys.argv[1])

signal.signal(signal.SIGPROF, stop)
for path in sys.argv[3:]:
    said, begun = {"path": path}, time.process_time()
    signal.setitimer(signal.ITIMER_PROF, int(sys.argv[1]))
    try:
        report = check(path).as_json()
        run = report["runs"][report["primary"]] if report["primary"] is not None else {}
        score = run.get("scores", {}).get("SCORE") or {}
        said |= {"status": report["status"], "runs": len(report["runs"]), "score": score.get("value")}
    except (Exception, TooLong) as error:
        said["failed"] = repr(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    said["cpu_s"] = time.process_time() - begun
    print(json.dumps(said), flush=True)
print(json.dumps({"peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""


@pytest.fixture(scope="module")
def archives(shared: Path) -> list[str]:
    """As many as the index of each folder has."""
    paths_of_all = []
    for name in FOLDERS:
        folder = shared / "data" / name
        if not folder.is_dir():
            pytest.skip(f"no published archives at {folder}")
        paths = sorted((folder / "submissions").glob("*.tar.gz"))
        rows = (folder / "index.csv").read_text(encoding="utf-8").splitlines()
        assert len(paths) == len(rows) - 1 > 100, name
        paths_of_all += map(str, paths)
    return paths_of_all


@pytest.fixture(scope="module")
def checked(archives: list[str]) -> dict[str, dict[str, Any]]:
    """What this checkout says of each, by path."""
    return check_all(ROOT, archives)


def check_all(checkout: Path, archives: list[str]) -> dict[str, dict[str, Any]]:
    """In one process with bounded memory, which ends in the middle only where a test must fail."""
    command = [sys.executable, "-B", "-c", PROGRAM, str(CPU_SECONDS), str(MEMORY_BYTES), *archives]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    ran = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    *rows, memory = (json.loads(line) for line in ran.stdout.splitlines())
    slowest = max(rows, key=lambda row: row["cpu_s"])
    statuses = Counter(row.get("status", "failed") for row in rows)
    total_s = sum(row["cpu_s"] for row in rows)
    print(
        f"{checkout}: {len(rows)} archives, {dict(statuses)}; {total_s:.0f} s of processor time, most "
        f"{slowest['cpu_s']:.1f} s ({Path(slowest['path']).name}); {memory['peak_kib'] // 1024} MiB at most"
    )
    return {row["path"]: row for row in rows}


def test_no_archive_fails_or_takes_too_long(archives: list[str], checked: dict[str, dict[str, Any]]) -> None:
    assert list(checked) == archives
    assert {path: row["failed"] for path, row in checked.items() if "failed" in row} == {}


def test_archives_readable_by_the_earlier_release_keep_their_score(
    archives: list[str], checked: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    if not earlier_release.unpack(tmp_path / "checkout"):
        pytest.skip(f"this clone has no commit {earlier_release.RELEASE}")
    earlier = check_all(tmp_path / "checkout", archives)
    changed = [
        f"{Path(path).name}: {earlier[path].get('status')} -> {row.get('status')}"
        for path, row in checked.items()
        if earlier[path].get("status") != row.get("status")
    ]
    print(f"{len(changed)} archives changed their status", *changed, sep="\n")
    readable = [path for path in archives if earlier[path].get("status") in ("valid", "invalid")]
    assert len(readable) > len(archives) / 2
    assert [path for path in readable if checked[path].get("status") not in ("valid", "invalid")] == []
    scores = {path: (earlier[path]["score"], checked[path].get("score")) for path in readable if earlier[path]["score"]}
    assert {path: both for path, both in scores.items() if both[0] != both[1]} == {}
