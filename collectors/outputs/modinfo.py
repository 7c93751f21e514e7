"""`modinfo MODULE`: a module of the kernel."""

import re

VERSION = re.compile(r"^version: +(\S{1,120})$", re.MULTILINE)


def version(text):
    """The version that the module's author gave it. Raises ValueError for other texts."""
    match = VERSION.search(text)
    if not match:
        raise ValueError("no version")
    return match.group(1)
