"""Whether the files of the tools agree with the values of the phases: their text, and the tables of their ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator

from validators.benchmarks.io500.evidence import Evidence
from validators.findings import ERROR, WARNING, Finding

_RELATIVE = 1e-3
_ABSOLUTE = 6e-4
_HINT = "Upload the files as the run wrote them."


def raw_agrees(evidence: Evidence) -> Iterator[Finding]:
    """The value of a phase stands in the raw output of its tool as well."""
    for phase in evidence.phases:
        raw = evidence.raw.get(phase.name)
        if raw is None or not math.isfinite(phase.value):
            continue
        if raw.value is None:
            yield Finding(
                "io500.raw.no-value",
                WARNING,
                f"The raw output of {phase.name} has no result that could be read.",
                "The file was cut or is of another tool. " + _HINT,
                raw.path,
            )
        elif abs(raw.value - phase.value) > max(_RELATIVE * abs(phase.value), _ABSOLUTE):
            yield Finding(
                "io500.raw.inconsistent",
                ERROR,
                f"{phase.name} is {phase.text[:40]} {phase.label}, but its raw output says {raw.value:.6g}.",
                "The files belong to different runs, or one of them was edited. " + _HINT,
                raw.path,
                expected=f"{raw.value:.6f}",
                actual=phase.text[:40],
            )


def tables_agree(evidence: Evidence) -> Iterator[Finding]:
    """The tables of the ranks belong to the phases beside them."""
    for phase, table in evidence.tables.items():
        value = _value(evidence, phase)
        if not table.readable:
            yield Finding(
                "io500.table.unreadable",
                WARNING,
                f"The table of the ranks of {phase} cannot be read.",
                "The file was cut or edited. " + _HINT,
                table.path,
            )
        elif value is not None and table.phase is not None and _contradicts(evidence, phase, value, table.phase):
            at_most = "at most " if phase.startswith("ior") else ""
            yield Finding(
                "io500.table.inconsistent",
                ERROR,
                f"{phase} is {value:.6f}, but the table of its ranks gives {at_most}{table.phase:.6f}.",
                "The files belong to different runs, or one of them was edited. " + _HINT,
                table.path,
                expected=f"{at_most}{table.phase:.6f}",
                actual=f"{value:.6f}",
            )


def _contradicts(evidence: Evidence, phase: str, value: float, table_value: float) -> bool:
    """mdtest's table says the value; IOR's, if it has every rank, what the value cannot exceed."""
    tolerance = max(_RELATIVE * abs(value), _ABSOLUTE)
    if phase.startswith("ior"):
        return evidence.whole_table(phase) is not None and value - table_value > tolerance
    return abs(table_value - value) > tolerance


def _value(evidence: Evidence, name: str) -> float | None:
    """The value of a phase in GiB/s or kIOPS if it is a number."""
    phase = evidence.phase(name)
    return phase.value if phase is not None and math.isfinite(phase.value) else None
