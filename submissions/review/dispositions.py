"""What became of findings: a reviewer disposes of each with a reason, and what nobody disposed of is an open point.

A disposition covers what its finding said then, at the places that it named. A later check that says anything else
under the same code opens the point again. Dispositions are never changed; the latest of a code counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from registry.models import Release
from registry.models.results import VIOLATED
from submissions.checks import finding_counts, questionnaire
from submissions.errors import NoSuchFinding
from submissions.lifecycle import states
from submissions.models import Account, Disposition, State, Submission
from submissions.permissions import conflicting_ids, own_and_merged_sites, require_review, require_role, visible_to
from submissions.review import rubric
from validators.findings import ERROR, INFO, WARNING

QUESTION = "question"
"""The code and level of a point that is a question of another submitter without an answer."""
RULE = "rule"
"""The level of a point that is a rule: violated without a finding of its own, or waiting for a person."""
ORDER = (ERROR, RULE, WARNING)
WAITING = (*states.UNDER_REVIEW, State.ACCEPTED)
MOST_SUBMISSIONS = 500


@dataclass(frozen=True, slots=True)
class Point:
    """What the check said under one code, and the disposition that covers all of it, if any."""

    code: str
    level: str
    messages: tuple[str, ...]
    disposition: Disposition | None

    @property
    def is_open(self) -> bool:
        return self.disposition is None


@dataclass(frozen=True, slots=True)
class OpenPoints:
    """What is open of a release: by submission its points, and of how many submissions the account may see none."""

    submissions: tuple[tuple[Submission, tuple[Point, ...]], ...]
    closed_to_account: int


def list_points(submission: Submission, report: Mapping[str, Any]) -> list[Point]:
    """The errors, warnings and rules of a submission that somebody has to dispose of, worst first. Two queries."""
    latest = {disposition.code: disposition for disposition in submission.dispositions.select_related("reviewer")}
    points = [
        Point(code, level, tuple(messages), _covering_disposition(latest.get(code), messages))
        for code, (level, messages) in _said_by_code(submission, report).items()
    ]
    return sorted(points, key=lambda point: (not point.is_open, ORDER.index(point.level), point.code))


def dispose_finding(submission: Submission, reviewer: Account, code: str, kind: str, reason: str) -> Disposition:
    """Record what becomes of the findings of a code; the submitter gets a letter with kind and reason.

    Raises Forbidden or ConflictOfInterest for who may not review it, StateConflict where it is not under review,
    ReasonNeeded without a reason, NoSuchFinding for a code that the latest check has not.
    """
    require_review(reviewer, submission)
    reason = states.require_reason(reason)
    with transaction.atomic():
        # Takes turns with who decides about the run: what is accepted has no finding that asks for its withdrawal.
        states.require_state(Submission.objects.select_for_update().get(pk=submission.pk), states.UNDER_REVIEW)
        messages_by_code = _said_now(submission)
        if code not in messages_by_code:
            raise NoSuchFinding(f"There is no {code[:120]!r}.")
        disposition = Disposition.objects.create(
            submission=submission,
            reviewer=reviewer,
            code=code,
            kind=kind,
            reason=reason,
            covers=messages_by_code[code][1],
        )
        words = Disposition.Kind(kind).label
        states.note_event(submission, reviewer, f"{code}: {words}. {reason}", notify=True)
    return disposition


def withdrawal_asked(submission: Submission) -> Disposition | None:
    """The disposition that asks for the withdrawal of the run, where the latest of a code does.

    One of a code that the latest check says no more asks for nothing: nobody could dispose of it otherwise.
    """
    latest = {disposition.code: disposition for disposition in submission.dispositions.all()}
    asking = [row for row in latest.values() if row.kind == Disposition.Kind.WITHDRAW]
    still_said = _said_now(submission) if asking else {}
    return next((row for row in asking if row.code in still_said), None)


def open_points(release: Release, account: Account) -> OpenPoints:
    """What is open of the submissions of a release that wait for publication. Raises Forbidden below reviewer.

    What the account may not review is counted and not listed.
    """
    require_role(account, Account.Role.REVIEWER)
    waiting = visible_to(account).filter(release=release, state__in=WAITING, test=False)
    mine = _reviewable_by(waiting, account).select_related("institution", "account", "release")
    rows = []
    for submission in mine.prefetch_related("checks", "questions").order_by("submitted_at", "id")[:MOST_SUBMISSIONS]:
        check = next(iter(submission.checks.all()), None)
        points = list_points(submission, check.report) if check else []
        unanswered_texts = [row.text for row in submission.questions.all() if not row.answer]
        unanswered = [Point(QUESTION, QUESTION, tuple(unanswered_texts), None)] if unanswered_texts else []
        rows.append((submission, tuple(point for point in (*unanswered, *points) if point.is_open)))
    return OpenPoints(tuple(rows), waiting.count() - len(rows))


def _reviewable_by(submissions: QuerySet[Submission], account: Account) -> QuerySet[Submission]:
    others = submissions.exclude(Q(account=account) | Q(institution__in=own_and_merged_sites(account).values("pk")))
    tied = conflicting_ids(account, others)
    return others.exclude(pk__in=tied) if tied else others


def _said_now(submission: Submission) -> dict[str, tuple[str, list[str]]]:
    """As `_said_by_code`, of the latest check."""
    check = submission.checks.order_by("-made_at", "-id").first()
    return _said_by_code(submission, check.report if check else {})


def _said_by_code(submission: Submission, report: Mapping[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """By code the level and what was said, each place once, of errors, warnings, and rules that no finding is on."""
    messages_by_code: dict[str, tuple[str, list[str]]] = {}
    for finding in finding_counts.list_findings(submission, report):
        if finding["level"] != INFO:
            _, messages = messages_by_code.setdefault(finding["code"], (finding["level"], []))
            _add_once(messages, ": ".join(filter(None, [finding["where"], finding["message"]])))
    run = questionnaire.primary_run(submission, dict(report)) or {}
    judged = set(submission.judgements.values_list("rule", flat=True))
    for rule in run.get("rules", []):
        waits = rule["outcome"] == rubric.NEEDS_HUMAN and rule["code"] not in judged
        has_finding = any(rubric.has_rule(code, rule["code"]) for code in messages_by_code)
        if (waits or rule["outcome"] == VIOLATED) and not has_finding:
            messages_by_code[rule["code"]] = (RULE, [rule["why"] or rule["outcome"]])
    return messages_by_code


def _add_once(messages: list[str], text: str) -> None:
    if text not in messages:
        messages.append(text)


def _covering_disposition(disposition: Disposition | None, messages: Iterable[str]) -> Disposition | None:
    """The disposition, where it is one and was made of all that is said now."""
    if disposition is None or disposition.kind == Disposition.Kind.OPEN or set(messages) - set(disposition.covers):
        return None
    return disposition
