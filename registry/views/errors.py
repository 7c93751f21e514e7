"""Pages for what went wrong; below /api/ the same as problem+json."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.problems import problem_page


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 400, "request.malformed", "The request can't be read", "Check the address or the form.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Missing and not allowed read the same."""
    return _page(request, 404, "request.not-found", "There is nothing here", "Check the address, or search.")


def server_error(request: HttpRequest) -> HttpResponse:
    return _page(request, 500, "server.error", "Something broke on our side", "Try again; it has been logged.")


def _page(request: HttpRequest, status: int, code: str, title: str, hint: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem_page(request, status, code, title, hint)
    return render(request, "errors/error.html", {"status": status, "title": title, "hint": hint}, status=status)
