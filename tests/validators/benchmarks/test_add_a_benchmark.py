"""The page on adding a benchmark is true: its files, written to a copy of the project, make a working benchmark."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "add-a-benchmark.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(validators/\S+)`:\n\n```\w+\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL))
FOLDER = "validators/benchmarks/stridebench"
SAMPLE = f"{FOLDER}/samples/complete/stdout.txt"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the validators and what tests them, with the files of the page."""
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "validators", root / "validators", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "collectors", root / "collectors", symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "tests" / "validators", root / "tests" / "validators")
    for name in ("tests/__init__.py", "tests/conftest.py", "tests/make_io500.py"):
        shutil.copy(ROOT / name, root / name)
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def python(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=600)


def test_the_page_shows_every_file_that_a_benchmark_needs() -> None:
    needed = ["__init__.py", "benchmark.json", "parser.py", "rules.py", "samples/complete/expected.json"]
    assert {f"{FOLDER}/{name}" for name in needed} <= set(FILES)


def test_the_output_of_the_example_benchmark_is_checked(copy: Path) -> None:
    ran = python(copy, "validators", "check", "--json", SAMPLE)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    report = json.loads(ran.stdout)
    (run,) = report["runs"]
    assert (report["status"], report["primary"], run["tool"], run["version"]) == ("valid", 0, "stridebench", "2.1")
    assert [rule["outcome"] for rule in run["rules"]] == ["satisfied", "satisfied"]
    assert run["measurements"][0]["value"] == pytest.approx(1250.5 * 2**20)


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("stridebench 2.1 stride 8\nwrite 5 MiB/s\n", "stridebench.truncated"),
        ("stridebench 2.1 stride 8\nwrite nan MiB/s\ndone\n", "stridebench.not-a-number"),
    ],
)
def test_broken_output_of_the_example_benchmark_is_an_error(copy: Path, tmp_path: Path, output: str, code: str) -> None:
    (tmp_path / "stdout.txt").write_text(output)
    ran = python(copy, "validators", "check", str(tmp_path))
    assert (ran.returncode, code in ran.stdout) == (1, True), ran.stdout + ran.stderr


def test_the_rules_of_the_example_benchmark_are_listed_and_its_run_explained(copy: Path) -> None:
    assert "stridebench.both" in python(copy, "validators", "rules").stdout
    assert "no score" in python(copy, "validators", "reproduce", SAMPLE).stdout


def test_the_page_of_the_example_benchmark_is_generated(copy: Path) -> None:
    page = python(copy, "validators", "describe", "stridebench").stdout
    assert page.startswith("# Stridebench\n")
    for row in (
        "| `stride_bytes` |",
        "| `*.txt` | standard output, needed | `stridebench` |",
        "| `stridebench.both` | error |",
    ):
        assert row in page


def test_the_collector_recognises_files_of_the_example_benchmark(copy: Path) -> None:
    ran = python(copy, "collectors", "pack", "--results", f"{FOLDER}/samples/complete", "--dry-run")
    assert "stridebench: complete/stdout.txt" in ran.stderr.splitlines()
    assert "of no benchmark: complete/expected.json" in ran.stderr.splitlines()


def test_general_tests_cover_the_descriptor_and_sample_of_the_example_benchmark(copy: Path) -> None:
    tests = [
        "tests/validators/benchmarks/test_samples.py",
        "tests/validators/benchmarks/test_bench_hostile.py::test_outputs_that_are_cut_or_changed_are_read_or_refused[stridebench]",
        "tests/validators/test_checks.py::test_every_descriptor_and_schema_is_valid",
    ]
    ran = python(copy, "pytest", "-p", "no:cacheprovider", "-p", "no:django", "-v", *tests)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test_sample[stridebench-complete] PASSED" in ran.stdout
