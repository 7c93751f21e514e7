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


# What a key was counted for, newest first; each entry is as old as it may be, or younger. Runs as one step.
_COUNT = """
local time = redis.call('TIME')
local now, span = time[1] + time[2] / 1000000, tonumber(ARGV[2])
local oldest = redis.call('LINDEX', KEYS[1], -1)
while oldest and tonumber(oldest) <= now - span do
    redis.call('RPOP', KEYS[1])
    oldest = redis.call('LINDEX', KEYS[1], -1)
end
if oldest and redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[1]) then
    return tostring(span - (now - tonumber(oldest)))
end
redis.call('LPUSH', KEYS[1], string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil(span))
return '0'
"""


def _count_within(cache: RedisCache, key: str, most: int, span_s: float) -> float:
    client = cache._cache.get_client(key, write=True)
    return float(client.eval(_COUNT, 1, cache.make_and_validate_key(key), most, span_s))


def _unless_hung(usual: Callable[..., Any]) -> Callable[..., Any]:
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

    add, get, set, touch, delete, incr, has_key, get_many, set_many, delete_many, clear = (
        _unless_hung(getattr(RedisCache, name))
        for name in (
            *("add", "get", "set", "touch", "delete", "incr"),
            *("has_key", "get_many", "set_many", "delete_many", "clear"),
        )
    )
    _count_within = _unless_hung(_count_within)

    def count_within(self, key: str, most: int, span_s: float) -> float:
        """Count a key once more unless it was counted `most` times in the last `span_s` seconds.

        0.0 where it was counted; else in how many seconds it may be. Of any number who ask at once no more than
        `most` are counted, and the clock is that of the cache.
        """
        seconds: float = self._count_within(key, most, span_s)
        return seconds
