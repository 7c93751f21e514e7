"""What every private page has in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from registry.errors import Problem
from registry.web.error_pages import refusal_page
from submissions.errors import NotFound
from submissions.permissions import has_role
from submissions.web.request_account import account_of

View = Callable[..., HttpResponseBase]


def private_page(view: View) -> View:
    """A page for those who signed in, kept nowhere. What domain code refuses becomes a page with its code and hint.

    A submission that the account may not see is the same 404 as one that is not there.
    """

    @wraps(view)
    def private_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except NotFound as missing:
            raise Http404 from missing
        except Problem as problem:
            if isinstance(problem, Http404):
                raise
            return refusal_page(request, problem)

    return never_cache(login_required(private_view))


def staff_page(role: str) -> Callable[[View], View]:
    """A private page for a role and those above it; for everybody else it is not there."""

    def decorate(view: View) -> View:
        @wraps(view)
        def staff_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not has_role(account_of(request), role):
                raise Http404
            return view(request, *args, **kwargs)

        return private_page(staff_view)

    return decorate
