"""Roles that need a second factor: an account of such a role without one may set one up, and nothing else.

Which roles, `REQUIRE_SECOND_FACTOR_FOR` says. An authenticator app, a passkey and a security key count.
"""

from __future__ import annotations

from collections.abc import Callable

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.mfa.utils import decrypt
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from registry.errors import CONTENT_TYPE, problem_body
from submissions.errors import SecondFactorNeeded
from submissions.models import Account

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
SET_UP = "/account/2fa/"
LAST_STEP = "last_step"
"""Of an app's data: the 30 s, counted from 1970, whose code was used last."""
OPEN = (SET_UP, "/account/reauthenticate/", "/account/logout/", "/logout/", "/static/")
"""Where such an account may still go."""


def lacks_factor(account: Account) -> bool:
    """Whether its role needs a second factor that it does not have. Asks the database for such roles alone."""
    if account.role not in settings.REQUIRE_SECOND_FACTOR_FOR:
        return False
    return not Authenticator.objects.filter(user=account, type__in=FACTORS).exists()


def use_code(authenticator: Authenticator, code: str) -> bool:
    """Whether a code of an app, which is right now, is newer than the last one that was used; it is the last then.

    RFC 6238, 5.2: a code counts once. django-allauth forgets after 30 s what it took, and a code is right for 90 s.
    """
    secret = decrypt(authenticator.data["secret"])
    steps = [step for step in yield_hotp_counters_from_time() if format_hotp_value(hotp_value(secret, step)) == code]
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
        if not steps or max(steps) <= row.data.get(LAST_STEP, -1):
            return False
        row.data[LAST_STEP] = max(steps)
        row.save(update_fields=["data"])
    return True


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
