"""`result_summary.txt`: one line per phase, then the score. By the shell script until 2020, and by the C program.

The shell script prints three decimals and phase names with underscores, the C program six decimals and hyphens. Both
print binary gigabytes, whatever the label says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

SHELL = "shell"
C = "c"
MOST_PHASES = 200
"""Phases that are read: io500 never had more than 23."""

_VERSION = "IO500 version "
_MODE = re.compile(r"\w+\)")
_PHASE = re.compile(
    r"\[(?P<tag>RESULT| {6})\]\s+(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?(?P<name>[A-Za-z0-9][\w-]*)\s+(?P<value>\S+)\s+"
    r"(?P<unit>[A-Za-z/]+)\s*:\s*time\s+(?P<seconds>\S+)\s+seconds(?P<invalid>\s+\[INVALID\])?\s*$"
)
_SCORE = re.compile(
    r"\[(?P<name>SCOREX?) ?\]\s+Bandwidth\s+(?P<bandwidth>\S+)\s+(?P<unit>G\w+/s)\s*:\s*IOPS\s+(?P<rate>\S+)\s+kiops\s*"
    r":\s*TOTAL\s+(?P<total>\S+)(?P<invalid>\s+\[INVALID\])?\s*$"
)


@dataclass(frozen=True, slots=True)
class PhaseLine:
    """A phase as printed: value and seconds are texts, the unit label stays as it was."""

    name: str
    value: str
    unit: str
    seconds: str
    scored: bool
    invalid: bool
    line: int


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score as printed, with its two halves."""

    name: str
    bandwidth: str
    rate: str
    total: str
    unit: str
    invalid: bool
    line: int


@dataclass(slots=True)
class Summary:
    """What a summary says; `odd_lines` are line numbers.

    `repeated` are the earlier lines of what is met twice with different figures (the last one stands). The log of the
    shell script has each line when its phase ends, and all of them again sorted by kind: the first ones tell the order.
    """

    path: str
    dialect: str = SHELL
    version: str | None = None
    mode: str = ""
    phases: dict[str, PhaseLine] = field(default_factory=dict)
    scores: dict[str, ScoreLine] = field(default_factory=dict)
    repeated: dict[str, PhaseLine | ScoreLine] = field(default_factory=dict)
    odd_lines: list[int] = field(default_factory=list)

    def fingerprint(self) -> tuple[object, ...]:
        """What two copies of one run share."""
        phases = sorted((name, phase.value, phase.seconds) for name, phase in self.phases.items())
        return (*phases, *sorted((name, score.total) for name, score in self.scores.items()))


def read_summary(lines: Iterable[str], path: str) -> Summary:
    """Read the text of a summary, or any text that contains one, such as the output of a job."""
    summary = Summary(path)
    for number, line in enumerate(lines, 1):
        if line.startswith(("[RESULT]", "[      ]")):
            _read_phase(summary, line, number)
        elif line.startswith("[SCORE"):
            _read_score(summary, line, number)
        elif line.startswith(_VERSION):
            summary.dialect, (summary.version, summary.mode) = C, _version_and_mode(line.removeprefix(_VERSION))
    if any("-" in name for name in summary.phases):
        summary.dialect = C
    _hyphenate(summary)
    return summary


def _version_and_mode(text: str) -> tuple[str, str]:
    """`io500-sc25 (standard)` -> ("io500-sc25", "standard"); without brackets at the end there is no mode."""
    text = text.rstrip()
    before, _, after = text.rpartition("(")
    return (before.rstrip(), after[:-1]) if _MODE.fullmatch(after) else (text, "")


def _read_phase(summary: Summary, line: str, number: int) -> None:
    match = _PHASE.match(line)
    if match is None or len(summary.phases) >= MOST_PHASES:
        summary.odd_lines.append(number)
        return
    phase = PhaseLine(
        match["name"],
        match["value"],
        match["unit"],
        match["seconds"],
        match["tag"] == "RESULT",
        bool(match["invalid"]),
        number,
    )
    earlier = summary.phases.get(phase.name)
    if earlier == replace(phase, line=earlier.line if earlier else 0):
        return
    if earlier is not None:
        summary.repeated[phase.name] = earlier
        del summary.phases[phase.name]
    summary.phases[phase.name] = phase


def _read_score(summary: Summary, line: str, number: int) -> None:
    match = _SCORE.match(line)
    if match is None:
        summary.odd_lines.append(number)
        return
    score = ScoreLine(
        match["name"],
        match["bandwidth"],
        match["rate"],
        match["total"],
        match["unit"],
        bool(match["invalid"]),
        number,
    )
    earlier = summary.scores.get(score.name)
    if earlier is not None and earlier != replace(score, line=earlier.line):
        summary.repeated[score.name] = earlier
    summary.scores[score.name] = score


def _hyphenate(summary: Summary) -> None:
    """Phases have one name everywhere: ior-easy-write, not ior_easy_write."""
    if summary.dialect == C:
        return
    summary.phases = {
        name.replace("_", "-"): replace(phase, name=name.replace("_", "-")) for name, phase in summary.phases.items()
    }
    earlier = [replace(line, name=line.name.replace("_", "-")) for line in summary.repeated.values()]
    summary.repeated = {line.name: line for line in earlier}
