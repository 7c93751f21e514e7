"""What a run of elbencho should hold."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules

_LEAST_SHARE = 0.5


def _together(run: Run, context: Context) -> Verdict:
    totals = {
        (measurement.context["phase"], measurement.op): measurement.value
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("volume", "last_done") and measurement.value
    }
    shares = [
        (measurement.value / totals[key], measurement.op)
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("volume", "first_done")
        and (key := (measurement.context["phase"], measurement.op)) in totals
    ]
    if not shares:
        return NOT_EVALUATED, "No phase moves data."
    share, op = min(shares)
    return (SATISFIED if share >= _LEAST_SHARE else VIOLATED), f"{op}: {share:.0%} of the bytes."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"elbencho.together": _together})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of elbencho."""
    return []
