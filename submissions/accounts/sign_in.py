"""Who signs in with a password, and how often one may guess: the same work for every name, known or not."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.core.internal import ratelimit
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db.models import Case, F, Q, When
from django.http import HttpRequest

from registry.web.client_address import caller_network
from submissions.models import Account

EVERYWHERE = "100/h/key"
"""Wrong guesses at one account from all addresses together. Beyond them each block of addresses has ONE_EACH."""
ONE_EACH = "1/5m/key"
BLOCK_BITS = {4: 24, 6: 56}
"""What one caller can have as many addresses of as it likes."""


class OneCheckBackend(AuthenticationBackend):  # type: ignore[misc]  # django-allauth has no types
    """One statement and one hash for each attempt, whatever the name or mail address is.

    No other backend is asked after it: the one of former releases stands in the settings for sessions begun with it.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        """The account of these credentials, else PermissionDenied, which ends the question."""
        account: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if account is None and credentials.get("password"):
            raise PermissionDenied
        return account

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        login = str(credentials.get("username") or credentials.get("email") or "")
        checked: AbstractBaseUser | None = self._check_password(find_account(login), str(credentials["password"]))
        return checked


def find_account(login: str) -> Account | None:
    """The account of that name, else that of the mail address, a verified one first."""
    address = Q(emailaddress__email__iexact=login) | Q(emailaddress=None, email__iexact=login)
    by_name = Case(When(username__iexact=login, then=0), default=1)
    accounts = Account.objects.filter(Q(username__iexact=login) | address)
    return accounts.order_by(by_name, F("emailaddress__verified").desc(nulls_last=True), "pk").first()


def address_block(request: HttpRequest) -> str:
    """The network of the caller, so far as one caller may own it; the text as it is where it is no address."""
    return caller_network(request, BLOCK_BITS)


def count_attempt(request: HttpRequest, key: str, block: str) -> list[ratelimit.RateLimitUsage] | None:
    """Count an attempt at an account; what to take back if it was right, None where it is one too many."""
    everywhere = _count_use(request, "login_everywhere", key, EVERYWHERE)
    if everywhere:
        return [everywhere]
    own = _count_use(request, "login_one_each", f"{key}:{block}", ONE_EACH)
    return [own] if own else None


def _count_use(request: HttpRequest, action: str, key: str, rate: str) -> ratelimit.RateLimitUsage | None:
    return ratelimit.consume(request, app="highwater", action=action, key=key, config={action: rate})
