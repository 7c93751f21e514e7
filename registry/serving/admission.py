"""Whether the body of a request may come: asked by the web server when the head is whole and the body is not.

A request that is refused anyway is answered from its head (None here): an unknown address, a wrong method, no account
where one is needed. Strangers may send what a form needs; only accounts send more, and only where uploads are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from django.utils.functional import SimpleLazyObject

from registry.web.error_pages import too_large

View = TypeVar("View", bound=Callable[..., Any])

STRANGER_BYTES = 64 * 1024
# Set by registry/serving/worker.py on a request with more bytes than `body_limit` permits; none of them can be read.
TOO_LARGE = "highwater.body_too_large"


def takes_uploads(view: View) -> View:
    """Mark a view, a function or a class, whose body may hold a bundle."""
    view.takes_uploads = True  # type: ignore[attr-defined]  # a mark that `_is_upload_view` reads
    return view


def body_limit(environ: dict[str, Any]) -> tuple[int, str | None] | None:
    """Bytes that the body of this request may have, and the account that sends it (None for strangers).

    None where the request is refused whatever its body is.
    """
    close_old_connections()
    try:
        return _upload_limit(environ)
    except Exception:
        # The application meets the same and says what it is: a broken token, a database that is away.
        return None
    finally:
        close_old_connections()


def _upload_limit(environ: dict[str, Any]) -> tuple[int, str | None] | None:
    request = WSGIRequest(environ)
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    of_api = getattr(match.func, "cls", None)
    _sign_in(request)
    if of_api is not None:
        account = _account_of_api(request, match.func, match.args, match.kwargs)
    elif not getattr(match.func, "csrf_exempt", False) and settings.CSRF_COOKIE_NAME not in request.COOKIES:
        return None
    else:
        account = _account_name(request.user)
    if account is None:
        return None if _is_upload_view(match.func) else (STRANGER_BYTES, None)
    more = settings.UPLOAD_LIMIT_BYTES if _is_upload_view(match.func) else 0
    return more + settings.DATA_UPLOAD_MAX_MEMORY_SIZE, account


def _sign_in(request: HttpRequest) -> None:
    """As the middleware does, and without a query where there is no cookie."""
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    request.user = SimpleLazyObject(lambda: get_user(request))  # type: ignore[assignment]  # it becomes the account
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # the token may stand in the body; the view checks it


def _account_name(user: Any) -> str | None:
    return str(user.pk) if user.is_authenticated else None


def _account_of_api(request: WSGIRequest, function: Any, args: Any, kwargs: Any) -> str | None:
    """The account that asks, None for a stranger. Raises what the view would: a wrong method, no permission."""
    view = function.cls(**function.initkwargs)
    view.setup(request, *args, **kwargs)
    method = (request.method or "").lower()
    if method not in view.http_method_names or not hasattr(view, method):
        view.http_method_not_allowed(request)
    view.request = view.initialize_request(request, *args, **kwargs)
    view.perform_authentication(view.request)
    view.check_permissions(view.request)
    return _account_name(view.request.user)


def _is_upload_view(function: Any) -> bool:
    return bool(getattr(getattr(function, "cls", function), "takes_uploads", False))


class TooLargeMiddleware:
    """Answers 413 where a body was too large to be read; views that take uploads have words of their own for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        return too_large(request) if request.META.get(TOO_LARGE) and not _is_upload_view(view) else None
