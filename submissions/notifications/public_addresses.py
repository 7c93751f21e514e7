"""Which addresses are public: where a webhook may lead. The special ranges are a data file with its sources.

An allow-list. A form that carries an IPv4 address in IPv6 (mapped, compatible, NAT64) lies outside of what is listed,
whatever it carries: the network could lead it anywhere.
"""

from __future__ import annotations

import ipaddress
import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("data") / "special_addresses.json"
PORTS = (443, 8443)
"""Where receivers listen: other ports are those of neighbours that a registry must not be made to knock at."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def is_public(address: str) -> bool:
    """Whether a text is the address of a public unicast host. One with a zone (%) belongs to a link, and is none."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    public, refused = _networks()
    return "%" not in address and _is_within(parsed, public) and not _is_within(parsed, refused)


def _is_within(address: ipaddress.IPv4Address | ipaddress.IPv6Address, networks: tuple[Network, ...]) -> bool:
    return any(address in network for network in networks)


@cache
def _networks() -> tuple[tuple[Network, ...], tuple[Network, ...]]:
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    public, refused = (tuple(map(ipaddress.ip_network, rows[name])) for name in ("public", "refused"))
    return public, refused
