"""Compresses what anyone may read. What an account reads is not compressed: its length could tell what it holds."""

from __future__ import annotations

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


class PublicCompressionMiddleware(GZipMiddleware):
    """gzip for whole answers to requests without an account; files that were compressed before pass as they are."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        personal = "Authorization" in request.headers or settings.SESSION_COOKIE_NAME in request.COOKIES
        kind = response.get("Content-Type", "").partition(";")[0]
        if personal or response.status_code != 200 or kind not in COMPRESSED:
            return response
        return super().process_response(request, response)
