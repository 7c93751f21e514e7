"""Several runs of one tool in one archive: a sweep over what differs, or repeats of one configuration, seen together.

Runs of which a setting is not known are neither; nothing is shown of them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from registry.comparison.spreads import measured_spreads
from registry.comparison.uncertainty import FEWEST
from registry.presentation.parameter_table import format_parameter
from registry.presentation.words import Row, humanize
from registry.results.run_page import MOST_VARYING, view
from validators.distributions import is_repeat
from validators.runs.run_groups import REPEATS, SWEEP

MOST_STEPS_NAMED = 12


def groups(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the groups of a report show: title, a note, and the view of their runs together."""
    return [_group_context(group, report["runs"]) for group in report.get("groups", [])]


def is_repeated(report: Mapping[str, Any], index: int | None) -> bool:
    """Whether there are three runs of the configuration of a run, beside it in its archive or in its own output."""
    if index is None:
        return False
    together = [group["runs"] for group in report.get("groups", []) if group["kind"] == REPEATS]
    run = report["runs"][index]
    return any(index in runs and len(runs) >= FEWEST for runs in together) or bool(
        measured_spreads(run["tool"], run["measurements"], run.get("parameters", {}), ())
    )


def _group_context(group: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    members = [runs[index] for index in group["runs"]]
    count = f"{len(members)} runs of {group['tool']}"
    if group["kind"] == SWEEP:
        names = list(group["varies"])
        rows = list(_step_summaries(members, group["varies"]))
        means = _means(rows)
        steps = [f"{humanize(name)} {_steps(values)}" for name, values in group["varies"].items()]
        return {
            "title": f"Sweep: {count}" + (f" over {', '.join(map(humanize, names))}" if names else ""),
            "note": "; ".join([*steps, *(["mean where a step ran several times"] if len(means) < len(rows) else [])]),
            "run": view(means, tool=_tool(group, members)),
        }
    if group["kind"] != REPEATS:
        return {"title": f"Not known to be alike: {count}", "note": _unknown_reason(group), "run": view([])}
    repeated = [
        {**row, "context": {**row["context"], "run": place}}
        for place, run in zip(group["runs"], members, strict=True)
        for row in _summaries(run)
    ]
    return {
        "title": f"Repeats: {count}",
        "note": f"One configuration, runs {', '.join(str(index) for index in group['runs'])} of the archive",
        "run": view(repeated, group["distributions"], tool=_tool(group, members)),
    }


def _unknown_reason(group: Mapping[str, Any]) -> str:
    """Why runs are neither repeats nor a sweep: what is not known of all of them, and what is known to differ."""
    missing = ", ".join(map(humanize, group["missing_settings"]))
    steps = [f"{humanize(name)} {_steps(values)}" for name, values in group["varies"].items()]
    missing_notes = [f"not known of every run: {missing}"] if missing else []
    differs = [f"known to differ: {'; '.join(steps)}"] if steps else []
    return "; ".join([*missing_notes, *differs, "no mean and no spread is made of them"])


def _tool(group: Mapping[str, Any], members: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    return group["tool"], members[0].get("version", "")


def _steps(values: Sequence[Any]) -> str:
    distinct_texts = list(dict.fromkeys("none" if value is None else format_parameter(value) for value in values))
    return ", ".join(distinct_texts[:MOST_STEPS_NAMED]) + (", ..." if len(distinct_texts) > MOST_STEPS_NAMED else "")


def _step_summaries(members: Sequence[Mapping[str, Any]], varies: Mapping[str, Sequence[Any]]) -> Iterable[Row]:
    """The summaries of all runs, with what differs between them in their contexts."""
    for place, run in enumerate(members):
        varied_values = ((name, values[place]) for name, values in list(varies.items())[:MOST_VARYING])
        step = {name: _number(value) for name, value in varied_values if isinstance(value, (str, int, float))}
        for row in _summaries(run):
            yield {**row, "context": {**row["context"], **step}}


def _means(rows: Iterable[Row]) -> list[Row]:
    """One row for each step; where it was run several times, the mean of them."""
    rows_by_step: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        key = (row["op"], row["quantity"], row["stat"], repr(sorted(row["context"].items(), key=str)))
        rows_by_step.setdefault(key, []).append(row)
    return [{**same[0], "value": fmean(row["value"] for row in same)} for same in rows_by_step.values()]


def _summaries(run: Mapping[str, Any]) -> list[Row]:
    return [row for row in run["measurements"] if not is_repeat(row["context"], row["stat"])]


def _number(value: Any) -> Any:
    """A count that a tool prints as text, as fio does with its options, is a step of a sweep all the same."""
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 16 else value
