"""`tuned-adm active` and `tuned-adm list`."""

import re

ACTIVE = re.compile(r"^Current active profile: ([A-Za-z0-9_. -]{1,120})$", re.MULTILINE)


def active_profile(text):
    """The active profile, or profiles with a space between. Raises ValueError for other texts."""
    match = ACTIVE.search(text)
    if not match:
        raise ValueError("no active profile")
    return match.group(1).strip()
