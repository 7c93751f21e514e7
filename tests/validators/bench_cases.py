"""What a case of the shared data or a sample expects of a report, for every tool but io500, which has its own."""

import math

from validators.bundle import open_bundle
from validators.units import UNITS, to_canonical

NOT_CONTEXT = frozenset({"op", "quantity", "stat", "value", "unit", "printed_unit", "scored"})


def codes_of(report):
    return [finding.code for finding in [*report.findings, *(f for run in report.runs for f in run.findings)]]


def read_bytes(find_runs, folder, content):
    """What a parser finds in a file of these bytes, whose name says nothing."""
    (folder / "any.txt").write_bytes(content)
    with open_bundle(folder / "any.txt") as bundle:
        return find_runs(bundle)


def problems(report, expect):
    """What of a case's expectations a report does not meet, as sentences; nothing where all is met."""
    codes = codes_of(report)
    if "error" in expect:
        errors = [
            f for f in [*report.findings, *(f for run in report.runs for f in run.findings)] if f.level == "error"
        ]
        return (
            []
            if any(f.code.endswith(expect["error"]) for f in errors)
            else [f"not refused as {expect['error']}: {codes}"]
        )
    wrong = [
        f"no finding {word}: {codes}" for word in expect.get("warnings", []) if not any(c.endswith(word) for c in codes)
    ]
    if report.status != "valid":
        wrong.append(f"{report.status}: {codes}")
    measurements = [measurement for run in report.runs for measurement in run.measurements]
    wrong += [
        f"no measurement {metric}"
        for metric in expect.get("metrics", [])
        if not any(is_metric(measurement, metric) for measurement in measurements)
        and not is_said_to_be_none(metric, codes)
    ]
    versions = [run.version for run in report.runs]
    if expect.get("version") and expect["version"] not in versions:
        wrong.append(f"version {versions}, not {expect['version']}")
    return wrong


def is_said_to_be_none(metric, codes):
    """Whether a deviation of 0 is expected, and said not to be measured: that of one repetition is none."""
    return metric["stat"] == "stdev" and metric["value"] == 0 and any(code.endswith(".not-measured") for code in codes)


def is_metric(measurement, metric):
    """Whether a measurement is the expected one: its names, the context that is named, and the value in its unit."""
    if (measurement.op, measurement.quantity, measurement.stat) != (metric["op"], metric["quantity"], metric["stat"]):
        return False
    if any(measurement.context.get(key) != value for key, value in metric.items() if key not in NOT_CONTEXT):
        return False
    assert metric["unit"] in UNITS, metric["unit"]
    value, unit = to_canonical(metric["value"], metric["unit"])
    return measurement.unit == unit and math.isclose(
        measurement.value, value, rel_tol=half_a_digit(metric["value"]), abs_tol=1e-12
    )


def half_a_digit(printed_value):
    """How far a value may be off that was printed with so many digits."""
    digits = len(str(printed_value).replace(".", "").lstrip("0").rstrip("0")) or 1
    return max(0.5 * 10 ** (1 - digits), 1e-9) if digits < 4 else 1e-6
