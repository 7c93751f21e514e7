"""`import` and `gate` with the programs themselves, where they are installed: JUBE, ReFrame, gitlab-ci-local, Slurm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.conftest import CHECKOUT
from tests.make_fio import make_output

JUBE = """<?xml version="1.0" encoding="UTF-8"?>
<jube><benchmark name="storage" outpath="bench_run">
  <parameterset name="rates"><parameter name="rate" type="int">1,2</parameter></parameterset>
  <step name="measure"><use>rates</use><do>cat {folder}/${{rate}}.json</do></step>
</benchmark></jube>
"""
REFRAME = """
import reframe as rfm
import reframe.utility.sanity as sn

@rfm.simple_test
class Passing(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "cat"
    executable_opts = ["{folder}/1.json"]

    @sanity_function
    def has_printed(self):
        return sn.assert_found("fio version", self.stdout)

@rfm.simple_test
class Failing(Passing):
    executable_opts = ["/dev/null"]
"""


def program(name: str) -> str:
    """The path of a program; skips the test where it is not installed."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed here")
    return path


@pytest.fixture
def outputs(tmp_path) -> Path:
    """Two outputs of fio, 1.json and 2.json."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    for rate in (1, 2):
        (folder / f"{rate}.json").write_bytes(make_output(rate))
    return folder


def run_program(*command: object, cwd: Path) -> None:
    # The programs keep files below HOME.
    environ = {**os.environ, "HOME": str(cwd)}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environ, capture_output=True, text=True, timeout=300)
    assert done.stdout or done.stderr


def dry_run(collector: Any, *arguments: object) -> dict[str, Any]:
    done = collector("import", *arguments, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_benchmark_that_jube_ran_is_read(collector, outputs, tmp_path) -> None:
    jube = program("jube")
    (tmp_path / "b.xml").write_text(JUBE.format(folder=outputs))
    run_program(jube, "run", "b.xml", cwd=tmp_path)
    document = dry_run(collector, "jube", tmp_path / "bench_run")
    assert (document["outputs"], document["by_tool"]) == (2, {"fio": 2})


def test_a_report_that_reframe_wrote_is_read(collector, outputs, tmp_path) -> None:
    reframe = program("reframe")
    (tmp_path / "check.py").write_text(REFRAME.format(folder=outputs))
    report = tmp_path / "report.json"
    run_program(
        *(reframe, "-c", "check.py", "-r", f"--prefix={tmp_path}/prefix", f"--report-file={report}"), cwd=tmp_path
    )
    document = dry_run(collector, "reframe", report)
    assert (document["outputs"], document["by_tool"]) == (1, {"fio": 1})
    assert "did not pass: fail" in [row["reason"] for row in document["not_read"]]


def test_gitlab_reads_the_pipeline(tmp_path) -> None:
    gitlab = program("gitlab-ci-local")
    shutil.copy(CHECKOUT / "deploy" / "gitlab" / "storage-benchmark.gitlab-ci.yml", tmp_path / ".gitlab-ci.yml")
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    done = subprocess.run([gitlab, "--list"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert {line.split()[0] for line in done.stdout.splitlines()[1:] if line.strip()} == {"measure", "compare"}


def test_slurm_takes_the_job(tmp_path) -> None:
    sbatch = program("sbatch")
    if subprocess.run([program("sinfo"), "-h"], capture_output=True, timeout=60).returncode:
        pytest.skip("no Slurm controller answers here")
    script = CHECKOUT / "deploy" / "slurm" / "storage-benchmark.sbatch"
    done = subprocess.run([sbatch, "--test-only", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "to start at" in done.stderr


@pytest.mark.parametrize("path", ["deploy/slurm/storage-benchmark.sbatch"])
def test_a_job_script_is_sound_bash_and_names_what_it_needs(path, tmp_path) -> None:
    script = CHECKOUT / path
    assert subprocess.run(["bash", "-n", script], capture_output=True).returncode == 0
    environ = {"PATH": os.environ["PATH"], "SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_JOB_ID": "1"}
    done = subprocess.run(["bash", script], env=environ, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "DIRECTORY: the directory to measure" in done.stderr
    assert list(tmp_path.iterdir()) == []
