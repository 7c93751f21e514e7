"""What differs between the systems of two submissions that an account may see."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.presentation import numbers
from registry.presentation.system_description import difference_context
from registry.query.questions.filters import whole_id
from submissions.bundles import representation
from submissions.models import Account, Submission
from submissions.permissions import visible_submission, visible_to
from submissions.web.formatting import name_of
from submissions.web.page_base import private_page
from submissions.web.request_account import account_of

DESCRIBED = Submission.objects.select_related("system_snapshot", "account")
OFFERED = 20


@require_safe
@private_page
def system_difference(request: HttpRequest, id: UUID) -> HttpResponse:
    """This submission (A) beside the one that the query names (B)."""
    other = whole_id("with", request.GET.get("with", ""))
    pair = [visible_submission(account_of(request), submission_id, DESCRIBED) for submission_id in (id, other)]
    context = {
        "section": "submissions",
        "pair": [_system_heading(letter, submission) for letter, submission in zip("AB", pair, strict=True)],
        "system": difference_context(representation.difference_document(*pair), ["A", "B"]),
        "address": f"/api/v1/submissions/{id}/difference/?with={other}",
    }
    return render(request, "overview/system_difference.html", context)


def comparable_with(account: Account, submission: Submission) -> list[dict[str, Any]]:
    """The newest other submissions with a described system, where this one has one."""
    if getattr(submission, "system_snapshot", None) is None:
        return []
    candidates = visible_to(account).filter(system_snapshot__isnull=False).exclude(pk=submission.pk).distinct()
    return [_system_heading("", other) for other in candidates.order_by("-received_at", "-id")[:OFFERED]]


def _system_heading(letter: str, submission: Submission) -> dict[str, Any]:
    name = name_of(submission)
    return {
        "letter": letter,
        "id": submission.pk,
        "name": name,
        "received": numbers.format_datetime(submission.received_at),
    }
