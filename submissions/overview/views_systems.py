"""What differs between the systems of two submissions that an account may see."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.presentation import numbers
from registry.presentation.system_description import compared
from registry.query.filters import whole_id
from submissions.bundles import representation
from submissions.models import Account, Submission
from submissions.permissions import seen_by, visible_to
from submissions.web.page_base import private_page

DESCRIBED = Submission.objects.select_related("system_snapshot", "account")
OFFERED = 20


@require_safe
@private_page
def difference(request: HttpRequest, id: UUID) -> HttpResponse:
    """This submission (A) beside the one that the query names (B)."""
    other = whole_id("with", request.GET.get("with", ""))
    pair = [seen_by(request.user, one, DESCRIBED) for one in (id, other)]
    context = {
        "section": "submissions",
        "pair": [_heading(letter, one) for letter, one in zip("AB", pair, strict=True)],
        "system": compared(representation.difference(*pair), ["A", "B"]),
        "address": f"/api/v1/submissions/{id}/difference/?with={other}",
    }
    return render(request, "submissions/difference.html", context)


def comparable_with(account: Account, shown: Submission) -> list[dict[str, Any]]:
    """The newest other submissions with a described system, where this one has one."""
    if getattr(shown, "system_snapshot", None) is None:
        return []
    found = visible_to(account).filter(system_snapshot__isnull=False).exclude(pk=shown.pk).distinct()
    return [_heading("", one) for one in found.order_by("-received_at", "-id")[:OFFERED]]


def _heading(letter: str, one: Submission) -> dict[str, Any]:
    name = str(one.metadata.get("system") or one.filename)
    return {"letter": letter, "id": one.pk, "name": name, "received": numbers.format_datetime(one.received_at)}
