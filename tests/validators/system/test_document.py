"""The system document of a bundle: where it is found, what is refused, and what a report shows of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_class, make_system
from validators.bundle import open_bundle
from validators.checks import check
from validators.runs.report import INVALID, UNREADABLE, VALID
from validators.system import document


def read(path: Path) -> tuple[document.System | None, list[str]]:
    with open_bundle(path) as bundle:
        system, findings = document.read(bundle)
    return system, [finding.code for finding in findings]


def bag(tmp_path: Path, system: object, files: dict[str, bytes] | None = None) -> Path:
    return pack(tmp_path / "run.tar.gz", make_bag(make_run() if files is None else files, system))


def test_the_document_of_a_bag_is_found_and_the_run_stays_valid(tmp_path: Path) -> None:
    report = check(bag(tmp_path, make_system()))
    assert (report.status, report.primary) == (VALID, 0)
    system = report.as_json()["system"]
    assert (system["path"], system["nodes"]) == ("data/system.json", {"client": 10})
    assert (system["parameters"], system["missing"], system["outliers"]) == (4, 1, 0)
    assert system["drift"] == {"invalidating": 0, "warning": 0, "info": 0}
    assert system["sha256"] == hashlib.sha256(json.dumps(make_system()).encode()).hexdigest()


@pytest.mark.parametrize("path", ["system.json", "run/system.json", "data/system.json"])
def test_a_document_beside_the_results_is_found(tmp_path: Path, path: str) -> None:
    files = {**make_run(), path: json.dumps(make_system()).encode()}
    system, codes = read(pack(tmp_path / "run.tar.gz", files))
    assert (system.path, codes) == (path, [])


def test_a_bag_in_the_only_folder_has_its_document(tmp_path: Path) -> None:
    files = {f"run-7/{path}": content for path, content in make_bag(make_run(), make_system()).items()}
    system, codes = read(pack(tmp_path / "run.tar.gz", files))
    assert (system.path, codes) == ("run-7/data/system.json", [])


def test_the_document_of_the_bag_is_preferred(tmp_path: Path) -> None:
    other = json.dumps(make_system(node_classes=[make_class(count=3)])).encode()
    system, _ = read(pack(tmp_path / "run.tar.gz", {**make_bag(make_run(), make_system()), "system.json": other}))
    assert system.path == "data/system.json"


@pytest.mark.parametrize("content", [b'{"nodes": 4}', b"[1, 2]", b"name: x\n", b""])
def test_a_file_of_that_name_from_another_program_is_ignored(tmp_path: Path, content: bytes) -> None:
    report = check(pack(tmp_path / "run.tar.gz", {**make_run(), "system.json": content}))
    assert (report.status, report.system, "system" in report.as_json()) == (VALID, None, False)
    assert not any(finding.code.startswith("system.") for finding in report.findings)


def test_without_a_document_no_rule_of_it_is_mentioned(tmp_path: Path) -> None:
    report = check(pack(tmp_path / "run.tar.gz", make_run()))
    assert not any(outcome.code.startswith("system.") for outcome in report.runs[0].rules)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "system.unreadable"),
        (b"{", "system.unreadable"),
        (b'{"a": "\xff"}', "system.unreadable"),
        (b"[]", "system.unreadable"),
        (b'{"a": NaN}', "system.unreadable"),
        (b'{"a": 1e999}', "system.unreadable"),
        (b'{"a": ' + b"1" * 5000 + b"}", "system.unreadable"),
        (b'{"a": ' + b"[" * 30 + b"]" * 30 + b"}", "system.too-deep"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "system.too-deep"),
        (b" " * (4 * 1024 * 1024) + b"{}", "system.too-large"),
        (b"{}", "system.version"),
        (b'{"schema_version": "2"}', "system.version"),
        (b'{"schema_version": ["1"]}', "system.version"),
        (b'{"schema_version": 1}', "system.version"),
        (b'{"schema_version": "1"}', "system.schema"),
    ],
    ids=lambda value: value[:24].decode("latin-1") if isinstance(value, bytes) else value,
)
def test_a_document_that_cannot_be_used_makes_the_report_invalid(tmp_path: Path, content: bytes, code: str) -> None:
    report = check(bag(tmp_path, content))
    assert report.status == INVALID
    assert report.system is None
    assert {finding.code for finding in report.findings if finding.level == "error"} == {code}


@pytest.mark.parametrize(
    "change",
    [
        {"serial": "4711"},
        {"node_classes": [make_class(count=0)]},
        {"node_classes": [make_class(hostname="node1")]},
        {"run": {"command": "x" * 121, "started": "2025-10-01T08:59:00Z", "ended": "later", "duration_s": 1}},
        {"captures": []},
    ],
    ids=["unknown", "no nodes", "host name", "long and no time", "no capture"],
)
def test_unknown_fields_of_a_document_are_refused_with_their_place(tmp_path: Path, change: dict) -> None:
    with open_bundle(bag(tmp_path, make_system(**change))) as bundle:
        system, findings = document.read(bundle)
    assert system is None
    assert {finding.code for finding in findings} == {"system.schema"}
    assert all(finding.where.startswith("data/system.json#") and len(finding.message) < 300 for finding in findings)


def test_a_document_with_a_thousand_errors_reports_the_first_ones(tmp_path: Path) -> None:
    _, codes = read(bag(tmp_path, make_system(drift=[{"x": 1}] * 1000)))
    assert len(codes) == 20


@pytest.mark.parametrize("as_bag", [True, False])
def test_a_description_without_results_is_not_a_run(tmp_path: Path, as_bag: bool) -> None:
    files = make_bag({}, make_system()) if as_bag else {"system.json": json.dumps(make_system()).encode()}
    report = check(pack(tmp_path / "run.tar.gz", files))
    assert report.status == UNREADABLE
    assert [finding.code for finding in report.findings] == ["system.without-result"]
    assert "pack --results" in report.findings[0].hint


def test_an_altered_document_fails_its_manifest(tmp_path: Path) -> None:
    files = make_bag(make_run(), make_system())
    files["data/system.json"] = json.dumps(make_system(job={"nodes": 11})).encode()
    report = check(pack(tmp_path / "run.tar.gz", files))
    assert "bundle.manifest-mismatch" in [finding.code for finding in report.findings]
