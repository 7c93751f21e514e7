"""A registry that is read by accounts alone (`READ_REQUIRES_LOGIN`): each address is closed but for those named here.

It stands before the views, so that a page, a file or an address that is added later is closed as well, and an address
that is not there gets the answer of one that is. A session or a token with the scope `read` opens it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.checks import CheckMessage, register
from django.core.checks import Warning as CheckWarning
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.permissions import SAFE_METHODS

from registry.errors import CONTENT_TYPE, Problem, problem_response
from submissions.accounts import tokens
from submissions.models import Account

OPEN = frozenset({"/livez", "/readyz", "/healthz", "/metrics", "/login/", "/logout/", "/preferences/", "/favicon.ico"})
"""Whether the site lives, its figures (which ask for a token themselves), and the way in and out."""
OPEN_BELOW = ("/account/", "/static/")
"""Asking for an account, resetting a password, providers, second factors; files that are the same on every registry.

Pages of an account itself ask for a session, as they do on an open registry."""


class ClosedReadingMiddleware:
    """Lets nobody read whom it does not know, and lets nobody keep what was read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.READ_REQUIRES_LOGIN or is_open(request.path_info):
            return self.get_response(request)
        try:
            is_known = isinstance(request.user, Account) or _has_token(request)
        except (APIException, Problem) as refused:
            return _refuse_request(request, refused)
        if not is_known:
            return _ask_who(request)
        response = self.get_response(request)
        patch_cache_control(response, private=True, no_store=True)
        for part in ("public", "max-age", "no-cache"):
            _drop_directive(response, part)
        del response["Access-Control-Allow-Origin"]
        return response


def is_open(path: str) -> bool:
    """Whether anybody may go there on a closed registry."""
    return path in OPEN or path.startswith(OPEN_BELOW)


def _has_token(request: HttpRequest) -> bool:
    """Whether a valid token was sent; one that only reads must be for reading. Raises what TokenAuthentication does."""
    token = tokens.sent_token(request)
    if token is not None and request.method in SAFE_METHODS:
        tokens.require_scope(token, tokens.Scope.READ)
    return token is not None


def _ask_who(request: HttpRequest) -> HttpResponse:
    """A browser that wants a page is led to the page that signs in and back; everything else is told what it lacks."""
    is_page = "text/html" in request.headers.get("Accept", "") and not request.path_info.startswith("/api/")
    if is_page and request.method in ("GET", "HEAD", "POST"):
        response: HttpResponse = redirect_to_login(request.get_full_path())
        patch_cache_control(response, private=True, no_store=True)
        return response
    return _refuse_request(request, NotAuthenticated())


def _refuse_request(request: HttpRequest, error: Exception) -> HttpResponse:
    answer = problem_response(error, {"request": request})
    assert answer is not None
    response = JsonResponse(answer.data, status=answer.status_code, content_type=CONTENT_TYPE)
    if answer.status_code == 401:
        response["WWW-Authenticate"] = "Token"
    patch_cache_control(response, private=True, no_store=True)
    return response


def _drop_directive(response: HttpResponseBase, name: str) -> None:
    parts = [part.strip() for part in response.get("Cache-Control", "").split(",")]
    response["Cache-Control"] = ", ".join(part for part in parts if part.partition("=")[0] != name)


@register(deploy=True)
def warn_of_open_sign_up(**_: object) -> list[CheckMessage]:
    """Where anybody may make an account, anybody may read."""
    if not (settings.READ_REQUIRES_LOGIN and settings.SIGNUP_OPEN):
        return []
    return [
        CheckWarning(
            "READ_REQUIRES_LOGIN closes little while SIGNUP_OPEN is set: anybody can make an account and read.",
            hint="Leave SIGNUP_OPEN out. Administrators grant what is asked for at /account/request/.",
            id="submissions.W020",
        )
    ]
