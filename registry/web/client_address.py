"""The two ends of a request: the caller's address, and that of the site it was sent to."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest

ONE_CALLER = {4: 32, 6: 56}
"""Bits of the network that is counted as one: of IPv6 a home has 2^72 addresses, and a request may come from each."""


def caller_address(request: HttpRequest) -> str:
    """Of the caller: behind a trusted proxy the last one that the proxy wrote down."""
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    if settings.TRUSTED_PROXY and forwarded:
        return _without_port(forwarded.rsplit(",", 1)[-1].strip())
    return str(request.META.get("REMOTE_ADDR", ""))


def _without_port(address: str) -> str:
    """An address as some proxies write it, `a.b.c.d:port` or `[v6]:port`: each connection has another port."""
    host, _, port = address.rpartition(":")
    if port.isdecimal() and host.count(".") == 3 and ":" not in host:
        return host
    return address[1:].partition("]")[0] if address.startswith("[") else address


def caller_network(request: HttpRequest, bits: Mapping[int, int] = ONE_CALLER) -> str:
    """The network of the caller, `bits` long by version of IP; the text as it is where it is no address."""
    text = caller_address(request)
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    # A socket for both versions shows IPv4 within IPv6, where all callers would be of one network.
    address = getattr(address, "ipv4_mapped", None) or address
    return str(ipaddress.ip_network((address, bits[address.version]), strict=False))


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
