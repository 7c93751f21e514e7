"""Stored files with a possible secret, as a page for editors: what waits, and the decision with its reason."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from registry.presentation import numbers
from registry.query.questions import filters
from submissions.bundles import quarantine
from submissions.models import Account, SecretFile
from submissions.permissions import conflict_reason
from submissions.web.formatting import name_of
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of

PAGE_ROWS = 50
REASON_CHARACTERS = 4000
DECISIONS = {"clear": quarantine.clear_file, "withhold": quarantine.withhold_file}


class SecretFileForm(PageForm):
    """What happens to a stored file, and why."""

    context_name = "secret_file_form"
    main_field = "reason"
    decision = forms.CharField(required=False, max_length=20)
    reason = forms.CharField(
        required=False,
        max_length=REASON_CHARACTERS,
        help_text="The submitter reads it; it stays in the history.",
        widget=forms.Textarea(attrs={"rows": 2, "required": True}),
    )


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
    form = SecretFileForm(request.POST, auto_id=f"file-{id}-%s")

    def decide_outcome(decision: str, reason: str) -> None:
        if decision not in DECISIONS:
            raise Problem("Choose what to do with the file.")
        DECISIONS[decision](row, account_of(request), reason)

    if not form.carry_out(decide_outcome):
        return _quarantine_page(request, form, id)
    return redirect("quarantine")


def _quarantine_page(request: HttpRequest, refused: PageForm | None = None, file_id: int = 0) -> HttpResponse:
    query = filters.without_empty(request.GET)
    rows, cursor = quarantine.list_secret_files(query, PAGE_ROWS)
    if cursor:
        query["cursor"] = cursor
    context = {
        "section": "review",
        "rows": [
            _secret_file_row(row)
            | {
                "conflict": conflict_reason(account_of(request), row.submission),
                "form": refused if row.pk == file_id else SecretFileForm(auto_id=f"file-{row.pk}-%s"),
            }
            for row in rows
        ],
        "outcome": query.get("outcome", ""),
        "outcomes": SecretFile.Outcome.choices,
        "next": cursor and query.urlencode(),
    }
    return form_page(request, "bundles/quarantine.html", context, refused)


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
