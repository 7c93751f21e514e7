"""For those who run the site: is it alive, is it ready, and what are its figures."""

from __future__ import annotations

import functools
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from registry.database.rights import reads_private
from registry.site_pages import metrics as figures
from registry.web.client_address import is_loopback

READY_WITHIN_S = 1.0


@require_safe
@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    """200 while this process answers; nothing is asked of any other."""
    return JsonResponse({"ok": True})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers within a second, else 503. Cache and broker show in /metrics."""
    answers = _database_answers()
    return JsonResponse({"ok": answers, "database": answers}, status=200 if answers else 503)


@reads_private
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus, for this machine or for a caller with the token; anyone else finds nothing here."""
    if not (is_loopback(request) or _has_metrics_token(request)):
        raise Http404
    return HttpResponse(figures.metrics_text(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _has_metrics_token(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    expected_token = settings.METRICS_TOKEN
    return bool(expected_token) and scheme.lower() == "bearer" and constant_time_compare(token.strip(), expected_token)


def _database_answers() -> bool:
    return _database().answers()


class _Database:
    """Asked in a thread of its own, since connecting can't be told to take less than two seconds.

    Whoever comes while the last question is open waits for its answer: questions to a server that hangs don't pile up.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "readyz")
        self._lock = threading.Lock()
        self._asked: Future[bool] | None = None
        self._until = 0.0

    def answers(self) -> bool:
        with self._lock:
            if self._asked is None or self._asked.done():
                self._asked, self._until = self._thread.submit(_ask_database), time.monotonic() + READY_WITHIN_S
            future, until = self._asked, self._until
        try:
            return future.result(max(0.0, until - time.monotonic()))
        except TimeoutError:
            return False


@functools.cache
def _database() -> _Database:
    """One per process, made by the first who asks: a thread does not outlive a fork."""
    return _Database()


def _ask_database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except DatabaseError:
        return False
    finally:
        connection.close()
