"""Throttles: one rate for loopback, where a site tries its own scripts, and one for everyone else."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from redis.exceptions import RedisError
from rest_framework.throttling import SimpleRateThrottle

from registry.errors import Problem
from registry.web.client_address import caller_network, is_loopback

log = logging.getLogger(__name__)


class TooManyRequests(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many requests"
    hint = (
        "Wait as long as Retry-After says, then reload. For many results at once, take the files of the whole record."
    )


class LoopbackAwareThrottle(SimpleRateThrottle):
    """Counts per account, or per address without one; settings.THROTTLE_RATES holds (elsewhere, loopback)."""

    scope: str

    def __init__(self) -> None:
        self.rate = ""

    def allow_request(self, request: Any, view: Any) -> bool:
        """Whether one more may come now. `request` is one of Django or of its REST framework."""
        elsewhere, loopback = settings.THROTTLE_RATES[self.scope]
        self.num_requests, self.duration = self.parse_rate(loopback if is_loopback(request) else elsewhere)
        self.rate = "set"
        try:
            return super().allow_request(request, view)
        except RedisError:
            # The counts live in the cache; while it is away, uploads and reads go on uncounted.
            log.warning("The cache is away: %s is not throttled", self.scope)
            return True

    def get_ident(self, request: Any) -> str:
        """The address of IPv4, or the network of IPv6 in which a caller may have as many as it likes."""
        return caller_network(request)

    def get_cache_key(self, request: Any, view: Any) -> str:
        account = request.user.pk if request.user and request.user.is_authenticated else None
        ident = f"account-{account}" if account is not None else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class ReadThrottle(LoopbackAwareThrottle):
    scope = "read"


class UploadThrottle(LoopbackAwareThrottle):
    scope = "upload"


class CheckThrottle(LoopbackAwareThrottle):
    scope = "check"
