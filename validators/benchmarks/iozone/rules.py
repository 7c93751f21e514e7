"""What a run of IOzone should hold."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules

_WRITES = frozenset({"write", "rewrite", "random_write", "record_rewrite", "fwrite", "frewrite", "pwrite"})
_MOST = 2.0


def _flushed(run: Run, context: Context) -> Verdict:
    if not any(measurement.op in _WRITES for measurement in run.measurements):
        return NOT_EVALUATED, "Nothing was written."
    options = [name for name in ("close_included", "fsync_included", "direct", "sync") if run.parameters.get(name)]
    return (SATISFIED, f"Set: {', '.join(options)}.") if options else (VIOLATED, "Neither -c, -e, -I nor -o was given.")


def _together(run: Run, context: Context) -> Verdict:
    parents = {
        (measurement.op, *measurement.context.items()): measurement
        for measurement in run.measurements
        if measurement.stat == "parent"
    }
    ratios = [
        (measurement.value / parent.value, measurement.op)
        for measurement in run.measurements
        if measurement.stat == "children_sum"
        and (parent := parents.get((measurement.op, *measurement.context.items())))
        and parent.value
    ]
    if not ratios:
        return NOT_EVALUATED, "There is no throughput test."
    ratio, op = max(ratios)
    return (SATISFIED if ratio <= _MOST else VIOLATED), f"{op}: {ratio:.1f} times what the parent sees."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"iozone.flushed": _flushed, "iozone.together": _together})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of IOzone."""
    return []
