"""Pages for what went wrong; below /api/ the same as problem+json."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.errors import Problem, outage_problem, problem_page
from registry.monitoring.log_lines import current_field
from registry.query.public_record import ErasedFromRecord, NotOnRecord

ADDRESSES = {
    "record.no-list": "/lists/{}/",
    "record.no-release": "/lists/{}/",
    "record.no-site": "/sites/{}/",
    "record.no-system": "/systems/{}/",
    "record.no-platform": "/platforms/{}/",
    "record.no-parameter": "/parameters/{}/",
    "record.no-study": "/studies/{}/",
}


EXPLANATIONS: list[Callable[[HttpRequest], Problem | None]] = []
"""Asked when a view failed: what else than a defect of the code may have broken it. Higher layers add theirs."""


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_page(request, 400, "request.malformed", "The request can't be read", "Check the address or the form.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Missing and not allowed read the same, with the nearest names of the record; what was erased is gone (410)."""
    if isinstance(exception, ErasedFromRecord):
        return refusal_page(request, exception)
    hint, nearest = "Check the address, or search.", []
    if isinstance(exception, NotOnRecord):
        pattern = ADDRESSES.get(exception.code, "")
        nearest = [(name, pattern.format(name)) for name in exception.nearest if pattern]
        hint = hint if nearest else exception.hint
    return _error_page(request, 404, "request.not-found", "There is nothing here", hint, nearest)


def refusal_page(request: HttpRequest, problem: Problem) -> HttpResponse:
    """What domain code refused, as a page."""
    errors = [f"{name}: {' '.join(map(str, why)).rstrip('.')}." for name, why in (problem.errors or {}).items()]
    hint = problem.hint if _is_of_api(request) else problem.page_hint
    response = _error_page(request, problem.status, problem.code, problem.title, " ".join([*errors, hint]))
    if problem.retry_after_s is not None:
        response["Retry-After"] = str(problem.retry_after_s)
    return response


def refused_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose CSRF token is missing or old."""
    hint = "Go back, reload the page and send the form again. If that does not help, allow cookies for this site."
    return _error_page(request, 403, "request.form-expired", "This form has expired", hint)


def too_large(request: HttpRequest) -> HttpResponse:
    """A body that was not read, because of its size."""
    return _error_page(request, 413, "request.too-large", "The request is too large", "Send less at a time.")


def server_error(request: HttpRequest) -> HttpResponse:
    """What no view expected. A database or cache that is away is no fault of ours that repeats: come again (503)."""
    error = sys.exception()
    if error is not None and (problem := outage_problem(error)):
        request.user = AnonymousUser()  # who signed in stands in the database
        return refusal_page(request, problem)
    with suppress(DatabaseError):
        if explained := next(filter(None, (explain(request) for explain in EXPLANATIONS)), None):
            return refusal_page(request, explained)
    return _error_page(request, 500, "server.error", "Something broke on our side", "It is logged. Try again later.")


def _is_of_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _error_page(
    request: HttpRequest, status: int, code: str, title: str, hint: str, nearest: list[tuple[str, str]] | None = None
) -> HttpResponse:
    if _is_of_api(request):
        return problem_page(request, status, code, title, hint)
    context = {"status": status, "code": code, "title": title, "hint": hint, "nearest": nearest or []}
    if status >= 500:  # refusals of strangers are equal to the byte, whatever is there
        context["request_id"] = current_field("request")
    return render(request, "web/error.html", context, status=status)
