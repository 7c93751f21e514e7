"""Several runs of one tool in one bundle: repeats of one configuration, a sweep over what differs, or neither.

Runs are alike only where everything that the descriptor names as `same_settings` is known of each, and equal: a setting
that an output does not tell may differ. Runs of which something is not known are of the kind `unknown`, from which
nothing is computed. An output that is there twice is no repeat of itself. Runs with an error finding belong to no
group: what cannot count is neither a repeat nor a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from validators import catalogue
from validators.distributions import Distribution, is_repeat, limit_distributions, summed
from validators.findings import INFO, Finding, has_error
from validators.measurements import Run
from validators.runs import provenance

REPEATS = "repeats"
SWEEP = "sweep"
UNKNOWN = "unknown"
_TIMES = ("started", "ended")
"""What says when a run was made, one form in all runs of a tool."""
_NOT_KEPT = "not kept"
"""What stands for the value of a setting that is compared and not shown."""

Group = dict[str, Any]


def groups(runs: Sequence[Run], copied: Mapping[int, int]) -> list[Group]:
    """The groups of at least two runs, of which `copied` are told by `copies`.

    Each has `kind`, `tool`, indices of `runs`, `varies`, `missing_settings` and `distributions`.
    """
    by_tool: dict[str, list[int]] = {}
    for index, run in enumerate(runs):
        if run.measurements and not has_error(run.findings):
            by_tool.setdefault(run.tool, []).append(index)
    return [group for tool, members in by_tool.items() for group in _of_tool(tool, members, runs, copied)]


def copies(runs: Sequence[Run]) -> dict[int, int]:
    """Runs that say in every number, setting and time what an earlier one says: one run whose output is here twice."""
    first: dict[str, int] = {}
    copied: dict[int, int] = {}
    with_figures = [(index, run) for index, run in enumerate(runs) if run.measurements]
    if len(with_figures) > 1:
        for index, run in with_figures:
            original = first.setdefault(_everything(run), index)
            if original != index:
                copied[index] = original
    return copied


def _everything(run: Run) -> str:
    times = run.started, run.ended
    return repr((run.tool, _configuration(run), sorted(run.parameters.items(), key=str), run.measurements, times))


def copy_findings(runs: Sequence[Run], copied: Mapping[int, int]) -> list[Finding]:
    """That an output is here twice, for each that is."""
    return [
        Finding(
            "bundle.same-run",
            INFO,
            f"{_place(runs[copy])} says in every number what {_place(runs[original])} says: they count as one run.",
            "Nothing to do. If it was another run, upload its own output.",
            runs[copy].path,
        )
        for copy, original in copied.items()
    ]


def _place(run: Run) -> str:
    return f"{run.path or 'The root'}{f', lines {run.lines[0]} to {run.lines[1]},' if run.lines else ''}"


def _of_tool(tool: str, members: list[int], runs: Sequence[Run], copied: Mapping[int, int]) -> list[Group]:
    """The sweep and the repeats of the runs that are known, and all runs as unknown where one of them is not."""
    missing = {index: missing_settings(runs[index]) for index in members}
    complete = [index for index in members if not missing[index] and index not in copied]
    by_configuration: dict[str, list[int]] = {}
    for index in complete:
        by_configuration.setdefault(_configuration(runs[index]), []).append(index)
    tool_groups = [_repeats(tool, _in_time(same, runs), runs) for same in by_configuration.values() if len(same) > 1]
    if len(by_configuration) > 1:
        tool_groups.insert(0, _group(SWEEP, tool, complete, varies=_varies([runs[index] for index in complete])))
    if any(missing.values()) and len(members) > 1:
        names = dict.fromkeys(name for index in members for name in missing[index])
        varies = _varies([runs[index] for index in members])
        tool_groups.append(_group(UNKNOWN, tool, members, varies=varies, missing=list(names)))
    return tool_groups


def missing_settings(run: Run) -> list[str]:
    """Names of what must be known of a run before it is like another one, and is not: `version` and `same_settings`.

    Of names of which one is enough, the first stands for all.
    """
    stated = {name for name, value in provenance.setting_parameters(run).items() if value is not None}
    if run.tests:
        stated |= {name for name in run.tests[0] if all(test.get(name) is not None for test in run.tests)}
    needed = catalogue.descriptor(run.tool).get("same_settings", ["settings"])
    missing = [] if run.version else ["version"]
    if not run.states_all_settings:
        alternatives = ([name] if isinstance(name, str) else name for name in needed)
        missing += [names[0] for names in alternatives if stated.isdisjoint(names)]
    return list(dict.fromkeys([*missing, *run.unknown_settings]))


def _in_time(members: list[int], runs: Sequence[Run]) -> list[int]:
    """In the order in which they were made, where all of them tell, else in that of the archive."""
    for name in _TIMES:
        times = [time for index in members if (time := getattr(runs[index], name))]
        if len(times) == len(members):
            return [index for _, index in sorted(zip(times, members, strict=True))]
    return members


def _configuration(run: Run) -> str:
    """What makes two runs the same: version, mode, settings, and what their measurements are of."""
    settings = sorted(provenance.setting_parameters(run).items(), key=str)
    undisclosed = sorted(run.undisclosed_settings.items())
    return repr((run.version, run.mode, settings, _of_tests(run), undisclosed, _operations_and_contexts(run)))


def _of_tests(run: Run) -> dict[str, list[Any]]:
    """The settings of each test of a run, in which its tests may differ: those that the descriptor names."""
    descriptor = catalogue.descriptor(run.tool)
    named = [
        *(parameter["name"] for parameter in descriptor.get("parameters", ())),
        *descriptor.get("same_settings", ()),
    ]
    names = dict.fromkeys(
        name for alternatives in named for name in ([alternatives] if isinstance(alternatives, str) else alternatives)
    )
    stated = [name for name in names if any(name in test for test in run.tests)]
    return {name: [test.get(name) for test in run.tests] for name in stated}


def _operations_and_contexts(run: Run) -> list[tuple[str, str]]:
    return sorted({(summary.op, repr(sorted(summary.context.items(), key=str))) for summary in _summaries(run)})


def _varies(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Settings that differ, with the value of each run in order; null where a run has none.

    Where no setting does, it is the command line, what the tests were, or what was measured.
    """
    settings = [provenance.setting_parameters(run) | {"version": run.version, "mode": run.mode} for run in runs]
    plain = _differing([{name: setting[name] for name in setting if name != "command_line"} for setting in settings])
    undisclosed = _differing([run.undisclosed_settings for run in runs])
    differing = plain | {name: _numbered(values) for name, values in undisclosed.items()}
    if differing:
        return differing
    tests = [{name: ", ".join(map(str, values)) for name, values in _of_tests(run).items()} for run in runs]
    operations = [{"operations": ", ".join(sorted({op for op, _ in _operations_and_contexts(run)}))} for run in runs]
    contexts = [{"measured": str(len(_operations_and_contexts(run)))} for run in runs]
    return _differing(settings) or _differing(tests) or _differing(operations) or _differing(contexts)


def _differing(rows: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    all_rows = list(rows)
    names = dict.fromkeys(name for row in all_rows for name in row)
    values = {name: [row.get(name) for row in all_rows] for name in names}
    return {name: row_values for name, row_values in values.items() if len(set(map(repr, row_values))) > 1}


def _numbered(values: Sequence[Any]) -> list[str | None]:
    """In the place of values that are not shown: which of them are the same."""
    distinct = list(dict.fromkeys(value for value in values if value is not None))
    return [None if value is None else f"{_NOT_KEPT} ({distinct.index(value) + 1})" for value in values]


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
            of_each = [summary.value for summary in same]
            distributions = summed(first.op, first.quantity, first.stat, "runs", of_each, first.unit, first.context)
            over += [distribution | {"printed_unit": first.printed_unit} for distribution in distributions]
    return _group(REPEATS, tool, members, distributions=limit_distributions(over))


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
