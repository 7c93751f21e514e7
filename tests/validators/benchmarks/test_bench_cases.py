"""Every case of the shared data, through the same check as an upload: expected values, warnings and refusals."""

import json
import os
from pathlib import Path

import pytest

from tests.validators.bench_cases import problems
from validators import catalogue
from validators.checks import check

SHARED = Path(os.environ.get("HIGHWATER_SHARED") or Path(__file__).resolve().parents[4] / "shared")
TOOLS = [benchmark.tool for benchmark in catalogue.benchmarks() if benchmark.tool != "io500"]
CASES = [f"{tool}/{case.name}" for tool in TOOLS for case in sorted((SHARED / "data" / "bench" / tool).glob("*"))]

TWO_RUNS = {"ior/two-outputs-in-one-file"}
"""Expected as a refusal once: outputs in one file are runs of their own now."""


@pytest.mark.parametrize("name", CASES)
def test_case(shared, name):
    folder = shared / "data" / "bench" / name
    case = json.loads((folder / "case.json").read_text())
    target = folder if case["format"] == "directory" else folder / case["primary"]
    declared = case["expect"]["tool"] if case["expect"].get("error") == "wrong-tool" else None
    report = check(target, benchmark=declared)
    if name in TWO_RUNS:
        assert [(run.tool, run.findings) for run in report.runs] == [(name.partition("/")[0], [])] * 2
        return
    assert problems(report, case["expect"]) == []
