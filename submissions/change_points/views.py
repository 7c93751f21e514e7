"""Steps in the numbers of systems that an account may say something of."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.models import Step
from registry.query import public_record
from registry.query.questions import filters
from registry.timeseries import detected_steps
from registry.timeseries.views_series import in_words
from submissions.change_points import triage
from submissions.change_points.forms import StepForm
from submissions.web.page_base import private_page
from submissions.web.page_forms import PageForm, form_page
from submissions.web.request_account import account_of

PAGE_ROWS = 50


@require_safe
@private_page
def step_index(request: HttpRequest) -> HttpResponse:
    """Newest first, by state and system."""
    query = filters.without_empty(request.GET)
    rows, cursor = triage.list_change_points(account_of(request), query, PAGE_ROWS)
    slug = query.get("system")
    system = public_record.find_system(slug, follow=True) if slug else None
    if cursor:
        query["cursor"] = cursor
    context = {
        "section": "submissions",
        "rows": [_step_row(step) for step in rows],
        "state": query.get("state", ""),
        "system": system,
        "states": Step.State.choices,
        "next": cursor and query.urlencode(),
    }
    return render(request, "change_points/steps.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def step_page(request: HttpRequest, id: int) -> HttpResponse:
    """One of them with what was said of it; says something of it."""
    account = account_of(request)
    change_point = triage.get_change_point(account, id)
    if request.method != "POST":
        return _step_page(request, change_point)
    form = StepForm(request.POST)
    if not form.carry_out(lambda **fields: triage.set_state(change_point, account, **fields)):
        return _step_page(request, triage.get_change_point(account, id), form)
    return redirect("step", id=id)


def _step_page(request: HttpRequest, change_point: Step, refused: PageForm | None = None) -> HttpResponse:
    context = {
        "section": "submissions",
        "row": _step_row(change_point),
        "history": triage.state_history(change_point),
        "means": [(state.value, state.label, words) for state, words in triage.STATE_MEANINGS.items()],
        "limit": triage.NOTE_LIMIT,
        "step_form": StepForm(initial={"note": change_point.note}),
        "chosen": request.POST.get("state", change_point.state),
    }
    return form_page(request, "change_points/step.html", context, refused)


def _step_row(step: Step) -> dict[str, Any]:
    return in_words(detected_steps.row_of(step)) | {"step": step}
