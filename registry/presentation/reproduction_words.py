"""Marks of reproduction in the words of tables and forms."""

from __future__ import annotations

from registry.query.responses.reproduced_words import BETWEEN

REPRODUCED_CHOICES = (
    ("agrees", "reproduced"),
    ("not-reproduced", "not reproduced"),
    ("undecided", "cannot tell"),
    ("none", "not run again"),
)
"""What forms offer of the filter `reproduced`: its words, and what each is called."""
_TITLES = dict(REPRODUCED_CHOICES[:2])


def mark_titles(words: str) -> list[str]:
    """What a row shows of its words of `reproduced`: successes and failures alike, and nothing undecided."""
    return [_TITLES[word] for word in words.split(BETWEEN) if word in _TITLES]
