"""For those who run the site: is it alive, and can it reach its services."""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import KombuError
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from redis.exceptions import RedisError

from registry import metrics as figures
from registry.celery import hurried_connection
from registry.origin import is_loopback


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when database, cache and broker answer, else 503; says which does not."""
    services = {"database": _database(), "cache": _cache(), "broker": _broker()}
    return JsonResponse({"ok": all(services.values()), **services}, status=200 if all(services.values()) else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus, for this machine or for a caller with the token; anyone else finds nothing here."""
    if not (is_loopback(request) or _has_metrics_token(request)):
        raise Http404
    return HttpResponse(figures.exposition(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _has_metrics_token(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    return bool(wanted) and scheme.lower() == "bearer" and constant_time_compare(token.strip(), wanted)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except DatabaseError:
        return False


def _cache() -> bool:
    try:
        cache.get("healthz")
        return True
    except RedisError:
        return False


def _broker() -> bool:
    try:
        with hurried_connection() as broker:
            broker.ensure_connection(max_retries=1, timeout=1)
        return True
    except (KombuError, RedisError, OSError):
        return False
