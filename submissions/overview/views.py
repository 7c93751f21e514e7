"""Upload, and the page of one submission on its way from received to published."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from registry.errors import Problem
from registry.presentation import numbers
from registry.results.archive_download import archive
from registry.serving.admission import takes_uploads
from registry.web.throttles import UploadThrottle
from submissions.bundles import quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import public, received
from submissions.bundles.upload_page import TooManyUploads, streamed
from submissions.checks import finding_counts
from submissions.editing import edit as editing_edit
from submissions.errors import AlreadyRevised, Forbidden, NotFound, ReasonNeeded
from submissions.intake import receive as intake_receive
from submissions.models import Submission
from submissions.overview.forms import MetadataForm, SubmitForm, UploadForm
from submissions.overview.page import counted_findings, page_context, refused_page
from submissions.permissions import require_bytes, require_own, seen_by, visible_to
from submissions.review import decisions
from submissions.web.formatting import JOINED, REASON_LIMIT, FormInvalid, name_of
from submissions.web.page_base import private_page

PAGE_ROWS = 50


@require_safe
@private_page
def index(request: HttpRequest) -> HttpResponse:
    """The account's own submissions and those of its institutions."""
    found = finding_counts.with_reports(visible_to(request.user).select_related("institution", "release", "account"))
    page = Paginator(found, PAGE_ROWS).get_page(request.GET.get("page"))
    links = {}
    if page.has_previous():
        links["previous"] = f"?page={page.previous_page_number()}"
    if page.has_next():
        links["next"] = f"?page={page.next_page_number()}"
    context = {"section": "submissions", "rows": [_row(one) for one in page], "page_links": links}
    return render(request, "submissions/index.html", context)


def _row(submission: Submission) -> dict[str, Any]:
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "by": submission.account.username,
        "state": submission.get_state_display(),
        "test": submission.test,
        "release": submission.release,
        "findings": counted_findings(finding_counts.counted(submission, submission.in_report)),
        "received": numbers.format_datetime(submission.received_at),
    }


@takes_uploads
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """The upload form.

    The CSRF check reads the body, so the handler that streams and limits it is set before, and nothing is read from
    callers who didn't sign in or come too often.
    """
    if request.method != "POST" or not request.user.is_authenticated:
        return _empty_form(request)
    if not UploadThrottle().allow_request(request, None):
        return _upload_page(request, UploadForm(), TooManyUploads())
    with streamed(request):
        try:
            return _receive(request)
        except Problem as problem:
            return _upload_page(request, UploadForm(), problem)


@private_page
def _empty_form(request: HttpRequest) -> HttpResponse:
    """With `?release=SLUG`, as the page of an open call links it, for that release."""
    return _upload_page(request, UploadForm(initial={"release": request.GET.get("release", "")[:40]}))


@csrf_protect
@never_cache
def _receive(request: HttpRequest) -> HttpResponse:
    form = UploadForm(request.POST)
    if not form.is_valid():
        return _upload_page(request, form)
    try:
        said = intake_receive.parse_declared(form.cleaned_data["release"], form.cleaned_data["lists"], form.metadata())
        sent, test = request.FILES.get("bundle"), form.cleaned_data["test"]
        if sent is None and form.cleaned_data["draft"]:
            submission = intake_receive.create_draft(request.user, said, test=test)
        else:
            submission, _ = intake_receive.receive(request.user, sent, "", said, test=test)
    except Problem as problem:
        return _upload_page(request, form, problem)
    address = f"/submissions/{submission.pk}/"
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _upload_page(request: HttpRequest, form: UploadForm, problem: Problem | None = None) -> HttpResponse:
    status = problem.status if problem else 422 if form.errors else 200
    limit = f"{settings.UPLOAD_LIMIT_BYTES // 2**20} MiB"
    context = {"section": "submissions", "form": form, "problem": problem, "limit": limit}
    return render(request, "submissions/upload.html", context, status=status)


@require_safe
@private_page
def submission(request: HttpRequest, id: UUID) -> HttpResponse:
    """One submission; while it is being checked the page asks for itself again and replaces its live part."""
    shown = seen_by(request.user, id, JOINED)
    return render(request, "submissions/submission.html", page_context(request, shown))


@require_safe
@private_page
def received_bytes(request: HttpRequest, id: UUID) -> HttpResponse:
    """The archive as it came, for its institution and for those who may review it."""
    shown = seen_by(request.user, id, Submission.objects.select_related("institution"))
    require_bytes(request.user, shown)
    if not shown.sha256:
        raise NotFound
    quarantine.require_served(shown, shown.sha256)
    return archive(received(), shown.sha256, shown.filename)


@require_safe
@private_page
def scrubbed_copy(request: HttpRequest, id: UUID) -> HttpResponse:
    """The copy that will be published, to look at before. Raises NotFound before it is made."""
    shown = seen_by(request.user, id, Submission.objects.select_related("derivative", "institution"))
    require_bytes(request.user, shown)
    derivative = getattr(shown, "derivative", None)
    if derivative is None:
        raise NotFound
    quarantine.require_not_withheld(shown, *(file["sha256"] for file in files_of(shown)))
    return archive(public(), derivative.sha256, f"{shown.pk}-scrubbed.tar.gz")


@require_POST
@private_page
def submit(request: HttpRequest, id: UUID) -> HttpResponse:
    """To a release; what stands against it is said on the page."""
    shown = seen_by(request.user, id, JOINED)
    form = SubmitForm(request.POST, submission=shown)
    if not form.is_valid():
        words = {name: [str(one) for one in why] for name, why in form.errors.items()}
        return refused_page(request, shown, FormInvalid(errors=words), submitted=request.POST)
    try:
        decisions.submit(shown, request.user, **form.cleaned_data)
    except Forbidden:
        raise
    except Problem as problem:
        return refused_page(request, shown, problem, submitted=request.POST)
    return redirect("submission", id=id)


@require_POST
@private_page
def withdraw(request: HttpRequest, id: UUID) -> HttpResponse:
    shown = seen_by(request.user, id, JOINED)
    try:
        decisions.withdraw(shown, request.user, request.POST.get("reason", "")[:REASON_LIMIT])
    except (ReasonNeeded, AlreadyRevised) as problem:
        return refused_page(request, shown, problem)
    return redirect("submission", id=id)


@require_POST
@private_page
def check_again(request: HttpRequest, id: UUID) -> HttpResponse:
    editing_edit.save_metadata_and_recheck(seen_by(request.user, id, JOINED), request.user)
    return redirect("submission", id=id)


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def edit(request: HttpRequest, id: UUID) -> HttpResponse:
    """What is said beside the bytes; it is checked again after a change."""
    shown = seen_by(request.user, id, JOINED)
    require_own(request.user, shown)
    form = MetadataForm(request.POST if request.method == "POST" else None, initial=shown.metadata)
    if not form.is_bound or not form.is_valid():
        return _edit_page(request, shown, form)
    try:
        editing_edit.save_metadata_and_recheck(shown, request.user, metadata=form.metadata())
    except Problem as problem:
        return _edit_page(request, shown, form, problem)
    return redirect("submission", id=id)


def _edit_page(
    request: HttpRequest, shown: Submission, form: MetadataForm, problem: Problem | None = None
) -> HttpResponse:
    context = {"section": "submissions", "submission": shown, "name": name_of(shown), "form": form, "problem": problem}
    status = problem.status if problem else 422 if form.errors else 200
    return render(request, "submissions/edit.html", context, status=status)


@require_POST
@private_page
def revise(request: HttpRequest, id: UUID) -> HttpResponse:
    """Begin a revision of a published result, and go there."""
    shown = seen_by(request.user, id, JOINED)
    try:
        revision = editing_edit.start_revision(shown, request.user, request.POST.get("reason", "")[:REASON_LIMIT])
    except (ReasonNeeded, AlreadyRevised) as problem:
        return refused_page(request, shown, problem)
    return redirect("submission", id=revision.pk)
