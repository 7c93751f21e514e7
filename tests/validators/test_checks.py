"""Checking as a whole: what counts, what is refused, and what is said of it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest

from tests.make_io500 import make_archive, make_run
from validators import catalogue, schema
from validators.bundle import Limits
from validators.checks import check
from validators.measurements import OUTCOMES
from validators.runs.report import INVALID, UNREADABLE, VALID
from validators.units import UNITS, UnitError, from_canonical, to_canonical


def codes(report) -> list[str]:
    findings = [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    return [finding.code for finding in findings if finding.level != "info"]


def lay_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_a_valid_run_has_no_error_and_no_warning(tmp_path: Path) -> None:
    report = check(make_archive(tmp_path / "run.tar.gz"))
    assert (report.status, report.primary, codes(report)) == (VALID, 0, [])


def test_folder_and_archive_give_the_same_report(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "run", make_run())
    archive = make_archive(tmp_path / "run.zip")
    assert check(folder).as_json() == check(archive).as_json()


def test_an_invalid_mark_makes_the_report_invalid(tmp_path: Path) -> None:
    report = check(make_archive(tmp_path / "run.tar.gz", invalid=("find",)))
    assert report.status == INVALID


def test_an_error_of_the_archive_makes_the_report_invalid(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "run", make_run())
    (folder / "link").symlink_to("/etc/passwd")
    report = check(folder)
    assert (report.status, codes(report)) == (INVALID, ["bundle.link"])
    assert report.runs


def test_two_runs_are_reported_without_a_primary(tmp_path: Path) -> None:
    report = check(make_archive(tmp_path / "two.tar.gz", extra=make_run(performance=2, folder="results/other")))
    assert (len(report.runs), report.primary) == (2, None)
    assert "io500.several-runs" in codes(report)


def test_the_valid_one_of_two_runs_can_be_chosen(tmp_path: Path) -> None:
    spoilt = make_run(performance=2, folder="results/other", missing="find")
    report = check(make_archive(tmp_path / "two.tar.gz", extra=spoilt))
    assert (len(report.runs), report.primary, report.status) == (2, None, VALID)
    report = check(make_archive(tmp_path / "none.tar.gz", extra=spoilt, missing="find"))
    assert (len(report.runs), report.primary, report.status) == (2, None, INVALID)


def test_a_raw_file_is_recognised_by_its_original_name(tmp_path: Path) -> None:
    (text,) = (content for name, content in make_run().items() if name.endswith("/result.txt"))
    stored = tmp_path / "6a6979be"
    stored.write_bytes(text)
    assert check(stored).runs == []
    report = check(stored, name="result.txt")
    assert (report.status, {finding.where for finding in report.runs[0].findings}) == (VALID, {"result.txt"})


def test_copies_at_the_root_do_not_take_the_place_of_the_run(tmp_path: Path) -> None:
    files = make_run()
    copies = {name.rsplit("/", 1)[-1]: files[name] for name in files if name.endswith((".ini", "result.txt"))}
    report = check(make_archive(tmp_path / "run.tar.gz", extra=copies))
    assert (report.runs[0].path, codes(report)) == ("results/2025.10.01-09.00.00", [])


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"Rar!\x1a\x07\x01\x00" + bytes(100), "bundle.archive-format"),
        (gzip.compress(b"hello world\n"), "bundle.not-recognised"),
        (lzma.compress(b"hello world\n"), "bundle.not-recognised"),
        (bz2.compress(b"hello world\n"), "bundle.not-recognised"),
        (b"", "bundle.empty-file"),
        (b" \n\n", "bundle.empty-file"),
        (bytes(range(256)) * 40, "bundle.binary-file"),
        (b"text\0text", "bundle.binary-file"),
        (b"x" * 100_000_000, "bundle.line-too-long"),
        (b"hello world\n", "bundle.not-recognised"),
        ("größer\n".encode("latin-1"), "bundle.not-recognised"),
        ("score\n".encode("utf-16"), "bundle.binary-file"),
    ],
    ids=["rar", "gzip", "xz", "bzip2", "empty", "blank", "binary", "nul", "100 MB line", "text", "latin-1", "utf-16"],
)
def test_a_file_that_is_no_result_is_identified(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "stdout.txt"
    path.write_bytes(content)
    report = check(path, limits=Limits(packed_bytes=2**30))
    assert (report.status, codes(report)) == (UNREADABLE, [code])


def test_files_without_a_result_are_unreadable(tmp_path: Path) -> None:
    report = check(lay_out(tmp_path / "notes", {"a.txt": b"one\n", "b.txt": b"two\n"}))
    assert (report.status, codes(report)) == (UNREADABLE, ["bundle.no-result"])


def test_an_empty_folder_is_unreadable(tmp_path: Path) -> None:
    report = check(tmp_path)
    assert (report.status, codes(report)) == (UNREADABLE, ["bundle.empty"])


def test_a_damaged_archive_gives_a_report_too(tmp_path: Path) -> None:
    path = make_archive(tmp_path / "run.tar.gz")
    path.write_bytes(path.read_bytes()[:300])
    report = check(path)
    assert (report.status, codes(report)) == (UNREADABLE, ["bundle.truncated"])


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({"client_nodes": "ten"}, "metadata.invalid"),
        ({"client_nodes": 0}, "metadata.invalid"),
        ({"institution": "x" * 201}, "metadata.invalid"),
        ({"colour": "blue"}, "metadata.unknown"),
        (["a", "list"], "metadata.invalid"),
    ],
)
def test_wrong_metadata_is_an_error(tmp_path: Path, metadata, code: str) -> None:
    report = check(make_archive(tmp_path / "run.tar.gz"), metadata=metadata)
    assert (report.status, code in codes(report)) == (INVALID, True)


def test_declared_nodes_are_compared_with_the_measured_ones(tmp_path: Path) -> None:
    path = make_archive(tmp_path / "run.tar.gz", client_nodes=10)
    assert "io500.nodes.declared" not in codes(check(path, metadata={"client_nodes": 10}))
    assert "io500.nodes.declared" in codes(check(path, metadata={"client_nodes": 12}))


def test_an_unknown_benchmark_is_a_lookup_error(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"there are .*io500"):
        check(make_archive(tmp_path / "run.tar.gz"), benchmark="bonnie")


def test_a_report_is_json_and_its_numbers_carry_known_units(tmp_path: Path) -> None:
    document = json.loads(json.dumps(check(make_archive(tmp_path / "run.tar.gz")).as_json(), allow_nan=False))
    (run,) = document["runs"]
    assert {measurement["unit"] for measurement in run["measurements"]} <= {unit.canonical for unit in UNITS.values()}
    assert {rule["outcome"] for rule in run["rules"]} <= set(OUTCOMES)
    assert all(rule["why"] for rule in run["rules"])


def test_every_descriptor_and_schema_is_valid() -> None:
    assert {"metadata.1", "benchmark.1"} <= set(schema.schemas())
    for benchmark in catalogue.benchmarks():
        assert schema.errors(benchmark.descriptor, "benchmark.1") == []
        assert {row["unit"] for row in benchmark.descriptor["operations"]} <= set(UNITS)


def test_rules_have_stable_unique_codes_text_and_source() -> None:
    rules = catalogue.rules()
    assert len({rule.code for rule in rules}) == len(rules) >= 20
    owners = tuple(f"{benchmark.tool}." for benchmark in catalogue.benchmarks())
    assert all(rule.text and rule.source and rule.code.startswith((*owners, "system.")) for rule in rules)


@pytest.mark.parametrize(("value", "unit", "canonical"), [(1, "GiB/s", 2**30), (1, "GB/s", 10**9), (2, "kIOPS", 2000)])
def test_units_convert_both_ways(value: float, unit: str, canonical: float) -> None:
    assert to_canonical(value, unit)[0] == canonical
    assert from_canonical(canonical, unit) == value


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(UnitError):
        to_canonical(1, "Gib/s")
