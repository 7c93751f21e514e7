"""Compresses what anyone may read. What an account reads is not compressed: its length could tell what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

COMPRESSED = {
    "text/html",
    "text/css",
    "text/javascript",
    "text/plain",
    "image/svg+xml",
    "application/json",
    "application/problem+json",
    "application/ld+json",
    "application/atom+xml",
    "application/xml",
}

CODINGS = ("br", "gzip")
"""In which an answer may be sent, beside as it is."""
_SAME = {"x-gzip": "gzip"}
_WEIGHT = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\Z", re.IGNORECASE)


def accepted_codings(header: str) -> list[str]:
    """CODINGS that an Accept-Encoding names and does not like less than an answer as it is. Source: RFC 9110, 12.5.3.

    What has no form is as if it were not there. `*` alone names none: whoever sends it may know none of them.
    """
    weights = dict[str, float]()
    for member in header.lower().split(","):
        name, *parameters = (part.strip(" \t") for part in member.split(";"))
        weight_match = _WEIGHT.match(parameters[0]) if len(parameters) == 1 else None
        if weight_match or not parameters:
            coding, weight = _SAME.get(name, name), float(weight_match[1]) if weight_match else 1.0
            weights[coding] = min(weight, weights.get(coding, weight))
    as_it_is = weights.get("identity", weights.get("*", 0.0))
    return [coding for coding in CODINGS if weights.get(coding, 0.0) > 0 and weights[coding] >= as_it_is]


class AcceptedCodingsMiddleware:
    """Leaves in a request the codings that may be sent, for all that look for a name there. Stands first."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if header := request.META.get("HTTP_ACCEPT_ENCODING"):
            request.META["HTTP_ACCEPT_ENCODING"] = ", ".join(accepted_codings(header))
        return self.get_response(request)


class PublicCompressionMiddleware(GZipMiddleware):
    """gzip for whole answers to requests without an account; files that were compressed before pass as they are."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        personal = "Authorization" in request.headers or settings.SESSION_COOKIE_NAME in request.COOKIES
        kind = response.get("Content-Type", "").partition(";")[0]
        if personal or response.status_code != 200 or kind not in COMPRESSED:
            return response
        return super().process_response(request, response)
