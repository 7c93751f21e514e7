"""Release day: what would be published, and the button."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from registry.lists.definitions import SCORED, title_of, tool_of
from registry.models import Release
from registry.presentation import numbers
from registry.query import public_record
from submissions.checks import finding_counts
from submissions.errors import NotConfirmed
from submissions.models import Account, State, Submission
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from submissions.publication.checklist import items as checklist_items
from submissions.publication.forms import ConfirmationForm, ReleaseForm
from submissions.web.formatting import list_titles, name_of, run_row
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of

MOST_ROWS = 500


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page(Account.Role.EDITOR)
def publish_page(request: HttpRequest, release: str) -> HttpResponse:
    """Show what publishing would copy into the public record; do it when asked to."""
    release_row = public_record.find_release(release)
    if request.method != "POST":
        return _publish_page(request, release_row)
    form = ConfirmationForm(request.POST)

    def publish_confirmed(confirm: str, allow_empty: bool) -> None:
        if confirm.strip().lower() != release_row.slug.lower():
            raise NotConfirmed
        publication_publish.publish_release(release_row, account_of(request), allow_empty=allow_empty)

    if not form.carry_out(publish_confirmed):
        return _publish_page(request, release_row, form)
    return redirect("release-lists", release=release_row.slug)


def _publish_page(request: HttpRequest, release: Release, refused: PageForm | None = None) -> HttpResponse:
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
        "confirmation_form": ConfirmationForm(),
        "rows": [_submission_row(submission, foretold) for submission in accepted],
        "foretold": foretold,
        "lists": _list_rows(foretold) if foretold else [],
        "empty_titles": [title_of(name) for name in foretold.empty] if foretold else [],
        "listed": any(foretold.lists.values()) if foretold else False,
        "allows_empty": "allow_empty" in request.POST,
        "states": [(State(state).label, count) for state, count in states if state != State.ACCEPTED],
        "deadline": numbers.format_deadline(release.deadline, now) if release.deadline else "",
        "checklist": publication_publish.publication_checklist(release),
        "own_items": checklist_items.list_items(release),
        "is_early": release.deadline is not None and now < release.deadline,
        "may_publish": may_publish,
    }
    return form_page(request, "publication/publish.html", context, refused)


def _list_rows(foretold: publication_publish.Foretold) -> list[dict[str, object]]:
    """What each list would hold, with its title; the empty ones first."""
    titles = {name: body["title"] for name, body in releases.known_lists()}
    rows = [{"name": name, "title": titles[name], "entries": entries} for name, entries in foretold.lists.items()]
    return sorted(rows, key=lambda row: row["entries"] != 0)


def _submission_row(submission: Submission, foretold: publication_publish.Foretold | None) -> dict[str, object]:
    unranked = foretold.unranked if foretold else ()
    check = next(iter(submission.checks.all()), None)
    report = check.report if check else {}
    primary = finding_counts.chosen_run(submission, report)
    score = run_row(primary, report["runs"][primary], True)["score"] if primary is not None else numbers.MISSING
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "lists": list_titles(submission.lists),
        "unranked": [
            (title_of(name), why) for pk, name, why in unranked if pk == submission.pk and name in submission.lists
        ],
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
    if not form.carry_out(releases.create_release):
        return _release_form_page(request, form)
    return redirect("release", release=form.cleaned_data["slug"])


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
    if not form.carry_out(lambda slug, **changes: releases.change_release(release_row, **changes)):
        return _release_form_page(request, form, release_row)
    return redirect("release", release=release_row.slug)


def _release_form_page(request: HttpRequest, form: ReleaseForm, release: Release | None = None) -> HttpResponse:
    if release is not None:
        del form.fields["slug"]
    context = {"section": "review", "form": form, "release": release}
    return form_page(request, "publication/release.html", context, form if form.is_bound else None)
