"""Roles that need a second factor: an account of such a role without one may set one up, and nothing else.

Which roles, `REQUIRE_SECOND_FACTOR_FOR` says. An authenticator app, a passkey and a security key count.
"""

from __future__ import annotations

from collections.abc import Callable

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from registry.errors import CONTENT_TYPE, problem_body
from submissions.errors import SecondFactorNeeded
from submissions.models import Account

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
SET_UP = "/account/2fa/"
OPEN = (SET_UP, "/account/reauthenticate/", "/account/logout/", "/logout/", "/static/")
"""Where such an account may still go."""


def lacks_factor(account: Account) -> bool:
    """Whether its role needs a second factor that it does not have. Asks the database for such roles alone."""
    if account.role not in settings.REQUIRE_SECOND_FACTOR_FOR:
        return False
    return not Authenticator.objects.filter(user=account, type__in=FACTORS).exists()


def require_factor(account: Account) -> None:
    """Raises SecondFactorNeeded where its role needs a second factor that it does not have."""
    if lacks_factor(account):
        raise SecondFactorNeeded


class SecondFactorMiddleware:
    """Leads who signed in without the second factor of their role to the page that sets one up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.REQUIRE_SECOND_FACTOR_FOR or request.path.startswith(OPEN):
            return self.get_response(request)
        if not isinstance(request.user, Account) or not lacks_factor(request.user):
            return self.get_response(request)
        needed = SecondFactorNeeded
        if request.path.startswith("/api/"):
            body = problem_body(needed.status, needed.code, needed.title, hint=needed.hint)
            return JsonResponse(body, status=needed.status, content_type=CONTENT_TYPE)
        messages.warning(request, "Your role needs a second factor on this registry. Set one up to go on.")
        return redirect(SET_UP)
