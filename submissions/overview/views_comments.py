"""Where comments are sent from pages: the submitter's and the reviewers'."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from submissions.models import Account, Submission
from submissions.overview.views_context import refused_page
from submissions.overview.views_review import refused_review
from submissions.permissions import visible_submission
from submissions.review import comments
from submissions.review.forms import CommentForm
from submissions.web.formatting import JOINED
from submissions.web.page_base import private_page, staff_page
from submissions.web.request_account import account_of


@require_POST
@private_page
def comment_on_submission(request: HttpRequest, id: UUID) -> HttpResponse:
    """A comment of the submitter."""
    submission = visible_submission(account_of(request), id, JOINED)
    form = _add_comment(request, submission)
    return refused_page(request, submission, form) if form.errors else redirect(f"/submissions/{id}/#talk")


@require_POST
@staff_page(Account.Role.REVIEWER)
def comment_in_review(request: HttpRequest, id: UUID) -> HttpResponse:
    """A comment of a reviewer."""
    submission = visible_submission(account_of(request), id, JOINED)
    form = _add_comment(request, submission)
    return refused_review(request, submission, form) if form.errors else redirect(f"/review/{id}/#talk")


def _add_comment(request: HttpRequest, submission: Submission) -> CommentForm:
    form = CommentForm(request.POST)
    form.carry_out(lambda **fields: comments.add_comment(submission, account_of(request), **fields))
    return form
