"""What a survey must be before its rates are believed."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules

_MARGIN = 1.02
"""The clock of the script and those of the targets are not one."""


def _plausible(run: Run, context: Context) -> Verdict:
    aggregates = [measurement for measurement in run.measurements if measurement.stat == "aggregate"]
    fastest = {
        (measurement.op, *measurement.context.items()): measurement
        for measurement in run.measurements
        if measurement.stat == "max_ost_instant"
    }
    compared = [
        (aggregate, aggregate.context["osts"] * fastest[key].value)
        for aggregate in aggregates
        if (key := (aggregate.op, *aggregate.context.items())) in fastest
    ]
    if not compared:
        return NOT_EVALUATED, "No test has rates of single targets."
    for overall, most in compared:
        if overall.value > most * _MARGIN:
            return VIOLATED, f"{overall.op}: {overall.printed_value} MiB/s of {overall.context['osts']} targets."
    return SATISFIED, f"{len(compared)} tests compared."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"obdfilter-survey.plausible": _plausible})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a survey."""
    return []
