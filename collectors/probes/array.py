"""A redundant array of drives as raid.py tells it, whoever makes it."""

from collections import namedtuple

Array = namedtuple("Array", "layout drives chunk_bytes state")
Array.__doc__ = """An md array or a ZFS pool: `layout` a dict (level, and where known data, parity, spares, groups,
algorithm), `drives` it is made of, chunk in bytes, state (clean, degraded, recover, resync, check, ...); or None."""
