"""The page that asks for an account, and the page on which administrators answer."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.web.client_address import site_address
from registry.web.error_pages import refusal_page
from registry.web.throttles import LoopbackAwareThrottle
from submissions.accounts import access_requests
from submissions.accounts.forms import AccessForm, GrantForm, RefusalForm
from submissions.errors import TooManyAccessRequests
from submissions.models import Account
from submissions.web.page_base import staff_page
from submissions.web.page_forms import PageForm, form_page

MOST_ROWS = 100
administrators = staff_page(Account.Role.ADMIN)


class AccessThrottle(LoopbackAwareThrottle):
    """Requests per address, answered or not."""

    scope = "login"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def request_page(request: HttpRequest) -> HttpResponse:
    """Ask for an account; where everybody may sign up this leads there."""
    if settings.SIGNUP_OPEN:
        return redirect("account_signup")
    if request.method != "POST":
        return form_page(request, "accounts/request_access.html", {"access_form": AccessForm()})
    throttle = AccessThrottle()
    if not throttle.allow_request(request, None):
        return refusal_page(request, TooManyAccessRequests(max(1, int(throttle.wait() or 1))))
    form = AccessForm(request.POST)
    if not form.carry_out(access_requests.request_access):
        return form_page(request, "accounts/request_access.html", {}, form)
    return render(request, "accounts/request_noted.html", {"email": form.cleaned_data["email"]})


@require_safe
@administrators
def requests_page(request: HttpRequest) -> HttpResponse:
    """Who asks for an account."""
    return _requests_page(request)


@require_POST
@administrators
def grant(request: HttpRequest, id: int) -> HttpResponse:
    """Make the account."""
    form = GrantForm(request.POST, auto_id=f"grant-{id}-%s")
    origin = site_address(request)
    if not form.carry_out(lambda **fields: access_requests.grant_access(id, origin=origin, **fields)):
        return _requests_page(request, form, id)
    return redirect("access-requests")


@require_POST
@administrators
def refuse(request: HttpRequest, id: int) -> HttpResponse:
    """Make none, and say why."""
    form = RefusalForm(request.POST, auto_id=f"refusal-{id}-%s")
    origin = site_address(request)
    if not form.carry_out(lambda reason: access_requests.refuse_access(id, reason, origin)):
        return _requests_page(request, form, id)
    return redirect("access-requests")


def _requests_page(request: HttpRequest, refused: PageForm | None = None, request_id: int = 0) -> HttpResponse:
    rows = [
        _request_row(row, refused if row.pk == request_id else None)
        for row in access_requests.open_requests()[:MOST_ROWS]
    ]
    return form_page(request, "accounts/access_requests.html", {"section": "review", "rows": rows}, refused)


def _request_row(row: Any, refused: PageForm | None) -> dict[str, Any]:
    name = row.email.partition("@")[0][:150]
    return {
        "request": row,
        "grant_form": refused
        if isinstance(refused, GrantForm)
        else GrantForm(initial={"username": name}, auto_id=f"grant-{row.pk}-%s"),
        "refusal_form": refused if isinstance(refused, RefusalForm) else RefusalForm(auto_id=f"refusal-{row.pk}-%s"),
    }
