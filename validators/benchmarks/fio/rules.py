"""What a run of fio should hold; most of it is data."""

from __future__ import annotations

from pathlib import Path

from validators.benchmarks.fio.consistency import limits
from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _not_limited(run: Run, context: Context) -> Verdict:
    names = sorted({name for test in run.tests for name in limits(test)})
    if names:
        return VIOLATED, f"Jobs were limited by {', '.join(names)}."
    if not run.states_all_settings:
        return NOT_EVALUATED, "The output does not list the options of its jobs."
    return SATISFIED, "No job has such an option."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"fio.not-limited": _not_limited})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of fio."""
    return []
