"""Descriptions in the form of MLPerf Storage: what is no JSON and what no machine can have is told, the rest is not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.make_io500 import make_run, pack
from tests.validators.exports.test_exports import TOLD, whole
from validators import exports
from validators.bundle import open_bundle
from validators.checks import check
from validators.findings import Finding
from validators.runs import mlperf_description

PUBLISHED = ("F9000X_10x7000GiB_nvme_2xNDR400_Nclients1.json", "Micron_9550_Gen5_Performance_NVMe.json", "Schema.json")


def told(tmp_path: Path, content: bytes, name: str = "systems/fjord.json") -> list[Finding]:
    with open_bundle(pack(tmp_path / "run.tar.gz", {name: content})) as bundle:
        return mlperf_description.findings(bundle)


def codes(tmp_path: Path, document: Any) -> list[str]:
    return [finding.code for finding in told(tmp_path, json.dumps(document).encode())]


def sound() -> dict[str, Any]:
    return exports.export("mlperf-storage", whole(), TOLD).document


def changed(*place: str | int, value: object) -> dict[str, Any]:
    """A sound description with another value at a place."""
    document = copy.deepcopy(sound())
    inner: Any = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return document


def test_our_own_export_has_no_finding(tmp_path: Path) -> None:
    assert codes(tmp_path, sound()) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("nodes", 0, "DRAM", "capacity_MiB"), 768),
        (("nodes", 0, "DRAM", "capacity_MiB"), 128),
        (("nodes", 0, "CPU", "boost_frequency"), 2500),
        (("nodes", 0, "CPU", "base_frequency"), "2.4 GHz"),
        (("nodes", 0, "CPU", "socket_count"), 0),
        (("nodes", 0, "accelerators", 0, "count_of_this_type"), "4-58"),
        (("nodes", 0, "accelerators", 0, "count_of_this_type"), True),
        (("networks", 0, "bitrate"), 200_000_000_000),
        (("nodes", 2, "drives", 0, "capacity_GiB"), 15_360_950_534_144),
        (("storage_system", "usable_capacity_GiB"), 0.5),
    ],
)
def test_an_impossible_value_is_reported_with_its_place(tmp_path: Path, place: tuple, value: object) -> None:
    (finding,) = told(tmp_path, json.dumps(changed(*place, value=value)).encode())
    assert (finding.code, finding.level) == ("description.unit", "warning")
    assert finding.where == "systems/fjord.json#/" + "/".join(map(str, place))
    assert finding.hint and finding.expected


@pytest.mark.parametrize(
    "content", [b'{"benchmark_hosts": [1,],}', b'{"benchmark_hosts"', b'{"benchmark_hosts": "\xff"}']
)
def test_invalid_json_is_reported_with_its_line(tmp_path: Path, content: bytes) -> None:
    (finding,) = told(tmp_path, b"\n\n" + content)
    assert finding.code == "description.unreadable"
    assert finding.where.startswith("systems/fjord.json")


def test_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    content = b'{"benchmark_hosts": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert [finding.code for finding in told(tmp_path, content)] == ["description.unreadable"]


def test_a_description_without_its_parts_is_incomplete(tmp_path: Path) -> None:
    assert codes(tmp_path, {"benchmark_hosts": []}) == ["description.incomplete"]


@pytest.mark.parametrize("content", [b"{", b'{"nodes": [{"DRAM": {"capacity_MiB": 1}}]}', b"[]"])
def test_other_json_files_are_ignored(tmp_path: Path, content: bytes) -> None:
    assert told(tmp_path, content) == []


def test_a_broken_description_does_not_make_a_run_invalid(tmp_path: Path) -> None:
    report = check(pack(tmp_path / "run.tar.gz", {**make_run(), "systems/x.json": b'{"benchmark_hosts": [1,]}'}))
    assert report.status == "valid"
    assert "description.unreadable" in [finding.code for finding in report.findings]


def published(shared: Path, name: str) -> bytes:
    return (shared / "data" / "collector" / "samples" / "mlperf-storage-system" / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "expected"),
    [(PUBLISHED[0], {"description.unreadable"}), (PUBLISHED[1], {"description.incomplete", "description.unit"})],
)
def test_defects_of_published_descriptions_are_found(shared: Path, tmp_path: Path, name: str, expected: set) -> None:
    assert {finding.code for finding in told(tmp_path, published(shared, name))} == expected


def test_memory_in_gib_of_a_published_description_is_found(shared: Path, tmp_path: Path) -> None:
    places = [finding.where for finding in told(tmp_path, published(shared, PUBLISHED[1]))]
    assert "systems/fjord.json#/nodes/0/DRAM/capacity_MiB" in places


def test_the_published_schema_is_no_description(shared: Path, tmp_path: Path) -> None:
    assert told(tmp_path, published(shared, PUBLISHED[2])) == []


@pytest.mark.parametrize("end", range(100, 900, 100))
def test_a_published_description_that_was_cut_is_not_json(shared: Path, tmp_path: Path, end: int) -> None:
    whole_file = published(shared, PUBLISHED[1])
    cut = whole_file[: len(whole_file) - end]
    codes = [finding.code for finding in told(tmp_path, cut)]
    assert codes == (["description.unreadable"] if b'"benchmark_hosts"' in cut else [])
