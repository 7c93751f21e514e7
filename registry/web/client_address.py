"""The two ends of a request: the caller's address, and that of the site it was sent to."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def caller_address(request: HttpRequest) -> str:
    """Of the caller: behind a trusted proxy the last one that the proxy wrote down."""
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    if settings.TRUSTED_PROXY and forwarded:
        return forwarded.rsplit(",", 1)[-1].strip()
    return str(request.META.get("REMOTE_ADDR", ""))


def is_loopback(request: HttpRequest) -> bool:
    """Whether the caller sits on this machine. Behind a proxy nobody does: it may sit here and name no caller."""
    if settings.TRUSTED_PROXY or {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"} & request.META.keys():
        return False
    try:
        return ipaddress.ip_address(str(request.META.get("REMOTE_ADDR", ""))).is_loopback
    except ValueError:
        return False


def site_address(request: HttpRequest) -> str:
    """Address of this site without a slash at the end: the one that is set, else the one that was asked for."""
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"
