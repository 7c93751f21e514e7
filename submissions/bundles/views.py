"""The files of a received archive as pages: escaped, bounded, with the lines marked that findings name."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.presentation import numbers
from submissions.bundles import file_viewer, public_files
from submissions.models import Submission
from submissions.permissions import is_own, require_bytes, visible_submission
from submissions.web.formatting import name_of
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of
from validators.findings import findings_of_report

JOINED = Submission.objects.select_related("institution")
BEFORE = 10
"""Lines shown before the one that a link leads to."""


@require_safe
@private_page
def archive_files(request: HttpRequest, id: UUID) -> HttpResponse:
    """What the archive holds, or some lines of one file."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    require_bytes(account, submission)
    path = request.GET.get("path", "")
    context = {
        "section": "submissions",
        "submission": submission,
        "name": name_of(submission),
        "path": path,
    }
    context |= _lines_context(submission, path, request.GET.get("line", "")) if path else _listing_context(submission)
    return render(request, "bundles/files.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def public_files_page(request: HttpRequest, id: UUID) -> HttpResponse:
    """The files that no benchmark read, with the words to look at, and the form that lets some stand in the copy."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    require_bytes(account, submission)
    if request.method == "POST":
        version = request.POST.get("version", "")
        looked_at = int(version) if version.isdecimal() and len(version) < 6 else 0
        public_files.agree_to_files(submission, account, request.POST.getlist("path"), looked_at)
        return redirect(f"/submissions/{id}/public-files/?stored=1")
    rows = [
        {
            "file": row,
            "size": numbers.format_bytes(row.size),
            "address": line_address(submission, f"{row.path}:1"),
            "marks": [
                {"mark": mark, "address": line_address(submission, f"{row.path}:{mark.line}")}
                for mark in row.marks or ()
            ],
        }
        for row in public_files.offered_files(submission)
    ]
    context = {
        "section": "submissions",
        "submission": submission,
        "name": name_of(submission),
        "rows": rows,
        "most": public_files.MOST_FILES,
        "stored": "stored" in request.GET,
        "may_agree": is_own(account, submission) and submission.state in public_files.AGREEABLE,
    }
    return render(request, "bundles/public_files.html", context)


def line_address(submission: Submission, where: str) -> str:
    """The page of the line that a finding names, some lines before it on top; the list of files for no place."""
    if not where:
        return f"/submissions/{submission.pk}/files/"
    path, line = file_viewer.split_place(where)
    query = urlencode({"path": path, "line": max(line - BEFORE, 1)})
    return f"/submissions/{submission.pk}/files/?{query}#L{line}"


def _listing_context(submission: Submission) -> dict[str, Any]:
    rows = file_viewer.list_files(submission)
    files = [
        {"path": row["path"], "size": numbers.format_bytes(row["size"]), "query": urlencode({"path": row["path"]})}
        for row in rows
    ]
    return {"files": files}


def _lines_context(submission: Submission, path: str, line: str) -> dict[str, Any]:
    begin = int(line) if line.isdecimal() and len(line) < 10 else 1
    check = submission.checks.first()
    report = check.report if check else {"findings": [], "runs": []}
    page = file_viewer.file_page(submission, path, begin, findings_of_report(report))
    earlier = max(begin - file_viewer.LINES, 1)
    return {
        "page": page,
        "size": numbers.format_bytes(page.size),
        "earlier": urlencode({"path": path, "line": earlier}) if begin > 1 else "",
        "later": urlencode({"path": path, "line": page.following}) if page.following else "",
    }
