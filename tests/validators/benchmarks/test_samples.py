"""The samples beside each parser: a folder holds files and, in expected.json, what an eye read from them."""

import json
from dataclasses import asdict

import pytest

from tests.validators.bench_cases import problems
from tests.validators.benchmarks.test_io500_cases import check_expected
from validators import catalogue, quantities
from validators.bundle import open_bundle
from validators.checks import check

SAMPLES = [
    pytest.param(benchmark, folder, id=f"{benchmark.slug}-{folder.name}")
    for benchmark in catalogue.benchmarks()
    for folder in sorted((catalogue.FOLDER / benchmark.slug / "samples").iterdir())
]


@pytest.mark.parametrize(("benchmark", "folder"), SAMPLES)
def test_sample(benchmark, folder):
    sample = json.loads((folder / "expected.json").read_text())
    if benchmark.tool != "io500":
        assert problems(check(folder / sample["path"]), sample["expect"]) == []
        return
    with open_bundle(folder / sample["path"]) as bundle:
        check_expected(benchmark.find_runs(bundle), sample["expect"])


@pytest.mark.parametrize("benchmark", catalogue.benchmarks(), ids=lambda benchmark: benchmark.slug)
def test_the_descriptor_names_what_its_samples_measure(benchmark):
    folders = sorted((catalogue.FOLDER / benchmark.slug / "samples").iterdir())
    paths = [folder / json.loads((folder / "expected.json").read_text())["path"] for folder in folders]
    runs = [run for path in paths for run in check(path).runs if run.tool == benchmark.tool]
    metrics = {
        (measurement.op, measurement.quantity, measurement.stat) for run in runs for measurement in run.measurements
    }
    assert metrics
    unnamed = [(op, quantity) for op, quantity, _ in metrics if not catalogue.describe(benchmark.tool, op, quantity)]
    entries = catalogue.meanings(benchmark.tool)
    limits = [[set(entry.get(limit, ())) for limit in ("ops", "quantities", "stats")] for entry in entries]
    vague = [
        metric
        for metric in metrics
        if not any(all(not s or v in s for s, v in zip(row, metric, strict=True)) for row in limits)
    ]
    assert (unnamed, vague) == ([], [])
    rows = [asdict(measurement) for run in runs for measurement in run.measurements]
    assert quantities.without_place(benchmark.tool, rows) == []


def test_every_benchmark_has_samples():
    assert len(SAMPLES) >= 7
    assert {sample.values[0].slug for sample in SAMPLES} == {benchmark.slug for benchmark in catalogue.benchmarks()}


def test_tools_in_one_bundle_are_runs_of_one_submission_whatever_their_files_are_called(tmp_path):
    """A survey of the targets, self-tests of the network, and the runs of IOR that follow, as a site measures them."""
    taken = [
        ("obdfilter-survey", "sweep-write-rewrite-read"),
        ("ior", "4.1-iorhard"),
        ("ior", "4.1-rank-labelled"),
        ("lst", "lstsh-write-1m-mib"),
    ]
    for number, (tool, name) in enumerate(taken):
        folder = catalogue.FOLDER / catalogue.benchmark(tool).slug / "samples" / name
        sample = folder / json.loads((folder / "expected.json").read_text())["path"]
        (tmp_path / f"part-{number}").write_bytes(sample.read_bytes())
    (tmp_path / "obdfilter_survey.summary").write_text("a name alone says nothing\n")
    report = check(tmp_path)
    assert sorted((run.tool, run.path) for run in report.runs) == sorted(
        (tool, f"part-{number}") for number, (tool, _) in enumerate(taken)
    )
    assert (report.status, report.primary) == ("valid", None)
    assert all(run.measurements for run in report.runs)
