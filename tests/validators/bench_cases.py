"""What a case of the shared data or a sample expects of a report, for every tool but io500, which has its own."""

import math

from validators.units import UNITS, to_canonical

NOT_CONTEXT = frozenset({"op", "quantity", "stat", "value", "unit", "printed_unit", "scored"})


def codes_of(report):
    return [finding.code for finding in [*report.findings, *(f for run in report.runs for f in run.findings)]]


def problems(report, expect):
    """What of a case's expectations a report does not meet, as sentences; nothing where all is met."""
    found = codes_of(report)
    if "error" in expect:
        errors = [
            f for f in [*report.findings, *(f for run in report.runs for f in run.findings)] if f.level == "error"
        ]
        return (
            []
            if any(f.code.endswith(expect["error"]) for f in errors)
            else [f"not refused as {expect['error']}: {found}"]
        )
    wrong = [
        f"no finding {word}: {found}" for word in expect.get("warnings", []) if not any(c.endswith(word) for c in found)
    ]
    if report.status != "valid":
        wrong.append(f"{report.status}: {found}")
    measured = [measurement for run in report.runs for measurement in run.measurements]
    wrong += [
        f"no measurement {metric}"
        for metric in expect.get("metrics", [])
        if not any(is_metric(one, metric) for one in measured) and not is_said_to_be_none(metric, found)
    ]
    versions = [run.version for run in report.runs]
    if expect.get("version") and expect["version"] not in versions:
        wrong.append(f"version {versions}, not {expect['version']}")
    return wrong


def is_said_to_be_none(metric, codes):
    """Whether a deviation of 0 is expected, and said not to be measured: that of one repetition is none."""
    return metric["stat"] == "stdev" and metric["value"] == 0 and any(code.endswith(".not-measured") for code in codes)


def is_metric(one, metric):
    """Whether a measurement is the expected one: its names, the context that is named, and the value in its unit."""
    if (one.op, one.quantity, one.stat) != (metric["op"], metric["quantity"], metric["stat"]):
        return False
    if any(one.context.get(key) != value for key, value in metric.items() if key not in NOT_CONTEXT):
        return False
    assert metric["unit"] in UNITS, metric["unit"]
    value, unit = to_canonical(metric["value"], metric["unit"])
    return one.unit == unit and math.isclose(one.value, value, rel_tol=half_a_digit(metric["value"]), abs_tol=1e-12)


def half_a_digit(printed):
    """How far a value may be off that was printed with so many digits."""
    digits = len(str(printed).replace(".", "").lstrip("0").rstrip("0")) or 1
    return max(0.5 * 10 ** (1 - digits), 1e-9) if digits < 4 else 1e-6
