"""A hash that covers what a site took out before the upload is no reason for suspicion; any other one is."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.make_fio import make_output
from tests.make_io500 import make_run, pack
from validators.checks import check

OPTIONS = {("global", "datadir"): "/home/kovacs/data"}
CONFIGS = ("config.ini", "config-orig.ini")


def redacted(files: dict[str, bytes]) -> dict[str, bytes]:
    """The run after its site took the user out of the configuration."""
    return {
        path: content.replace(b"kovacs", b"<user>") if path.endswith(CONFIGS) else content
        for path, content in files.items()
    }


def bagged(files: dict[str, bytes], report: object) -> dict[str, bytes]:
    payload = {f"data/{path}": content for path, content in files.items()}
    if report is not None:
        payload["data/redaction-report.json"] = json.dumps(report).encode()
    manifest = "".join(f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in payload.items())
    return {"b/bagit.txt": b"BagIt-Version: 1.0\n", "b/manifest-sha256.txt": manifest.encode()} | {
        f"b/{path}": content for path, content in payload.items()
    }


def report_on(files: dict[str, bytes], names: tuple[str, ...] = CONFIGS, **fields: object) -> dict[str, object]:
    listed = [
        {"path": f"data/{path}", "removed": {"user": 1}, "sha256_after": hashlib.sha256(content).hexdigest()}
        for path, content in files.items()
        if path.endswith(names)
    ]
    return {"schema_version": "1", "files": listed, "hashes": [], **fields}


def outcome(tmp_path: Path, files: dict[str, bytes]) -> tuple[list[str], str]:
    """The codes of the run's findings about hashes, and what the rule on hashes says."""
    (run,) = check(pack(tmp_path / "run.tar.gz", files)).runs
    (rule,) = [rule for rule in run.rules if rule.code == "io500.hashes"]
    return [finding.code for finding in run.findings if "hash" in finding.code], rule.outcome


def test_a_hash_over_a_redacted_file_is_only_reported(tmp_path: Path) -> None:
    files = redacted(make_run(options=OPTIONS))
    assert outcome(tmp_path, bagged(files, report_on(files))) == (["io500.hash.redacted"], "not_evaluated")


def test_without_the_report_the_same_files_are_suspicious(tmp_path: Path) -> None:
    files = redacted(make_run(options=OPTIONS))
    assert outcome(tmp_path, bagged(files, None)) == (["io500.config.hash-mismatch"], "violated")


def test_a_correct_hash_is_accepted_with_any_report(tmp_path: Path) -> None:
    files = make_run(options=OPTIONS)
    assert outcome(tmp_path, bagged(files, report_on(files))) == ([], "satisfied")


def test_a_listed_file_that_was_changed_afterwards_is_suspicious(tmp_path: Path) -> None:
    files = redacted(make_run(options=OPTIONS))
    report = report_on(files)
    edited = {path: content + b"\n" if path.endswith(CONFIGS) else content for path, content in files.items()}
    assert outcome(tmp_path, bagged(edited, report)) == (["io500.config.hash-mismatch"], "violated")


def test_a_hash_that_was_wrong_before_stays_wrong(tmp_path: Path) -> None:
    files = redacted(make_run(options=OPTIONS))
    printed_hash = next(
        line.partition(b"=")[2].strip().decode()
        for line in next(content for path, content in files.items() if path.endswith("result.txt")).splitlines()
        if line.startswith(b"config-hash")
    )
    hashes = [{"tool": "io500", "hashes": {"config": {"printed": printed_hash, "computed": "12345678"}}}]
    codes_and_outcome = outcome(tmp_path, bagged(files, report_on(files, hashes=hashes)))
    assert codes_and_outcome == (["io500.config.hash-mismatch"], "violated")


def test_an_edited_score_is_suspicious_though_the_configuration_was_redacted(tmp_path: Path) -> None:
    files = redacted(make_run(options=OPTIONS, edited_phase="find"))
    codes, verdict = outcome(tmp_path, bagged(files, report_on(files)))
    assert set(codes) == {"io500.hash.redacted", "io500.score.hash-mismatch"}
    assert verdict == "violated"


@pytest.mark.parametrize(
    "report",
    [
        [],
        "x",
        {"files": "x"},
        {"files": [1, {"path": None}, {"path": "data/../x", "sha256_after": None}], "hashes": {"a": 1}},
        {"files": [], "hashes": [{"hashes": 1}, {"hashes": {"config": []}}]},
    ],
)
def test_a_report_of_another_form_changes_nothing(tmp_path: Path, report: object) -> None:
    files = redacted(make_run(options=OPTIONS))
    assert outcome(tmp_path, bagged(files, report)) == (["io500.config.hash-mismatch"], "violated")


def unread_paths(tmp_path: Path, files: dict[str, bytes]) -> set[str]:
    return {entry["path"] for entry in check(pack(tmp_path / "run.tar.gz", files)).not_read}


def test_the_report_is_a_part_of_its_bag(tmp_path: Path) -> None:
    files = redacted(make_run(options=OPTIONS))
    assert "b/data/redaction-report.json" not in unread_paths(tmp_path, bagged(files, report_on(files)))


def test_a_file_of_that_name_outside_of_a_bag_is_unread(tmp_path: Path) -> None:
    assert "data/redaction-report.json" in unread_paths(tmp_path, make_run() | {"data/redaction-report.json": b"{}"})


def test_an_output_in_place_of_the_report_is_read(tmp_path: Path) -> None:
    files = bagged(make_run(), {}) | {"b/data/redaction-report.json": make_output(1)}
    assert "fio" in {run.tool for run in check(pack(tmp_path / "run.tar.gz", files)).runs}
