"""What an IO500 run cannot gain or lose between its phases, as pairs for the kinds of evidence.json."""

from __future__ import annotations

import math
from collections.abc import Iterator

from validators.benchmarks.io500.evidence import Evidence, Raw, seconds_of
from validators.benchmarks.io500.phases import Phase, number
from validators.benchmarks.io500.rawfacts import Figure
from validators.evidence import Comparison

GIB = 2**30
LEAST_SECONDS = 1.0
"""Of shorter phases the printed digits of the seconds say too little."""


def each_phase(evidence: Evidence, prefix: str) -> Iterator[tuple[Phase, Raw]]:
    """The phases of a tool that have a value and a raw text."""
    for phase in evidence.phases:
        raw = evidence.raw.get(phase.name)
        if raw is not None and phase.name.startswith(prefix) and math.isfinite(phase.value) and phase.value > 0:
            yield phase, raw


def _slack(phase: Phase, seconds: Figure) -> float:
    """The share that the printed digits of a rate and of its seconds leave open."""
    return phase.half_step / phase.value + seconds.half_step / seconds.value


def _work(evidence: Evidence, name: str) -> tuple[float, float, str] | None:
    """Rate times seconds of a phase in bytes or items, the slack of it, and where the seconds stand."""
    for phase, raw in each_phase(evidence, name):
        seconds = raw.figures.seconds
        if phase.name == name and seconds is not None and seconds.value > 0:
            unit = GIB if name.startswith("ior") else 1000
            return phase.value * unit * seconds.value, _slack(phase, seconds), f"{raw.path}:{seconds.line}"
    return None


def bytes_of_ior(evidence: Evidence) -> Iterator[Comparison]:
    """Bandwidth times seconds are the bytes that IOR counted."""
    for phase, raw in each_phase(evidence, "ior"):
        moved, work = raw.figures.bytes_moved, _work(evidence, phase.name)
        if moved is not None and moved.value > 0 and work is not None:
            where = f"{raw.path}:{moved.line}"
            yield Comparison("io500.evidence.bytes", phase.name, work[0], moved.value, work[2], where, work[1])


def bytes_read(evidence: Evidence) -> Iterator[Comparison]:
    """As many bytes are read as were written."""
    for kind in ("easy", "hard"):
        written, read = _work(evidence, f"ior-{kind}-write"), _work(evidence, f"ior-{kind}-read")
        if written and read:
            what, of_writing, slack = f"ior-{kind}-read", f"ior-{kind}-write", written[1] + read[1]
            yield Comparison(
                "io500.evidence.bytes-read", what, read[0], written[0], read[2], written[2], slack, of_writing
            )


def items(evidence: Evidence) -> Iterator[Comparison]:
    """As many items are looked at, read and deleted as were made."""
    for kind in ("easy", "hard"):
        of_creation = f"mdtest-{kind}-write"
        creation = _work(evidence, of_creation)
        for operation in ("stat", "read", "delete"):
            what = f"mdtest-{kind}-{operation}"
            done = _work(evidence, what)
            if creation and done:
                slack = creation[1] + done[1]
                yield Comparison(
                    "io500.evidence.items", what, done[0], creation[0], done[2], creation[2], slack, of_creation
                )


def items_made(evidence: Evidence) -> Iterator[Comparison]:
    """Rate times seconds of a creation are the items that mdtest counted for each task, times the tasks."""
    for phase, raw in each_phase(evidence, "mdtest"):
        each, work = raw.figures.items_each, _work(evidence, phase.name)
        if each is not None and each.value > 0 and work is not None and raw.launch.tasks:
            where = f"{raw.path}:{each.line}"
            counted = each.value * raw.launch.tasks
            yield Comparison("io500.evidence.items-made", phase.name, work[0], counted, work[2], where, work[1])


def ranks(evidence: Evidence) -> Iterator[Comparison]:
    """All ranks of a table together did what the phase did."""
    for name in evidence.tables:
        table, work = evidence.whole_table(name), _work(evidence, name)
        if table is not None and work is not None and table.work:
            total, where = sum(table.work), f"{table.path}:1"
            yield Comparison("io500.evidence.ranks", name, total, work[0], where, work[2], work[1])


def rows(evidence: Evidence) -> Iterator[Comparison]:
    """Every row of a table agrees with itself: of IOR by both of its clocks, of mdtest with the items of a rank."""
    for name, table in evidence.tables.items():
        if table.farthest is not None:
            line, value, against = table.farthest
            where = f"{table.path}:{line}"
            yield Comparison("io500.evidence.rows", f"{name}, rank of line {line}", value, against, where)


def found_files(evidence: Evidence) -> Iterator[Comparison]:
    """The files that find saw over its time are its rate."""
    phase, scanned = evidence.phase("find"), _seen_by_find(evidence)
    if phase is None or scanned is None or not phase.value > 0 or scanned[1] < LEAST_SECONDS:
        return
    rate, slack = scanned[0] / scanned[1] / 1000, phase.half_step / phase.value
    yield Comparison("io500.evidence.find-rate", "find", rate, phase.value, scanned[2], phase.where, slack)


def files_by_result(evidence: Evidence) -> tuple[float, float, str] | None:
    """Files that find saw, its seconds, and where they stand in result.txt; None where it does not say."""
    phase = evidence.phase("find")
    section = evidence.result.phases.get("find") if evidence.result else None
    if section is None or evidence.result is None or phase is None:
        return None
    files, line = number(section.values.get("total-files")), section.lines.get("total-files", section.line)
    return (files, seconds_of(evidence, phase), f"{evidence.result.path}:{line}") if files > 0 else None


def _seen_by_find(evidence: Evidence) -> tuple[float, float, str] | None:
    """The same, from the log of the shell script where there is no result.txt."""
    return files_by_result(evidence) or (None if evidence.result else evidence.matched)


def files_made(evidence: Evidence) -> Iterator[Comparison]:
    """find sees the files that mdtest made, and few more."""
    creations = [_work(evidence, f"mdtest-{kind}-write") for kind in ("easy", "hard")]
    scanned = _seen_by_find(evidence)
    if scanned is not None and creations[0] and creations[1]:
        counted = creations[0][0] + creations[1][0]
        yield Comparison("io500.evidence.find-files", "find", scanned[0], counted, scanned[2], creations[0][2])


def reads_by_clock(evidence: Evidence) -> Iterator[Comparison]:
    """Bandwidth times the wall time of the phase, read against written: coarse, and needs no raw text."""
    for kind in ("easy", "hard"):
        both = [evidence.phase(f"ior-{kind}-{operation}") for operation in ("read", "write")]
        work = [phase.value * seconds_of(evidence, phase) for phase in both if phase is not None]
        read, written = both
        if read and written and len(work) == 2 and all(math.isfinite(volume) and volume > 0 for volume in work):
            yield Comparison(
                "io500.evidence.read-time", read.name, work[0] * GIB, work[1] * GIB, read.where, written.where
            )


COMPARISONS = (
    bytes_of_ior, bytes_read, items, items_made, ranks, rows, found_files, files_made, reads_by_clock,
)  # fmt: skip
