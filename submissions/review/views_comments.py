"""Where comments are sent from pages: the submitter's and the reviewers'."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from submissions.models import Account, Submission
from submissions.permissions import visible_submission
from submissions.review import comments
from submissions.review.forms import CommentForm
from submissions.web.page_base import private_page, staff_page
from submissions.web.request_account import account_of

JOINED = Submission.objects.select_related("institution")


@require_POST
@private_page
def from_the_submission(request: HttpRequest, id: UUID) -> HttpResponse:
    return _add_comment(request, id, f"/submissions/{id}/#talk")


@require_POST
@staff_page(Account.Role.REVIEWER)
def from_the_review(request: HttpRequest, id: UUID) -> HttpResponse:
    return _add_comment(request, id, f"/review/{id}/#talk")


def _add_comment(request: HttpRequest, id: UUID, back: str) -> HttpResponse:
    """What is not valid is said as if it had no text."""
    account = account_of(request)
    form = CommentForm(request.POST)
    fields = form.cleaned_data if form.is_valid() else {"text": ""}
    comments.add_comment(visible_submission(account, id, JOINED), account, **fields)
    return redirect(back)
