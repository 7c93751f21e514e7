"""Comparing two results with described systems by page and API, and a matrix of normalised phases of many results.

In records of several sizes, uncached. The systems are those that the collector reads from a recorded node; one tunable
of the second differs. Three more results have the configuration of the first, so its spread is measured.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from bench.archives import SHARED
from bench.figures import skipped
from bench.lists import measure
from bench.synthetic import record
from launcher.collector_file import build
from registry.models import Fact, PublicSystemSnapshot, Result
from registry.query.facts.fact_index import CONFIGURATION
from tests.unpacking import extract
from validators.system.facts import summary

RECORDED = SHARED / "data" / "collector" / "fakeroots" / "lustre-client-rhel8.tar.gz"
SYSTEMS = 20
"""Systems of the matrix: three results each, of eight phases that are rates. As many numbers as 40 times 12."""


def run(size: int) -> None:
    record(size)
    results = f"results=bench-0,bench-{size - 1}"
    if RECORDED.is_file():
        _describe(["bench-0", f"bench-{size - 1}"])
    else:
        skipped("comparison", "no recorded node, so no described systems")
    _repeat([f"bench-{number}" for number in range(4)])
    for name, address in (("two results", "/api/v1/compare/"), ("two results, page", "/compare/")):
        measure(name, f"{address}?{results}", size, bench="comparison")
    measure("two results per client", f"/api/v1/compare/?{results}&per=client", size, bench="comparison")
    systems = "&".join(f"system=bench-{size}-{number}" for number in range(SYSTEMS))
    question = f"metric=rate.phase&x=result&series=op&per=client&{systems}"
    measure("matrix of 480 per client", f"/api/v1/study/?{question}", size, bench="comparison")


def _describe(public_ids: list[str]) -> None:
    """Give results the system of the recorded node, each with another value of its first tunable."""
    document = _collected()
    for number, public_id in enumerate(public_ids):
        document_copy = copy.deepcopy(document)
        document_copy["node_classes"][0]["parameters"][0]["values"][0]["value"] = number
        snapshot_fields = {"sha256": "0" * 64, "summary": summary(document_copy), "document": document_copy}
        PublicSystemSnapshot.objects.update_or_create(
            result=Result.objects.get(public_id=public_id), defaults=snapshot_fields
        )


def _collected() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="highwater-bench-") as scratch:
        folder = Path(scratch)
        (folder / "highwater.pyz").write_bytes(build())
        with tarfile.open(RECORDED) as archive:
            extract(archive, folder, filter="fully_trusted")
        node = folder / RECORDED.name.removesuffix(".tar.gz")
        out = folder / "system.json"
        arguments = ["--root", f"{node}/sysroot", "--commands", f"{node}/commands.json", "--out", f"{out}"]
        subprocess.run([sys.executable, f"{folder}/highwater.pyz", "collect", *arguments], check=False)
        read: dict[str, Any] = json.loads(out.read_text())
        return read


def _repeat(public_ids: list[str]) -> None:
    """Give results one configuration, as verified runs of one system have."""
    for result in Result.objects.filter(public_id__in=public_ids):
        Fact.objects.update_or_create(result=result, name=CONFIGURATION, defaults={"text": "bench"})
