"""The phases of a run as one list, from its summary and its result.txt together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from validators.benchmarks.io500 import score
from validators.benchmarks.io500.resultfile import ResultFile, Section
from validators.benchmarks.io500.summary import PhaseLine, Summary

TIMESTAMP = "timestamp"
UNIT = {score.BANDWIDTH: "GiB/s", score.RATE: "kIOPS"}
LARGEST = 1e15
"""No measurement is larger; what is would overflow on the way to bytes per second."""
TIME_ROUNDING_S = 0.0011
"""Times have four decimals in result.txt and three in the summary."""
LABELS = {score.BANDWIDTH: ("GiB/s", "GB/s"), score.RATE: ("kIOPS", "kiops")}


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase: `value` in GiB/s or kIOPS, `seconds` of wall clock, both NaN where the text is not a number."""

    name: str
    quantity: str
    text: str
    value: float
    label: str
    seconds: float
    scored: bool
    invalid: bool
    where: str
    command: str = ""
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def is_measured(self) -> bool:
        """Whether something is measured in it; io500 writes one file in `timestamp`, by which find looks later."""
        return self.name != TIMESTAMP

    @property
    def half_step(self) -> float:
        """Half of the last printed digit: how far the printed text may lie from the value."""
        decimals = len(self.text.partition(".")[2])
        return 0.5 * 10.0**-decimals


def number(text: str | None) -> float:
    """The number in a text; NaN if it is none or missing, infinite beyond LARGEST."""
    try:
        value = float(text) if text is not None and "_" not in text else math.nan
    except ValueError:
        return math.nan
    return value if not abs(value) > LARGEST else math.copysign(math.inf, value)


def moment(text: str | None) -> datetime | None:
    """A time as io500 prints it: 2025-10-01 09:00:00."""
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S") if text else None
    except ValueError:
        return None


def merge(summary: Summary | None, result: ResultFile | None) -> list[Phase]:
    """Every phase in the order in which it ran. What result.txt says counts: its hash covers it."""
    lines = summary.phases if summary else {}
    sections = result.phases if result else {}
    names = dict.fromkeys([*sections, *lines])
    return [
        _phase(name, lines.get(name), sections.get(name), summary, result)
        for name in names
        if name in lines or score.quantity(name) is not None
    ]


def _phase(
    name: str,
    line: PhaseLine | None,
    section: Section | None,
    summary: Summary | None,
    result: ResultFile | None,
) -> Phase:
    quantity = score.quantity(name) or (score.BANDWIDTH if name.startswith("ior") else score.RATE)
    values = section.values if section else {}
    text = values.get("score") or (line.value if line else "0.000000" if name == TIMESTAMP else "")
    seconds = number(line.seconds) if line else number(values.get("t_delta"))
    if section is not None and result is not None:
        where = f"{result.path}:{section.lines.get('score', section.line)}"
    else:
        where = f"{summary.path}:{line.line}" if summary and line else ""
    return Phase(
        name=name,
        quantity=quantity,
        text=text,
        value=number(text),
        label=line.unit if line else UNIT[quantity],
        seconds=seconds,
        scored=line.scored if line else name in score.definition(_definition_for(result)).phases,
        invalid=bool(line and line.invalid) or bool(section and section.invalid),
        where=where,
        command=values.get("exe", ""),
        started=moment(values.get("t_start")),
        ended=moment(values.get("t_end")),
    )


def _definition_for(result: ResultFile | None) -> str:
    return score.EXTENDED if result and "SCOREX" in result.sections else score.STANDARD
