"""The cache of pages and counts: Django's for Redis, left alone for a while after it hung.

Whoever asks handles RedisError, since the site needs no cache. But each who asks one that hangs waits for its time
limit; so after the first everybody else is refused at once, until somebody may try again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer

LEFT_ALONE_S = 5.0
# By address of the cache: Django has an instance for each thread, and they meet the same server.
_hung_until: dict[str, float] = {}


def _unless_hung(name: str) -> Callable[..., Any]:
    usual = getattr(RedisCache, name)

    def call(self: Cache, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < _hung_until.get(self.address, 0.0):
            raise NoConnection("the cache did not answer a moment ago")
        try:
            return usual(self, *args, **kwargs)
        except NoAnswer:
            _hung_until[self.address] = time.monotonic() + LEFT_ALONE_S
            raise

    return call


class Cache(RedisCache):
    """Raises RedisError where it can't be reached; at once where it hung less than LEFT_ALONE_S seconds ago."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.address = str(server)

    add, get, set, touch, delete, incr, has_key, get_many, set_many, delete_many, clear = map(
        _unless_hung,
        ("add", "get", "set", "touch", "delete", "incr", "has_key", "get_many", "set_many", "delete_many", "clear"),
    )
