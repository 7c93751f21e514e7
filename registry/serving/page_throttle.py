"""Pages and pictures have a rate per address, like calls of the API: a picture takes most of a second to draw."""

from __future__ import annotations

import math
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from registry.web.error_pages import refusal_page
from registry.web.throttles import AddressThrottle, PictureThrottle, TooManyRequests

_FREE = ("/livez", "/readyz", "/healthz", "/metrics", "/static/", "/favicon.ico", "/robots.txt")
_DRAWN = ("png", "svg")


class PageThrottle(AddressThrottle):
    scope = "page"


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


def _throttles_of(request: HttpRequest) -> list[AddressThrottle]:
    """Calls of the API are counted by its own classes, once it is known what they draw."""
    if request.path.startswith((*_FREE, "/api/")):
        return []
    is_drawn = request.path.endswith(_DRAWN) or request.GET.get("format") in _DRAWN
    return [*([PictureThrottle()] if is_drawn else []), PageThrottle()]
