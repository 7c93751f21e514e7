"""Where anonymous publication is asked for, decided and taken back from pages."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from submissions.models import Account
from submissions.overview.forms import AnonymityDecisionForm, AnonymityForm
from submissions.overview.views_context import refused_page
from submissions.overview.views_review import get_submitted, refused_review
from submissions.permissions import visible_submission
from submissions.publication import anonymity
from submissions.web.formatting import JOINED
from submissions.web.page_base import private_page, staff_page
from submissions.web.request_account import account_of


@require_POST
@private_page
def ask_anonymity(request: HttpRequest, id: UUID) -> HttpResponse:
    """Ask for it, or with `take_back` agree to be named."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    form = AnonymityForm(request.POST)

    def ask_or_take_back(reason: str) -> None:
        if "take_back" in request.POST:
            anonymity.take_back(submission, account)
        else:
            anonymity.ask_anonymity(submission, account, reason)

    if not form.carry_out(ask_or_take_back):
        return refused_page(request, submission, form)
    return redirect(f"/submissions/{id}/#anonymity")


@require_POST
@staff_page(Account.Role.EDITOR)
def decide_anonymity(request: HttpRequest, id: UUID) -> HttpResponse:
    """An editor's word on it."""
    submission = get_submitted(request, id)
    form = AnonymityDecisionForm(request.POST)

    def record_decision(granted: str, reason: str) -> None:
        anonymity.decide_anonymity(submission, account_of(request), granted=granted == "yes", reason=reason)

    if not form.carry_out(record_decision):
        return refused_review(request, submission, form)
    return redirect(f"/review/{id}/#anonymity")
