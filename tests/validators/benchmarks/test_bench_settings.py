"""What each case of the shared data says of its settings is found in the parameters, but for what is private."""

import json

import pytest

from tests.validators.benchmarks.test_bench_cases import CASES
from validators.checks import check

TOOLS = ("elbencho", "gdsio", "iozone", "lst", "obdfilter-survey")
PRIVATE = frozenset({"host", "servers", "clients", "command_line"})
"""Names of hosts, addresses and paths: read as numbers or shapes, never kept."""


@pytest.mark.parametrize("name", [case for case in CASES if case.split("/")[0] in TOOLS])
def test_settings_of_a_case(shared, name):
    folder = shared / "data" / "bench" / name
    case = json.loads((folder / "case.json").read_text())
    report = check(folder / case["primary"])
    expected = case["expect"].get("config", {}) | {
        key: case["expect"][key] for key in ("phases", "error_nodes") if key in case["expect"]
    }
    parameters = report.runs[0].parameters if report.runs else {}
    assert {key: parameters.get(key) for key in expected.keys() - PRIVATE} == {
        key: expected[key] for key in expected.keys() - PRIVATE
    }
    serialized = json.dumps([run.as_json() for run in report.runs])
    private = [str(value) for key in PRIVATE for value in _each(expected.get(key, []))]
    assert [word for word in private if word in serialized] == []


def _each(value):
    return value if isinstance(value, list) else [value]
