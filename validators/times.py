"""Times as texts."""

from __future__ import annotations

import re
import sys
from datetime import datetime, timezone
from typing import Any

_DECIMALS = re.compile(r"\.(\d{1,40})")


def parse_time(text: str) -> datetime:
    """A time of RFC 3339, with or without a zone. ValueError: it is none."""
    if sys.version_info < (3, 11):
        # Older ones read neither `Z` nor another count of decimals than 3 or 6.
        text = _DECIMALS.sub(lambda match: "." + match[1][:6].ljust(6, "0"), text, count=1)
        text = text[:-1] + "+00:00" if text.endswith("Z") else text
    return datetime.fromisoformat(text)


_SEARCHED = 120
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CLOCK = r"(?P<clock>\d{2}:\d{2}:\d{2})"
_FORMS = (
    re.compile(
        rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>[A-Z][a-z]{{2}}) +(?P<day>\d{{1,2}}) {_CLOCK} "
        r"(?:(?P<utc>UTC|GMT) |[A-Z]{3,5} )?(?P<year>\d{4})"
    ),
    re.compile(rf"(?P<month>\d{{2}})/(?P<day>\d{{2}})/(?P<year>\d{{4}}) {_CLOCK}(?P<utc>)"),
    re.compile(
        rf"(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}})[T ]{_CLOCK}(?:\.\d{{1,9}})?(?P<utc>Z|[+-]00:?00)?"
    ),
)
"""How tools print times: asctime, mdtest's, ISO 8601."""


def printed_time(text: str) -> str | None:
    """The first time in a text that a tool printed, as RFC 3339 if it says that it is UTC, else without a zone."""
    for form in _FORMS:
        if match := form.search(text[:_SEARCHED]):
            month = match["month"]
            number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month) if month.isdecimal() else 0
            moment = f"{match['year']}-{number:02}-{int(match['day']):02}T{match['clock']}"
            try:
                datetime.fromisoformat(moment)
            except ValueError:
                return None
            return f"{moment}Z" if match["utc"] else moment
    return None


def from_timestamp(seconds: Any) -> str | None:
    """Seconds since 1970 as RFC 3339; None for what is no such time."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < 32_503_680_000:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
