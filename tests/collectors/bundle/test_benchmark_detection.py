"""What `pack` says of files: which belong to which benchmark, what a result needs, and what belongs to none."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile

import pytest

from collectors.bundle import benchmark_detection
from launcher import collector_file
from validators import catalogue
from validators.bundle import open_bundle
from validators.checks import check

SAMPLES = [
    pytest.param(
        folder / json.loads((folder / "expected.json").read_text())["path"], id=f"{benchmark.slug}-{folder.name}"
    )
    for benchmark in catalogue.benchmarks()
    for folder in sorted((catalogue.FOLDER / benchmark.slug / "samples").iterdir())
]
MDTEST = b"-- started at 10/01/2025 09:00:00 --\n\nmdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)\n"
IOR = b"IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n"


def tools(heads: dict[str, bytes]) -> dict[str, list[str]]:
    return {benchmark.tool: benchmark.found for benchmark in benchmark_detection.detect_benchmarks(heads)}


def agree(path) -> None:
    """Of what the registry's parsers accept, the collector knows the same tools and misses nothing."""
    with open_bundle(path) as bundle:
        heads = {name: bundle.read(name, benchmark_detection.HEAD_BYTES) for name in bundle.files}
    heads = {name: head for name, head in heads.items() if not name.endswith(("case.json", "expected.json"))}
    report = check(path)
    if report.status == "valid":
        benchmarks = benchmark_detection.detect_benchmarks(heads)
        assert {benchmark.tool for benchmark in benchmarks} == {run.tool for run in report.runs}


@pytest.mark.parametrize("path", SAMPLES)
def test_the_collector_knows_the_tool_of_every_valid_sample(path) -> None:
    agree(path)


@pytest.mark.real_data
def test_the_collector_knows_the_tools_of_the_cases(shared) -> None:
    cases = sorted((shared / "data" / "bench").glob("*/*/case.json"))
    assert cases
    for case in cases:
        agree(case.parent)


def test_the_name_of_a_file_does_not_matter() -> None:
    assert tools({"a/ior.txt": MDTEST, "a/x": b"nothing"}) == {"mdtest": ["a/ior.txt"]}


def test_several_tools_have_their_own_files_and_share_the_output_of_the_job() -> None:
    heads = {"run/ior.txt": IOR, "run/md/mdtest.txt": MDTEST, "run/md/slurm.out": b"", "other/slurm.out": b""}
    assert tools(heads) == {
        "ior": ["run/ior.txt", "run/md/slurm.out"],
        "mdtest": ["run/md/mdtest.txt", "run/md/slurm.out"],
    }


def test_outputs_of_io500_phases_are_not_runs_of_ior() -> None:
    heads = {
        "r/result_summary.txt": b"[RESULT] ior-easy-write 1",
        "r/ior-easy-write.txt": IOR,
        "r/mdtest-easy.txt": MDTEST,
    }
    assert tools(heads) == {"io500": sorted(heads)}


def test_missing_files_and_unknown_files_are_reported(collector, tmp_path) -> None:
    results = tmp_path / "survey"
    results.mkdir()
    (results / "rates").write_text("=============> ost  2 sz  2097152K rsz 1024K obj    2 thr    2 \n")
    (results / "notes").write_text("nothing that a benchmark wrote\n")
    (results / "mdtest.log").write_bytes(MDTEST)
    (results / "rates.detail").write_bytes((results / "rates").read_bytes())
    done = collector("pack", "--results", results, "--dry-run")
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert "mdtest: survey/mdtest.log" in lines
    assert "obdfilter-survey: survey/rates.detail" in lines
    assert "of no benchmark: survey/notes, survey/rates" in lines
    (warning,) = [line for line in lines if line.startswith("warning: ")]
    assert warning.startswith("warning: obdfilter-survey: there is no * (summary that the script writes")


def test_results_of_unknown_tools_are_packed_with_a_warning(collector, tmp_path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.txt").write_text("42\n")
    done = collector("pack", "--results", tmp_path / "r", "--out", tmp_path / "r.tar.gz")
    assert (done.returncode, "warning: nothing here is known as the output of a benchmark" in done.stderr) == (0, True)


def test_the_single_file_knows_every_benchmark(collector, tmp_path, oldest_and_this_python) -> None:
    (tmp_path / "highwater.pyz").write_bytes(collector_file.build())
    with zipfile.ZipFile(tmp_path / "highwater.pyz") as archive:
        of_its_own = re.compile("collectors/data/benchmarks/[^/]+/benchmark.json")
        inside = [name for name in archive.namelist() if of_its_own.fullmatch(name)]
    assert len(inside) == len(catalogue.benchmarks())
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.txt").write_bytes(IOR)
    command = [oldest_and_this_python, "highwater.pyz", "pack", "--results", "r", "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, env=collector.environ, capture_output=True, text=True, timeout=600)
    assert done.stderr.splitlines().count("ior: r/a.txt") == 1, done.stderr
