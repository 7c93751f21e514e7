"""The files of a received archive as pages: escaped, bounded, with the lines marked that findings name."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.presentation import numbers
from submissions.bundles import file_viewer
from submissions.models import Submission
from submissions.permissions import require_bytes, seen_by
from submissions.web.page_base import private_page

JOINED = Submission.objects.select_related("institution")
BEFORE = 10
"""Lines shown before the one that a link leads to."""


@require_safe
@private_page
def files(request: HttpRequest, id: UUID) -> HttpResponse:
    """What the archive holds, or some lines of one file."""
    shown = seen_by(request.user, id, JOINED)
    require_bytes(request.user, shown)
    path = request.GET.get("path", "")
    context = {
        "section": "submissions",
        "submission": shown,
        "name": str(shown.metadata.get("system") or shown.filename),
        "path": path,
    }
    context |= _lines(shown, path, request.GET.get("line", "")) if path else _listing(shown)
    return render(request, "submissions/files.html", context)


def address(shown: Submission, where: str) -> str:
    """The page of the line that a finding names, some lines before it on top."""
    path, line = file_viewer.split(where)
    query = urlencode({"path": path, "line": max(line - BEFORE, 1)})
    return f"/submissions/{shown.pk}/files/?{query}#L{line}"


def _listing(shown: Submission) -> dict[str, Any]:
    rows = file_viewer.listing(shown)
    files = [
        {"path": row["path"], "size": numbers.format_bytes(row["size"]), "query": urlencode({"path": row["path"]})}
        for row in rows
    ]
    return {"files": files}


def _lines(shown: Submission, path: str, line: str) -> dict[str, Any]:
    begin = int(line) if line.isdecimal() and len(line) < 10 else 1
    check = shown.checks.first()
    report = check.report if check else {"findings": [], "runs": []}
    found = [*report["findings"], *(finding for run in report["runs"] for finding in run["findings"])]
    page = file_viewer.page(shown, path, begin, found)
    earlier = max(begin - file_viewer.LINES, 1)
    return {
        "page": page,
        "size": numbers.format_bytes(page.size),
        "earlier": urlencode({"path": path, "line": earlier}) if begin > 1 else "",
        "later": urlencode({"path": path, "line": page.following}) if page.following else "",
    }
