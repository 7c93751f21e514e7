"""Rows that the beginning of an id means."""

from __future__ import annotations

from string import hexdigits
from uuid import UUID

from django.db.models import Q

FEWEST_DIGITS = 4
"""Fewer would mean too many."""


def id_begins(column: str, beginning: str) -> Q:
    """Rows whose id in a column begins so, with or without dashes, as a range of its index.

    Raises ValueError for what no id begins with, or under four digits.
    """
    digits = beginning.replace("-", "").lower()
    if not FEWEST_DIGITS <= len(digits) <= 32 or not set(digits) <= set(hexdigits):
        raise ValueError(f"an id begins with {FEWEST_DIGITS} to 32 hexadecimal digits")
    ends = {f"{column}__gte": UUID(digits.ljust(32, "0")), f"{column}__lte": UUID(digits.ljust(32, "f"))}
    return Q(**ends)
