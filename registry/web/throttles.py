"""Throttles: one rate for loopback, where a site tries its own scripts, and one for everyone else."""

from __future__ import annotations

import logging
from typing import Any, cast

from django.conf import settings
from django.core.cache import caches
from redis.exceptions import RedisError
from rest_framework.throttling import SimpleRateThrottle

from registry.errors import Problem
from registry.web.cache_backend import Cache
from registry.web.client_address import caller_network, is_loopback

log = logging.getLogger(__name__)


class TooManyRequests(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many requests"
    hint = "Wait as long as Retry-After says, then reload. For many results at once, download the full export."


class LoopbackAwareThrottle(SimpleRateThrottle):
    """Counts per account, or per address without one; settings.THROTTLE_RATES holds (elsewhere, loopback)."""

    scope: str
    cache_format = "counted_%(scope)s_%(ident)s"

    def __init__(self) -> None:
        self.wait_s = 0.0

    def allow_request(self, request: Any, view: Any) -> bool:
        """Whether one more may come now. `request` is one of Django or of its REST framework."""
        elsewhere, loopback = settings.THROTTLE_RATES[self.scope]
        most, span_s = self.parse_rate(loopback if is_loopback(request) else elsewhere)
        assert most is not None and span_s is not None
        cache = cast(Cache, caches["default"])
        try:
            self.wait_s = cache.count_within(self.get_cache_key(request, view), most, span_s)
        except RedisError:
            # The counts live in the cache; while it is away, uploads and reads go on uncounted.
            log.warning("The cache is away: %s is not throttled", self.scope)
            return True
        return not self.wait_s

    def wait(self) -> float:
        """In how many seconds one more may come, of a caller that was just refused."""
        return self.wait_s

    def get_ident(self, request: Any) -> str:
        """The address of IPv4, or the network of IPv6 in which a caller may have as many as it likes."""
        return caller_network(request)

    def get_cache_key(self, request: Any, view: Any) -> str:
        account = request.user.pk if request.user and request.user.is_authenticated else None
        ident = f"account-{account}" if account is not None else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class ReadThrottle(LoopbackAwareThrottle):
    scope = "read"


class AddressThrottle(LoopbackAwareThrottle):
    """Counts per address alone: who is signed in stands in the database, which a flood must not reach."""

    def get_cache_key(self, request: Any, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class GuessThrottle(AddressThrottle):
    """Wrong tokens count as calls of nobody do."""

    scope = "read"


class PictureThrottle(AddressThrottle):
    """Pictures of pages and of the API, which take most of a second to draw."""

    scope = "picture"


class UploadThrottle(LoopbackAwareThrottle):
    scope = "upload"


class CheckThrottle(LoopbackAwareThrottle):
    scope = "check"
