"""A form that was sent without a session: the sign-in page keeps it, and a page offers to send it again."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_safe

from submissions.accounts.entry import kept_input
from submissions.accounts.views_account import SignIn
from submissions.web.page_base import private_page


class KeptInputMiddleware:
    """Shows the sign-in page with what was typed, where a form would be dropped for a redirect to that page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        leads_to_sign_in = urlsplit(response.get("Location", "")).path == settings.LOGIN_URL
        is_browser = "text/html" in request.headers.get("Accept", "")
        if request.method != "POST" or not (leads_to_sign_in and is_browser) or request.user.is_authenticated:
            return response
        typed_form = kept_input.sign_form(request) if _is_own_form(request) else ""
        if typed_form:
            return SignIn.answer_form(request, typed_form)
        response["Location"] = redirect_to_login(_page_of_form(request))["Location"]
        return response


def _page_of_form(request: HttpRequest) -> str:
    """The page of this site that a form was sent from, else that of submissions: not all forms have a page."""
    sender = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(sender, {request.get_host()}):
        return settings.LOGIN_REDIRECT_URL
    parts = urlsplit(sender)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _is_own_form(request: HttpRequest) -> bool:
    """Whether a page of this site sent it: a closed registry answers before Django looks."""
    guard = CsrfViewMiddleware(lambda _: HttpResponse())
    guard.process_request(request)
    return guard.process_view(request, kept_page, (), {}) is None


@require_safe
@private_page
def kept_page(request: HttpRequest) -> HttpResponse:
    """What was typed before signing in, with a button that sends it; shown once."""
    typed_form = kept_input.take_form(request.session)
    return render(request, "accounts/kept_input.html", {"section": "submissions", "typed_form": typed_form})
