"""What a run of gdsio should hold."""

from __future__ import annotations

from pathlib import Path

from validators.findings import Finding
from validators.measurements import NOT_EVALUATED, SATISFIED, VIOLATED, Measurement, Run
from validators.rules import Context, Verdict, load_rules

_ONE_AT_A_TIME = frozenset({"GPUD", "CPUONLY", "CPU_GPU", "CPU_CACHED_GPU"})
"""The data paths on which a thread waits for each of its requests."""
_MOST_OFF = 0.1


def _latency_agrees(run: Run, context: Context) -> Verdict:
    results: dict[int, dict[str, Measurement]] = {}
    for measurement in run.measurements:
        results.setdefault(measurement.context["test"], {})[measurement.quantity] = measurement
    offs = []
    for test, by_quantity in results.items():
        latency, ops, time = (by_quantity[name].value for name in ("latency", "ops", "time"))
        measurement = by_quantity["latency"]
        if measurement.context["xfer_type"] in _ONE_AT_A_TIME and latency and ops and time:
            offs.append((abs(measurement.context["threads"] * time / latency / ops - 1), test))
    if not offs:
        return NOT_EVALUATED, "No result is of a data path whose threads wait for each request."
    off, test = max(offs)
    return (SATISFIED if off <= _MOST_OFF else VIOLATED), f"Result {test}: {off:.1%} apart."


RULES = load_rules(Path(__file__).with_name("rules.json"), {"gdsio.latency-agrees": _latency_agrees})


def findings(run: Run, context: Context) -> list[Finding]:
    """Nothing: neither metadata, list nor release say more of a run of gdsio."""
    return []
