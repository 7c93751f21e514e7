"""How public pages may be kept: by anyone for a minute, by a signed-in reader not at all; unchanged ones cost 304."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import conditional_page, require_safe
from redis.exceptions import RedisError

from registry.errors import Problem
from registry.query.public_record import MovedOnRecord, NotOnRecord
from registry.web.error_pages import refusal_page
from registry.web.moved import redirect_moved

FRESH_S = 60
KEPT_S = 86_400
_STATE_TO_KEEP_UNDER = """
    SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN (
        SELECT md5(coalesce(string_agg(transaction || ' ' || written_at, ',' ORDER BY transaction), ''))
        FROM registry_publicwrite) END
"""
"""The state of the record, as registry/database/public_writes.py tells it.

Null in a transaction that has written itself: nobody else sees what it reads next.
"""

View = Callable[..., HttpResponse]
Value = TypeVar("Value")


def public_page(view: View) -> View:
    """A page of the public record: GET and HEAD only, ETag from its content, varying by cookie (theme and account).

    What domain code refuses becomes an error page.
    """

    @wraps(view)
    def cached_page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page or its refusal, with who may keep it and how long."""
        try:
            response = view(request, *args, **kwargs)
        except NotOnRecord:
            raise
        except MovedOnRecord as moved:
            return redirect_moved(request, moved)
        except Problem as problem:
            response = refusal_page(request, problem)
        patch_vary_headers(response, ("Cookie",))
        if request.user.is_authenticated:
            patch_cache_control(response, private=True, no_cache=True)
        elif response.status_code == 200:
            patch_cache_control(response, public=True, max_age=FRESH_S)
        return response

    return require_safe(conditional_page(cached_page))


def with_known_values(**values: Iterable[str]) -> Callable[[View], View]:
    """Names that the query of a page may have, each with its values, where all of these answers may be kept.

    They are read by registry/serving/kept_routes.py. There have to be few: each combination is an answer of its own.
    """

    def mark_view(view: View) -> View:
        view.known_values = {name: frozenset(texts) for name, texts in values.items()}  # type: ignore[attr-defined]  # a mark
        return view

    return mark_view


def kept_value(name: str, make: Callable[[], Value]) -> Value:
    """What follows from the public record alone, kept until anything is written to it. One query.

    `make` reads nothing but what anybody may read. Of each name the cache holds one value, that of the last state.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STATE_TO_KEEP_UNDER)
        ((state,),) = cursor.fetchall()
    if state is None:
        return make()
    entry = _look_up(name)
    if entry is not None and entry[0] == state and entry[1] is not None:
        value: Value = entry[1]
        return value
    value = make()
    _keep_for_a_day(name, (state, value))
    return value


def cached_value(key: str, make: Callable[[], Value]) -> Value:
    """A value that follows from frozen rows, kept under a key that names them. Made anew while the cache is away."""
    value: Value | None = _look_up(key)
    if value is None:
        value = make()
        _keep_for_a_day(key, value)
    return value


def _look_up(key: str) -> Any:
    """None where nothing is kept, or the cache is away."""
    try:
        return cache.get(key)
    except RedisError:
        return None


def _keep_for_a_day(key: str, value: Any) -> None:
    with suppress(RedisError):
        cache.set(key, value, KEPT_S)
