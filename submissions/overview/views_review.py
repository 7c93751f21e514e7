"""The reviewers' pages: what waits, and one submission with its rubric, the talk about it and the decision."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.models import Release, Result
from registry.presentation import numbers
from registry.results.views import OUTCOMES
from submissions.bundles import quarantine
from submissions.bundles.views import address
from submissions.checks import finding_counts, questionnaire
from submissions.errors import NotFound
from submissions.lifecycle.states import UNDER_REVIEW
from submissions.models import Account, Check, Comment, Judgement, Review, State, Submission
from submissions.overview.page import counted_findings, page_context
from submissions.permissions import conflict, has_role, seen_by, visible_to
from submissions.review import assignment, comments, decisions, rubric
from submissions.review import queue as review_queue
from submissions.review.forms import DecisionForm, JudgementForm
from submissions.web.formatting import JOINED, FormInvalid, name_of
from submissions.web.page_base import staff_page

SHOWN = 200
MARKS = OUTCOMES | {"needs_human": ("", "? decide")}
staff = staff_page(Account.Role.REVIEWER)


@require_safe
@staff
def queue(request: HttpRequest) -> HttpResponse:
    """What waits for a decision, longest first; what the account may not decide about is counted and not listed."""
    found = review_queue.review_queue(request.user)
    asked = {name: request.GET[name][:120].replace("\0", "") for name in review_queue.FILTERS if request.GET.get(name)}
    narrowed = review_queue.filter_queue(found, asked, request.user).prefetch_related("assignments__reviewer")
    rows = [_row(one) for one in narrowed[:SHOWN]]
    facts = list(found.values("release__slug", "lists", "institution__slug", "institution__name", "tool")[:1000])
    in_all = visible_to(request.user).filter(state__in=UNDER_REVIEW).count()
    editor = has_role(request.user, Account.Role.EDITOR)
    context = {
        "section": "review",
        "rows": rows,
        "asked": asked,
        "choices": _choices(facts),
        "waiting": len(facts),
        "conflicts": in_all - len(facts),
        "quarantined": quarantine.count_waiting() if editor else 0,
        "publishable": Release.objects.filter(imported=False, published_at=None) if editor else [],
    }
    return render(request, "review/queue.html", context)


def _choices(facts: list[dict[str, Any]]) -> dict[str, list[tuple[str, str]]]:
    """What the filters offer: the values that occur among what waits."""
    pairs = {
        "release": {(row["release__slug"], row["release__slug"]) for row in facts},
        "list": {(name, name) for row in facts for name in row["lists"]},
        "institution": {(row["institution__slug"], row["institution__name"]) for row in facts},
        "tool": {(row["tool"], row["tool"]) for row in facts if row["tool"]},
    }
    found = {
        name: sorted((pair for pair in values if pair[0]), key=lambda pair: pair[1]) for name, values in pairs.items()
    }
    return found | {
        "state": [(state.value, state.label) for state in UNDER_REVIEW],
        "assigned": [(review_queue.ME, "to me"), (review_queue.NOBODY, "to nobody")],
        "contradictions": [("yes", "found")],
    }


def _row(submission: Submission) -> dict[str, Any]:
    now = timezone.now()
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "release": submission.release,
        "lists": ", ".join(submission.lists),
        "tool": submission.tool,
        "waiting": numbers.distance(submission.submitted_at, now) if submission.submitted_at else "",
        "findings": counted_findings(finding_counts.counted(submission, submission.in_report)),
        "contradictions": submission.contradictions,
        "state": submission.get_state_display(),
        "reviewers": ", ".join(one.reviewer.username for one in submission.assignments.all()),
    }


@require_safe
@staff
def detail(request: HttpRequest, id: UUID) -> HttpResponse:
    """One submitted run with rules, findings and the form of the decision."""
    return _page(request, submitted_one(request, id))


@require_POST
@staff
def start(request: HttpRequest, id: UUID) -> HttpResponse:
    """Take it up."""
    decisions.start_review(submitted_one(request, id), request.user)
    return redirect("review-detail", id=id)


@require_POST
@staff
def assign(request: HttpRequest, id: UUID) -> HttpResponse:
    """Give it to a reviewer, or take it back; by default oneself."""
    change = assignment.take_back if "remove" in request.POST else assignment.assign
    shown, name = submitted_one(request, id), request.POST.get("remove") or request.POST.get("reviewer", "")
    try:
        change(shown, request.user, name.strip()[:150])
    except Problem as problem:
        return _page(request, shown, problem=problem)
    return redirect("review-detail", id=id)


@require_POST
@staff
def check_again(request: HttpRequest, id: UUID) -> HttpResponse:
    decisions.request_recheck(submitted_one(request, id), request.user)
    return redirect("review-detail", id=id)


@require_POST
@staff
def judge(request: HttpRequest, id: UUID) -> HttpResponse:
    """What the reviewer found of a rule that a machine could not settle."""
    shown, form = submitted_one(request, id), JudgementForm(request.POST)
    if not form.is_valid():
        return _page(request, shown, problem=FormInvalid(hint="Choose whether the rule is satisfied, and say why."))
    try:
        rubric.record_judgement(shown, request.user, **form.cleaned_data)
    except Problem as problem:
        return _page(request, shown, problem=problem)
    return redirect(f"/review/{id}/#rubric")


@require_POST
@staff
def decide(request: HttpRequest, id: UUID) -> HttpResponse:
    shown = submitted_one(request, id)
    form = DecisionForm(request.POST, codes=request.POST.getlist("findings"))
    if not form.is_valid():
        words = {name: [str(one) for one in why] for name, why in form.errors.items()}
        problem = FormInvalid(errors=words, hint="Choose a decision and give the reason, which the submitter reads.")
        return _page(request, shown, form, problem)
    try:
        decisions.decide(shown, request.user, **form.cleaned_data)
    except Problem as problem:
        return _page(request, shown, form, problem)
    return redirect("review")


def submitted_one(request: HttpRequest, id: UUID) -> Submission:
    """A submission that was submitted; before that it is the submitter's alone. Raises NotFound."""
    submission = seen_by(request.user, id, JOINED)
    if submission.submitted_at is None:
        raise NotFound
    return submission


def refused_review(request: HttpRequest, shown: Submission, problem: Problem) -> HttpResponse:
    """The page of the review with what was refused on top."""
    return _page(request, shown, problem=problem)


def _page(
    request: HttpRequest, shown: Submission, form: DecisionForm | None = None, problem: Problem | None = None
) -> HttpResponse:
    against = conflict(request.user, shown)
    check = shown.checks.first()
    context = page_context(request, shown) | {
        "section": "review",
        "form": form or DecisionForm(),
        "problem": problem,
        "unkept": [("Reason", form.cleaned_data["reason"])] if form and problem and form.is_valid() else [],
        "conflict": against,
        "metadata": sorted(shown.metadata.items()),
        "prospects": _prospects(shown, check),
    }
    if not against:
        context |= _of_the_committee(request, shown, check)
    return render(request, "review/detail.html", context, status=problem.status if problem else 200)


def _of_the_committee(request: HttpRequest, shown: Submission, check: Check | None) -> dict[str, Any]:
    """What only those see who may decide."""
    rows = rubric.rubric_rows(shown, check.report if check else {})
    assigned = [one.reviewer.username for one in shown.assignments.select_related("reviewer")]
    open_now = shown.state in UNDER_REVIEW
    return {
        "rubric": [_rule(shown, row) for row in rows],
        "settled": f"{sum(row.settled for row in rows)} of {len(rows)} settled",
        "outcomes": Judgement.Outcome.choices,
        "threads": comments.group_by_thread(comments.visible_comments(shown, request.user)),
        "audiences": Comment.Audience.choices,
        "say_to": f"/review/{shown.pk}/comments/",
        "assigned": assigned,
        "mine": request.user.username in assigned,
        "may_assign_others": has_role(request.user, Account.Role.EDITOR),
        "same_bytes": _same_bytes(request.user, shown),
        "decisions": Review.Decision.choices,
        "votes": _votes(shown) if open_now else "",
        "expected": shown.answers.get("reproducibility") or "not said",
        "declared_production": {True: "yes", False: "no"}.get(shown.metadata.get("production"), "not said"),
        "may_decide": open_now,
        "may_start": shown.state == State.SUBMITTED,
    }


def _rule(shown: Submission, row: rubric.Row) -> dict[str, Any]:
    return {
        "code": row.code,
        "text": row.text,
        "mark": MARKS.get(row.outcome, ("", row.outcome)),
        "why": row.why,
        "judgement": row.judgement,
        "judge": row.outcome in rubric.JUDGED and shown.state in UNDER_REVIEW,
        "waits": not row.settled,
        "places": [
            {"where": finding["where"], "address": address(shown, finding["where"])}
            for finding in row.findings
            if finding["where"]
        ],
    }


def _same_bytes(account: Account, shown: Submission) -> list[dict[str, Any]]:
    """Other submissions with the same bytes, and whether they are of another account; those that are submitted."""
    others = visible_to(account).filter(sha256=shown.sha256).exclude(pk=shown.pk).select_related("institution")
    return [
        {
            "id": one.pk,
            "institution": one.institution,
            "state": one.get_state_display(),
            "foreign": one.account_id != shown.account_id,
        }
        for one in others[:20]
    ]


def _votes(shown: Submission) -> str:
    wanted = shown.release.accepting_reviewers if shown.release else 1
    return f"{len(decisions.accepting(shown))} of {wanted} reviewers accept" if wanted > 1 else ""


def _prospects(shown: Submission, check: Check | None) -> list[tuple[str, str, str]]:
    """For each list asked for: whether the run could rank there as research and as production."""
    run = questionnaire.primary_run(shown, check.report) if check else None
    if run is None:
        return []
    research = decisions.list_exclusions(shown, run, production=False, reproducibility=Result.Reproducibility.FULLY)
    production = decisions.list_exclusions(shown, run, production=True, reproducibility=Result.Reproducibility.FULLY)
    return [(name, _why(research[name]), _why(production[name])) for name in research]


def _why(exclusion: Any) -> str:
    return exclusion.why if exclusion else "can rank"
