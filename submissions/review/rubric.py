"""The rubric of a review: each rule with its outcome, its evidence, and what reviewers found of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from registry.query.responses.rule_outcomes import OUTCOMES
from submissions.checks import questionnaire
from submissions.errors import NothingToJudge, ReasonNeeded, StateConflict
from submissions.lifecycle import states
from submissions.models import Account, Judgement, Submission
from submissions.permissions import require_review
from validators import catalogue
from validators.rules import lists_of_reason

NEEDS_HUMAN = "needs_human"
JUDGED = (NEEDS_HUMAN, "not_evaluated")
"""Outcomes that a reviewer may settle: the check could not."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: what it says, how it came out, why, the findings on it, and the latest judgement, if any.

    `printed_at` is the line of the files that it rests on, where one is known.
    """

    code: str
    text: str
    outcome: str
    why: str
    findings: tuple[dict[str, Any], ...]
    printed_at: str
    judgement: Judgement | None
    of_other_lists: bool
    """Whether it is a rule of lists alone for which the run is not meant: nobody has to decide about it."""

    @property
    def settled(self) -> bool:
        return self.outcome not in JUDGED or self.judgement is not None or self.of_other_lists

    @property
    def places(self) -> list[str]:
        """File and line of the findings on it; without any, the line that it rests on."""
        of_findings = [finding["where"] for finding in self.findings if finding["where"]]
        return of_findings or ([self.printed_at] if self.printed_at else [])


def rubric_rows(submission: Submission, report: dict[str, Any]) -> list[Row]:
    """What waits for a person or is violated first. One query."""
    run = questionnaire.primary_run(submission, report) or {}
    texts = catalogue.rule_texts()
    judged = {judgement.rule: judgement for judgement in submission.judgements.select_related("reviewer")}
    findings = [*report.get("findings", []), *run.get("findings", [])]
    printed_at = run.get("printed_at", {})
    rows = [
        Row(
            rule["code"], texts.get(rule["code"], ""), rule["outcome"], rule["why"],
            tuple(finding for finding in findings if has_rule(finding["code"], rule["code"])),
            printed_at.get(rule["code"], ""), judged.get(rule["code"]),
            bool(of_lists := lists_of_reason(rule["why"])) and not {*of_lists} & {*submission.lists},
        )
        for rule in run.get("rules", [])
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row.settled, OUTCOMES.index(row.outcome)))


def has_rule(finding: str, rule: str) -> bool:
    """Whether a finding belongs to a rule: its code is the rule's, or goes on from it."""
    return finding == rule or finding.startswith(f"{rule}.")


def record_judgement(submission: Submission, reviewer: Account, rule: str, outcome: str, note: str) -> Judgement:
    """Record what a person found of a rule, with a note.

    Raises Forbidden or ConflictOfInterest for who may not review it, ReasonNeeded without a note, StateConflict where
    it is not under review, NothingToJudge for a rule that waits for nobody.
    """
    require_review(reviewer, submission)
    if not note.strip():
        raise ReasonNeeded("Say what the judgement rests on, as `note`.")
    if submission.state not in states.UNDER_REVIEW:
        raise StateConflict(f"It is {submission.state}, and nobody has to decide about it.")
    run = questionnaire.primary_run(submission, None) or {}
    if not any(rule_row["code"] == rule and rule_row["outcome"] in JUDGED for rule_row in run.get("rules", [])):
        raise NothingToJudge(f"{rule[:80]} is no rule of the run that waits for a person.")
    return Judgement.objects.create(
        submission=submission, reviewer=reviewer, rule=rule, outcome=outcome, note=note.strip()
    )
