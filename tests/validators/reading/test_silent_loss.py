"""A meter of silent loss: one line with numbers of a valid sample is coloured, labelled, talked into, split or deleted.

Where that alters what was read, and the report stays valid without a finding that it did not have, a number was lost
and nobody was told. What no file can tell, since nothing in it says how many lines there are, stands in the tool's
`lines.json` as uncounted, with the reason, and is counted below; these counts only fall.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from functools import cache

import pytest

from validators import catalogue
from validators.checks import check

TOOLS = [benchmark for benchmark in catalogue.benchmarks() if benchmark.tool not in ("io500", "mlperf-storage")]
"""Those whose output is one file."""
TREES = {
    "io500": (["standard-debug-n2"], ["result_summary.txt", "result.txt", "stdout.txt"], 12),
    "mlperf_storage": (
        ["v0.5-hosts-added", "v2.0-checkpoints"]
        + [f"v3.0-{kind}" for kind in ("training", "checkpoints", "kv-cache", "vector-database")],
        ["summary.json", "statistics.json", "mlperf_storage_report.json", "kvcache_results_20260603_100001.json"],
        3,
    ),
}
"""Those whose output is a tree: samples, the files of them in which lines are changed, and in how many of each."""
LINES_OF_A_SAMPLE = 60
CHANGES = {
    "coloured": lambda line: [b"\x1b[31m" + line],
    "labelled": lambda line: [b"0: " + line],
    "talked into": lambda line: [b"nodelist: warning " + line],
    "split": lambda line: [line[: _middle(line)], line[_middle(line) :]],
    "deleted": lambda line: [],
}
UNCOUNTED = {"obdfilter_survey": 3, "wrf": 4}
"""How many lines may be deleted in silence, of those that a tool's `lines.json` calls uncounted. These only fall."""
SILENT_OF_TREES = {("mlperf_storage", "deleted"): [b'"num_accelerators": 64,'] * 2}
"""By their accelerators, the two calls of a checkpoint are told to be one: without, each is a result of its own."""


def _middle(line: bytes) -> int:
    blank = line.find(b" ", len(line) // 2)
    return blank if blank >= 0 else len(line) // 2


def figures(report):
    return [
        [(each.op, each.quantity, each.stat, each.value, str(each.context)) for each in run.measurements]
        for run in report.runs
    ]


def warnings(report):
    """What a report says against its figures: findings by code, and what each run lacks, with the reason."""
    findings = [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    lacking = [tuple(sorted(row.items())) for run in report.runs for row in run.missing_measurements]
    return Counter([*(finding.code for finding in findings if finding.level != "info"), *lacking])


@cache
def samples(slug):
    """Valid outputs in one file: the name of the file, its lines, and what is read of them."""
    outputs = []
    for folder in sorted((catalogue.FOLDER / slug / "samples").iterdir()):
        path = folder / json.loads((folder / "expected.json").read_text())["path"]
        report = check(path)
        if path.is_file() and report.status == "valid":
            outputs.append((path.name, path.read_bytes().split(b"\n"), figures(report), warnings(report)))
    return outputs


def silent(slug, change, folder, most=LINES_OF_A_SAMPLE):
    """The lines whose change alters what is read and is not told, and how many alter it at all; most of a sample."""
    lost, altered = [], 0
    for name, lines, before, warned in samples(slug):
        numbered = [at for at, line in enumerate(lines) if re.search(rb"\d", line)]
        for at in numbered[:: len(numbered) // most + 1]:
            (folder / name).write_bytes(b"\n".join([*lines[:at], *CHANGES[change](lines[at]), *lines[at + 1 :]]))
            report = check(folder / name)
            if figures(report) == before:
                continue
            altered += 1
            if report.status == "valid" and not warnings(report) - warned:
                lost.append(lines[at])
        (folder / name).unlink(missing_ok=True)
    return lost, altered


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("benchmark", TOOLS, ids=lambda benchmark: benchmark.slug)
def test_every_deleted_number_of_a_sample_is_reported(benchmark, change, tmp_path, every_nth):
    lines = range(LINES_OF_A_SAMPLE)
    most = len(lines if change == "deleted" else every_nth(lines, 4))  # what is deleted in silence is counted
    lost, altered = silent(benchmark.slug, change, tmp_path, most)
    rows = json.loads((catalogue.FOLDER / benchmark.slug / "lines.json").read_text()).get("uncounted", [])
    patterns = [re.compile(row["pattern"].encode()) for row in rows if change == "deleted"]
    assert [line for line in lost if not any(pattern.match(line) for pattern in patterns)] == [], altered
    assert all(any(pattern.match(line) for line in lost) for pattern in patterns), "it can be told"
    assert len(lost) == (UNCOUNTED.get(benchmark.slug, 0) if change == "deleted" else 0), (altered, lost[:5])


def silent_in_tree(slug, change, folder, *, every_line=False):
    """The same for outputs of many files: the sample, the file and the line, and how many changes alter a figure."""
    lost, altered = [], 0
    samples_of_tool, names, count = TREES[slug]
    for sample in samples_of_tool:
        expected = json.loads((catalogue.FOLDER / slug / "samples" / sample / "expected.json").read_text())
        tree = folder / sample
        shutil.copytree(catalogue.FOLDER / slug / "samples" / sample / expected["path"], tree)
        report = check(tree)
        before, warned, status = figures(report), warnings(report), report.status
        for path in sorted(path for path in tree.rglob("*") if path.name in names):
            lines = path.read_bytes().split(b"\n")
            numbered = [at for at, line in enumerate(lines) if re.search(rb"\d", line)]
            for at in numbered[:: 1 if every_line else len(numbered) // count + 1]:
                path.write_bytes(b"\n".join([*lines[:at], *CHANGES[change](lines[at]), *lines[at + 1 :]]))
                report = check(tree)
                altered += figures(report) != before
                if figures(report) != before and report.status == status and not warnings(report) - warned:
                    lost.append((sample, path.name, lines[at]))
            path.write_bytes(b"\n".join(lines))
    return lost, altered


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("slug", TREES)
def test_every_deleted_file_number_of_a_tree_is_reported(slug, change, tmp_path):
    lost, altered = silent_in_tree(slug, change, tmp_path)
    assert (lost, altered > 3 or change == "coloured") == ([], True)


@pytest.mark.deep
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("slug", TREES)
def test_every_deleted_line_of_a_tree_is_reported(slug, change, tmp_path):
    lost, _ = silent_in_tree(slug, change, tmp_path, every_line=True)
    assert [line.strip() for _, _, line in lost] == SILENT_OF_TREES.get((slug, change), [])


def test_the_loss_meter_counts_a_deleted_line(tmp_path, monkeypatch):
    """Without the account of lines, split lines of WRF are lost in silence."""
    monkeypatch.setattr("validators.reading.accounting.Ledger.findings", lambda *_: [])
    lost, altered = silent("wrf", "split", tmp_path)
    assert len(lost) > 3
    assert altered >= len(lost)


def test_no_pattern_of_ignored_lines_matches_many_lines():
    """Over 5 % of the lines of all samples of a tool are a reader's work, whatever the reason."""
    for benchmark in TOOLS:
        folders = (catalogue.FOLDER / benchmark.slug / "samples").iterdir()
        paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        lines = [
            line
            for path in paths
            if path.name != "expected.json"
            for line in path.read_text(encoding="utf-8", errors="replace").split("\n")
        ]
        for pattern in benchmark.outline.ignored:
            count = sum(bool(pattern.match(line)) for line in lines)
            assert count <= max(0.05 * len(lines), 1), (benchmark.tool, pattern.pattern, count)
