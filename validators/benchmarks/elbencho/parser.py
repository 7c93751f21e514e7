"""Find what elbencho wrote: JSON lines, CSV and text of one run are one run, read from the most exact of them.

`first_done` counts until the first thread was done, when all were at work; `last_done` until the last one was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from validators.benchmarks.elbencho import jsonlines, recipe, report, table
from validators.benchmarks.elbencho.command import ONLY_IN_COMMAND, invocations, phases_missing, settings, shape
from validators.benchmarks.elbencho.phase import MOST_PHASES, Phase
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, Finding
from validators.measurements import Run
from validators.outputs import Output, Refusal, find_outputs
from validators.reading.accounting import lines_missing

TOOL = "elbencho"
_LIVE = "This is the file of --livecsv: what was done second by second, not the results."
_OF_DATA = frozenset(("bandwidth", "volume", "iops", "latency"))
_FORMS: tuple[tuple[str, Any, Callable[[Output], Iterator[Phase]]], ...] = (
    ("json", jsonlines.SIGN, jsonlines.phases),
    ("csv", table.SIGN, table.phases),
    ("text", report.SIGN, report.phases),
    ("text", report.FAILED, report.phases),
)
"""The forms by how exact they are, how each is known, and what reads it."""


def find_runs(bundle: Bundle) -> Reading:
    """Every run of elbencho in a bundle, once, whatever forms it was written in. Never raises on any content."""
    reading = find_outputs(bundle, TOOL, is_elbencho, read)
    exact = [form for form, _, _ in _FORMS]
    runs: list[Run] = []
    for run in sorted(reading.runs, key=lambda run: exact.index(run.parameters.get("form", "text"))):
        if not run.measurements or not any(_is_same(run, other) for other in runs):
            runs.append(run)
    if any(run.measurements for run in runs):
        logs = [run for run in runs if any(finding.message == _LIVE for finding in run.findings)]
        runs = [run for run in runs if run not in logs]
        hint = "Nothing to do."
        reading.findings += [Finding(f"{TOOL}.live-log", INFO, _LIVE, hint, run.path) for run in logs]
    return Reading(runs, 0 if len(runs) == 1 else None, reading.findings, reading.claimed)


def _is_same(run: Run, other: Run) -> bool:
    """Whether two forms tell of the same phases: their names and times."""
    times, others = _times(run), _times(other)
    return (
        run.parameters.get("form") != other.parameters.get("form")
        and [op for op, _ in times] == [op for op, _ in others]
        and all(
            abs(time - other_time) <= max(1.0, 0.01 * time)
            for (_, time), (_, other_time) in zip(times, others, strict=True)
        )
    )


def _times(run: Run) -> list[tuple[str, float]]:
    return [
        (measurement.op, measurement.printed_value)
        for measurement in run.measurements
        if measurement.quantity == "time"
    ]


def explain(run: Run) -> list[str]:
    """Both statistics of each bandwidth; elbencho has no score."""
    return [
        f"phase {row.context['phase']} {row.op}: {row.printed_value:.0f} {row.printed_unit} ({row.stat})"
        for row in run.measurements
        if row.quantity == "bandwidth"
    ]


def is_elbencho(head: bytes) -> bool:
    others = (table.LIVE, report.DRY_RUN)
    return any(sign.search(head) for sign in (*others, *(sign for _, sign, _ in _FORMS)))


def read(output: Output) -> list[Run]:
    """The run of one file. Raises Refusal where it cannot count."""
    head = output.bundle.head(output.path)
    for form, sign, phases in _FORMS:
        if sign.search(head):
            return list(_runs(output, form, phases(output)))
    if report.DRY_RUN.search(head):
        raise Refusal("dry-run", "Nothing was run: this is what --dryrun prints.", "Repeat without --dryrun.")
    raise Refusal("not-supported", _LIVE, "Upload the file of --jsonfile, --csvfile or --resfile.")


def _runs(output: Output, form: str, phases: Iterator[Phase]) -> Iterator[Run]:
    """A run for each invocation that the file tells of."""
    groups = list(invocations(_bounded(phases)))
    if not any(phase.figures for group in groups for phase in group):
        raise Refusal("no-results", "No phase has a figure.", "Look at what elbencho printed on standard error.")
    for group in groups:
        run = _run(output, form, group)
        if len(groups) > 1 and form != "text":
            run.lines = group[0].line, group[-1].line
        yield run


def _bounded(phases: Iterator[Phase]) -> Iterator[Phase]:
    for number, phase in enumerate(phases, start=1):
        if number > MOST_PHASES:
            message = f"There are more than {MOST_PHASES} phases."
            raise Refusal("too-large", message, "Upload the results of one run.", phase.line)
        yield phase


def _run(output: Output, form: str, phases: list[Phase]) -> Run:
    run = Run(TOOL, output.path)
    for number, phase in enumerate(phases):
        run.measurements += phase.measurements(number)
        run.tests.append(phase.test())
    versions = {phase.version for phase in phases if phase.version}
    run.version = versions.pop() if len(versions) == 1 else ""
    run.parameters = _parameters(phases, form)
    run.findings = list(_findings(phases, form, output.path))
    if command := phases[0].command:
        run.undisclosed_settings["command"] = shape(command)
        run.given_options = recipe.find_options(command)
    return run


def _parameters(phases: list[Phase], form: str) -> dict[str, Any]:
    """What all phases share, which phases there are, and what rules look at."""
    first = phases[0].config
    shared = {name: value for name, value in first.items() if all(phase.config.get(name) == value for phase in phases)}
    times = [
        time for phase in phases if phase.value("volume", "last_done") and (time := phase.value("time", "last_done"))
    ]
    command = settings(phases[0].command)
    return {
        **shared,
        **{name: command[name] for name in ONLY_IN_COMMAND if name in command},
        **({"client_nodes": int(shared["hosts"])} if shared.get("hosts", "").isdecimal() else {}),
        "phases": [phase.name for phase in phases],
        "form": form,
        **({"shortest_phase_s": min(times) / 1000} if times else {}),
    }


def _lines_missing(phases: list[Phase]) -> str:
    """What a phase lacks that others of its run, which read and write as well, are reported with."""
    by_phase = [(phase.name, {quantity for _, quantity, _, _, _ in phase.figures}) for phase in phases]
    if timeless := [name for name, quantities in by_phase if quantities and "time" not in quantities]:
        return f"{timeless[0]} has no time, which each phase is reported with."
    moved = [(name, quantities & _OF_DATA) for name, quantities in by_phase if quantities & {"bandwidth", "volume"}]
    usual = {"bandwidth", "volume"}.union(*(quantities for _, quantities in moved))
    for name, quantities in moved:
        if usual - quantities:
            return f"{name} has no {', '.join(sorted(usual - quantities))}, which it is reported with."
    return ""


def _findings(phases: list[Phase], form: str, path: str) -> Iterator[Finding]:
    for phase in phases:
        message = phase.disagreement(0.0 if form == "json" else 1.0) or phase.other_disagreement()
        if message:
            hint = "The file was edited. Upload it as elbencho wrote it."
            yield Finding(f"{TOOL}.inconsistent", ERROR, message, hint, f"{path}:{phase.line}")
            break
    if missing := phases_missing(phases):
        what = f"The command asks for {', '.join(missing)}, of which there is no result."
        yield lines_missing(TOOL, what, f"{path}:{phases[-1].line}")
    if form == "text" and (lost := _lines_missing(phases)):
        yield lines_missing(TOOL, lost, f"{path}:{phases[0].line}")
    if form == "csv" and phases[-1].command.count('"') % 2:
        what = f"The command of {phases[-1].name} has no last quotation mark: its row was cut."
        yield lines_missing(TOOL, what, f"{path}:{phases[-1].line}")
    if form != "json":
        message = "Bandwidths are rounded to whole MiB/s; only the file of --jsonfile has them exactly."
        yield Finding(f"{TOOL}.rounded", INFO, message, "Add --jsonfile next time.", path)
