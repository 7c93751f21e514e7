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
from django.utils import timezone

from submissions.bundles import quarantine
from submissions.checks import processing, questionnaire
from submissions.lifecycle import states, task_queue
from submissions.models import Check, Recheck, State, Submission
from validators import VERSION

DECIDED = (State.ACCEPTED, State.PUBLISHED)
LEFT_OUT = (*states.UNFINISHED, State.DRAFT, State.WITHDRAWN, State.REJECTED)
SHOWN = 20
"""Lines told of one submission; a new parser may change every number."""


@dataclass(frozen=True, slots=True)
class Told:
    """What another check of a submission differs in, line by line; `decided` means that it stays as it is."""

    submission: Submission
    lines: list[str]
    decided: bool


def outdated_submissions(everything: bool = False) -> QuerySet[Submission]:
    """Those that another version of the validators checked last, or all; withdrawn and rejected are not among them."""
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    found = Submission.objects.exclude(state__in=LEFT_OUT).annotate(
        checked_with=Subquery(latest.values("validators_version")[:1])
    )
    found = found.exclude(checked_with=None)
    return found if everything else found.exclude(checked_with=VERSION)


def enqueue_rechecks(submissions: QuerySet[Submission]) -> list[UUID]:
    """Send a task for each; those that a broker took."""
    ids = list(submissions.values_list("pk", flat=True))
    return [pk for pk in ids if task_queue.enqueue("recheck", str(pk))]


def compare_recheck(submission_id: UUID | str) -> None:
    """Check one again, in a worker, and keep what differs. Again is harmless."""
    submission = Submission.objects.select_related("release").filter(pk=submission_id).first()
    latest = Check.objects.filter(submission=submission_id).order_by("-made_at", "-id").first()
    if submission is None or latest is None or quarantine.blocked_report(submission):
        return
    checked = processing.run_validators(submission)
    report = checked.report
    with transaction.atomic():
        current = Submission.objects.select_for_update().get(pk=submission.pk)
        if current.version == submission.version and quarantine.is_protected(current):
            quarantine.act_on(current, checked.secrets)
    lines = difference(submission, latest.report, report)
    Recheck.objects.update_or_create(
        submission=submission,
        defaults={"made_at": timezone.now(), "validators_version": VERSION, "of_check": latest, "lines": lines},
    )


def count_compared(ids: Iterable[UUID], since: datetime) -> int:
    """How many of them a worker has checked since then."""
    return Recheck.objects.filter(submission__in=list(ids), made_at__gte=since).count()


def list_differences(ids: Iterable[UUID]) -> Iterator[Told]:
    """What differs, by submission, of those whose latest check is still the one that was compared."""
    latest = Check.objects.filter(submission=OuterRef("submission")).order_by("-made_at", "-id").values("pk")[:1]
    rechecks = Recheck.objects.filter(submission__in=list(ids), of_check=Subquery(latest)).exclude(lines=[])
    for row in rechecks.select_related("submission__result").order_by("submission__received_at"):
        yield Told(row.submission, row.lines, row.submission.state in DECIDED)


def apply_recheck(submission: Submission) -> bool:
    """Give it a new check by a worker; False for what people decided about, and for what moved on meanwhile."""
    reason = f"Checked again by the rules of version {VERSION}."
    with transaction.atomic():
        state = Submission.objects.select_for_update().values_list("state", flat=True).get(pk=submission.pk)
        if state in (State.CHECKED, State.INVALID):
            now = timezone.now()
            states.transition(submission.pk, [state], State.RECEIVED, None, reason, attempts=0, queued_at=now)
            task_queue.enqueue_after_commit("process", submission.pk)
        elif state in states.UNDER_REVIEW:
            states.note(submission, None, reason)
            task_queue.enqueue_after_commit("prepare_review", submission.pk)
        else:
            return False
    return True


def difference(submission: Submission, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What another report says otherwise of the run that counts: status, findings, rules, scores, measurements."""
    lines = [f"status {before['status']} -> {after['status']}"] if before["status"] != after["status"] else []
    old, new = ({**(questionnaire.primary_run(submission, report) or {})} for report in (before, after))
    lines += _findings([*before["findings"], *old.get("findings", [])], [*after["findings"], *new.get("findings", [])])
    lines += _values("rule", _outcomes(old), _outcomes(new))
    lines += _values("score", _scores(old), _scores(new))
    lines += _values("measurement", _measured(old), _measured(new))
    return lines[:SHOWN] + ([f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else [])


def _findings(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[str]:
    old, new = ({(one["code"], one["level"], one["where"]) for one in found} for found in (before, after))
    for sign, found in (("+", new - old), ("-", old - new)):
        for code, level, where in sorted(found):
            yield f"{sign} {level} {code}{f' at {where}' if where else ''}"


def _values(kind: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in {**before, **after}:
        old, new = before.get(name, "none"), after.get(name, "none")
        if old != new:
            yield f"{kind} {name}: {old} -> {new}"


def _outcomes(run: Mapping[str, Any]) -> dict[str, str]:
    return {rule["code"]: rule["outcome"] for rule in run.get("rules", [])}


def _scores(run: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"{score['value']}" for name, score in run.get("scores", {}).items()}


def _measured(run: Mapping[str, Any]) -> dict[str, str]:
    """Value and unit by what was measured; a name that stands twice is told apart by its number."""
    found: dict[str, str] = {}
    for one in run.get("measurements", []):
        context = " ".join(f"{name}={value}" for name, value in sorted(one["context"].items()))
        name = " ".join(filter(None, [one["op"], one["quantity"], one["stat"], context]))
        number = 2
        while name in found:
            name, number = f"{name.rpartition(' #')[0] or name} #{number}", number + 1
        found[name] = f"{one['value']} {one['unit']}"
    return found
