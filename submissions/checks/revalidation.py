"""All history under today's rules: what another check would find, told before anything changes.

A worker checks each submission again and keeps only what differs from its latest check; nothing that is shown changes
by that. `apply` then gives those that are still on their way a new check. What is accepted or published stays: a number
that people decided about changes by a revision with its reason, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from submissions.bundles import quarantine
from submissions.checks import processing, questionnaire
from submissions.lifecycle import states, task_queue
from submissions.models import Check, RecheckComparison, State, Submission
from validators import VERSION
from validators.evidence import SUMMARY_ALONE

DECIDED = (State.ACCEPTED, State.PUBLISHED)
LEFT_OUT = (*states.UNFINISHED, State.DRAFT, State.WITHDRAWN, State.REJECTED)
MOST_LINES = 20
"""Lines told of one submission; a new parser may change every number."""


@dataclass(frozen=True, slots=True)
class RecheckDifference:
    """What another check of a submission differs in, line by line; `decided` means that it stays as it is."""

    submission: Submission
    lines: list[str]
    decided: bool


def outdated_submissions(everything: bool = False) -> QuerySet[Submission]:
    """Those that another version of the validators checked last, or all; withdrawn and rejected are not among them."""
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    submissions = Submission.objects.exclude(state__in=LEFT_OUT).annotate(
        checked_with=Subquery(latest.values("validators_version")[:1])
    )
    submissions = submissions.exclude(checked_with=None)
    return submissions if everything else submissions.exclude(checked_with=VERSION)


def enqueue_rechecks(submissions: QuerySet[Submission]) -> list[UUID]:
    """Send a task for each; those that a broker took."""
    ids = list(submissions.values_list("pk", flat=True))
    return [pk for pk in ids if task_queue.enqueue("recheck", str(pk))]


def compare_recheck(submission_id: UUID | str) -> None:
    """Check one again, in a worker, and keep what differs. Again is harmless."""
    submission = Submission.objects.select_related("release", "institution").filter(pk=submission_id).first()
    latest = None if submission is None else submission.checks.order_by("-made_at", "-id").first()
    if (
        submission is None
        or latest is None
        or quarantine.blocked_report(submission, quarantine.judged_files(submission))
    ):
        return
    checked = processing.run_validators(submission)
    report = checked.report
    with transaction.atomic():
        current = Submission.objects.select_for_update().get(pk=submission.pk)
        if current.version == submission.version and quarantine.is_protected(current):
            quarantine.act_on(current, checked.secrets)
    lines = report_differences(submission, latest.report, report)
    RecheckComparison.objects.update_or_create(
        submission=submission,
        defaults={
            "made_at": timezone.now(),
            "validators_version": VERSION,
            "of_check": latest,
            "lines": lines,
            "evidence": _run_evidence(questionnaire.primary_run(submission, report)),
        },
    )


def count_compared(ids: Iterable[UUID], since: datetime) -> int:
    """How many of them a worker has checked since then."""
    return RecheckComparison.objects.filter(submission__in=list(ids), made_at__gte=since).count()


def list_differences(ids: Iterable[UUID]) -> Iterator[RecheckDifference]:
    """What differs, by submission, of those whose latest check is still the one that was compared."""
    latest = Check.objects.filter(submission=OuterRef("submission")).order_by("-made_at", "-id").values("pk")[:1]
    rechecks = RecheckComparison.objects.filter(submission__in=list(ids), of_check=Subquery(latest)).exclude(lines=[])
    for row in rechecks.select_related("submission__result").order_by("submission__received_at"):
        yield RecheckDifference(row.submission, row.lines, row.submission.state in DECIDED)


def apply_recheck(submission: Submission) -> bool:
    """Give it a new check by a worker; False for what people decided about, and for what moved on meanwhile."""
    reason = f"Checked again by the rules of version {VERSION}."
    with transaction.atomic():
        state = Submission.objects.select_for_update().values_list("state", flat=True).get(pk=submission.pk)
        if state in (State.CHECKED, State.INVALID):
            states.transition(submission.pk, [State(state)], State.RECEIVED, None, reason, attempts=0, queued_at=Now())
            task_queue.enqueue_after_commit("process", submission.pk)
        elif state in states.UNDER_REVIEW:
            states.note_event(submission, None, reason)
            task_queue.enqueue_after_commit("prepare_review", submission.pk)
        else:
            return False
    return True


def report_differences(submission: Submission, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What another report says otherwise of the run that counts: status, findings, rules, scores, measurements."""
    lines = [f"status {before['status']} -> {after['status']}"] if before["status"] != after["status"] else []
    old, new = ({**(questionnaire.primary_run(submission, report) or {})} for report in (before, after))
    lines += _finding_differences(
        [*before["findings"], *old.get("findings", [])], [*after["findings"], *new.get("findings", [])]
    )
    lines += _value_differences("rule", _rule_outcomes(old), _rule_outcomes(new))
    lines += _value_differences(
        "evidence", *({"": (run.get("evidence") or {}).get("in_short", "none")} for run in (old, new))
    )
    lines += _value_differences("score", _printed_scores(old), _printed_scores(new))
    lines += _value_differences("measurement", _measured_values(old), _measured_values(new))
    return lines[:MOST_LINES] + ([f"... and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else [])


def _finding_differences(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[str]:
    old, new = (
        {(finding["code"], finding["level"], finding["where"]) for finding in findings} for findings in (before, after)
    )
    for sign, differing in (("+", new - old), ("-", old - new)):
        for code, level, where in sorted(differing):
            yield f"{sign} {level} {code}{f' at {where}' if where else ''}"


def _value_differences(kind: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in {**before, **after}:
        old, new = before.get(name, "none"), after.get(name, "none")
        if old != new:
            yield f"{f'{kind} {name}'.strip()}: {old} -> {new}"


def _run_evidence(run: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a run says twice, and the findings of the kinds that contradict; empty where nothing was looked at."""
    evidence = (run or {}).get("evidence") or {}
    if run is None or not evidence:
        return {}
    codes = {row["code"] for row in evidence["kinds"]} | {SUMMARY_ALONE}
    return {"evidence": evidence, "findings": [finding for finding in run["findings"] if finding["code"] in codes]}


def _rule_outcomes(run: Mapping[str, Any]) -> dict[str, str]:
    return {rule["code"]: rule["outcome"] for rule in run.get("rules", [])}


def _printed_scores(run: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"{score['value']}" for name, score in run.get("scores", {}).items()}


def _measured_values(run: Mapping[str, Any]) -> dict[str, str]:
    """Value and unit by what was measured; a name that stands twice is told apart by its number."""
    values: dict[str, str] = {}
    for measurement in run.get("measurements", []):
        context = " ".join(f"{name}={value}" for name, value in sorted(measurement["context"].items()))
        name = " ".join(filter(None, [measurement["op"], measurement["quantity"], measurement["stat"], context]))
        number = 2
        while name in values:
            name, number = f"{name.rpartition(' #')[0] or name} #{number}", number + 1
        values[name] = f"{measurement['value']} {measurement['unit']}"
    return values
