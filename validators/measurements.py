"""The plain values that travel from a parser to a report: measurements, scores, rule outcomes, runs.

Their JSON form is the contract of `python -m validators check --json`, of the API and of what is stored.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from validators.findings import Finding
from validators.units import to_canonical

if TYPE_CHECKING:
    pass

SATISFIED = "satisfied"
VIOLATED = "violated"
NOT_EVALUATED = "not_evaluated"
NEEDS_HUMAN = "needs_human"
OUTPUT = "output"
"""Where a value is from that the tool itself printed."""
OUTCOMES = (SATISFIED, VIOLATED, NOT_EVALUATED, NEEDS_HUMAN)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number with its unit: canonical value beside the value as printed.

    `op` is the phase or operation (ior-easy-write), `quantity` what is measured (bandwidth, rate, time),
    `stat` over what (phase, max, mean, ...). `scored` is None where the tool knows no score.
    """

    op: str
    quantity: str
    stat: str
    value: float
    unit: str
    printed_value: float
    printed_unit: str
    scored: bool | None = None
    context: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def printed(
        cls,
        op: str,
        quantity: str,
        stat: str,
        value: float,
        unit: str,
        *,
        scored: bool | None = None,
        context: dict[str, Any] | None = None,
    ) -> Measurement:
        """A measurement from what the tool printed. Raises UnitError for an unknown unit."""
        canonical, canonical_unit = to_canonical(value, unit)
        return cls(op, quantity, stat, canonical, canonical_unit, value, unit, scored, context or {})

    def as_json(self) -> dict[str, Any]:
        # There are thousands, for which dataclasses.asdict takes five times as long.
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"context": dict(self.context)}


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What one rule says of one run; `why` is a sentence with the evidence."""

    code: str
    outcome: str
    why: str = ""

    def as_json(self) -> dict[str, str]:
        return asdict(self)


@dataclass(slots=True)
class Run:
    """One run of one tool as found in a bundle. Shapes as in docs/check.md, "The report".

    `lines` are the first and the last that it has of its file; None where it has all of it. `started` and `ended` are
    of RFC 3339, without a zone where local time is printed; `unknown` says why one of these two, `client_nodes` or
    `tasks` is None, `extent_sources` where each of the others is from. `missing_measurements` have `op`, `quantity` and
    `reason`: what its descriptor says to be read where the files tell it, and these do not.

    `given_options` are what the tool was told, without what may be private (validators/recipes); None where no file
    tells it.

    Others are for the check alone and in no report: `operations_done` are operations that did work, with their
    context, whether they have a measurement or not; `not_measured` names what was printed as 0 and is no value;
    `states_all_settings` says that a setting that is absent has its default; `unknown_settings` names those that this
    output cannot tell; `undisclosed_settings` are compared and never shown.
    """

    tool: str
    path: str
    version: str = ""
    mode: str = ""
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    hashes: dict[str, dict[str, str | None]] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    parameter_sources: dict[str, str] = field(default_factory=dict)
    printed_at: dict[str, str] = field(default_factory=dict)
    described_parameters: dict[str, Any] = field(default_factory=dict)
    tests: list[dict[str, Any]] = field(default_factory=list)
    distributions: list[dict[str, Any]] = field(default_factory=list)
    missing_measurements: list[dict[str, str]] = field(default_factory=list)
    rules: list[RuleOutcome] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    evidence_outcomes: dict[str, Any] = field(default_factory=dict)
    started: str | None = None
    ended: str | None = None
    client_nodes: int | None = None
    tasks: int | None = None
    unknown: dict[str, str] = field(default_factory=dict)
    extent_sources: dict[str, str] = field(default_factory=dict)
    operations_done: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    not_measured: list[str] = field(default_factory=list)
    states_all_settings: bool = False
    unknown_settings: list[str] = field(default_factory=list)
    undisclosed_settings: dict[str, str] = field(default_factory=dict)
    lines: tuple[int, int] | None = None
    given_options: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the run as it stands in a report; times, figures and units are as they were read."""
        return {
            "tool": self.tool,
            "version": self.version,
            "mode": self.mode,
            "path": self.path,
            "lines": {"first": self.lines[0], "last": self.lines[1]} if self.lines else None,
            "started": self.started,
            "ended": self.ended,
            "client_nodes": self.client_nodes,
            "tasks": self.tasks,
            "unknown": self.unknown,
            "extent_sources": self.extent_sources,
            "scores": self.scores,
            "hashes": self.hashes,
            "measurements": [measurement.as_json() for measurement in self.measurements],
            "parameters": self.parameters,
            "parameter_sources": self.parameter_sources,
            "printed_at": self.printed_at,
            "given_options": self.given_options,
            "described_parameters": self.described_parameters,
            "tests": self.tests,
            "distributions": self.distributions,
            "missing_measurements": self.missing_measurements,
            "rules": [outcome.as_json() for outcome in self.rules],
            "evidence": self.evidence_outcomes,
            "findings": [finding.as_json() for finding in self.findings],
        }
