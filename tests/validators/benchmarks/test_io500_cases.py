"""The output cases of io500 and `io500 --verify`: each expected metric, hash, warning and refusal."""

import json

import pytest

from tests.validators.io500_reading import codes
from validators.benchmarks.io500 import parser
from validators.bundle import open_bundle
from validators.units import to_canonical

CASES = [
    "io500/dry-run",
    "io500/extended-debug-n2",
    "io500/phase-edited",
    "io500/pub-2019-shell-GB",
    "io500/pub-isc20-noversion",
    "io500/pub-sc21-extended",
    "io500/pub-sc23-shaheen3",
    "io500/standard-debug-n2",
    "io500/summary-score-edited",
    "io500-verify/extended-debug-n2",
    "io500-verify/standard-debug-n2",
    "io500-verify/tampered",
]


def read_case(shared, name):
    folder = shared / "data" / "bench" / name
    case = json.loads((folder / "case.json").read_text())
    target = folder if case["format"] == "directory" else folder / case["primary"]
    with open_bundle(target) as bundle:
        return parser.find_runs(bundle), case["expect"]


@pytest.mark.real_data
def test_every_case_of_the_shared_data_is_tested(shared):
    bench = shared / "data" / "bench"
    case_names = [f"{tool}/{case.name}" for tool in ("io500", "io500-verify") for case in (bench / tool).iterdir()]
    assert sorted(case_names) == sorted(CASES)


@pytest.mark.real_data
@pytest.mark.parametrize("name", CASES)
def test_case(shared, name):
    check_expected(*read_case(shared, name))


def check_expected(reading, expect):
    """All that a case expects of its reading: metrics, hashes, warnings, verdict or refusal."""
    assert reading.primary == 0
    run = reading.runs[0]
    for word in [*expect.get("warnings", []), *([expect["verdict"]] if "verdict" in expect else [])]:
        assert any(code.endswith(word) for code in codes(reading))
    if "error" in expect:
        assert any(code.endswith(expect["error"]) for code in codes(reading, "error"))
    if "metrics" in expect:
        check_metrics(run, expect)
    for key, name_of_hash in (("score_hash", "score"), ("config_hash", "config"), ("scorex_hash", "scorex")):
        if expect.get(key):
            assert run.hashes[name_of_hash]["printed"] == expect[key]
            assert run.hashes[name_of_hash]["computed"] in (expect[key], None)
    if "expected_hash" in expect:
        assert run.hashes["score"] == {"printed": expect["read_hash"], "computed": expect["expected_hash"]}


def check_metrics(run, expect):
    """What is printed; shares are computed, and have tests of their own."""
    values = [m for m in run.measurements if m.unit != "%"]
    measurements = {(m.op, m.quantity, m.stat): m for m in values}
    metrics = [metric for metric in expect["metrics"] if metric["op"] != "timestamp"]  # which is no phase
    assert len(measurements) == len(values) == len(metrics)
    for metric in metrics:
        measurement = measurements[metric["op"], metric["quantity"], metric["stat"]]
        assert (measurement.value, measurement.unit) == pytest.approx(to_canonical(metric["value"], metric["unit"]))
        assert measurement.printed_value == metric["value"]
        assert measurement.printed_unit == metric.get("printed_unit", metric["unit"])
        assert measurement.scored == metric.get("scored")
        if "invalid" in metric:
            assert measurement.context["invalid"] == metric["invalid"]
    assert run.version == (expect["version"] or "")
    for name, score in expect["scores"].items():
        assert run.scores[name]["printed"] == score["total"]
        assert run.scores[name]["value"] == pytest.approx(score["total"], rel=5e-3)
    if "procs" in expect:
        assert run.parameters["tasks"] == expect["procs"]
