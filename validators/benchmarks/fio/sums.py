"""What runs of fio have beside their measurements: what all jobs share, and sums of what ran at the same time."""

from __future__ import annotations

from typing import Any

from validators.benchmarks.fio.directions import SYNC
from validators.measurements import Run

NOT_SHARED = frozenset({"name", "group", "error", "client", "steady_state_attained"})
"""What tests have and is no setting of a job."""


def parameters_of(run: Run) -> dict[str, Any]:
    """The options that all jobs share, their number, and the sums of what ran at the same time."""
    names = {name for test in run.tests for name in test} - NOT_SHARED
    same = {
        name: run.tests[0][name]
        for name in sorted(names)
        if name in run.tests[0] and all(test.get(name) == run.tests[0][name] for test in run.tests)
    }
    steady = [test["steady_state_attained"] for test in run.tests if "steady_state_attained" in test]
    return {
        **same,
        "jobs": len(run.tests),
        "sums": totals(run),
        **_shortest(run),
        **({"steady_state_attained": all(steady)} if steady else {}),
    }


def _shortest(run: Run) -> dict[str, float]:
    """How long the shortest job ran, in seconds."""
    times = [measurement.value for measurement in run.measurements if measurement.quantity == "time"]
    return {"shortest_job_s": round(min(times), 6)} if times else {}


def totals(run: Run) -> list[dict[str, Any]]:
    """Bandwidth (B/s) and rate (ops/s) of the processes of a group, which run together; groups are never added.

    A sum is left out where a process of the group has no such figure.
    """
    sums: dict[tuple[int, str], dict[str, Any]] = {}
    rates = {
        (measurement.op, measurement.context.get("job"), measurement.quantity): measurement.value
        for measurement in run.measurements
    }
    jobs = dict.fromkeys(
        (measurement.op, measurement.context["job"])
        for measurement in run.measurements
        if "job" in measurement.context and measurement.op != SYNC
    )
    for op, job in jobs:
        group = run.tests[job]["group"] or 0
        total = sums.setdefault((group, op), {"group": group, "op": op, "bandwidth": 0.0, "iops": 0.0, "jobs": 0})
        total["jobs"] += 1
        for quantity in ("bandwidth", "iops"):
            rate = rates.get((op, job, quantity))
            if not rate:
                total.pop(quantity, None)
            elif quantity in total:
                total[quantity] += rate
    return list(sums.values())
