"""Times as texts."""

from __future__ import annotations

import re
import sys
from datetime import datetime

_DECIMALS = re.compile(r"\.(\d{1,40})")


def parse_time(text: str) -> datetime:
    """A time of RFC 3339, with or without a zone. ValueError: it is none."""
    if sys.version_info < (3, 11):
        # Older ones read neither `Z` nor another count of decimals than 3 or 6.
        text = _DECIMALS.sub(lambda match: "." + match[1][:6].ljust(6, "0"), text, count=1)
        text = text[:-1] + "+00:00" if text.endswith("Z") else text
    return datetime.fromisoformat(text)
