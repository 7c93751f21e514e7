"""Several runs of one tool in one bundle: repeats of one configuration, a sweep over what differs, or neither.

Runs are alike only where everything that the descriptor names as `same_settings` is known of each, and equal: a setting
that an output does not tell may differ. Runs of which something is not known are of the kind `unknown`, from which
nothing is computed. Runs with an error finding belong to no group: what cannot count is neither a repeat nor a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from validators import catalogue
from validators.distributions import Distribution, is_repeat, kept, summed
from validators.findings import has_error
from validators.measurements import Run
from validators.runs import provenance
from validators.units import is_finite_number

REPEATS = "repeats"
SWEEP = "sweep"
UNKNOWN = "unknown"
_TIMES = ("started", "started_timestamp_s", "ended_timestamp_s")
"""Parameters that say when a run was made, one kind in all runs of a tool."""
_NOT_KEPT = "not kept"
"""What stands for the value of a setting that is compared and not shown."""

Group = dict[str, Any]


def groups(runs: Sequence[Run]) -> list[Group]:
    """The groups of at least two runs.

    Each has `kind`, `tool`, indices of `runs`, `varies`, `missing_settings` and `distributions`.
    """
    by_tool: dict[str, list[int]] = {}
    for index, run in enumerate(runs):
        if run.measurements and not has_error(run.findings):
            by_tool.setdefault(run.tool, []).append(index)
    return [group for tool, members in by_tool.items() for group in _of_tool(tool, members, runs)]


def _of_tool(tool: str, members: list[int], runs: Sequence[Run]) -> list[Group]:
    """The sweep and the repeats of the runs that are known, and all runs as unknown where one of them is not."""
    missing = {index: missing_settings(runs[index]) for index in members}
    known = [index for index in members if not missing[index]]
    by_configuration: dict[str, list[int]] = {}
    for index in known:
        by_configuration.setdefault(_configuration(runs[index]), []).append(index)
    found = [_repeats(tool, _in_time(same, runs), runs) for same in by_configuration.values() if len(same) > 1]
    if len(by_configuration) > 1:
        found.insert(0, _group(SWEEP, tool, known, varies=_varies([runs[index] for index in known])))
    if len(known) < len(members) and len(members) > 1:
        names = dict.fromkeys(name for index in members for name in missing[index])
        varies = _varies([runs[index] for index in members])
        found.append(_group(UNKNOWN, tool, members, varies=varies, missing=list(names)))
    return found


def missing_settings(run: Run) -> list[str]:
    """Names of what must be known of a run before it is like another one, and is not: `version` and `same_settings`.

    Of names of which one is enough, the first stands for all.
    """
    known = {name for name, value in provenance.setting_parameters(run).items() if value is not None}
    if run.tests:
        known |= {name for name in run.tests[0] if all(test.get(name) is not None for test in run.tests)}
    needed = catalogue.descriptor(run.tool).get("same_settings", ["settings"])
    missing = [] if run.version else ["version"]
    if not run.states_all_settings:
        alternatives = ([name] if isinstance(name, str) else name for name in needed)
        missing += [names[0] for names in alternatives if known.isdisjoint(names)]
    return list(dict.fromkeys([*missing, *run.unknown_settings]))


def _in_time(members: list[int], runs: Sequence[Run]) -> list[int]:
    """In the order in which they were made, where all of them tell, else in that of the archive."""
    for name in _TIMES:
        times = [runs[index].parameters.get(name) for index in members]
        if all(map(is_finite_number, times)) or all(isinstance(time, str) for time in times):
            return [index for _, index in sorted(zip(times, members, strict=True))]
    return members


def _configuration(run: Run) -> str:
    """What makes two runs the same: version, mode, settings, and what their measurements are of."""
    settings = sorted(provenance.setting_parameters(run).items(), key=str)
    undisclosed = sorted(run.undisclosed_settings.items())
    return repr((run.version, run.mode, settings, _of_tests(run), undisclosed, _measured(run)))


def _of_tests(run: Run) -> dict[str, list[Any]]:
    """The settings of each test of a run, in which its tests may differ: those that the descriptor names."""
    descriptor = catalogue.descriptor(run.tool)
    named = [*(one["name"] for one in descriptor.get("parameters", ())), *descriptor.get("same_settings", ())]
    names = dict.fromkeys(name for one in named for name in ([one] if isinstance(one, str) else one))
    told = [name for name in names if any(name in test for test in run.tests)]
    return {name: [test.get(name) for test in run.tests] for name in told}


def _measured(run: Run) -> list[tuple[str, str]]:
    return sorted({(summary.op, repr(sorted(summary.context.items(), key=str))) for summary in _summaries(run)})


def _varies(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Settings that differ, with the value of each run in order; null where a run has none.

    Where no setting does, it is the command line, what the tests were, or what was measured.
    """
    settings = [provenance.setting_parameters(run) | {"version": run.version, "mode": run.mode} for run in runs]
    plain = _differing([{name: setting[name] for name in setting if name != "command_line"} for setting in settings])
    undisclosed = _differing([run.undisclosed_settings for run in runs])
    shown = plain | {name: _numbered(values) for name, values in undisclosed.items()}
    if shown:
        return shown
    tests = [{name: ", ".join(map(str, values)) for name, values in _of_tests(run).items()} for run in runs]
    operations = [{"operations": ", ".join(sorted({op for op, _ in _measured(run)}))} for run in runs]
    contexts = [{"measured": str(len(_measured(run)))} for run in runs]
    return _differing(settings) or _differing(tests) or _differing(operations) or _differing(contexts)


def _differing(rows: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    known = list(rows)
    names = dict.fromkeys(name for one in known for name in one)
    values = {name: [one.get(name) for one in known] for name in names}
    return {name: found for name, found in values.items() if len(set(map(repr, found))) > 1}


def _numbered(values: Sequence[Any]) -> list[str | None]:
    """In the place of values that are not shown: which of them are the same."""
    seen = list(dict.fromkeys(value for value in values if value is not None))
    return [None if value is None else f"{_NOT_KEPT} ({seen.index(value) + 1})" for value in values]


def _repeats(tool: str, members: list[int], runs: Sequence[Run]) -> Group:
    """The same configuration several times: each summary of the tool over the runs, one by one."""
    values: dict[tuple[str, ...], list[Any]] = {}
    for index in members:
        for summary in _summaries(runs[index]):
            key = (summary.op, summary.quantity, summary.stat, summary.printed_unit, repr(summary.context))
            values.setdefault(key, []).append(summary)
    over: list[Distribution] = []
    for same in values.values():
        first = same[0]
        if len(same) == len(members):
            of_each = [one.value for one in same]
            found = summed(first.op, first.quantity, first.stat, "runs", of_each, first.unit, first.context)
            over += [one | {"printed_unit": first.printed_unit} for one in found]
    return _group(REPEATS, tool, members, distributions=kept(over))


def _group(
    kind: str,
    tool: str,
    members: list[int],
    *,
    varies: dict[str, list[Any]] | None = None,
    missing: Sequence[str] = (),
    distributions: Sequence[Distribution] = (),
) -> Group:
    return {
        "kind": kind,
        "tool": tool,
        "runs": members,
        "varies": varies or {},
        "missing_settings": list(missing),
        "distributions": list(distributions),
    }


def _summaries(run: Run) -> list[Any]:
    return [measurement for measurement in run.measurements if not is_repeat(measurement.context, measurement.stat)]
