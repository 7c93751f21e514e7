"""What MPI-IO of a good run looks like."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _aggregators(run: Run, context: Context) -> Verdict:
    aggregators, stripes = run.parameters.get("aggregators"), run.parameters.get("stripe_count")
    if not aggregators or not stripes:
        return NOT_EVALUATED, "Aggregators or stripes are not known, or differ between files."
    outcome = SATISFIED if aggregators >= stripes else VIOLATED
    return outcome, f"{aggregators} aggregators for {stripes} stripes."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"cray-mpich.aggregators-match-stripes": _aggregators})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: what is wrong with a run stands in its boxes."""
    return []
