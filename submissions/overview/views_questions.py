"""Questions of other submitters on pages: the page of a release where they ask, and where they are answered."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from registry.query import public_record
from submissions.models import Account
from submissions.overview.views_context import refused_page
from submissions.overview.views_review import refused_review
from submissions.permissions import visible_submission
from submissions.review import questions
from submissions.review.forms import AnswerForm, QuestionForm
from submissions.web.formatting import JOINED, list_titles
from submissions.web.page_base import private_page, staff_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of


@require_safe
@private_page
def questions_page(request: HttpRequest, release: str) -> HttpResponse:
    """About which runs of others one may ask, and what was asked."""
    return _questions_page(request, release)


def _questions_page(request: HttpRequest, release: str, refused: PageForm | None = None) -> HttpResponse:
    account, release_row = account_of(request), public_record.find_release(release)
    questions.require_part(account, release_row)
    runs = list(questions.open_runs(account, release_row))
    context = {
        "section": "submissions",
        "release": release_row,
        "rows": [
            {"run": run, "list_titles": list_titles(run.lists), "form": _form_about(run.pk, refused)} for run in runs
        ],
        "questions": questions.own_questions(account, release_row),
    }
    return form_page(request, "overview/release_questions.html", context, refused)


def _form_about(run: UUID, refused: PageForm | None) -> PageForm:
    if refused is not None and refused.data.get("run") == str(run):
        return refused
    return QuestionForm(initial={"run": run}, auto_id=f"question-{run}-%s")


@require_POST
@private_page
def ask_question(request: HttpRequest, release: str) -> HttpResponse:
    """Ask about a run."""
    form = QuestionForm(request.POST)
    if not form.carry_out(lambda run, text: questions.ask_question(run, account_of(request), text)):
        return _questions_page(request, release, form)
    return redirect(f"/releases/{release}/questions/#asked")


@require_POST
@private_page
def set_consent(request: HttpRequest, id: UUID) -> HttpResponse:
    """Open a run to questions, or close it."""
    account = account_of(request)
    submission = visible_submission(account, id, JOINED)
    questions.set_consent(submission, account, is_open=request.POST.get("open") == "yes")
    return redirect(f"/submissions/{id}/#questions")


@require_POST
@private_page
def answer_as_submitter(request: HttpRequest, id: UUID) -> HttpResponse:
    """An answer of the institution."""
    submission, form = visible_submission(account_of(request), id, JOINED), AnswerForm(request.POST)
    if not form.carry_out(lambda **fields: questions.answer_question(submission, account_of(request), **fields)):
        return refused_page(request, submission, form)
    return redirect(f"/submissions/{id}/#questions")


@require_POST
@staff_page(Account.Role.REVIEWER)
def answer_in_review(request: HttpRequest, id: UUID) -> HttpResponse:
    """An answer of a reviewer."""
    submission, form = visible_submission(account_of(request), id, JOINED), AnswerForm(request.POST)
    if not form.carry_out(lambda **fields: questions.answer_question(submission, account_of(request), **fields)):
        return refused_review(request, submission, form)
    return redirect(f"/review/{id}/#questions")
