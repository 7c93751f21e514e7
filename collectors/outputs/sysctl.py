"""`sysctl -a`: kernel tunables."""

import re

LINE = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_./@:-]{0,200}) = ?(.*)")


def tunables(text):
    """{name: value as text}, the first of repeated names. Raises ValueError where no line is of the form."""
    values_by_name = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if match:
            values_by_name.setdefault(match.group(1), match.group(2).strip())
    if not values_by_name:
        raise ValueError("no tunable")
    return values_by_name
