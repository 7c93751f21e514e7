"""Findings with codes from before there were kinds of evidence, by the same pairs and with tolerances of their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from validators.benchmarks.io500.evidence import Evidence
from validators.benchmarks.io500.evidence_kinds.clocks import durations, tasks
from validators.benchmarks.io500.evidence_kinds.conservation import files_by_result
from validators.findings import WARNING, Finding

_FIND_TOLERANCE = 0.10
_CLOCK_TOLERANCE_S = 10.0
"""Begin and end are whole seconds; the published run that is farthest off is so by 4 s."""


def clocks(evidence: Evidence) -> Iterator[Finding]:
    """The duration of a phase lies between the times at which it began and ended."""
    for pair in durations(evidence):
        seconds, clock = _number(pair.value), _number(pair.against)
        if abs(clock - seconds) > _CLOCK_TOLERANCE_S:
            yield Finding(
                "io500.time.inconsistent",
                WARNING,
                f"{pair.what} took {seconds:.1f} s, but began and ended {clock:.0f} s apart.",
                "A clock was set during the run, or the file was edited. Explain it to the reviewers.",
                pair.where,
                expected=f"{clock:.0f} s",
                actual=f"{seconds:.1f} s",
            )


def find_rate(evidence: Evidence) -> Iterator[Finding]:
    """The rate of find follows from the files it saw and its time."""
    phase, scanned = evidence.phase("find"), files_by_result(evidence)
    if phase is None or scanned is None or scanned[1] <= 0:
        return
    files, seconds, _ = scanned
    rate = files / seconds / 1000
    if phase.value > 0 and abs(rate - phase.value) > _FIND_TOLERANCE * phase.value:
        yield Finding(
            "io500.find.rate",
            WARNING,
            f"find saw {files:.0f} files in {seconds:.2f} s: {rate:.1f} kIOPS, but {phase.text} is printed.",
            "The tool may report a time of its own: explain it to the reviewers.",
            phase.where,
            expected=f"{rate:.3f} kIOPS",
            actual=f"{phase.text[:40]} kIOPS",
        )


def processes(evidence: Evidence) -> Iterator[Finding]:
    """All phases have the same processes, but not those of result.txt."""
    pairs = list(tasks(evidence))
    counts = {_number(pair.value) for pair in pairs}
    if len(counts) == 1 and counts != {_number(pairs[0].against)}:
        yield Finding(
            "io500.tasks.inconsistent",
            WARNING,
            f"result.txt says {_number(pairs[0].against):.0f} processes, the raw output {counts.pop():.0f}.",
            "Upload the files as the run wrote them.",
            evidence.where,
        )


def _number(value: float | str | datetime) -> float:
    assert isinstance(value, (int, float))
    return value
