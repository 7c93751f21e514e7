"""What a meaningful run of mdtest is."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _shifted(run: Run, context: Context) -> Verdict:
    """On one node every task shares the caches, however it is shifted."""
    done = {measurement.op.rpartition("_")[2] for measurement in run.measurements}
    if not {"stat", "read"} & done or "create" not in done or "command_line" not in run.parameters:
        return NOT_EVALUATED, "Nothing was read in the run that created it, or the command line is not known."
    nodes, tasks = run.parameters.get("client_nodes"), run.parameters.get("tasks")
    if not nodes or not tasks:
        return NOT_EVALUATED, f"How many {'nodes' if tasks else 'tasks'} took part in all tests is not known."
    if tasks == 1:
        return NOT_EVALUATED, "There is one task, and no other whose items it could read."
    stride = run.parameters.get("stride", 0)
    if nodes > 1 and stride * nodes >= tasks:
        return SATISFIED, f"Tasks are shifted by {stride}."
    return VIOLATED, f"Tasks are shifted by {stride}, with {tasks} tasks on {nodes} nodes."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"mdtest.shifted": _shifted})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of mdtest."""
    return []
