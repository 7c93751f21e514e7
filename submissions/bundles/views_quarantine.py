"""Stored files with a possible secret, as a page for editors: what waits, and the decision with its reason."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.presentation import numbers
from registry.query import filters
from submissions.bundles import quarantine
from submissions.models import Account, SecretFile
from submissions.permissions import conflict_reason
from submissions.web.formatting import name_of
from submissions.web.page_base import staff_page
from submissions.web.request_account import account_of

PAGE_ROWS = 50
REASON_CHARACTERS = 4000
DECISIONS = {"clear": quarantine.clear_file, "withhold": quarantine.withhold_file}
editors = staff_page(Account.Role.EDITOR)


@require_safe
@editors
def quarantine_index(request: HttpRequest) -> HttpResponse:
    """What waits for a decision; with `outcome` what was refused, withheld or cleared."""
    return _quarantine_page(request)


@require_POST
@editors
def decide_file(request: HttpRequest, id: int) -> HttpResponse:
    """Clear a file or withhold it."""
    row = quarantine.find_secret_file(id)
    change = DECISIONS.get(request.POST.get("decision", ""))
    try:
        if change is None:
            raise Problem("Choose what to do with the file.")
        change(row, account_of(request), request.POST.get("reason", "")[:REASON_CHARACTERS])
    except Problem as problem:
        return _quarantine_page(request, problem)
    return redirect("quarantine")


def _quarantine_page(request: HttpRequest, problem: Problem | None = None) -> HttpResponse:
    query = filters.without_empty(request.GET)
    rows, cursor = quarantine.list_secret_files(query, PAGE_ROWS)
    if cursor:
        query["cursor"] = cursor
    context = {
        "section": "review",
        "rows": [
            _secret_file_row(row) | {"conflict": conflict_reason(account_of(request), row.submission)} for row in rows
        ],
        "outcome": query.get("outcome", ""),
        "outcomes": SecretFile.Outcome.choices,
        "next": cursor and query.urlencode(),
        "problem": problem,
    }
    return render(request, "bundles/quarantine.html", context, status=problem.status if problem else 200)


def _secret_file_row(row: SecretFile) -> dict[str, Any]:
    return {
        "file": row,
        "name": name_of(row.submission),
        "places": row.where.split("\n"),
        "found": numbers.format_datetime(row.found_at),
        "may_clear": row.outcome != SecretFile.Outcome.CLEARED,
        "may_withhold": row.outcome in (SecretFile.Outcome.REPORTED, SecretFile.Outcome.CLEARED)
        and quarantine.is_protected(row.submission),
    }
