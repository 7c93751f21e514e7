"""Ties to vendors as a page for editors: who is tied to whom, since when, and the form that ends a tie."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.errors import Problem
from submissions.accounts import ties
from submissions.models import Account
from submissions.web.page_base import staff_page
from submissions.web.request_account import account_of

MOST_ENDED = 100
editors = staff_page(Account.Role.EDITOR)


@require_safe
@editors
def ties_page(request: HttpRequest) -> HttpResponse:
    """All open ties, and the newest of those that ended."""
    return _ties_page(request)


@require_POST
@editors
def end_tie(request: HttpRequest, id: int) -> HttpResponse:
    """End a tie with a reason; what is refused is said on the page, and what was typed stays."""
    try:
        ties.end_tie(id, account_of(request), request.POST.get("reason", "")[:2000])
    except Problem as problem:
        return _ties_page(request, problem, id)
    return redirect("ties")


def _ties_page(request: HttpRequest, problem: Problem | None = None, refused_id: int | None = None) -> HttpResponse:
    account = account_of(request)
    visible = ties.visible_ties(account)
    context = {
        "section": "review",
        "open_ties": list(visible.filter(ended_at=None).order_by("account__username", "vendor")),
        "ended_ties": list(visible.exclude(ended_at=None).order_by("-ended_at")[:MOST_ENDED]),
        "problem": problem,
        "refused_id": refused_id,
        "typed_reason": request.POST.get("reason", "")[:2000],
    }
    return render(request, "accounts/ties.html", context, status=problem.status if problem else 200)
