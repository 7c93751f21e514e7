"""The reviewers' pages: what waits, and one submission with its rubric, the talk about it and the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.lists.definitions import title_of
from registry.models import Release
from registry.presentation import numbers
from registry.query import public_record
from registry.results.views import OUTCOMES
from submissions.bundles import quarantine
from submissions.bundles.views import line_address
from submissions.checks import finding_counts, questionnaire
from submissions.errors import NotFound
from submissions.lifecycle.states import UNDER_REVIEW
from submissions.models import AccessRequest, Account, Check, Comment, Judgement, Review, State, Submission
from submissions.overview.forms import AnonymityDecisionForm
from submissions.overview.views_context import counted_findings, page_context, prospect_row
from submissions.overview.views_question_rows import questions_context
from submissions.permissions import conflict_reason, has_role, visible_submission, visible_to
from submissions.publication import prospects
from submissions.review import assignment, comments, decisions, dispositions, rubric
from submissions.review import queue as review_queue
from submissions.review.forms import AssignForm, CommentForm, DecisionForm, DispositionForm, JudgementForm
from submissions.web.formatting import JOINED, list_titles, name_of
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of
from validators import catalogue

MOST_ROWS = 200
MARKS = OUTCOMES | {"needs_human": ("", "? decide")}
staff = staff_page(Account.Role.REVIEWER)


@require_safe
@staff
def queue_page(request: HttpRequest) -> HttpResponse:
    """What waits for a decision, longest first; what the account may not decide about is counted and not listed."""
    account = account_of(request)
    waiting = review_queue.review_queue(account)
    filters = {name: value[:120].replace("\0", "") for name in review_queue.FILTERS if (value := request.GET.get(name))}
    narrowed = review_queue.filter_queue(waiting, filters, account).prefetch_related("assignments__reviewer")
    rows = [_queue_row(submission) for submission in narrowed[:MOST_ROWS]]
    facts = list(waiting.values("release__slug", "lists", "institution__slug", "institution__name", "tool")[:1000])
    in_all = visible_to(account).filter(state__in=UNDER_REVIEW).count()
    editor = has_role(account, Account.Role.EDITOR)
    context = {
        "section": "review",
        "rows": rows,
        "asked": filters,
        "choices": _filter_choices(facts),
        "waiting": len(facts),
        "conflicts": in_all - len(facts),
        "may_end_ties": editor,
        "access_requests": AccessRequest.objects.count() if has_role(account, Account.Role.ADMIN) else 0,
        "quarantined": quarantine.count_waiting() if editor else 0,
        "publishable": Release.objects.filter(imported=False, published_at=None) if editor else [],
    }
    return render(request, "overview/review_queue.html", context)


def _filter_choices(facts: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[str, str]]]:
    """What the filters offer: the values that occur among what waits."""
    pairs = {
        "release": {(row["release__slug"], row["release__slug"]) for row in facts},
        "list": {(name, title_of(name)) for row in facts for name in row["lists"]},
        "institution": {(row["institution__slug"], row["institution__name"]) for row in facts},
        "tool": {(row["tool"], catalogue.tool_name(row["tool"])) for row in facts if row["tool"]},
    }
    choices = {
        name: sorted((pair for pair in values if pair[0]), key=lambda pair: pair[1]) for name, values in pairs.items()
    }
    return choices | {
        "state": [(state.value, state.label) for state in UNDER_REVIEW],
        "assigned": [(review_queue.ME, "to me"), (review_queue.NOBODY, "to nobody")],
        "contradictions": [("yes", "found")],
    }


def _queue_row(submission: review_queue.WaitingSubmission) -> dict[str, Any]:
    now = timezone.now()
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "release": submission.release,
        "lists": list_titles(submission.lists),
        "tool": catalogue.tool_name(submission.tool) if submission.tool else "",
        "waiting": numbers.format_distance(submission.submitted_at, now) if submission.submitted_at else "",
        "findings": counted_findings(finding_counts.count_findings(submission, submission.in_report)),
        "contradictions": submission.contradictions,
        "state": submission.get_state_display(),
        "reviewers": ", ".join(assignment_row.reviewer.username for assignment_row in submission.assignments.all()),
    }


@require_safe
@staff
def review_page(request: HttpRequest, id: UUID) -> HttpResponse:
    """One submitted run with rules, findings and the form of the decision."""
    return _review_page(request, get_submitted(request, id))


@require_POST
@staff
def start_review(request: HttpRequest, id: UUID) -> HttpResponse:
    """Take it up."""
    decisions.start_review(get_submitted(request, id), account_of(request))
    return redirect("review-detail", id=id)


@require_POST
@staff
def assign_reviewer(request: HttpRequest, id: UUID) -> HttpResponse:
    """Give it to a reviewer, or take it back; by default oneself."""
    change = assignment.take_back if "remove" in request.POST else assignment.assign_submission
    submission, form = get_submitted(request, id), AssignForm(request.POST)

    def change_assignment(reviewer: str) -> None:
        change(submission, account_of(request), (request.POST.get("remove") or reviewer).strip()[:150])

    if not form.carry_out(change_assignment):
        return refused_review(request, submission, form)
    return redirect("review-detail", id=id)


@require_POST
@staff
def check_again(request: HttpRequest, id: UUID) -> HttpResponse:
    decisions.request_recheck(get_submitted(request, id), account_of(request))
    return redirect("review-detail", id=id)


@require_POST
@staff
def judge_rule(request: HttpRequest, id: UUID) -> HttpResponse:
    """What the reviewer found of a rule that a machine could not settle."""
    submission, form = get_submitted(request, id), JudgementForm(request.POST)
    if not form.carry_out(lambda **fields: rubric.record_judgement(submission, account_of(request), **fields)):
        return refused_review(request, submission, form)
    return redirect(f"/review/{id}/#rubric")


@require_POST
@staff
def dispose_finding(request: HttpRequest, id: UUID) -> HttpResponse:
    """What becomes of the findings of one code."""
    submission, form = get_submitted(request, id), DispositionForm(request.POST)
    if not form.carry_out(lambda **fields: dispositions.dispose_finding(submission, account_of(request), **fields)):
        return refused_review(request, submission, form)
    return redirect(f"/review/{id}/#points")


@require_safe
@staff
def open_points_page(request: HttpRequest, release: str) -> HttpResponse:
    """All open points of a release: what nobody disposed of, by submission."""
    release_row = public_record.find_release(release)
    release_points = dispositions.open_points(release_row, account_of(request))
    rows = [
        {"id": submission.pk, "name": name_of(submission), "institution": submission.institution,
         "state": submission.get_state_display(), "points": points}
        for submission, points in release_points.submissions
    ]  # fmt: skip
    context = {
        "section": "review",
        "release": release_row,
        "rows": [row for row in rows if row["points"]],
        "without": sum(not row["points"] for row in rows),
        "open": sum(len(points) for _, points in release_points.submissions),
        "closed_to_account": release_points.closed_to_account,
        "may_publish": has_role(account_of(request), Account.Role.EDITOR) and release_row.published_at is None,
    }
    return render(request, "overview/open_points.html", context)


@require_POST
@staff
def decide_run(request: HttpRequest, id: UUID) -> HttpResponse:
    submission = get_submitted(request, id)
    form = DecisionForm(request.POST, codes=request.POST.getlist("findings"))
    if not form.carry_out(lambda **fields: decisions.decide_run(submission, account_of(request), **fields)):
        return refused_review(request, submission, form)
    return redirect("review")


def get_submitted(request: HttpRequest, id: UUID) -> Submission:
    """A submission that was submitted; before that it is the submitter's alone. Raises NotFound."""
    submission = visible_submission(account_of(request), id, JOINED)
    if submission.submitted_at is None:
        raise NotFound
    return submission


def refused_review(request: HttpRequest, submission: Submission, refused: PageForm) -> HttpResponse:
    """The page of the review with the form that was refused."""
    return _review_page(request, submission, refused)


def _review_page(request: HttpRequest, submission: Submission, refused: PageForm | None = None) -> HttpResponse:
    against = conflict_reason(account_of(request), submission)
    check = submission.checks.first()
    unkept = refused.data.get("reason", "") if isinstance(refused, DecisionForm) else ""
    context = page_context(request, submission) | {
        "section": "review",
        "form": DecisionForm(),
        "assign_form": AssignForm(),
        "comment_form": CommentForm(),
        "anonymity_decision": AnonymityDecisionForm(),
        "unkept": [("Reason", unkept)] if unkept else [],
        "conflict": against,
        "metadata": sorted(submission.metadata.items()),
        "prospects": _list_prospects(submission, check, not against),
    }
    if not against:
        context |= _committee_context(request, submission, check, refused)
    return form_page(request, "overview/review.html", context, refused)


def _committee_context(
    request: HttpRequest, submission: Submission, check: Check | None, refused: PageForm | None
) -> dict[str, Any]:
    """What only those see who may decide."""
    account = account_of(request)
    rows = rubric.rubric_rows(submission, check.report if check else {})
    assigned = [
        assignment_row.reviewer.username for assignment_row in submission.assignments.select_related("reviewer")
    ]
    open_now = submission.state in UNDER_REVIEW
    points = dispositions.list_points(submission, check.report if check else {})
    return questions_context(submission, account, f"/review/{submission.pk}/questions/") | {
        "may_consent": False,
        "points": [_point_row(point, refused) for point in points],
        "open_points": sum(point.is_open for point in points),
        "rubric": [_rule_row(submission, row, refused) for row in sorted(rows, key=lambda row: row.settled)],
        "to_decide": sum(not row.settled for row in rows),
        "settled": f"{sum(row.settled for row in rows)} of {len(rows)}",
        "outcomes": Judgement.Outcome.choices,
        "threads": comments.group_by_thread(comments.visible_comments(submission, account)),
        "audiences": Comment.Audience.choices,
        "comment_url": f"/review/{submission.pk}/comments/",
        "assigned": assigned,
        "mine": request.user.username in assigned,
        "may_assign_others": has_role(account, Account.Role.EDITOR),
        "same_bytes": _same_bytes(account, submission),
        "decisions": Review.Decision.choices,
        "votes": _votes_text(submission) if open_now else "",
        "expected": submission.answers.get("reproducibility") or "not given",
        "declared_production": {True: "yes", False: "no"}.get(submission.metadata.get("production"), "not given"),
        "may_decide": open_now,
        "may_start": submission.state == State.SUBMITTED,
    }


def _point_row(point: dispositions.Point, refused: PageForm | None) -> dict[str, Any]:
    form: PageForm = DispositionForm(initial={"code": point.code}, auto_id=f"point-{point.code}-%s")
    if isinstance(refused, DispositionForm) and refused.data.get("code") == point.code:
        form = refused
    return {"point": point, "form": form}


def _rule_row(submission: Submission, row: rubric.Row, refused: PageForm | None) -> dict[str, Any]:
    form: PageForm = JudgementForm(initial={"rule": row.code}, auto_id=f"{row.code}_%s")
    if isinstance(refused, JudgementForm) and refused.data.get("rule") == row.code:
        form = refused
    return {
        "form": form,
        "code": row.code,
        "text": row.text,
        "mark": MARKS.get(row.outcome, ("", row.outcome)),
        "why": row.why,
        "judgement": row.judgement,
        "judge": row.outcome in rubric.JUDGED and not row.of_other_lists and submission.state in UNDER_REVIEW,
        "waits": not row.settled,
        "of_other_lists": row.of_other_lists,
        "places": [{"where": where, "address": line_address(submission, where)} for where in row.places],
    }


def _same_bytes(account: Account, submission: Submission) -> list[dict[str, Any]]:
    """Other submissions with the same bytes, and whether they are of another account; those that are submitted."""
    others = (
        visible_to(account).filter(sha256=submission.sha256).exclude(pk=submission.pk).select_related("institution")
    )
    return [
        {
            "id": other.pk,
            "institution": other.institution,
            "state": other.get_state_display(),
            "foreign": other.account_id != submission.account_id,
        }
        for other in others[:20]
    ]


def _votes_text(submission: Submission) -> str:
    required = submission.release.accepting_reviewers if submission.release else 1
    return f"{len(decisions.accepting_reviewers(submission))} of {required} reviewers accept" if required > 1 else ""


def _list_prospects(submission: Submission, check: Check | None, addressed: bool) -> list[dict[str, Any]]:
    """For each list asked for: whether the run could rank there as research and as production, and what decides."""
    run = questionnaire.primary_run(submission, check.report) if check else None
    if run is None:
        return []
    by_mark = [
        prospects.find_prospects(submission, run, submission.lists, production=production)
        for production in (False, True)
    ]
    return [
        {"title": pair[0].title, "cells": [prospect_row(submission, prospect, addressed) for prospect in pair]}
        for pair in zip(*by_mark, strict=True)
    ]
