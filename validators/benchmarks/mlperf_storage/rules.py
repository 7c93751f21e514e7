"""What a valid result of MLPerf Storage is."""

from __future__ import annotations

from pathlib import Path

from validators.benchmarks.mlperf_storage import round_3_rules
from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _utilisation(run: Run, context: Context) -> Verdict:
    least, threshold = run.parameters.get("au_min_run"), run.parameters.get("au_threshold")
    if least is None or threshold is None:
        return NOT_EVALUATED, "The utilisation or its threshold is not known."
    return (SATISFIED if least >= threshold else VIOLATED), f"{least:.2f} % in the worst run, of {threshold:g} %."


def _closed_parameters(run: Run, context: Context) -> Verdict:
    division, others = run.parameters.get("division"), run.parameters.get("open_parameters")
    if division != "closed" or others is None:
        return NOT_EVALUATED, "Only for results of the closed division with their configuration."
    if others:
        return VIOLATED, f"Set beyond what the closed division lets one set: {', '.join(others[:10])}."
    return SATISFIED, "Nothing is set beyond what the closed division lets one set."


_JUDGES = {
    "mlperf-storage.utilisation": _utilisation,
    "mlperf-storage.closed-parameters": _closed_parameters,
    **{f"mlperf-storage.{word}": judge for word, judge in round_3_rules.JUDGES.items()},
}
RULES = [round_3_rules.limited(rule) for rule in load_rules(Path(__file__).with_name("rules.json"), _JUDGES)]


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: what is wrong with a result stands in its files."""
    return []
