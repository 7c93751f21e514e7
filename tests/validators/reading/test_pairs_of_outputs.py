"""Of two outputs in one file, each is read as it is alone, or the check says that it was not."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from validators import catalogue
from validators.checks import check

PACKED = (".gz", ".zip", ".tar", ".tgz", ".xz", ".bz2")
EVERY = 41
"""Of the pairs, in runs that are not deep: with a prime number, every sample comes first and second somewhere."""
TOTALS_OF_ONE_RUN = "fio/json"
"""fio prints totals of one run again and again, so that the same JSON twice is one run."""


def samples() -> list[tuple[str, Path]]:
    """Name and file of each sample that is one file of text."""
    named = []
    for benchmark in catalogue.benchmarks():
        for folder in sorted((catalogue.FOLDER / benchmark.slug / "samples").iterdir()):
            path = folder / json.loads((folder / "expected.json").read_text())["path"]
            if path.is_file() and path.suffix not in PACKED:
                named.append((f"{benchmark.slug}/{folder.name}", path))
    return named


def read_output(content: bytes, folder: Path) -> tuple[Counter, set[str], str]:
    """Every number of every run, the codes of warnings and errors, and the status."""
    path = folder / "job.log"
    path.write_bytes(content)
    report = check(path)
    numbers: Counter = Counter(
        (run.tool, number.op, number.quantity, number.stat, round(number.value, 6))
        for run in report.runs
        for number in run.measurements
    )
    findings = [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    return numbers, {finding.code for finding in findings if finding.level != "info"}, report.status


def test_each_of_two_outputs_is_read_or_reported(tmp_path, request):
    alone = {name: (path.read_bytes(), *read_output(path.read_bytes(), tmp_path)) for name, path in samples()}
    samples_with_numbers = {name: row for name, row in alone.items() if row[1]}
    assert len(samples_with_numbers) > 80
    every = 1 if request.config.option.deep else EVERY
    silent = []
    for (first, (top, some, codes, _)), (second, (bottom, others, more_codes, _)) in [
        *product(samples_with_numbers.items(), samples_with_numbers.items())
    ][::every]:
        numbers, codes_of_both, status = read_output(top.rstrip(b"\n") + b"\n" + bottom, tmp_path)
        is_told = codes_of_both - codes - more_codes or status == "invalid"
        if numbers != some + others and not is_told and not (first == second and first.startswith(TOTALS_OF_ONE_RUN)):
            silent.append((first, second, some + others - numbers))
    assert silent == []


@pytest.mark.parametrize(
    ("first", "second"), [("text-normal", "json-two-jobs"), ("text-clients", "json-fsync"), ("terse-2", "json-fsync")]
)
def test_a_report_of_fio_in_another_form_is_a_run_of_its_own(tmp_path, first, second):
    texts = [(catalogue.FOLDER / "fio" / "samples" / name / "stdout.txt").read_text() for name in (first, second)]
    (tmp_path / "job.log").write_text("\n".join(texts))
    runs = check(tmp_path / "job.log").runs
    assert [run.lines[0] for run in runs] == [1, texts[0].count("\n") + 2]
    assert all(run.measurements for run in runs)


def test_a_run_of_fio_with_a_text_head_and_json_is_one_run(tmp_path):
    document = (catalogue.FOLDER / "fio" / "samples" / "json-fsync" / "stdout.txt").read_text()
    head = "a: (g=0): rw=write, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 process\n"
    (tmp_path / "job.log").write_text(head + document)
    assert len(check(tmp_path / "job.log").runs) == 1


@pytest.mark.parametrize("place", ["before", "behind"])
def test_results_without_a_beginning_are_reported_with_their_lines(tmp_path, place):
    """A summary of MLPerf Storage is a file of its own; printed into a log, nothing says where it begins."""
    summary = (catalogue.FOLDER / "mlperf_storage" / "samples" / "summary-alone" / "summary.json").read_text()
    output = (catalogue.FOLDER / "mdtest" / "samples" / "4.1-stonewall" / "stdout.txt").read_text()
    pair = [summary, output] if place == "before" else [output, summary]
    (tmp_path / "job.log").write_text("".join(f"{text.strip()}\n" for text in pair))
    report = check(tmp_path / "job.log")
    entries = [entry for entry in report.not_read if entry["looks_like"] == "mlperf-storage"]
    lines = (tmp_path / "job.log").read_text().splitlines()
    assert "train_au" in lines[entries[0]["lines"]["first"] - 1]
    assert [finding.level for finding in report.findings if finding.code == "bundle.not-read"] == ["warning"]
    assert [run.tool for run in report.runs] == ["mdtest"]


def test_lines_of_another_tool_are_not_unread_lines_of_wrf(tmp_path):
    parts = [
        catalogue.FOLDER / "wrf" / "samples" / "nested-with-restart" / "rsl.error.0000",
        catalogue.FOLDER / "fio" / "samples" / "json-fsync" / "stdout.txt",
    ]
    (tmp_path / "job.log").write_text("\n".join(path.read_text() for path in parts))
    report = check(tmp_path / "job.log")
    assert sorted(run.tool for run in report.runs) == ["fio", "wrf"]
    assert '"elapsed" :' in parts[1].read_text()
    assert not [finding for run in report.runs for finding in run.findings if finding.code.startswith("wrf.lines")]
