"""Release day: what would be published, and the button."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from registry.errors import Problem
from registry.lists.definitions import SCORED, tool_of
from registry.models import Release
from registry.presentation import numbers
from registry.query import public_record
from submissions.checks import finding_counts
from submissions.errors import NotConfirmed
from submissions.models import Account, State, Submission
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from submissions.publication.forms import ReleaseForm
from submissions.web.formatting import name_of, run_row
from submissions.web.page_base import staff_page

SHOWN = 500


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def publish(request: HttpRequest, release: str) -> HttpResponse:
    """Show what publishing would copy into the public record; do it when asked to."""
    found = public_record.release(release)
    if request.method != "POST":
        return _page(request, found)
    try:
        if request.POST.get("confirm", "").strip().lower() != found.slug.lower():
            raise NotConfirmed
        publication_publish.publish(found, request.user, allow_empty="allow_empty" in request.POST)
    except Problem as problem:
        return _page(request, found, problem)
    return redirect("release-lists", release=found.slug)


def _page(request: HttpRequest, release: Release, problem: Problem | None = None) -> HttpResponse:
    accepted = list(
        Submission.objects.filter(release=release, state=State.ACCEPTED, test=False)
        .select_related("institution")
        .prefetch_related("checks")
        .order_by("submitted_at")[:SHOWN]
    )
    states = Submission.objects.filter(release=release).order_by().values_list("state").annotate(Count("id"))
    now = timezone.now()
    may_publish = not release.imported and release.published_at is None
    foretold = publication_publish.foretold(release) if may_publish else None
    context = {
        "section": "review",
        "release": release,
        "problem": problem,
        "rows": [_row(one) for one in accepted],
        "foretold": foretold,
        "lists": _lists(foretold) if foretold else [],
        "listed": any(foretold.lists.values()) if foretold else False,
        "allows_empty": "allow_empty" in request.POST,
        "states": [(State(state).label, count) for state, count in states if state != State.ACCEPTED],
        "deadline": numbers.deadline(release.deadline, now) if release.deadline else "",
        "checklist": publication_publish.publication_checklist(release),
        "is_early": release.deadline is not None and now < release.deadline,
        "may_publish": may_publish,
    }
    return render(request, "review/publish.html", context, status=problem.status if problem else 200)


def _lists(foretold: publication_publish.Foretold) -> list[dict[str, object]]:
    """What each list would hold, with its title; the empty ones first."""
    titles = {name: body["title"] for name, body in releases.known_lists()}
    rows = [{"name": name, "title": titles[name], "entries": entries} for name, entries in foretold.lists.items()]
    return sorted(rows, key=lambda row: row["entries"] != 0)


def _row(submission: Submission) -> dict[str, object]:
    check = next(iter(submission.checks.all()), None)
    report = check.report if check else {}
    primary = finding_counts.chosen_run(submission, report)
    score = run_row(primary, report["runs"][primary], True)["score"] if primary is not None else numbers.MISSING
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "lists": ", ".join(submission.lists),
        "score": score,
        "embargo": numbers.format_datetime(submission.embargo_until) if submission.embargo_until else "",
    }


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def create(request: HttpRequest) -> HttpResponse:
    """A new call for submissions."""
    if request.method != "POST":
        usual = [name for name, body in releases.known_lists() if tool_of(body) == SCORED]
        return _form(request, ReleaseForm(initial={"lists": usual}))
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        return _form(request, form, status=422)
    try:
        made = releases.create(**form.cleaned_data)
    except Problem as problem:
        return _form(request, form, problem=problem, status=problem.status)
    return redirect("release", release=made.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def edit(request: HttpRequest, release: str) -> HttpResponse:
    """Change a call until it is published; its slug stays."""
    found = public_record.release(release)
    if request.method != "POST":
        names = ("slug", "name", "opens", "deadline", "publishes", "accepting_reviewers")
        initial = {name: getattr(found, name) for name in names} | {"lists": found.list_names}
        initial["benchmark_versions"] = ", ".join(found.benchmark_versions)
        return _form(request, ReleaseForm(initial=initial), found)
    form = ReleaseForm({**request.POST.dict(), "slug": found.slug, "lists": request.POST.getlist("lists")})
    if not form.is_valid():
        return _form(request, form, found, status=422)
    changes = {name: value for name, value in form.cleaned_data.items() if name != "slug"}
    try:
        releases.change(found, **changes)
    except Problem as problem:
        return _form(request, form, found, problem=problem, status=problem.status)
    return redirect("release", release=found.slug)


def _form(
    request: HttpRequest,
    form: ReleaseForm,
    release: Release | None = None,
    *,
    problem: Problem | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"section": "review", "form": form, "release": release, "problem": problem}
    return render(request, "review/release.html", context, status=status)
