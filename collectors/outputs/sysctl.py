"""`sysctl -a`: kernel tunables."""

import re

LINE = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_./@:-]{0,200}) = ?(.*)")


def tunables(text):
    """{name: value as text}, the first of repeated names. Raises ValueError where no line is of the form."""
    found = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if match:
            found.setdefault(match.group(1), match.group(2).strip())
    if not found:
        raise ValueError("no tunable")
    return found
