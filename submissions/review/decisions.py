"""From a checked run to a decision: submit to a release, review without conflict of interest, withdraw."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from registry.lists import listing
from registry.lists.definitions import SCORED, tool_of
from registry.log import recording
from registry.models import Release, Result, Site
from registry.timeseries import detected_steps
from submissions.bundles import scrubbed_copy
from submissions.checks import processing, questionnaire
from submissions.editing import edit
from submissions.errors import (
    AlreadyRevised,
    ConflictOfInterest,
    EmbargoPast,
    ExampleSubmission,
    ListNotOfRelease,
    ListOfAnotherTool,
    NoInstitution,
    NoSuchFinding,
    NoSuchRun,
    NotAcknowledged,
    OtherBenchmark,
    PrimaryNeeded,
    ReleaseClosed,
    ReleasePublished,
    RunInvalid,
    StateConflict,
    TestSubmission,
    WithdrawalAsked,
)
from submissions.intake import receive
from submissions.lifecycle import private_records, states, task_queue
from submissions.models import (
    Account,
    Assignment,
    Check,
    DeadlineException,
    PrivateRecord,
    Review,
    State,
    Submission,
)
from submissions.permissions import is_own, require_own, require_review, require_role, tied_vendors
from submissions.review import dispositions
from validators import example
from validators.findings import ERROR

SUBMITTABLE = (State.CHECKED, State.CHANGES_REQUESTED)
LATER_BY = timedelta(minutes=1)
"""A submission is in time by when it was asked for; its row of history may be written after the deadline."""
PREPARED_WITHIN = timedelta(minutes=1)
OUTCOMES = {
    Review.Decision.ACCEPT: State.ACCEPTED,
    Review.Decision.REQUEST_CHANGES: State.CHANGES_REQUESTED,
    Review.Decision.REJECT: State.REJECTED,
}


# What the submitter does


def submit_run(
    submission: Submission,
    account: Account,
    *,
    release: str,
    lists: Iterable[str],
    acknowledge_rules: bool,
    acknowledge_publication: bool,
    embargo_until: datetime | None = None,
    primary: int | None = None,
) -> None:
    """Submit a checked run to an open release.

    Raises NotYours for another's submission, StateConflict if it is not checked, SubmitRefused where the run, what was
    acknowledged or the embargo does not allow it, IntakeRefused for an unknown release or list.
    """
    require_own(account, submission)
    states.require_state(submission, SUBMITTABLE)
    if submission.test:
        raise TestSubmission
    if not settings.INSECURE_LOCAL and _is_example(submission):
        raise ExampleSubmission
    if not (acknowledge_rules and acknowledge_publication):
        raise NotAcknowledged
    now = timezone.now()
    if embargo_until is not None and embargo_until <= now:
        raise EmbargoPast
    counted, tool = _chosen_primary(submission, primary)
    if submission.reproduces and submission.reproduces.tool != tool:
        raise OtherBenchmark(f"{submission.reproduces.public_id} is of {submission.reproduces.tool}, this of {tool}.")
    with transaction.atomic():
        # Takes turns with who publishes or moves the deadline: submitted before either, or refused.
        Release.objects.select_for_update().get(pk=receive.known_release(release).pk)
        target, target_lists = _find_destination(submission, release, lists, tool, now)
        states.transition(
            submission.pk,
            SUBMITTABLE,
            State.SUBMITTED,
            account,
            _history_text(target),
            release=target,
            lists=target_lists,
            institution=_submitting_institution(submission, account),
            chosen_primary=counted,
            submitted_at=now,
            rules_acknowledged_at=now,
            publication_acknowledged_at=now,
            embargo_until=embargo_until,
            queued_at=Now(),
        )
    task_queue.enqueue_after_commit("prepare_review", submission.pk)


def withdraw_run(submission: Submission, account: Account, reason: str) -> None:
    """Take a run back, at any time; a published result keeps its page, which then says so.

    What is on its way to revise it is withdrawn with it. Raises NotYours for another's, StateConflict in a state that
    cannot be withdrawn, ReasonNeeded without a reason, AlreadyRevised where a published revision stands in its place.
    """
    require_own(account, submission)
    reason = states.require_reason(reason)
    with transaction.atomic():
        _withdraw_submission(submission, account, reason)
        revision = edit.pending_revision(submission)
        if revision is not None and revision.state == State.PUBLISHED:
            raise AlreadyRevised(f"Withdraw the newest revision, submission {revision.pk}.")
        if revision is not None and revision.result_id is None:
            _withdraw_submission(revision, account, reason)


def _withdraw_submission(submission: Submission, account: Account, reason: str) -> None:
    states.transition(submission.pk, sorted(states.source_states(State.WITHDRAWN)), State.WITHDRAWN, account, reason)
    published = Result.objects.filter(pk__in=Submission.objects.filter(pk=submission.pk).values("result"))
    published.filter(withdrawn_at=None).update(withdrawn_at=timezone.now(), withdrawn_reason=reason)
    recording.record_results(published.values_list("pk", flat=True), recording.WITHDRAWN)
    detected_steps.mark_due(published.values_list("system", flat=True))


# What reviewers do


def start_review(submission: Submission, reviewer: Account) -> None:
    """Say that one is at it. Raises Forbidden, ConflictOfInterest, StateConflict."""
    require_review(reviewer, submission)
    with transaction.atomic():
        states.transition(submission.pk, [State.SUBMITTED], State.IN_REVIEW, reviewer)
        Assignment.objects.get_or_create(submission=submission, reviewer=reviewer)


def request_recheck(submission: Submission, reviewer: Account) -> None:
    """Run the rules again on what is under review, by a worker. Raises Forbidden, ConflictOfInterest, StateConflict."""
    require_review(reviewer, submission)
    states.require_state(submission, states.UNDER_REVIEW)
    with transaction.atomic():
        states.note_event(submission, reviewer, "Checked again.")
        task_queue.enqueue_after_commit("prepare_review", submission.pk)


def decide_run(
    submission: Submission,
    reviewer: Account,
    decision: str,
    reason: str,
    *,
    reproducibility: str = Result.Reproducibility.UNDEFINED,
    production: bool = False,
    findings: Iterable[str] = (),
) -> Review:
    """Accept, ask for changes or reject; `findings` are codes that the reason is about.

    Where a release wants several reviewers to accept, the state changes with the last of them; one is enough to ask for
    changes or to reject. Of two at once the second is told. Raises Forbidden or ConflictOfInterest for who may not
    review it, StateConflict where it is not under review or has no run to publish, ReleasePublished where an accepted
    run would come too late, WithdrawalAsked where a finding stands against an accepted run, ReasonNeeded without a
    reason, NoSuchFinding for an unknown code.
    """
    require_review(reviewer, submission)
    states.require_state(submission, states.UNDER_REVIEW)
    reason, about = states.require_reason(reason), _findings_of_codes(submission, findings)
    with transaction.atomic():
        if decision == Review.Decision.ACCEPT:
            _require_run(submission)
        if decision == Review.Decision.ACCEPT and not edit.is_correction(submission):
            _require_unpublished(submission)
        state = Submission.objects.select_for_update().values_list("state", flat=True).get(pk=submission.pk)
        if state not in states.UNDER_REVIEW:
            raise StateConflict(f"It is {state}: somebody else was faster.")
        if decision == Review.Decision.ACCEPT:
            _require_no_withdrawal(submission)
        review = Review.objects.create(
            submission=submission,
            reviewer=reviewer,
            decision=decision,
            reproducibility=reproducibility,
            production=production,
            reason=reason,
            findings=about,
            ties=tied_vendors(reviewer, submission.release),
        )
        private_records.record_rows((PrivateRecord.Kind.DECISION, [review]))
        missing = _votes_missing(submission) if decision == Review.Decision.ACCEPT else 0
        outcome = State.IN_REVIEW if missing > 0 else OUTCOMES[Review.Decision(decision)]
        if outcome == state:
            states.note_event(submission, reviewer, _vote_text(missing, reason))
        else:
            states.transition(submission.pk, [State(state)], outcome, reviewer, _vote_text(missing, reason))
        return review


def _require_no_withdrawal(submission: Submission) -> None:
    """Raises WithdrawalAsked where a reviewer disposed of a finding so that the run has to go."""
    if disposition := dispositions.withdrawal_asked(submission):
        raise WithdrawalAsked(f"{disposition.code}: {disposition.reason}")


def accepting_reviewers(submission: Submission) -> set[int]:
    """The reviewers whose latest word since it was submitted is to accept."""
    reviews = submission.reviews.filter(made_at__gte=submission.submitted_at).order_by("made_at", "id")
    latest = dict(reviews.values_list("reviewer", "decision"))
    return {reviewer for reviewer, decision in latest.items() if decision == Review.Decision.ACCEPT}


def _votes_missing(submission: Submission) -> int:
    required = submission.release.accepting_reviewers if submission.release else 1
    return max(required - len(accepting_reviewers(submission)), 0)


def _vote_text(missing: int, reason: str) -> str:
    return f"A vote to accept, {missing} more needed: {reason}" if missing > 0 else reason


def _findings_of_codes(submission: Submission, codes: Iterable[str]) -> list[dict[str, str]]:
    """The findings and rules of those codes, as they are now. Raises NoSuchFinding."""
    codes = list(dict.fromkeys(codes))
    if not codes:
        return []
    report = Check.objects.filter(submission=submission).order_by("-made_at", "-id").values_list("report", flat=True)[0]
    run = questionnaire.primary_run(submission, report) or {}
    rules = [{"code": rule["code"], "message": rule["why"], "where": ""} for rule in run.get("rules", [])]
    findings_by_code = {finding["code"]: finding for finding in [*rules, *run.get("findings", []), *report["findings"]]}
    if unknown := [code for code in codes if code not in findings_by_code]:
        raise NoSuchFinding(f"There is no {unknown[0][:120]!r}.")
    return [{name: findings_by_code[code][name] for name in ("code", "message", "where")} for code in codes]


# What the registry does in between


def prepare_for_review(submission_id: str) -> None:
    """For the reviewer: check by the rules of the release and lists that it was submitted to; make the derivative."""
    processing.recheck_in_review(submission_id)
    submission = Submission.objects.filter(pk=submission_id).first()
    if submission is not None and submission.submitted_at is not None:
        scrubbed_copy.ensure_scrubbed_copy(submission)


def requeue_unprepared() -> None:
    """Send again what was submitted and not prepared: the broker was away, or the worker did not live to finish."""
    for submission_id in unprepared_submissions().order_by("submitted_at").values_list("pk", flat=True)[:100]:
        Submission.objects.filter(pk=submission_id).update(queued_at=Now())
        task_queue.enqueue("prepare_review", str(submission_id))


def unprepared_submissions() -> QuerySet[Submission]:
    """What was submitted, is not prepared, and was queued for it long ago."""
    unchecked = Q(processing.RECHECKED, checked_at__lt=F("submitted_at"))
    underived = Q(derivative=None, state__in=(*states.UNDER_REVIEW, State.ACCEPTED))
    # What a database queued whose clock was ahead is late, too.
    late = Q(queued_at__lt=Now() - PREPARED_WITHIN) | Q(queued_at__gt=Now())
    return Submission.objects.filter(unchecked | underived, late)


def _require_run(submission: Submission) -> None:
    """Raises StateConflict where the latest check read no run to publish, as of a file in quarantine."""
    report, chosen = _newest_report(submission), submission.chosen_primary
    counted = report["primary"] if chosen is None else chosen
    if counted is None or counted >= len(report["runs"]):
        raise StateConflict("Its latest check read no run that could be published.", hint="Have it checked again.")


def _require_unpublished(submission: Submission) -> None:
    """Locks the release: what is accepted before it is published is published with it."""
    if submission.release_id is None:
        return
    release = Release.objects.select_for_update().get(pk=submission.release_id)
    if release.published_at:
        raise ReleasePublished(f"{release.name} is published; ask to submit to the next one.")


def _find_destination(
    submission: Submission, slug: str, lists: Iterable[str], tool: str, now: datetime
) -> tuple[Release, list[str]]:
    """The release and its lists: open, or for a revision that of the result, with the lists that it stands on."""
    older = submission.revises
    if older is None or receive.known_release(slug) != older.release:
        release = _open_release(slug, now, submission)
        return release, _release_lists(release, lists, tool)
    list_names = _release_lists(older.release, lists, tool)
    if set(list_names) != set(older.lists):
        stands = f"The lists of {older.release.name} are frozen; this result was accepted for {', '.join(older.lists)}."
        raise ListNotOfRelease(stands, hint=f"Keep them, or nominate it for an open release. {_open_releases(now)}")
    return older.release, older.lists


def admit_late(submission: Submission, editor: Account, *, release: str, reason: str) -> DeadlineException:
    """Let one submission come to a release after its deadline. Again: the first decision stands.

    Raises Forbidden for who is no editor, ConflictOfInterest for the editor's own, ReleasePublished for a release that
    is out or imported, StateConflict where it cannot be submitted any more, ReasonNeeded without a reason,
    IntakeRefused for an unknown release.
    """
    require_role(editor, Account.Role.EDITOR)
    if is_own(editor, submission):
        raise ConflictOfInterest
    states.require_state(submission, edit.ANSWERABLE)
    target = receive.known_release(release)
    if target.imported or target.published_at:
        raise ReleasePublished
    decision, _ = DeadlineException.objects.get_or_create(
        submission=submission, release=target, defaults={"decided_by": editor, "reason": states.require_reason(reason)}
    )
    return decision


def _history_text(release: Release) -> str:
    """What the history says of a submission to that release."""
    return f"To {release.name}."


def _may_come_late(submission: Submission, release: Release, deadline: datetime) -> bool:
    """Admitted by an editor, or there in time already and sent back for changes."""
    if submission.late_entries.filter(release=release).exists():
        return True
    was_in_time = submission.events.filter(
        to_state=State.SUBMITTED, reason=_history_text(release), at__lte=deadline + LATER_BY
    )
    return submission.submitted_at is not None and submission.release_id == release.pk and was_in_time.exists()


def _open_release(slug: str, now: datetime, submission: Submission) -> Release:
    release = receive.known_release(slug)
    if release.imported or release.published_at or release.deadline is None:
        raise ReleaseClosed(f"{release.name} is published.", hint=_open_releases(now))
    if release.opens and now < release.opens:
        raise ReleaseClosed(f"{release.name} opens on {release.opens:%Y-%m-%d %H:%M} UTC.", hint=_open_releases(now))
    if now > release.deadline and not _may_come_late(submission, release, release.deadline):
        raise ReleaseClosed(
            f"The deadline of {release.name} was {release.deadline:%Y-%m-%d %H:%M} UTC.", hint=_open_releases(now)
        )
    return release


def open_releases(now: datetime) -> QuerySet[Release]:
    """Releases that take submissions at that time, the nearest deadline first."""
    opened = Q(opens=None) | Q(opens__lte=now)
    return Release.objects.filter(opened, imported=False, published_at=None, deadline__gte=now).order_by("deadline")


def releases_accepting(submission: Submission, now: datetime) -> list[Release]:
    """Releases that take this submission at that time: the open ones, and those that it may come to late."""
    late = Q(pk=submission.release_id) | Q(pk__in=submission.late_entries.order_by().values("release"))
    opened = Q(opens=None) | Q(opens__lte=now)
    calls = Release.objects.filter(opened, imported=False, published_at=None, deadline__isnull=False)
    candidates = calls.filter(Q(deadline__gte=now) | late).order_by("deadline")
    return [
        release
        for release in candidates
        if (deadline := release.deadline) and (now <= deadline or _may_come_late(submission, release, deadline))
    ]


def _open_releases(now: datetime) -> str:
    slugs = ", ".join(open_releases(now).values_list("slug", flat=True)[:8])
    return f"Open now: {slugs}." if slugs else "No release is open now."


def _release_lists(release: Release, names: Iterable[str], tool: str) -> list[str]:
    """Lists of the release that rank results of the tool; IO500 runs need one, others may do without."""
    requested = list(dict.fromkeys(name.strip().lower() for name in names if name.strip()))
    if unknown := [name for name in requested if name not in release.list_names]:
        raise ListNotOfRelease(
            f"{release.name} makes no list {unknown[0][:40]!r}.", hint=f"Its lists: {', '.join(release.list_names)}."
        )
    tools = {name: tool_of(body) for name, body in listing.newest_definitions(release.list_names).items()}
    own = [name for name in release.list_names if tools.get(name) == tool]
    if others := [name for name in requested if name not in own]:
        hint = f"Lists of {tool} there: {', '.join(own)}." if own else f"{release.name} makes no list of {tool}."
        raise ListOfAnotherTool(f"{others[0]} ranks results of {tools.get(others[0])}, not of {tool}.", hint=hint)
    if tool == SCORED and not requested:
        raise ListNotOfRelease("No list was named.", hint=f"Its lists: {', '.join(own)}.")
    return requested


def _submitting_institution(submission: Submission, account: Account) -> Site:
    site = submission.institution or receive.institution_of(account, submission.metadata)
    if site is None:
        slugs = ", ".join(Site.objects.filter(memberships__account=account).values_list("slug", flat=True))
        hint = f"Name one of {slugs} as `institution` in the metadata (revalidate)." if slugs else ""
        raise NoInstitution(hint=hint or "An administrator has to make the account a member of its institution.")
    if not Site.objects.filter(pk=site.pk, memberships__account=account).exists():
        raise NoInstitution(f"This account is no longer a member of {site.name}.")
    return site


def _newest_report(submission: Submission) -> dict[str, Any]:
    reports = Check.objects.filter(submission=submission).order_by("-made_at", "-id").values_list("report", flat=True)
    return dict(reports[0])


def _is_example(submission: Submission) -> bool:
    """Whether it holds the run that the collector hands out for trying, which measured nothing."""
    return any(finding["code"] == example.CODE for finding in _newest_report(submission)["findings"])


def _chosen_primary(submission: Submission, chosen: int | None) -> tuple[int | None, str]:
    """The run that counts, where the submitter says so, and its tool. Raises PrimaryNeeded, NoSuchRun, RunInvalid."""
    report = _newest_report(submission)
    if chosen is not None and chosen >= len(report["runs"]):
        raise NoSuchRun(f"There are {len(report['runs'])} runs.")
    if chosen is None:
        chosen = submission.chosen_primary
    if chosen is None and report["primary"] is None:
        raise PrimaryNeeded
    run = report["runs"][report["primary"] if chosen is None else chosen]
    if errors := [finding["code"] for finding in run["findings"] if finding["level"] == ERROR]:
        raise RunInvalid(f"Of {run['path'] or 'this run'}: {', '.join(dict.fromkeys(errors))}.")
    return chosen, run["tool"]
