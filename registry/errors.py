"""One shape for every API error: RFC 9457 problem+json with a stable `code` and a hint.

    {"type": "<site>/docs/problems/#CODE", "title", "status", "code", "detail", "hint", ["errors": {field: [..]}]}

`Problem` is the base of every refusal that domain code raises; submissions/errors.py holds its tree.
"""

from __future__ import annotations

import math
import re
from typing import Any

import psycopg
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse, UnreadablePostError
from psycopg.errors import QueryCanceled
from redis.exceptions import RedisError
from rest_framework import exceptions
from rest_framework.response import Response

CONTENT_TYPE = "application/problem+json"


_HEADER_WORDS = re.compile(r"as long as Retry-After says|(?P<after>after )?the seconds in `?Retry-After`?")
_SENTENCE_ENDS = re.compile(r"(?<=\.) ")


def duration_text(seconds: int) -> str:
    """ "90 seconds", "15 minutes", "3 hours": rounded up, so that waiting so long is enough."""
    for unit, span in (("hour", 3600), ("minute", 60)):
        if seconds >= 2 * span:
            return f"{math.ceil(seconds / span)} {unit}s"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


class Problem(Exception):
    """A refusal with a code that never changes. Subclasses set status, code and title; hint says what to do next."""

    status = 400
    code = "request.refused"
    title = "The request was refused"
    hint = ""
    retry_after_s: int | None = None

    def __init__(self, detail: str = "", *, hint: str = "", errors: dict[str, Any] | None = None) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.hint = hint or self.hint
        self.errors = errors

    @property
    def page_hint(self) -> str:
        """The hint as pages say it: the time to wait in place of the header, and no field of the API."""
        wait = duration_text(self.retry_after_s) if self.retry_after_s else "a while"
        hint = _HEADER_WORDS.sub(lambda words: f"in {wait}" if words["after"] else wait, self.hint)
        return " ".join(sentence for sentence in _SENTENCE_ENDS.split(hint) if "`" not in sentence)


class Unavailable(Problem):
    """Our side can't at the moment; the same request may do later."""

    status = 503
    code = "service.unavailable"
    title = "Temporarily not possible"
    hint = "Try again after the seconds in Retry-After."
    retry_after_s = 10


class DatabaseUnavailable(Unavailable):
    code = "database.unavailable"
    title = "The database does not answer"


class DatabaseTimeout(Unavailable):
    code = "database.timeout"
    title = "The database took too long"
    hint = "Ask for less at a time, or try again after the seconds in Retry-After."


def outage_problem(error: BaseException) -> Unavailable | None:
    """What a failure of a server behind us is for the caller; None for any other error. Looks at its causes too."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, QueryCanceled):
            return DatabaseTimeout()
        if isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError)):
            return DatabaseUnavailable()
        if isinstance(cause, (OperationalError, InterfaceError)) and cause.__cause__ is None:
            return DatabaseUnavailable()
        # A body can't be read where the head was refused, by a database that came back a moment later.
        if isinstance(cause, (RedisError, UnreadablePostError)):
            return Unavailable()
        cause = cause.__cause__ or cause.__context__
    return None


_CODES: dict[type[exceptions.APIException], tuple[str, str, str]] = {
    exceptions.ParseError: ("request.malformed", "The request can't be read", "Send valid JSON or a multipart form."),
    exceptions.ValidationError: ("request.invalid", "Some fields are not valid", "Correct the fields under `errors`."),
    exceptions.NotAuthenticated: (
        "auth.required",
        "This needs a token",
        "Send `Authorization: Token KEY`; a token comes from the site's administrator.",
    ),
    exceptions.AuthenticationFailed: (
        "auth.failed",
        "The token is not valid",
        "Check the token, or ask for a new one: it may have expired or been revoked.",
    ),
    exceptions.PermissionDenied: ("auth.forbidden", "This account may not do that", ""),
    exceptions.NotFound: ("request.not-found", "There is nothing here", "Check the address."),
    exceptions.MethodNotAllowed: ("request.method", "This address does not take that method", "See openapi.json."),
    exceptions.NotAcceptable: ("request.not-acceptable", "No such format here", "Leave out `format` and `Accept`."),
    exceptions.UnsupportedMediaType: ("request.media-type", "This content type is not taken here", "See openapi.json."),
    exceptions.Throttled: ("request.throttled", "Too many requests", "Wait as long as Retry-After says."),
}


def problem_body(
    status: int, code: str, title: str, detail: str = "", hint: str = "", errors: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The JSON of one problem; `errors` only where fields are at fault."""
    problem: dict[str, Any] = {
        "type": f"/docs/problems/#{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail or title,
        "hint": hint,
    }
    if errors:
        problem["errors"] = errors
    return problem


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. None for an unexpected error, which stays loud."""
    headers: dict[str, str] = {}
    error = outage_problem(error) or error
    if isinstance(error, Http404) and not isinstance(error, Problem):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()

    if isinstance(error, Problem):
        content = problem_body(error.status, error.code, error.title, error.detail, error.hint, error.errors)
        if error.retry_after_s is not None:
            headers["Retry-After"] = str(error.retry_after_s)
    elif isinstance(error, exceptions.APIException):
        content = _from_api_exception(error)
        wait_s = getattr(error, "wait", None)
        if isinstance(error, exceptions.Throttled) and wait_s is not None:
            headers["Retry-After"] = str(max(1, int(wait_s + 0.999)))
        if challenge := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = challenge
    else:
        return None
    return Response(content, status=content["status"], headers=headers, content_type=CONTENT_TYPE)


def _from_api_exception(error: exceptions.APIException) -> dict[str, Any]:
    fallback = ("server.error", "The request failed", "")
    code, title, hint = next((words for kind, words in _CODES.items() if isinstance(error, kind)), fallback)
    if isinstance(error, exceptions.ValidationError):
        return problem_body(error.status_code, code, title, "", hint, _by_field(error.detail))
    return problem_body(error.status_code, code, title, str(error.detail), hint)


def _by_field(detail: Any, field: str = "") -> dict[str, Any]:
    """What is wrong, in words, by field; what is wrong inside of one stands under `field.name` or `field.index`."""
    if not isinstance(detail, dict):
        return {field or "non_field_errors": detail}
    inner = ((f"{field}.{name}" if field else str(name), wrong) for name, wrong in detail.items())
    return {name: words for below, wrong in inner for name, words in _by_field(wrong, below).items()}


def problem_page(request: HttpRequest, status: int, code: str, title: str, hint: str = "") -> JsonResponse:
    """A problem for addresses below /api/ that no view answers."""
    return JsonResponse(problem_body(status, code, title, hint=hint), status=status, content_type=CONTENT_TYPE)
