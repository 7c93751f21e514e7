"""Upload, and the page of one submission on its way from received to published."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from registry.comparison.repeat_gain import repeat_gains
from registry.errors import Problem
from registry.presentation import numbers
from registry.results.archive_download import CheckedDownload, archive_response
from registry.serving.admission import takes_uploads
from registry.web.throttles import UploadThrottle
from submissions.bundles import copy_preview, quarantine
from submissions.bundles.file_versions import files_of
from submissions.bundles.storage import public_storage, received_storage
from submissions.bundles.upload_page import TooManyUploads, stream_upload
from submissions.checks import finding_counts
from submissions.editing import edit as editing_edit
from submissions.editing import keeping
from submissions.errors import NotFound, StateConflict
from submissions.intake import receive as intake_receive
from submissions.models import Submission
from submissions.overview.forms import MetadataForm, ReviseForm, SubmitForm, UploadForm, WithdrawForm, details_form
from submissions.overview.views_context import counted_findings, page_context, refused_page
from submissions.permissions import own_submission, require_bytes, visible_submission, visible_to
from submissions.review import decisions
from submissions.web.formatting import JOINED, name_of
from submissions.web.page_base import private_page
from submissions.web.page_forms import form_page
from submissions.web.request_account import account_of

PAGE_ROWS = 50
ARCHIVE_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".zip")
"""What the file chooser offers. Files are accepted by their content, whatever their name."""


@require_safe
@private_page
def submission_index(request: HttpRequest) -> HttpResponse:
    """The account's own submissions and those of its institutions."""
    submissions = finding_counts.with_reports(
        visible_to(account_of(request)).select_related("institution", "release", "account")
    )
    page = Paginator(submissions, PAGE_ROWS).get_page(request.GET.get("page"))
    links = {}
    if page.has_previous():
        links["previous"] = f"?page={page.previous_page_number()}"
    if page.has_next():
        links["next"] = f"?page={page.next_page_number()}"
    context = {
        "section": "submissions",
        "rows": [_submission_row(submission) for submission in page],
        "page_links": links,
    }
    return render(request, "overview/index.html", context)


def _submission_row(submission: finding_counts.ReportedSubmission) -> dict[str, Any]:
    return {
        "id": submission.pk,
        "name": name_of(submission),
        "institution": submission.institution,
        "by": submission.account.username,
        "state": submission.get_state_display(),
        "test": submission.test,
        "release": submission.release,
        "findings": counted_findings(finding_counts.count_findings(submission, submission.in_report)),
        "received": numbers.format_datetime(submission.received_at),
    }


@takes_uploads
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload_page(request: HttpRequest) -> HttpResponseBase:
    """The upload form.

    The CSRF check reads the body, so the handler that streams and limits it is set before, and nothing is read from
    callers who didn't sign in or come too often.
    """
    if request.method != "POST" or not request.user.is_authenticated:
        return _empty_form(request)
    if not UploadThrottle().allow_request(request, None):
        return _upload_page(request, UploadForm({}), TooManyUploads())
    with stream_upload(request):
        try:
            return _receive_upload(request)
        except Problem as problem:
            return _upload_page(request, UploadForm({}), problem)


@private_page
def _empty_form(request: HttpRequest) -> HttpResponse:
    """With `?release=SLUG`, as the page of an open call links it, for that release."""
    return _upload_page(request, UploadForm(initial={"release": request.GET.get("release", "")[:40]}))


@csrf_protect
@never_cache
def _receive_upload(request: HttpRequest) -> HttpResponse:
    account = account_of(request)
    form = UploadForm(request.POST)
    if not form.is_valid():
        return _upload_page(request, form)
    try:
        declared = intake_receive.parse_declared(
            form.cleaned_data["release"], form.cleaned_data["lists"], form.metadata()
        )
        sent, test = request.FILES.get("bundle"), form.cleaned_data["test"]
        if sent is None and form.cleaned_data["draft"]:
            submission = intake_receive.create_draft(account, declared, test=test)
        else:
            submission, _ = intake_receive.receive_bundle(account, sent, "", declared, test=test)
    except Problem as problem:
        return _upload_page(request, form, problem)
    address = f"/submissions/{submission.pk}/"
    by_htmx = request.htmx  # type: ignore[attr-defined]  # of django_htmx's middleware
    return HttpResponseClientRedirect(address) if by_htmx else redirect(address)


def _upload_page(request: HttpRequest, form: UploadForm, problem: Problem | None = None) -> HttpResponse:
    if problem is not None:
        form.add_refusal(problem)
    limit = f"{settings.UPLOAD_LIMIT_BYTES // 2**20} MiB"
    context = {
        "section": "submissions",
        "form": form,
        "limit": limit,
        "limit_bytes": str(settings.UPLOAD_LIMIT_BYTES),
        "suffixes": ARCHIVE_SUFFIXES,
        "repeat_gains": repeat_gains(),
    }
    return form_page(request, "overview/upload.html", context, form if form.errors else None)


@require_safe
@private_page
def submission_page(request: HttpRequest, id: UUID) -> HttpResponse:
    """One submission; while it is being checked the page asks for itself again and replaces its live part."""
    row = visible_submission(account_of(request), id, JOINED)
    return render(request, "overview/submission.html", page_context(request, row))


@require_safe
@private_page
def received_bytes(request: HttpRequest, id: UUID) -> CheckedDownload:
    """The archive as it came, for its institution and for those who may review it."""
    account = account_of(request)
    submission = visible_submission(account, id, Submission.objects.select_related("institution"))
    require_bytes(account, submission)
    if not submission.sha256:
        raise NotFound
    quarantine.require_served(submission, submission.sha256)
    return archive_response(received_storage(), submission.sha256, submission.filename)


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def scrubbed_copy(request: HttpRequest, id: UUID) -> HttpResponseBase:
    """The copy that will be published, to look at before; a POST lets it be made. Raises NotFound before it is."""
    account = account_of(request)
    if request.method == "POST":
        return _request_copy(request, visible_submission(account, id, JOINED))
    submission = visible_submission(account, id, Submission.objects.select_related("derivative", "institution"))
    require_bytes(account, submission)
    derivative = getattr(submission, "derivative", None)
    if derivative is None:
        raise NotFound
    quarantine.require_not_withheld(submission, *(file["sha256"] for file in files_of(submission)))
    return archive_response(public_storage(), derivative.sha256, f"{submission.pk}-scrubbed.tar.gz")


def _request_copy(request: HttpRequest, submission: Submission) -> HttpResponse:
    try:
        copy_preview.request_copy(submission, account_of(request))
    except StateConflict as refused:
        return refused_page(request, submission, refused)
    return redirect(f"/submissions/{submission.pk}/?copy=1#copy")


@require_POST
@private_page
def submit_run(request: HttpRequest, id: UUID) -> HttpResponse:
    """To a release; what stands against it is said on the page."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    form = SubmitForm(request.POST, submission=submission)
    if not form.carry_out(lambda **fields: decisions.submit_run(submission, account, **fields)):
        return refused_page(request, submission, form)
    return redirect("submission", id=id)


@require_POST
@private_page
def withdraw_run(request: HttpRequest, id: UUID) -> HttpResponse:
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    form = WithdrawForm(request.POST)
    if not form.carry_out(lambda reason: decisions.withdraw_run(submission, account, reason)):
        return refused_page(request, submission, form)
    return redirect("submission", id=id)


@require_POST
@private_page
def keep_longer(request: HttpRequest, id: UUID) -> HttpResponse:
    """What would expire is kept; where it can't be, the page says why."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    try:
        keeping.keep_longer(submission, account)
    except StateConflict as refused:
        return refused_page(request, submission, refused)
    return redirect("submission", id=id)


@require_POST
@private_page
def check_again(request: HttpRequest, id: UUID) -> HttpResponse:
    account = account_of(request)
    editing_edit.save_metadata_and_recheck(visible_submission(account, id, JOINED), account)
    return redirect("submission", id=id)


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def edit_metadata(request: HttpRequest, id: UUID) -> HttpResponse:
    """What is said beside the bytes; it is checked again after a change."""
    account = account_of(request)
    submission = own_submission(account, id, JOINED)
    if request.method != "POST":
        return _edit_page(request, submission, details_form(submission))
    form = MetadataForm(request.POST)
    if not form.carry_out(
        lambda **_: editing_edit.save_metadata_and_recheck(submission, account, metadata=form.metadata())
    ):
        return _edit_page(request, submission, form)
    return redirect("submission", id=id)


def _edit_page(request: HttpRequest, submission: Submission, form: MetadataForm) -> HttpResponse:
    context = {
        "section": "submissions",
        "submission": submission,
        "name": name_of(submission),
        "form": form,
    }
    return form_page(request, "overview/edit.html", context, form if form.is_bound else None)


@require_POST
@private_page
def revise_result(request: HttpRequest, id: UUID) -> HttpResponse:
    """Begin a revision of a published result, and go there."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    form, started = ReviseForm(request.POST), []
    if not form.carry_out(lambda reason: started.append(editing_edit.start_revision(submission, account, reason))):
        return refused_page(request, submission, form)
    return redirect("submission", id=started[0].pk)
