"""What a session of LNet self-test should hold."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Run
from validators.rules import Context, Verdict, load_rules


def _balanced(run: Run, context: Context) -> Verdict:
    means = {
        _key(measurement.op, measurement.context): measurement
        for measurement in run.measurements
        if _is_bandwidth(measurement.quantity, measurement.stat, "mean_node")
    }
    lows = {
        _key(measurement.op, measurement.context): measurement
        for measurement in run.measurements
        if _is_bandwidth(measurement.quantity, measurement.stat, "min_node")
    }
    compared = [(lows[key], mean) for key, mean in means.items() if key in lows and mean.value]
    if not compared:
        return NOT_EVALUATED, "No sample has the bandwidth of the slowest node and of all."
    low, mean = min(compared, key=lambda pair: pair[0].value / pair[1].value)
    share = low.value / mean.value
    where = f"{mean.context.get('group')}, {mean.op}: the slowest node has {share:.0%} of the mean."
    return (SATISFIED if share >= 0.5 else VIOLATED), where


def _is_bandwidth(quantity: str, stat: str, expected_stat: str) -> bool:
    return quantity == "bandwidth" and stat == expected_stat


def _key(op: str, context: dict[str, object]) -> tuple[object, ...]:
    return op, *context.items()


RULES = load_rules(Path(__file__).with_name("rules.json"), {"lst.balanced": _balanced})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a session."""
    return []
