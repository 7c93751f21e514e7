"""Evidence: what an output says twice, independently, and whether it agrees with itself.

A tool that prints a rate, the seconds and the bytes cannot change one of them alone. A benchmark folder may hold
`evidence.json` (schema evidence.1): its kinds of evidence, each with what is held against what, how far the two may lie
apart, how serious it is where they lie farther, and how far they lie apart in real outputs. Its `evidence_kinds.py` has
`compare(run)`, which gives the pairs. What is absent contradicts nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Union

from validators.findings import WARNING, Finding

AGREES, CONTRADICTS, ABSENT = "agrees", "contradicts", "absent"
OUTCOMES = (AGREES, CONTRADICTS, ABSENT)
FILE = "evidence.json"
NOT_LOOKED_AT = "which figures nothing independent confirms was not looked at"
"""Of evidence that was stored before it was."""
_SHOWN_OPERATIONS, _SHOWN_NAME = 20, 60
FINDINGS_OF_A_KIND = 8
"""Contradictions told one by one; what is wrong in every phase is told no better by a page of it."""
_SHOWN_TEXT = 200

SUMMARY_ALONE = "evidence.summary-alone"
"""The code of the finding, and of the reason for which such a result is not published as verified."""

Value = Union[float, str, datetime]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evidence. `low` and `high` bound the ratio of two numbers, or their difference in `unit`.

    `from_summary` says that a summary alone is enough for it. `measure` is `ratio`, `difference` or `same`. `spread`
    are the bounds that real outputs keep, with their number. `confirms` are patterns of the operations whose figure it
    speaks of independently: where one of its pairs agrees, those that the pair is of are confirmed.
    """

    code: str
    level: str
    text: str
    held: str
    against: str
    measure: str
    low: float
    high: float
    unit: str
    hint: str
    files: tuple[str, ...]
    spread: dict[str, Any]
    from_summary: bool = False
    confirms: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Kind:
        tolerance = row["tolerance"]
        measure = next(name for name in ("ratio", "difference", "same") if name in tolerance)
        low, high = (0.0, 0.0) if measure == "same" else tolerance[measure]
        return cls(
            row["code"], row["level"], row["text"], row["held"], row["against"], measure, low, high,
            tolerance.get("unit", ""), row["hint"], tuple(row["files"]), row["spread"],
            row.get("from_summary", False), tuple(row.get("confirms", ())),
        )  # fmt: skip

    def is_confirming(self, operation: str) -> bool:
        return any(fnmatchcase(operation, pattern) for pattern in self.confirms)

    @property
    def allowed(self) -> str:
        """The tolerance in words: "0.999 to 1.001 times"."""
        if self.measure == "same":
            return "the same"
        return f"{self.low:g} to {self.high:g} {'times' if self.measure == 'ratio' else self.unit}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values of one kind that should agree: `what` they are of, and the lines that they stand on.

    `slack` is what the digits that were printed leave open: of a ratio its share, of a difference its amount. `what`
    begins with an operation, and may go on behind a comma; `against_what` is the operation of the other value.
    """

    kind: str
    what: str
    value: Value
    against: Value
    where: str
    against_where: str = ""
    slack: float = 0.0
    against_what: str = ""

    @property
    def named_operations(self) -> tuple[str, str]:
        return self.what.partition(",")[0], self.against_what


@dataclass(slots=True)
class _Tally:
    """What was compared of one kind, and what of it lies too far apart."""

    pairs: int = 0
    deviations: list[float] = field(default_factory=list)
    wrong: list[Comparison] = field(default_factory=list)
    where: str = ""


@cache
def load_kinds(path: Path) -> tuple[Kind, ...]:
    """The kinds of a folder's file; none where it has no such file."""
    if not path.exists():
        return ()
    return tuple(Kind.from_json(row) for row in json.loads(path.read_text(encoding="utf-8")))


def deviation(kind: Kind, pair: Comparison) -> float:
    """How two values lie to each other in the measure of their kind; of texts 0 where they are the same, else 1."""
    value, against = pair.value, pair.against
    if isinstance(value, datetime) and isinstance(against, datetime):
        return (value - against).total_seconds()
    if (
        isinstance(value, str)
        or isinstance(against, str)
        or isinstance(value, datetime)
        or isinstance(against, datetime)
    ):
        return float(str(value) != str(against))
    if kind.measure == "same":
        return float(value != against)
    if kind.measure == "difference":
        return value - against
    return value / against if against else (1.0 if value == against else float("inf"))


def examine(
    kinds: Sequence[Kind], pairs: Iterable[Comparison], path: str = "", operations: Iterable[str] = ()
) -> tuple[dict[str, Any], list[Finding]]:
    """The evidence of a run as a report has it, and a finding for each contradiction.

    `{"agree": 11, "contradict": 0, "absent": 3, "of": 14, "missing": [...], "summary_alone": false, "kinds": [...],
    "unconfirmed": [...], "in_short": "..."}`; `path` is where a run lies that is a summary alone. `operations` are
    those that have a figure; `unconfirmed` are those of them with which nothing independent agrees.
    """
    by_code = {kind.code: kind for kind in kinds}
    tallies = {kind.code: _Tally() for kind in kinds}
    confirmed: set[str] = set()
    for pair in pairs:
        kind, tally = by_code[pair.kind], tallies[pair.kind]
        apart = deviation(kind, pair)
        tally.pairs += 1
        tally.deviations.append(apart)
        tally.where = tally.where or pair.where
        if not is_within(kind, apart, pair.slack):
            tally.wrong.append(pair)
        else:
            confirmed |= {name for name in pair.named_operations if kind.is_confirming(name)}
    rows = [_row(kind, tallies[kind.code]) for kind in kinds]
    counted = {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in OUTCOMES}
    evidence: dict[str, Any] = {
        "agree": counted[AGREES],
        "contradict": counted[CONTRADICTS],
        "absent": counted[ABSENT],
        "of": len(rows),
        "missing": _missing(kinds, tallies),
        "unconfirmed": [name for name in dict.fromkeys(operations) if name not in confirmed],
        "summary_alone": not any(tallies[kind.code].pairs for kind in kinds if not kind.from_summary),
        "kinds": rows,
    }
    evidence["in_short"] = _in_short(evidence)
    findings = [finding for kind in kinds for finding in _findings(kind, tallies[kind.code])]
    return evidence, findings + ([summary_alone(path)] if evidence["summary_alone"] else [])


def _missing(kinds: Sequence[Kind], tallies: Mapping[str, _Tally]) -> list[str]:
    """What absent kinds rest on, without what some other kind found."""
    present = {name for kind in kinds if tallies[kind.code].pairs for name in kind.files}
    absent = dict.fromkeys(name for kind in kinds if not tallies[kind.code].pairs for name in kind.files)
    return [name for name in absent if name not in present]


def summary_alone(path: str) -> Finding:
    """Where nothing that was uploaded can be held against anything else."""
    return Finding(
        SUMMARY_ALONE,
        WARNING,
        "Only a summary is here: no second file says the same independently, so that nothing in it can be confirmed.",
        "Upload the whole result folder. Without it the result is published as reported and stands on no list.",
        path,
    )


def is_within(kind: Kind, apart: float, slack: float) -> bool:
    """Whether a deviation is allowed, with what the printed digits leave open."""
    if kind.measure == "same":
        return apart == 0
    return kind.low - slack <= apart <= kind.high + slack


def _row(kind: Kind, tally: _Tally) -> dict[str, Any]:
    outcome = CONTRADICTS if tally.wrong else AGREES if tally.pairs else ABSENT
    row: dict[str, Any] = {"code": kind.code, "outcome": outcome, "compared": tally.pairs}
    if tally.pairs:
        row["where"] = tally.wrong[0].where if tally.wrong else tally.where
    if tally.pairs and kind.measure != "same":
        finite = [apart for apart in tally.deviations if math.isfinite(apart)]
        row |= {"least": round(min(finite), 9), "most": round(max(finite), 9)} if finite else {}
    return row


def _findings(kind: Kind, tally: _Tally) -> list[Finding]:
    findings = [_finding(kind, pair) for pair in tally.wrong[:FINDINGS_OF_A_KIND]]
    if len(tally.wrong) > FINDINGS_OF_A_KIND:
        rest = len(tally.wrong) - FINDINGS_OF_A_KIND
        message = f"{rest} more of {tally.pairs} comparisons contradict it: {kind.text}"
        findings.append(Finding(kind.code, kind.level, message, kind.hint, tally.wrong[FINDINGS_OF_A_KIND].where))
    return findings


def _finding(kind: Kind, pair: Comparison) -> Finding:
    value, against = _written(pair.value, kind.unit), _written(pair.against, kind.unit)
    lines = f", {pair.against_where}" if pair.against_where else ""
    return Finding(
        kind.code,
        kind.level,
        f"{pair.what}: {kind.held} {value}, but {kind.against} {against}{lines}{_apart(kind, pair)}.",
        kind.hint,
        pair.where,
        expected=against,
        actual=value,
    )


def _apart(kind: Kind, pair: Comparison) -> str:
    apart = deviation(kind, pair)
    if kind.measure == "ratio":
        return f": {apart:.4g} times as much, where {kind.allowed} is allowed"
    if kind.measure == "difference":
        return f": {apart:+.6g} {kind.unit}, where {kind.allowed} is allowed"
    return ""


def _written(value: Value, unit: str) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, str):
        return value[:_SHOWN_TEXT]
    number = f"{value:.0f}" if math.isfinite(value) and value == int(value) and abs(value) < 1e18 else f"{value:.6g}"
    return f"{number} {unit}".strip()


def _in_short(evidence: Mapping[str, Any]) -> str:
    """One line: "11 of 14 kinds agree, 1 contradicts, 2 absent; missing: raw text of the phases"."""
    words = f"{evidence['agree']} of {evidence['of']} kinds agree"
    if evidence["contradict"]:
        words += f", {evidence['contradict']} contradict{'s' if evidence['contradict'] == 1 else ''}"
    if evidence["absent"]:
        words += f", {evidence['absent']} absent"
    return words + (f"; missing: {', '.join(evidence['missing'])}" if evidence["missing"] else "")


def unconfirmed_line(evidence: Mapping[str, Any] | None) -> str:
    """Which figures nothing independent confirms, in words; "" where no evidence was looked at."""
    if not evidence:
        return ""
    if "unconfirmed" not in evidence:
        return NOT_LOOKED_AT
    names = [name[:_SHOWN_NAME] for name in evidence["unconfirmed"]]
    if not names:
        return "each figure agrees with an independent one"
    more = len(names) - _SHOWN_OPERATIONS
    return f"no independent figure confirms: {', '.join(names[:_SHOWN_OPERATIONS])}" + (
        f" and {more} more" if more > 0 else ""
    )
