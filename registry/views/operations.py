"""For those who run the site: is it alive, and can it reach its services."""

from __future__ import annotations

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from registry.celery import app


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when database, cache and broker answer, else 503; says which does not."""
    services = {"database": _database(), "cache": _cache(), "broker": _broker()}
    return JsonResponse({"ok": all(services.values()), **services}, status=200 if all(services.values()) else 503)


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
        with app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
        return True
    except (KombuError, RedisError, OSError):
        return False
