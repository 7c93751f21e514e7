"""What a run of IOzone should hold."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules

_WRITES = frozenset({"write", "rewrite", "random_write", "record_rewrite", "fwrite", "frewrite", "pwrite"})
_MOST = 2.0


def _flushed(run: Run, context: Context) -> Verdict:
    if not any(one.op in _WRITES for one in run.measurements):
        return NOT_EVALUATED, "Nothing was written."
    known = [name for name in ("close_included", "fsync_included", "direct", "sync") if run.parameters.get(name)]
    return (SATISFIED, f"Set: {', '.join(known)}.") if known else (VIOLATED, "Neither -c, -e, -I nor -o was given.")


def _together(run: Run, context: Context) -> Verdict:
    parents = {(one.op, *one.context.items()): one for one in run.measurements if one.stat == "parent"}
    ratios = [
        (one.value / parent.value, one.op)
        for one in run.measurements
        if one.stat == "children_sum" and (parent := parents.get((one.op, *one.context.items()))) and parent.value
    ]
    if not ratios:
        return NOT_EVALUATED, "There is no throughput test."
    ratio, op = max(ratios)
    return (SATISFIED if ratio <= _MOST else VIOLATED), f"{op}: {ratio:.1f} times what the parent sees."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"iozone.flushed": _flushed, "iozone.together": _together})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of IOzone."""
    return []
