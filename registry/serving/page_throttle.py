"""Pages and pictures have a rate per address, like calls of the API: a picture takes most of a second to draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from registry.web.error_pages import refusal_page
from registry.web.throttles import LoopbackAwareThrottle, TooManyRequests

_FREE = ("/livez", "/readyz", "/healthz", "/metrics", "/static/", "/favicon.ico", "/robots.txt")
_DRAWN = ("png", "svg")


class _AddressThrottle(LoopbackAwareThrottle):
    """Counts per address alone: who is signed in stands in the database, which a flood must not reach."""

    def get_cache_key(self, request: Any, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class PageThrottle(_AddressThrottle):
    scope = "page"


class PictureThrottle(_AddressThrottle):
    scope = "picture"


class PageThrottleMiddleware:
    """Answers 429 with Retry-After in place of a page or a picture that comes too soon."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for throttle in _throttles_of(request):
            if not throttle.allow_request(request, None):
                problem = TooManyRequests()
                problem.retry_after_s = max(math.ceil(throttle.wait() or 1), 1)
                return refusal_page(request, problem)
        return self.get_response(request)


def _throttles_of(request: HttpRequest) -> list[_AddressThrottle]:
    """Calls of the API are counted by its own classes, but for what they draw."""
    if request.path.startswith(_FREE):
        return []
    is_call = request.path.startswith("/api/")
    is_drawn = request.path.endswith(_DRAWN) or request.GET.get("format") in _DRAWN
    if is_call and "image/" in request.headers.get("Accept", "").lower():
        is_drawn = True  # the API draws what a caller accepts, too
    pages = [] if is_call else [PageThrottle()]
    return [*([PictureThrottle()] if is_drawn else []), *pages]
