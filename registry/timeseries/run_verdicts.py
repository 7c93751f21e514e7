"""Which runs of a system lie where the runs before them let it be expected: plain rows of series in, rows out.

A run is held against the newest twenty runs before it of the same series, from the last step on: after a change of the
level the new level is the reference as soon as it is known as one. Bounds and zeros are no values, and tell nothing.
The arithmetic stands in run_alarm.py.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from registry.query.responses.trust_levels import label_of
from registry.timeseries import change_points, run_alarm
from registry.timeseries.run_alarm import OUTSIDE, Expectation, MetricVerdict, Verdict
from validators import quantities

Row = dict[str, Any]

MOST_OTHERS = 10
"""Other experiments of which the newest run is in an answer."""
MOST_UNEXPECTED = 20
"""Runs outside of what was expected that are in an answer, newest first."""
_RUN = ("tool", "mode", "trust", "client_nodes", "list")
_METRIC = ("op", "quantity", "stat", "unit", "printed_unit", "context")
_EXPERIMENT = (*_RUN, "scale", "settings")


class _Reading(NamedTuple):
    """One value of one run: its series, where it stands there, and what the `earlier` runs let be expected."""

    series: Row
    point: Row
    before: str
    earlier: int
    expectation: Expectation | None


def verdicts_document(rows: Sequence[Row], ordered: Sequence[Any], not_joined: Iterable[Row], last_day: dt.date) -> Row:
    """What systems/{slug}/history/ says of runs: `newest`, `newest_others` and `unexpected`.

    `ordered` are the dated results of the system, oldest first and at least one; `last_day` is that of the last.
    """
    labels = {result.public_id: label_of(result) for result in ordered}
    verdict_by_result = {name: row | {"trust_label": labels[name]} for name, row in judge_results(rows).items()}
    last = ordered[-1]
    others = [name for name in newest_runs(rows) if name != last.public_id]
    places = {result.public_id: place for place, result in enumerate(ordered)}
    unexpected = [row for row in verdict_by_result.values() if row["verdict"] in OUTSIDE]
    unexpected.sort(key=lambda row: places[row["result"]], reverse=True)
    return {
        "newest": verdict_by_result.get(last.public_id) or _unjudged_row(last, last_day, not_joined),
        "newest_others": [verdict_by_result[name] for name in others[:MOST_OTHERS] if name in verdict_by_result],
        "unexpected": [row | {"metrics": metrics_outside(row)} for row in unexpected[:MOST_UNEXPECTED]],
    }


def judge_results(rows: Sequence[Row]) -> dict[str, Row]:
    """By result the verdict on it, of all results that have a value in some series. A millisecond for ten values."""
    readings_by_result: dict[str, list[_Reading]] = {}
    for row in rows:
        for reading in _read_series(row):
            readings_by_result.setdefault(reading.point["result"], []).append(reading)
    verdicts_by_result = {
        name: run_alarm.judge_run([(reading.point["value"], reading.expectation) for reading in readings])
        for name, readings in readings_by_result.items()
    }
    verdict_by_value = {
        (id(reading.series), name): verdict.verdict
        for name, readings in readings_by_result.items()
        for reading, verdict in zip(readings, verdicts_by_result[name], strict=True)
    }
    return {
        name: _verdict_row(readings, verdicts_by_result[name])
        | {"continues": _has_continued(readings, verdicts_by_result[name], verdict_by_value)}
        for name, readings in readings_by_result.items()
    }


def newest_runs(rows: Sequence[Row]) -> list[str]:
    """The newest run of each experiment, the newest day first."""
    newest: dict[str, tuple[dt.date, int, str]] = {}
    for row in rows:
        last, count = row["points"][-1], len(row["points"])
        experiment = repr([row[name] for name in _EXPERIMENT])
        newest[experiment] = max(newest.get(experiment, (dt.date.min, 0, "")), (last["day"], count, last["result"]))
    ordered = sorted(newest.values(), reverse=True)
    return list(dict.fromkeys(result for _, _, result in ordered))


def metrics_outside(row: Row) -> list[Row]:
    """The metrics of a verdict that are lower or higher, the clearest first."""
    return [metric for metric in row["metrics"] if metric["verdict"] in OUTSIDE]


def _read_series(row: Row) -> Iterable[_Reading]:
    """Each measured value of a series with what the values before it let be expected."""
    usable = [point for point in row["points"] if point["value"] > 0 and not point["qualifier"]]
    values = [point["value"] for point in usable]
    if len(usable) == len(row["points"]):
        steps = [step["place"] for step in row["steps"]]
    else:
        steps = [step.place for step in change_points.find_change_points(values)]
    for place, point in enumerate(usable):
        # A step is seen with the third value after it.
        steps_seen = bisect_right(steps, place + 1 - change_points.SHORTEST)
        begin = steps[steps_seen - 1] if steps_seen else 0
        earlier = values[begin:place][-run_alarm.MOST_EARLIER :]
        before = usable[place - 1]["result"] if place else ""
        yield _Reading(row, point, before, len(earlier), run_alarm.expect_next(earlier, row["resolution"]))


def _verdict_row(readings: Sequence[_Reading], verdicts: Sequence[MetricVerdict]) -> Row:
    """The verdict on one run; its metrics from the clearest on."""
    metrics = [_metric_row(reading, verdict) for reading, verdict in zip(readings, verdicts, strict=True)]
    metrics.sort(key=lambda metric: (metric["chance"] is None, metric["chance"], metric["op"], metric["stat"]))
    first, earlier = readings[0], max(reading.earlier for reading in readings)
    verdict = run_alarm.clearest_verdict(verdicts)
    better = {metric["better"] for metric in metrics if metric["verdict"] in OUTSIDE}
    return {
        **{name: first.point[name] for name in ("result", "day")},
        **{name: first.series[name] for name in _RUN},
        "verdict": verdict.value,
        "better": better.pop() if len(better) == 1 else None,
        "earlier": earlier,
        "judged": sum(reading.expectation is not None for reading in readings),
        "unknown": [],
        "reason": _count_reason(earlier) if verdict == Verdict.CANNOT_TELL else "",
        "metrics": metrics,
    }


def _metric_row(reading: _Reading, verdict: MetricVerdict) -> Row:
    series, value = reading.series, reading.point["value"]
    lower = quantities.lower_is_better(series["quantity"], series["unit"])
    has_direction = quantities.better_of(series["quantity"], series["unit"]) != quantities.NONE
    is_outside = verdict.verdict in OUTSIDE
    return {name: series[name] for name in _METRIC} | {
        "value": value,
        "verdict": verdict.verdict.value,
        "better": (verdict.verdict == Verdict.LOWER) == lower if is_outside and has_direction else None,
        "expected": verdict.expected,
        "expected_low": verdict.low,
        "expected_high": verdict.high,
        "ratio": _finite_ratio(value, verdict.expected),
        "chance": verdict.chance,
        "earlier": reading.earlier,
    }


def _finite_ratio(value: float, expected: float | None) -> float | None:
    """None without anything expected, and where no number is so large: JSON has none for it."""
    ratio = value / expected if expected else math.inf
    return ratio if math.isfinite(ratio) else None


def _has_continued(
    readings: Sequence[_Reading],
    verdicts: Sequence[MetricVerdict],
    verdict_by_value: Mapping[tuple[int, str], Verdict],
) -> bool:
    """Whether all that lies outside did so in the run before, in the same direction: it is no news."""
    outside = [
        (reading, verdict.verdict)
        for reading, verdict in zip(readings, verdicts, strict=True)
        if verdict.verdict in OUTSIDE
    ]
    before = (verdict_by_value.get((id(reading.series), reading.before)) for reading, _ in outside)
    return bool(outside) and all(own == other for (_, own), other in zip(outside, before, strict=True))


def _unjudged_row(result: Any, day: dt.date, not_joined: Iterable[Row]) -> Row:
    """The verdict on a result that no series holds: what is not known of it, or that it is the first of its kind."""
    unknown: Sequence[str] = next((row["unknown"] for row in not_joined if row["result"] == result.public_id), [])
    names = ", ".join(name.replace("_", " ") for name in unknown)
    return {
        "result": result.public_id,
        "day": day,
        **{name: getattr(result, name) for name in ("tool", "mode", "trust", "client_nodes")},
        "trust_label": label_of(result),
        "list": "",
        "verdict": Verdict.CANNOT_TELL.value,
        "better": None,
        "continues": False,
        "earlier": 0,
        "judged": 0,
        "unknown": list(unknown),
        "reason": f"Not known of this run: {names}." if unknown else _count_reason(0),
        "metrics": [],
    }


def _count_reason(earlier: int) -> str:
    runs = "runs are" if earlier > 1 else "run is"
    same = "known to have the same client nodes and settings since the last change"
    return f"{earlier or 'No'} earlier {runs} {same}; {run_alarm.FEWEST} are needed."
