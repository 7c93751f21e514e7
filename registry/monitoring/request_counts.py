"""Requests: how many of which outcome, how long they took, and a line in the log for each.

A web server of several processes shares the counts through files in memory, whose folder gunicorn.conf.py names.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.multiprocess import MultiProcessCollector

from registry.monitoring.log_lines import log_context

log = logging.getLogger("registry.request")

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
HEADER = "X-Request-ID"
_ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")
QUIET = ("/livez", "/readyz", "/healthz", "/metrics", "/static/")
"""Asked all the time by machines: counted, with no line in the log."""
_SURFACES = (
    (QUIET[:-1], "probe"),
    (("/static/",), "static"),
    (("/api/",), "api"),
    (("/log/tile/", "/log/checkpoint"), "log"),
    (("/submissions/", "/review/", "/account/", "/login/", "/admin/"), "private"),
)
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has none
"""A scrape says when each counter began only where one process serves."""
REQUESTS = Counter("highwater_requests", "Answered requests.", ["surface", "method", "status"], registry=None)
SECONDS = Histogram(
    "highwater_request_seconds",
    "Time from a whole request to the beginning of its answer.",
    ["surface"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=None,
)


class RequestMiddleware:
    """The outermost middleware: gives each request an id, counts it, and logs one line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = time.perf_counter()
        request_id = request_id_of(request)
        with log_context(request=request_id):
            response = self.get_response(request)
            seconds = time.perf_counter() - begun
            count_request(request, response.status_code, seconds)
            if not request.path.startswith(QUIET):
                log_request(request, response.status_code, seconds)
        response[HEADER] = request_id
        return response


def request_id_of(request: HttpRequest) -> str:
    """The id that a declared proxy gave the request, else a new one of 16 letters and digits."""
    proxy_id = request.headers.get(HEADER, "") if settings.TRUSTED_PROXY else ""
    return proxy_id if _ACCEPTED_ID.match(proxy_id) else secrets.token_hex(8)


def count_request(request: HttpRequest, status: int, seconds: float) -> None:
    surface = surface_of(request.path)
    method = request.method if request.method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") else "other"
    REQUESTS.labels(surface, method, str(status)).inc()
    SECONDS.labels(surface).observe(seconds)


def surface_of(path: str) -> str:
    """The part of the site that a path belongs to: page, api, private, log, static or probe."""
    return next((surface for beginnings, surface in _SURFACES if path.startswith(beginnings)), "page")


def log_request(request: HttpRequest, status: int, seconds: float) -> None:
    fields = {
        "method": request.method,
        "path": request.path[:200],
        "status": status,
        "duration_ms": round(seconds * 1000),
        "account": known_account(request),
    }
    log.info("answered", extra=fields)


def known_account(request: HttpRequest) -> int | None:
    """The number of the account, where answering needed it; it is not looked up for the log."""
    user = vars(request).get("user")
    wrapped = getattr(user, "_wrapped", user)  # a lazy object that nobody asked holds no account yet
    return getattr(wrapped, "pk", None)


def register_requests(registry: CollectorRegistry) -> None:
    """Add the counts of all processes of this web server to what a scrape reads."""
    if os.environ.get(FOLDER_VARIABLE):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library has none
    else:
        registry.register(REQUESTS)
        registry.register(SECONDS)
