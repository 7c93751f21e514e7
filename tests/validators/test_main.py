"""`python -m validators` as a person on a login node runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.make_io500 import make_archive, make_run

ROOT = Path(__file__).resolve().parent.parent.parent


def validators(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "validators", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=600)


def test_a_valid_run_ends_with_status_0(tmp_path: Path) -> None:
    ran = validators("check", make_archive(tmp_path / "run.tar.gz"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.rstrip().endswith("valid")
    assert "GiB/s" in ran.stdout
    assert "kIOPS" in ran.stdout


def test_error_findings_end_with_status_1_and_say_what_to_do(tmp_path: Path) -> None:
    ran = validators("check", make_archive(tmp_path / "run.tar.gz", short="ior-easy-write"))
    assert ran.returncode == 1
    assert "io500.stonewall.short" in ran.stdout
    assert "violated io500.stonewall: " in ran.stdout
    assert "To do:" in ran.stdout


def test_an_unreadable_archive_ends_with_status_3(tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(bytes(range(256)) * 10)
    assert validators("check", tmp_path / "junk").returncode == 3


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["prove"],
        ["check"],
        ["check", "no-such-file"],
        ["check", ".", "--benchmark", "bonnie"],
        ["describe", "bonnie"],
        ["check", ".", "--metadata", "no-such-file"],
        ["check", ".", "--metadata", "README.md"],
    ],
    ids=lambda arguments: " ".join(arguments) or "nothing",
)
def test_wrong_usage_ends_with_status_2_and_one_plain_line(arguments: list[str]) -> None:
    ran = validators(*arguments)
    assert ran.returncode == 2
    assert ran.stderr.strip()
    assert "Traceback" not in ran.stderr


def test_unread_files_are_printed_before_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Slow since noon.\n")
    (tmp_path / "README.md").write_text("```\nIOR-3.3.0: MPI Coordinated Test of Parallel I/O\n```\n")
    ran = validators("check", tmp_path)
    assert ran.stdout.splitlines()[-3:] == [
        "not read: README.md: looks like ior; a document that shows an output, and no result itself",
        "not read: notes.txt: not the output of a known benchmark",
        "unreadable",
    ]


def test_json_is_one_document_with_the_shape_of_the_interface(tmp_path: Path) -> None:
    ran = validators("check", make_archive(tmp_path / "run.tar.gz"), "--json")
    report = json.loads(ran.stdout)
    assert set(report) - {"not_read"} == {"status", "primary", "findings", "runs"}
    assert set(report["runs"][0]) == {
        "tool", "version", "mode", "path", "lines", "scores", "hashes", "measurements", "parameters", "tests", "rules",
        "findings", "distributions", "missing_measurements", "parameter_sources", "described_parameters", "evidence",
        "started", "ended", "client_nodes", "tasks", "unknown", "extent_sources",
        "printed_at", "given_options",
    }  # fmt: skip
    assert set(report["runs"][0]["scores"]["SCORE"]) == {"value", "bandwidth_gib_per_s", "rate_kiops", "printed"}
    assert set(report["runs"][0]["hashes"]["score"]) == {"printed", "computed"}
    assert set(report["runs"][0]["measurements"][0]) == {
        "op", "quantity", "stat", "value", "unit", "printed_value", "printed_unit", "scored", "context",
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["check", "reproduce"])
def test_unconfirmed_phases_are_printed_below_the_evidence(tmp_path: Path, verb: str) -> None:
    archive = make_archive(tmp_path / "whole.tar.gz")
    assert "    each figure agrees with an independent one\n" in validators(verb, archive).stdout
    alone = tmp_path / "result_summary.txt"
    alone.write_bytes(next(text for path, text in make_run().items() if path.endswith("/result_summary.txt")))
    assert "    no independent figure confirms: ior-easy-write, mdtest-easy-write, " in validators(verb, alone).stdout


def test_metadata_is_read_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "metadata.json").write_text('{"client_nodes": 99}')
    ran = validators("check", make_archive(tmp_path / "run.tar.gz"), "--metadata", tmp_path / "metadata.json")
    assert "io500.nodes.declared" in ran.stdout


def test_rules_are_listed_with_code_level_text_and_source() -> None:
    rules = json.loads(validators("rules", "--json").stdout)
    assert len(rules) >= 20
    assert all(set(rule) == {"code", "level", "text", "source"} and all(rule.values()) for rule in rules)
    assert rules[0]["code"] in validators("rules").stdout


def test_reproduce_shows_each_half_and_the_score(tmp_path: Path) -> None:
    ran = validators("reproduce", make_archive(tmp_path / "run.tar.gz"))
    assert ran.returncode == 0
    assert "sqrt(BW x MD)" in ran.stdout


def test_control_sequences_of_a_bundle_are_not_printed(tmp_path: Path) -> None:
    path = make_archive(tmp_path / "run.tar.gz", version="io500\x1b[2J")
    assert "\x1b" not in validators("check", path).stdout


def test_a_benchmark_is_described_by_its_folder() -> None:
    ran = validators("describe", "mdtest")
    rows = [line for line in ran.stdout.splitlines() if line.startswith("| `rate` | `max`")]
    assert (ran.returncode, len(rows)) == (0, 2)
    assert ("before 4.0" in rows[0], "population" in rows[0], "from 4.0" in rows[1], "(n - 1)" in rows[1]) == (
        True,
    ) * 4
    assert "| `mdtest.shifted` | warning |" in ran.stdout
    assert "mlperf-storage    MLPerf Storage" in validators("describe").stdout
