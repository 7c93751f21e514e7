"""Words in a text that a person should look at before others see it: what no rule of scrubbing knows to be a name.

A hint and no rule: what is marked may be harmless, and what is not marked may still tell something.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST = 40
"""Marks of one file."""
LINE_CHARACTERS = 2000
_KEY_CHARACTERS = 20
_KEY_BITS = 3.6
"""Bits of information of one character. English has about 2.5 by this measure, a random key of 20 letters 3.9."""
_STAND_IN = re.compile(r"m-[0-9a-f]{8}|<[a-z-]{1,20}>")
_LONG = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{20,200}(?![A-Za-z0-9+/_=-])")
_ABOUT_SECRETS = re.compile(
    r"(?<![A-Za-z])(?:pass(?:word|wd|phrase)?|pwd|secret|token|credential|private|kennwort|api[_-]?key)s?(?![A-Za-z])",
    re.IGNORECASE,
)
_ABOUT_PEOPLE = re.compile(
    r"(?<![A-Za-z])(?:contact|author|phone|telefon|e-?mail|submitted by|written by|run by|thanks to|project|account"
    r"|group|team|customer|ticket|issue)(?![A-Za-z])",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"(?<![\w./@-])(?:[A-Za-z][A-Za-z0-9-]{1,30}\.){2,6}[A-Za-z]{2,12}(?![\w(-])"
    r"|(?<![\w./=-])[a-z]{2,12}[-]?\d{2,5}(?:[-][a-z]{1,6}\d{0,3})?(?![\w./%-])"
)
_NAME_IN_PATH = re.compile(
    r"/(?:scratch|project|projects|proj|work|data|groups?|people|staff|gpfs|lustre)\d{0,2}/([A-Za-z][\w.-]{2,40})"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A word in a line (from 1), and why somebody should look at it."""

    line: int
    word: str
    why: str


def mark_words(lines: Iterable[str]) -> Iterator[Mark]:
    """The first MOST marks of a scrubbed text, each word once."""
    marked: set[str] = set()
    for number, line in enumerate(lines, start=1):
        for word, why in _in_line(_STAND_IN.sub(" ", line[:LINE_CHARACTERS])):
            if word not in marked:
                marked.add(word)
                yield Mark(number, word, why)
            if len(marked) >= MOST:
                return


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    for match in _LONG.finditer(line):
        if _looks_random(match[0]):
            yield match[0], "may be a key"
    for pattern, why in ((_ABOUT_SECRETS, "is about a secret"), (_ABOUT_PEOPLE, "is about people or projects")):
        yield from ((match[0], why) for match in pattern.finditer(line))
    for match in _MACHINE.finditer(line):
        yield match[0], "may be a machine"
    for match in _NAME_IN_PATH.finditer(line):
        yield match[1], "may be a person or a project"


def _looks_random(word: str) -> bool:
    """Letters and digits in no order: neither a word, a path nor a number."""
    if (
        len(word) < _KEY_CHARACTERS
        or word.count("/") > 2
        or not (re.search(r"\d", word) and re.search(r"[A-Za-z]", word))
    ):
        return False
    counts = Counter(word)
    return -sum(count / len(word) * math.log2(count / len(word)) for count in counts.values()) >= _KEY_BITS
