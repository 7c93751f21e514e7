"""Every case of the shared data, through the same check as an upload: expected values, warnings and refusals."""

import json
import os
from pathlib import Path

import pytest

from tests.validators.bench_cases import problems
from validators import catalogue
from validators.checks import check

SHARED = Path(os.environ.get("HIGHWATER_SHARED") or Path(__file__).resolve().parents[3] / "shared")
TOOLS = [benchmark.tool for benchmark in catalogue.benchmarks() if benchmark.tool != "io500"]
CASES = [f"{tool}/{case.name}" for tool in TOOLS for case in sorted((SHARED / "data" / "bench" / tool).glob("*"))]


@pytest.mark.parametrize("name", CASES)
def test_case(shared, name):
    folder = shared / "data" / "bench" / name
    case = json.loads((folder / "case.json").read_text())
    target = folder if case["format"] == "directory" else folder / case["primary"]
    declared = case["expect"]["tool"] if case["expect"].get("error") == "wrong-tool" else None
    assert problems(check(target, benchmark=declared), case["expect"]) == []
