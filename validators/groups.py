"""Several runs of one tool in one bundle: repeats of one configuration, or a sweep over what differs.

Runs with an error finding belong to no group: what cannot count is neither a repeat nor a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from validators import provenance
from validators.distributions import Distribution, is_repeat, kept, summed
from validators.findings import has_error
from validators.measurements import Run
from validators.units import is_finite_number

REPEATS = "repeats"
SWEEP = "sweep"
_TIMES = ("started", "started_timestamp_s", "ended_timestamp_s")
"""Parameters that say when a run was made, one kind in all runs of a tool."""

Group = dict[str, Any]


def groups(runs: Sequence[Run]) -> list[Group]:
    """The groups of at least two runs: `kind`, `tool`, indices of `runs`, `varies` and `distributions`."""
    by_tool: dict[str, list[int]] = {}
    for index, run in enumerate(runs):
        if run.measurements and not has_error(run.findings):
            by_tool.setdefault(run.tool, []).append(index)
    return [group for tool, members in by_tool.items() for group in _of_tool(tool, members, runs)]


def _of_tool(tool: str, members: list[int], runs: Sequence[Run]) -> list[Group]:
    """All runs of a tool as a sweep where they differ, and the runs of each configuration as its repeats."""
    by_configuration: dict[str, list[int]] = {}
    for index in members:
        by_configuration.setdefault(_configuration(runs[index]), []).append(index)
    found = [_repeats(tool, _in_time(same, runs), runs) for same in by_configuration.values() if len(same) > 1]
    if len(by_configuration) > 1:
        varies = _varies([runs[index] for index in members])
        found.insert(0, {"kind": SWEEP, "tool": tool, "runs": members, "varies": varies, "distributions": []})
    return found


def _in_time(members: list[int], runs: Sequence[Run]) -> list[int]:
    """In the order in which they were made, where all of them tell, else in that of the archive."""
    for name in _TIMES:
        times = [runs[index].parameters.get(name) for index in members]
        if all(map(is_finite_number, times)) or all(isinstance(time, str) for time in times):
            return [index for _, index in sorted(zip(times, members, strict=True))]
    return members


def _configuration(run: Run) -> str:
    """What makes two runs the same: version, mode, settings, and what their measurements are of."""
    measured = sorted({(one.op, repr(sorted(one.context.items(), key=str))) for one in _summaries(run)})
    return repr((run.version, run.mode, sorted(provenance.settings(run).items(), key=str), measured))


def _varies(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Settings that differ, with the value of each run in order; null where a run has none."""
    settings = [provenance.settings(run) | {"version": run.version, "mode": run.mode} for run in runs]
    names = dict.fromkeys(name for one in settings for name in one if name != "command_line")
    values = {name: [one.get(name) for one in settings] for name in names}
    return {name: found for name, found in values.items() if len(set(map(repr, found))) > 1}


def _repeats(tool: str, members: list[int], runs: Sequence[Run]) -> Group:
    """The same configuration several times: each summary of the tool over the runs, one by one."""
    values: dict[tuple[str, ...], list[Any]] = {}
    for index in members:
        for one in _summaries(runs[index]):
            key = (one.op, one.quantity, one.stat, one.printed_unit, repr(one.context))
            values.setdefault(key, []).append(one)
    over: list[Distribution] = []
    for same in values.values():
        first = same[0]
        if len(same) == len(members):
            of_each = [one.value for one in same]
            found = summed(first.op, first.quantity, first.stat, "runs", of_each, first.unit, first.context)
            over += [one | {"printed_unit": first.printed_unit} for one in found]
    return {"kind": REPEATS, "tool": tool, "runs": members, "varies": {}, "distributions": kept(over)}


def _summaries(run: Run) -> list[Any]:
    return [one for one in run.measurements if not is_repeat(one.context, one.stat)]
