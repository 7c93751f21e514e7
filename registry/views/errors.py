"""Pages for what went wrong; below /api/ the same as problem+json."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from registry.problems import problem_page


class NothingHere(Http404):
    """A 404 that knows what may have been meant: (words, address) of the nearest pages."""

    def __init__(self, message: str, nearest: list[tuple[str, str]]) -> None:
        super().__init__(message)
        self.nearest = nearest


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 400, "request.malformed", "The request can't be read", "Check the address or the form.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Missing and not allowed read the same."""
    nearest = exception.nearest if isinstance(exception, NothingHere) else []
    return _page(request, 404, "request.not-found", "There is nothing here", "Check the address, or search.", nearest)


def refused_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose CSRF token is missing or old."""
    return _page(
        request, 403, "request.form-expired", "This form is too old", "Go back, reload the page, send it again."
    )


def server_error(request: HttpRequest) -> HttpResponse:
    return _page(request, 500, "server.error", "Something broke on our side", "Try again; it has been logged.")


def _page(
    request: HttpRequest, status: int, code: str, title: str, hint: str, nearest: list[tuple[str, str]] | None = None
) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem_page(request, status, code, title, hint)
    context = {"status": status, "code": code, "title": title, "hint": hint, "nearest": nearest or []}
    return render(request, "errors/error.html", context, status=status)
