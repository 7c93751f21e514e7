"""What descriptors ask of every run: quantities, numbers above 0, and versions that were tried."""

from dataclasses import replace

import pytest

from validators import catalogue
from validators.findings import ERROR, Finding
from validators.measurements import Measurement, Run
from validators.runs import completeness

DESCRIPTOR = {
    "required": [
        {"ops": ["write", "read"], "quantities": ["bandwidth", ["time", "iops"]]},
        {"ops": ["make-*"], "quantities": ["rate"]},
    ],
    "never_zero": ["latency", "bandwidth"],
    "tried_versions": {"from": "2.4", "through": "3.1"},
}


def measured(*rows, **changes):
    """A run that was examined: rows are operation, quantity, value and, where it has one, context."""
    run = Run("tool", "out.txt", **changes)
    units = {"bandwidth": "B/s", "time": "s", "latency": "s", "iops": "ops/s", "rate": "ops/s", "volume": "B"}
    for op, quantity, value, *context in rows:
        measurement_context = context[0] if context else {}
        run.measurements.append(
            Measurement.printed(op, quantity, "mean", value, units[quantity], context=measurement_context)
        )
    completeness.examine(run, DESCRIPTOR)
    return run


def found(run):
    return [(finding.code, finding.level) for finding in run.findings]


def test_a_run_with_all_that_is_required_has_no_finding():
    run = measured(("write", "bandwidth", 1), ("write", "iops", 1), ("make-dirs", "rate", 1), ("other", "volume", 1))
    assert found(run) == []


@pytest.mark.parametrize(
    ("rows", "lacking"),
    [
        ([("write", "bandwidth", 1)], "write has no time or iops"),
        ([("write", "time", 1)], "write has no bandwidth"),
        ([("make-dirs", "time", 1)], "make-dirs has no rate"),
        ([("read", "bandwidth", 1, {"job": 0}), ("read", "time", 1, {"job": 1})], "read has no time or iops"),
    ],
)
def test_an_operation_without_a_required_quantity_is_an_error(rows, lacking):
    run = measured(*rows)
    assert found(run)[0] == ("tool.measurement-missing", "error")
    assert lacking in run.findings[0].message


def test_an_operation_without_any_measurement_is_missing():
    run = measured(operations_done=[("write", {"job": 3})])
    assert found(run) == [("tool.measurement-missing", "error")]
    assert "write has no bandwidth" in run.findings[0].message


def test_descriptive_context_does_not_split_an_operation():
    assert found(measured(("write", "bandwidth", 1, {"invalid": True}), ("write", "time", 1, {"iter": 2}))) == []


def test_an_invalid_run_gets_no_completeness_finding():
    error = Finding("tool.truncated", ERROR, "It ends before its end.")
    assert found(measured(("write", "time", 1), findings=[error])) == [("tool.truncated", "error")]


def test_a_zero_beside_work_is_left_out():
    run = measured(("write", "bandwidth", 5), ("write", "time", 1), ("write", "latency", 0.0))
    assert found(run) == [("tool.not-measured", "info")]
    assert [measurement.quantity for measurement in run.measurements] == ["bandwidth", "time"]


@pytest.mark.parametrize(
    "rows",
    [
        [("other", "latency", 0.0)],  # nothing was done, or nobody says so
        [("other", "volume", 5, {"job": 1}), ("other", "latency", 0.0, {"job": 0})],
        [("other", "volume", 0.0), ("other", "rate", 1)],  # a quantity that may be 0
    ],
)
def test_other_zeros_are_kept(rows):
    run = measured(*rows)
    assert (found(run), len(run.measurements)) == ([], len(rows))


def test_a_zero_that_is_required_is_missing():
    run = measured(("write", "bandwidth", 0.0), ("write", "time", 1))
    assert sorted(found(run)) == [("tool.measurement-missing", "error"), ("tool.not-measured", "info")]


@pytest.mark.parametrize(
    ("version", "is_tried"),
    [("2.4", True), ("2.4.1-3", True), ("3.1.9+dev", True), ("3", True), ("2.3.9", False), ("3.2", False),
     ("10.0", False), ("2", False), ("", True), ("git-4f3a", True)],
)  # fmt: skip
def test_a_version_outside_of_those_tried_is_a_warning(version, is_tried):
    assert found(measured(version=version)) == ([] if is_tried else [("tool.version-untested", "warning")])


NO_VERSION = {"gdsio", "io500", "lst", "obdfilter-survey"}
"""Tools that print no version, or none that can be ordered."""


@pytest.mark.parametrize("benchmark", catalogue.benchmarks(), ids=lambda benchmark: benchmark.slug)
def test_every_descriptor_names_required_values_and_settings(benchmark):
    assert {"required", "never_zero", "same_settings"} <= benchmark.descriptor.keys()
    assert ("tried_versions" in benchmark.descriptor) == (benchmark.tool not in NO_VERSION)


@pytest.mark.parametrize("benchmark", catalogue.benchmarks(), ids=lambda benchmark: benchmark.slug)
def test_never_zero_names_quantities_of_the_tool(benchmark):
    named = {operation["quantity"] for operation in benchmark.descriptor["operations"]}
    assert set(benchmark.descriptor["never_zero"]) <= named
    for entry in benchmark.descriptor["required"]:
        groups = [[name] if isinstance(name, str) else name for name in entry["quantities"]]
        assert {name for group in groups for name in group} <= named


def test_a_deviation_of_0_is_kept():
    run = measured(("write", "bandwidth", 5), ("write", "time", 1))
    run.measurements.append(replace(run.measurements[0], stat="stdev", value=0.0))
    completeness.examine(run, DESCRIPTOR)
    assert (found(run), len(run.measurements)) == ([], 3)


@pytest.mark.parametrize("value", [1e299, -1e25, 5e-315, 1e-25, 2e24])
def test_a_number_that_nothing_can_have_is_an_error(value) -> None:
    run = measured(("write", "bandwidth", value), ("write", "iops", 1))
    assert found(run) == [("tool.impossible-number", ERROR)]
    assert f"write bandwidth mean {value:.3g} B/s" in run.findings[0].message


@pytest.mark.parametrize("value", [1e24, 1e-24, -1.0, 1e18])
def test_the_largest_and_smallest_numbers_are_taken(value) -> None:
    assert found(measured(("write", "bandwidth", value), ("write", "iops", 1))) == []
