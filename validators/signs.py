"""Signs by which the output of a tool is known. Thirteen tools look at the head of every file that none has claimed."""

from __future__ import annotations

import re


class Sign:
    """A pattern that is searched only where one of its words stands: that costs a hundredth of searching it."""

    def __init__(self, pattern: bytes, *words: bytes) -> None:
        """Lines are told apart, as with re.MULTILINE. Whatever the pattern matches holds one of the words."""
        self._pattern = re.compile(pattern, re.MULTILINE)
        self._words = words

    def search(self, head: bytes) -> re.Match[bytes] | None:
        return self._pattern.search(head) if any(map(head.__contains__, self._words)) else None
