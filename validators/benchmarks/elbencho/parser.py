"""Find what elbencho wrote: JSON lines, CSV and text of one run are one run, read from the most exact of them.

`first_done` counts until the first thread was done, when all were at work; `last_done` until the last one was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from validators.benchmarks.elbencho import jsonlines, report, table
from validators.benchmarks.elbencho.phase import MOST_PHASES, Phase
from validators.bundle import Bundle
from validators.catalogue import Reading
from validators.findings import ERROR, INFO, Finding
from validators.measurements import Run
from validators.outputs import Output, Refusal, find_outputs

TOOL = "elbencho"
_FORMS: tuple[tuple[str, Any, Callable[[Output], Iterator[Phase]]], ...] = (
    ("json", jsonlines.KNOWN, jsonlines.phases),
    ("csv", table.KNOWN, table.phases),
    ("text", report.KNOWN, report.phases),
    ("text", report.FAILED, report.phases),
)
"""The forms by how exact they are, how each is known, and what reads it."""


def find_runs(bundle: Bundle) -> Reading:
    """Every run of elbencho in a bundle, once, whatever forms it was written in. Never raises on any content."""
    reading = find_outputs(bundle, TOOL, is_elbencho, read)
    exact = [form for form, _, _ in _FORMS]
    runs: list[Run] = []
    for run in sorted(reading.runs, key=lambda one: exact.index(one.parameters.get("form", "text"))):
        if not run.measurements or not any(_is_same(run, other) for other in runs):
            runs.append(run)
    return Reading(runs, 0 if len(runs) == 1 else None, reading.findings, reading.claimed)


def _is_same(run: Run, other: Run) -> bool:
    """Whether two forms tell of the same phases: their names and times."""
    times, others = _times(run), _times(other)
    return (
        run.parameters.get("form") != other.parameters.get("form")
        and [op for op, _ in times] == [op for op, _ in others]
        and all(abs(one - two) <= max(1.0, 0.01 * one) for (_, one), (_, two) in zip(times, others, strict=True))
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
    return any(known.search(head) for known in (*others, *(known for _, known, _ in _FORMS)))


def read(output: Output) -> list[Run]:
    """The run of one file. Raises Refusal where it cannot count."""
    head = output.bundle.head(output.path)
    for form, known, phases in _FORMS:
        if known.search(head):
            return [_run(output, form, phases(output))]
    if report.DRY_RUN.search(head):
        raise Refusal("dry-run", "Nothing was run: this is what --dryrun prints.", "Repeat without --dryrun.")
    message = "This is the file of --livecsv: what was done second by second, not the results."
    raise Refusal("not-supported", message, "Upload the file of --jsonfile, --csvfile or --resfile.")


def _run(output: Output, form: str, found: Iterator[Phase]) -> Run:
    run = Run(TOOL, output.path)
    phases: list[Phase] = []
    for phase in found:
        phases.append(phase)
        if len(phases) > MOST_PHASES:
            message = f"There are more than {MOST_PHASES} phases."
            raise Refusal("too-large", message, "Upload the results of one run.", phase.line)
    if not any(phase.figures for phase in phases):
        raise Refusal("no-results", "No phase has a figure.", "Look at what elbencho printed on standard error.")
    for number, phase in enumerate(phases):
        run.measurements += phase.measurements(number)
        run.tests.append(phase.test())
    versions = {phase.version for phase in phases if phase.version}
    run.version = versions.pop() if len(versions) == 1 else ""
    run.parameters = _parameters(phases, form)
    run.findings = list(_findings(phases, form, output.path))
    return run


def _parameters(phases: list[Phase], form: str) -> dict[str, Any]:
    """What all phases share, which phases there are, and what rules look at."""
    first = phases[0].config
    shared = {name: value for name, value in first.items() if all(one.config.get(name) == value for one in phases)}
    times = [time for one in phases if one.value("volume", "last_done") and (time := one.value("time", "last_done"))]
    return {
        **shared,
        **({"client_nodes": int(shared["hosts"])} if shared.get("hosts", "").isdecimal() else {}),
        "phases": [phase.name for phase in phases],
        "form": form,
        **({"shortest_phase_s": min(times) / 1000} if times else {}),
    }


def _findings(phases: list[Phase], form: str, path: str) -> Iterator[Finding]:
    for phase in phases:
        message = phase.disagreement() if form == "json" else ""
        if message:
            hint = "The file was edited. Upload it as elbencho wrote it."
            yield Finding(f"{TOOL}.inconsistent", ERROR, message, hint, f"{path}:{phase.line}")
            break
    if form != "json":
        message = "Bandwidths are rounded to whole MiB/s; only the file of --jsonfile has them exactly."
        yield Finding(f"{TOOL}.rounded", INFO, message, "Add --jsonfile next time.", path)
