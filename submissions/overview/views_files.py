"""The files of a submission as pages: add, replace, remove, older versions, what changed between two."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.presentation import numbers, revision_table
from registry.results.archive_download import CheckedDownload, archive_response
from registry.serving.admission import takes_uploads
from registry.web.throttles import UploadThrottle
from submissions.bundles import quarantine
from submissions.bundles.storage import FILE_FIELDS, received_storage
from submissions.bundles.upload_page import TooManyUploads, stream_upload
from submissions.checks import finding_counts
from submissions.editing import edit, version_history
from submissions.errors import Forbidden, NoSuchVersion
from submissions.models import Submission
from submissions.overview.forms import FileForm
from submissions.overview.views_context import counted_findings, refused_page
from submissions.permissions import own_submission, require_bytes, visible_submission
from submissions.web.formatting import JOINED, name_of
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of

ACCOUNT = Submission.objects.select_related("account")


@takes_uploads
@csrf_exempt
@require_POST
def put(request: HttpRequest, id: UUID) -> HttpResponseBase:
    """Add or replace a file. The CSRF check reads the body, so who may not upload is sent away before."""
    if not request.user.is_authenticated:
        return _without_body(request, id)
    if not UploadThrottle().allow_request(request, None):
        return _without_body(request, id, TooManyUploads())
    with stream_upload(request):
        try:
            return _put(request, id)
        except Problem as problem:
            return _without_body(request, id, problem)


@private_page
def _without_body(request: HttpRequest, id: UUID, problem: Problem | None = None) -> HttpResponse:
    submission = visible_submission(account_of(request), id, JOINED)
    if problem is None:
        return redirect("submission", id=id)
    form = FileForm({"version": submission.version}, submission=submission)
    form.add_refusal(problem)
    return refused_page(request, submission, form)


@csrf_protect
@private_page
def _put(request: HttpRequest, id: UUID) -> HttpResponse:
    account = account_of(request)
    submission = own_submission(account, id, JOINED)
    sent = next((file for name in FILE_FIELDS if (file := request.FILES.get(name)) is not None), None)
    form = FileForm(request.POST, {"file": sent}, submission=submission)
    if not form.carry_out(lambda file, **fields: edit.put_file(submission, account, sent, **fields)):
        return refused_page(request, submission, form)
    return redirect("submission", id=id)


@require_POST
@private_page
def remove_file(request: HttpRequest, id: UUID) -> HttpResponse:
    """Take a file out of the current version."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    name, expected_version = request.POST.get("name", ""), _parse_version(request.POST.get("version", ""))
    try:
        edit.remove_file(submission, account, name, version=expected_version)
    except Forbidden:
        raise
    except Problem as problem:
        return refused_page(request, submission, problem)
    return redirect("submission", id=id)


@require_safe
@private_page
def file_history(request: HttpRequest, id: UUID) -> HttpResponse:
    """All versions of the files, and with `from` and `to` what changed between two of them."""
    submission = visible_submission(account_of(request), id, ACCOUNT)
    rows = version_history.list_versions(submission)
    before, after = (_parse_version(request.GET.get(name, "")) for name in ("from", "to"))
    compared, problem = None, None
    if before and after:
        try:
            compared = _comparison_context(version_history.compare_versions(submission, before, after))
        except NoSuchVersion as missing:
            problem = missing
    context = {
        "section": "submissions",
        "submission": submission,
        "name": name_of(submission),
        "rows": [_version_row(row) for row in reversed(rows)],
        "compared_versions": [before, after] if before and after else [submission.version - 1, submission.version],
        "compared": compared,
        "problem": problem,
    }
    return render(request, "overview/versions.html", context, status=problem.status if problem else 200)


@require_safe
@private_page
def download_file(request: HttpRequest, id: UUID, version: int, name: str) -> CheckedDownload:
    """One file of one version as it came."""
    account = account_of(request)
    submission = visible_submission(account, id, Submission.objects.select_related("institution"))
    require_bytes(account, submission)
    file = version_history.file_of(submission, version, name)
    quarantine.require_served(submission, file["sha256"])
    return archive_response(received_storage(), file["sha256"], file["name"])


def _version_row(row: dict[str, Any]) -> dict[str, Any]:
    check = row["check"] or {}
    return row | {
        "since": numbers.format_datetime(row["since"]),
        "findings": counted_findings(finding_counts.Counted(check["errors"], check["warnings"]) if check else None),
    }


def _comparison_context(difference: dict[str, Any]) -> dict[str, Any]:
    tables = (("Files", "files"), ("Scores", "scores"), ("Measurements", "measurements"))
    return {
        "tables": [
            (title, revision_table.revision_rows(difference[name])) for title, name in tables if difference[name]
        ],
        "gone": difference["findings_gone"],
        "new": difference["findings_new"],
    }


def _parse_version(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 6 else None
