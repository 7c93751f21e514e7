"""The reviewers' pages: what waits, and one submission with its evidence and the decision."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.models import Release, Result
from registry.problems import Problem
from registry.views import numerals
from submissions import review
from submissions.errors import NotFound
from submissions.forms import DecisionForm
from submissions.models import Account, Check, Event, Review, State, Submission
from submissions.permissions import has_role, is_own, seen_by, visible_to
from submissions.states import UNDER_REVIEW
from submissions.views.private import staff_page
from submissions.views.submissions import JOINED, FormInvalid, counted_findings, name_of, page_context

SHOWN = 200
staff = staff_page(Account.Role.REVIEWER)


@require_safe
@staff
def queue(request: HttpRequest) -> HttpResponse:
    """What waits for a decision, longest first; what the account may not decide about is counted and not listed."""
    latest = Check.objects.filter(submission=OuterRef("pk")).order_by("-made_at", "-id")
    starter = Event.objects.filter(submission=OuterRef("pk"), to_state=State.IN_REVIEW).order_by("-id")
    found = review.review_queue(request.user).annotate(
        errors=Subquery(latest.values("errors")[:1]),
        warnings=Subquery(latest.values("warnings")[:1]),
        reviewer=Subquery(starter.values("actor__username")[:1]),
    )
    rows = [_row(one) for one in found[:SHOWN]]
    waiting = visible_to(request.user).filter(state__in=UNDER_REVIEW).count()
    editor = has_role(request.user, Account.Role.EDITOR)
    context = {
        "section": "review",
        "rows": rows,
        "conflicts": waiting - len(rows) if len(rows) < SHOWN else 0,
        "publishable": Release.objects.filter(imported=False, published_at=None) if editor else [],
    }
    return render(request, "review/queue.html", context)


def _row(submission: Submission) -> dict[str, Any]:
    now = timezone.now()
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "release": submission.release,
        "lists": ", ".join(submission.lists),
        "waiting": numerals.distance(submission.submitted_at, now) if submission.submitted_at else "",
        "findings": counted_findings(submission.errors, submission.warnings),
        "state": submission.get_state_display(),
        "reviewer": submission.reviewer,
    }


@require_safe
@staff
def detail(request: HttpRequest, id: UUID) -> HttpResponse:
    """One submitted run with rules, findings and the form of the decision."""
    return _page(request, _submitted(request, id), DecisionForm())


@require_POST
@staff
def start(request: HttpRequest, id: UUID) -> HttpResponse:
    """Take it up."""
    review.start(_submitted(request, id), request.user)
    return redirect("review-detail", id=id)


@require_POST
@staff
def decide(request: HttpRequest, id: UUID) -> HttpResponse:
    shown = _submitted(request, id)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        words = {name: [str(one) for one in why] for name, why in form.errors.items()}
        problem = FormInvalid(errors=words, hint="Choose a decision and give the reason, which the submitter reads.")
        return _page(request, shown, form, problem)
    try:
        review.decide(shown, request.user, **form.cleaned_data)
    except Problem as problem:
        return _page(request, shown, form, problem)
    return redirect("review")


def _submitted(request: HttpRequest, id: UUID) -> Submission:
    """A submission that was submitted; before that it is the submitter's alone. Raises NotFound."""
    shown = seen_by(request.user, id, JOINED)
    if shown.submitted_at is None:
        raise NotFound
    return shown


def _page(request: HttpRequest, shown: Submission, form: DecisionForm, problem: Problem | None = None) -> HttpResponse:
    conflict = is_own(request.user, shown)
    check = shown.checks.first()
    context = page_context(request, shown) | {
        "section": "review",
        "form": form,
        "problem": problem,
        "conflict": conflict,
        "decisions": Review.Decision.choices,
        "metadata": sorted(shown.metadata.items()),
        "may_decide": shown.state in UNDER_REVIEW and not conflict,
        "may_start": shown.state == State.SUBMITTED and not conflict,
        "prospects": _prospects(shown, check),
    }
    return render(request, "review/detail.html", context, status=problem.status if problem else 200)


def _prospects(shown: Submission, check: Check | None) -> list[tuple[str, str, str]]:
    """For each list asked for: whether the run could rank there as research and as production."""
    runs = check.report.get("runs", []) if check else []
    primary = shown.chosen_primary if shown.chosen_primary is not None else check and check.report.get("primary")
    if primary is None or primary >= len(runs):
        return []
    research = review.prospects(shown, runs[primary], production=False, reproducibility=Result.Reproducibility.FULLY)
    production = review.prospects(shown, runs[primary], production=True, reproducibility=Result.Reproducibility.FULLY)
    return [(name, _why(research[name]), _why(production[name])) for name in research]


def _why(exclusion: Any) -> str:
    return exclusion.why if exclusion else "can rank"
