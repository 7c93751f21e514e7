"""Whether the figures of a job agree, in whichever form fio printed them: volume, time, rates, latencies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from validators.benchmarks.fio.directions import ROUNDING_MS
from validators.findings import ERROR, Finding
from validators.measurements import Measurement, Run

_TOLERANCE = 0.03
"""Texts have three or four digits."""
_BUCKET = 0.05
"""Percentiles are the ends of buckets, which older versions make wider."""
_LEAST_S = 1e-6
_HINT = "The output was edited or put together from two runs. Upload what fio wrote, whole."


def check_figures(run: Run) -> Iterator[Finding]:
    """The first disagreement of a run that has no other; each job and direction by itself."""
    if any(finding.code == "fio.inconsistent" for finding in run.findings):
        return
    groups: dict[tuple[str, str], list[Measurement]] = {}
    for measurement in run.measurements:
        groups.setdefault((measurement.op, repr(sorted(measurement.context.items()))), []).append(measurement)
    for (op, _), measurements in groups.items():
        values = {(each.quantity, each.stat): each.value for each in measurements}
        for message in (*_rates_over_time(values), *_order_of_latencies(values)):
            job = measurements[0].context.get("job", 0)
            yield Finding("fio.inconsistent", ERROR, f"Job {job} {op}: {message}.", _HINT, run.path)
            return


def _rates_over_time(values: dict[tuple[str, str], float]) -> Iterator[str]:
    """Volume over time is the bandwidth, operations over time the rate; shorter times say too little."""
    seconds = values.get(("time", "total"))
    if not seconds:
        return
    for amount, rate, unit in (("volume", "bandwidth", "B"), ("ops", "iops", "operations")):
        total, stated = values.get((amount, "total")), values.get((rate, "mean"))
        if total is None or stated is None:
            continue
        slack = _TOLERANCE + ROUNDING_MS / 1000 / seconds
        if abs(stated * seconds - total) > slack * max(total, stated * seconds) + seconds:
            yield f"{total:.0f} {unit} in {seconds:g} s are not {stated:.0f} {unit}/s"


def _order_of_latencies(values: dict[tuple[str, str], float]) -> Iterator[str]:
    """Percentiles rise, a mean is no more than its largest, and no completion takes longer than the largest latency."""
    for quantity in sorted({quantity for quantity, _ in values if quantity.endswith("latency")}):
        ranked = sorted(
            (float(stat[1:]), value) for (name, stat), value in values.items() if name == quantity and stat[0] == "p"
        )
        if any(low > high + _LEAST_S * low for (_, low), (_, high) in pairwise(ranked)):
            yield f"percentiles of {quantity.replace('_', ' ')} do not rise"
        mean, largest = values.get((quantity, "mean")), values.get((quantity, "max"))
        if mean is not None and largest is not None and mean > largest * (1 + _TOLERANCE) + _LEAST_S:
            yield f"the mean {quantity.replace('_', ' ')} is above the largest"
        longest = values.get(("latency", "max"))
        if (
            ranked
            and longest
            and quantity == "completion_latency"
            and ranked[-1][1] > longest * (1 + _BUCKET) + _LEAST_S
        ):
            yield "a percentile is above the largest latency"
