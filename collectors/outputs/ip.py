"""`ip -j link` and `rdma -j link`: network interfaces, and ports that speak RDMA."""

from collections import namedtuple

from collectors.outputs import jsontext

Link = namedtuple("Link", "kind mtu state")
Link.__doc__ = (
    "One interface: kind (ether, infiniband, loopback, ...), packet size in bytes, state in lower case; or None."
)


def links(text):
    """{interface: Link}; addresses are not kept. Raises ValueError for other texts."""
    return {
        entry["ifname"]: Link(word(entry.get("link_type")), count(entry.get("mtu")), word(entry.get("operstate")))
        for entry in entries(text)
    }


def rdma_states(text):
    """{(device, port): state in lower case}. Raises ValueError for other texts."""
    return {
        (entry["ifname"], entry["port"]): word(entry.get("state"))
        for entry in entries(text)
        if type(entry.get("port")) is int
    }


def entries(text):
    """Return the links of `ip -json link`. Raises ValueError for other texts."""
    listing = jsontext.document(text)
    if not isinstance(listing, list):
        raise ValueError("no list of links")
    return [entry for entry in listing if isinstance(entry, dict) and isinstance(entry.get("ifname"), str)]


def word(value):
    return value.lower() if isinstance(value, str) and 0 < len(value) <= 40 and value.isprintable() else None


def count(value):
    return value if type(value) is int and 0 < value < 2**31 else None
