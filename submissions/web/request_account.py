"""Who asks: the one place where a request becomes an account."""

from __future__ import annotations

from django.http import HttpRequest
from rest_framework.request import Request

from submissions.errors import Forbidden
from submissions.models import Account


def account_of(request: HttpRequest | Request) -> Account:
    """The account that asks. Raises Forbidden where nobody signed in; most views ask only those who did."""
    if isinstance(request.user, Account):
        return request.user
    raise Forbidden("Nobody is signed in.")
