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
from submissions.publication.checklist import items as checklist_items
from submissions.publication.forms import ReleaseForm
from submissions.web.formatting import name_of, run_row
from submissions.web.page_base import staff_page
from submissions.web.request_account import account_of

MOST_ROWS = 500


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def publish_page(request: HttpRequest, release: str) -> HttpResponse:
    """Show what publishing would copy into the public record; do it when asked to."""
    release_row = public_record.find_release(release)
    if request.method != "POST":
        return _publish_page(request, release_row)
    try:
        if request.POST.get("confirm", "").strip().lower() != release_row.slug.lower():
            raise NotConfirmed
        publication_publish.publish_release(release_row, account_of(request), allow_empty="allow_empty" in request.POST)
    except Problem as problem:
        return _publish_page(request, release_row, problem)
    return redirect("release-lists", release=release_row.slug)


def _publish_page(request: HttpRequest, release: Release, problem: Problem | None = None) -> HttpResponse:
    accepted = list(
        Submission.objects.filter(release=release, state=State.ACCEPTED, test=False)
        .select_related("institution")
        .prefetch_related("checks")
        .order_by("submitted_at")[:MOST_ROWS]
    )
    states = Submission.objects.filter(release=release).order_by().values_list("state").annotate(Count("id"))
    now = timezone.now()
    may_publish = not release.imported and release.published_at is None
    foretold = publication_publish.foretell_publication(release) if may_publish else None
    context = {
        "section": "review",
        "release": release,
        "problem": problem,
        "rows": [_submission_row(submission) for submission in accepted],
        "foretold": foretold,
        "lists": _list_rows(foretold) if foretold else [],
        "listed": any(foretold.lists.values()) if foretold else False,
        "allows_empty": "allow_empty" in request.POST,
        "states": [(State(state).label, count) for state, count in states if state != State.ACCEPTED],
        "deadline": numbers.format_deadline(release.deadline, now) if release.deadline else "",
        "checklist": publication_publish.publication_checklist(release),
        "own_items": checklist_items.list_items(release),
        "is_early": release.deadline is not None and now < release.deadline,
        "may_publish": may_publish,
    }
    return render(request, "publication/publish.html", context, status=problem.status if problem else 200)


def _list_rows(foretold: publication_publish.Foretold) -> list[dict[str, object]]:
    """What each list would hold, with its title; the empty ones first."""
    titles = {name: body["title"] for name, body in releases.known_lists()}
    rows = [{"name": name, "title": titles[name], "entries": entries} for name, entries in foretold.lists.items()]
    return sorted(rows, key=lambda row: row["entries"] != 0)


def _submission_row(submission: Submission) -> dict[str, object]:
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
def create_release(request: HttpRequest) -> HttpResponse:
    """A new call for submissions."""
    if request.method != "POST":
        usual = [name for name, body in releases.known_lists() if tool_of(body) == SCORED]
        return _release_form_page(request, ReleaseForm(initial={"lists": usual}))
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        return _release_form_page(request, form, status=422)
    try:
        release = releases.create_release(**form.cleaned_data)
    except Problem as problem:
        return _release_form_page(request, form, problem=problem, status=problem.status)
    return redirect("release", release=release.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def edit_release(request: HttpRequest, release: str) -> HttpResponse:
    """Change a call until it is published; its slug stays."""
    release_row = public_record.find_release(release)
    if request.method != "POST":
        names = ("slug", "name", "opens", "deadline", "publishes", "accepting_reviewers")
        initial = {name: getattr(release_row, name) for name in names} | {"lists": release_row.list_names}
        initial["benchmark_versions"] = ", ".join(release_row.benchmark_versions)
        return _release_form_page(request, ReleaseForm(initial=initial), release_row)
    form = ReleaseForm({**request.POST.dict(), "slug": release_row.slug, "lists": request.POST.getlist("lists")})
    if not form.is_valid():
        return _release_form_page(request, form, release_row, status=422)
    changes = {name: value for name, value in form.cleaned_data.items() if name != "slug"}
    try:
        releases.change_release(release_row, **changes)
    except Problem as problem:
        return _release_form_page(request, form, release_row, problem=problem, status=problem.status)
    return redirect("release", release=release_row.slug)


def _release_form_page(
    request: HttpRequest,
    form: ReleaseForm,
    release: Release | None = None,
    *,
    problem: Problem | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"section": "review", "form": form, "release": release, "problem": problem}
    return render(request, "publication/release.html", context, status=status)
