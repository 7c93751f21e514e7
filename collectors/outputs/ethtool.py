"""`ethtool -i` and `ethtool -a` of one network interface."""

import re

DRIVER_FIELD = re.compile(r"([a-z][a-z-]{1,40}): *(.{0,120})")
PAUSE = re.compile(r"^(RX|TX): +(on|off)$", re.MULTILINE)


def driver(text):
    """{field: value} of `ethtool -i`, fields without a value left out. Raises ValueError for other texts."""
    values_by_field = {
        match.group(1): match.group(2).strip() for match in map(DRIVER_FIELD.fullmatch, text.splitlines()) if match
    }
    if "driver" not in values_by_field:
        raise ValueError("no driver")
    return {name: value for name, value in values_by_field.items() if value}


def pause(text):
    """{"rx": bool, "tx": bool} of `ethtool -a`: whether the link is paused, as set.

    Raises ValueError for other texts.
    """
    pause_by_direction = {direction.lower(): word == "on" for direction, word in PAUSE.findall(text)}
    if not pause_by_direction:
        raise ValueError("no pause parameters")
    return pause_by_direction
