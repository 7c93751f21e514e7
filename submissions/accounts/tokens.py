"""Tokens, with which programs sign in: made for some uses and some time, kept as a hash, told when last used."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from registry.web.throttles import GuessThrottle
from submissions.accounts import second_factor
from submissions.errors import NoToken, OutOfScope, TokenRefused
from submissions.models import Account, Token

Scope = Token.Scope
PREFIX = "hw_"
BEGINNING = 15
USUAL_SCOPES = (Scope.READ, Scope.SUBMIT)
USUAL_DAYS = 365
MOST_DAYS = 730
MOST_TOKENS = 100
USE_NOTED_EVERY = timedelta(minutes=1)
_GUESS = "highwater.guess"
"""Of a request's environment: whether its wrong token was within the limit, else the throttle."""


def create_token(
    account: Account,
    name: str = "",
    scopes: Iterable[str] = USUAL_SCOPES,
    days: int = USUAL_DAYS,
    by: Token | None = None,
) -> tuple[Token, str]:
    """A new token and its key, which is kept as a hash only and can't be shown again.

    `by` is the token that asks for it: nothing may be made that reaches further or lives longer. Raises TokenRefused
    where `by`, the scopes, the days or the number of tokens do not allow it.
    """
    requested = [scope for scope in Scope.values if scope in set(scopes)]
    if not requested:
        raise TokenRefused(
            "A token needs at least one permission.", errors={"scopes": [f"some of {', '.join(Scope.values)}"]}
        )
    if not 1 <= days <= MOST_DAYS:
        raise TokenRefused(f"A token expires after 1 to {MOST_DAYS} days.", errors={"days": [f"1 to {MOST_DAYS}"]})
    end = timezone.now() + timedelta(days=days)
    if by is not None:
        if wider := [scope for scope in requested if scope not in by.scopes]:
            raise TokenRefused(f"The token of this request does not have {', '.join(wider)} itself.")
        end = min(end, by.expires_at or end)
    key = PREFIX + secrets.token_hex(32)
    beginning = key[:BEGINNING]
    token = Token(
        account=account, digest=_key_digest(key), beginning=beginning, name=name, scopes=requested, expires_at=end
    )
    with transaction.atomic():
        Account.objects.lock_account(account.pk)
        if account.tokens.count() >= MOST_TOKENS:
            raise TokenRefused(f"There are {MOST_TOKENS} tokens already. Revoke those that nobody uses.")
        token.save()
    return token, key


def _key_digest(key: str) -> str:
    """A key is 256 random bits, so that its hash needs no salt and no slowness."""
    return hashlib.sha512(key.encode()).hexdigest()


def list_tokens(account: Account) -> QuerySet[Token]:
    """The account's tokens, newest first, those that have expired too."""
    return Token.objects.filter(account=account)


def revoke_token(account: Account, beginning: str) -> None:
    """Take back the account's token that begins like that. Raises NoToken where there is none."""
    if not list_tokens(account).filter(beginning=beginning).delete()[0]:
        raise NoToken


def sent_token(request: HttpRequest) -> Token | None:
    """The valid token that a request sends, whatever it is for; None without one. Raises AuthenticationFailed."""
    credentials = TokenAuthentication().identify_token(request)
    return credentials[1] if credentials else None


def require_scope(token: Token, scope: str) -> None:
    """Raises OutOfScope where the token is not for that."""
    if scope not in token.scopes:
        raise OutOfScope(f"This needs the scope `{scope}`; the token has {', '.join(token.scopes)}.")


class TokenAuthentication(authentication.TokenAuthentication):
    """`Authorization: Token KEY`, or `Bearer KEY` as generated clients send it, for what the token was made for.

    Reading needs the scope `read`, everything else the `token_scope` of the view, which is `submit` unless it says
    otherwise. Raises AuthenticationFailed, OutOfScope.
    """

    def authenticate(self, request: Request) -> tuple[Account, Token] | None:
        credentials = self.identify_token(request)
        if credentials is not None:
            view = request.parser_context["view"]
            scope = Scope.READ if request.method in SAFE_METHODS else getattr(view, "token_scope", Scope.SUBMIT)
            require_scope(credentials[1], scope)
        return credentials

    def identify_token(self, request: Request | HttpRequest) -> tuple[Account, Token] | None:
        """The account and token of the header, for whatever use; None without one. Raises AuthenticationFailed."""
        if request.headers.get("Authorization", "").lower().startswith("bearer "):
            self.keyword = "Bearer"
        try:
            credentials: tuple[Account, Token] | None = super().authenticate(request)  # type: ignore[arg-type]  # headers
        except AuthenticationFailed:
            _count_guess(request)
            raise
        return credentials

    def authenticate_credentials(self, key: str) -> tuple[Account, Token]:
        """Return the account and the token of a key, and note its use.

        Raises AuthenticationFailed where no valid token has the key, or the account is closed, SecondFactorNeeded.
        """
        now = timezone.now()
        alive = Q(expires_at=None) | Q(expires_at__gt=now)
        token = Token.objects.select_related("account").filter(alive, digest=_key_digest(key)).first()
        if token is None:
            raise AuthenticationFailed("Invalid token.")
        if not token.account.is_active:
            raise AuthenticationFailed("The account is closed.")
        second_factor.require_factor(token.account)
        _note_use(token, now)
        return token.account, token


def _count_guess(request: Request | HttpRequest) -> None:
    """Count a token that is none, once a request. Raises Throttled where too many came from there."""
    if _GUESS not in request.META:
        throttle = GuessThrottle()
        request.META[_GUESS] = throttle.allow_request(request, None) or throttle
    if request.META[_GUESS] is not True:
        raise Throttled(request.META[_GUESS].wait())


def _note_use(token: Token, now: datetime) -> None:
    """At most one write a minute, however busy the token is."""
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
