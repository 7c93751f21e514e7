"""What an output of darshan-parser should hold."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _performance_printed(run: Run, context: Context) -> Verdict:
    if not run.measurements:
        return NOT_EVALUATED, "Nothing was read."
    operations = sorted(
        {measurement.op for measurement in run.measurements if measurement.stat == "agg_perf_by_slowest"}
    )
    if operations:
        return SATISFIED, f"Printed for {', '.join(operations)}."
    return VIOLATED, "Only counters were printed, without --perf."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"darshan.performance-printed": _performance_printed})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: what is wrong with a log stands in its text."""
    return []
