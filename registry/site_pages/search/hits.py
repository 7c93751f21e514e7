"""What search finds: hits of kinds, and texts in which the words are marked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from registry.query.public_record import Row

MARK_START, MARK_END = "\x02", "\x03"
"""Around a word in a text that PostgreSQL cut out; no text of ours holds them."""
_MARKS = str.maketrans({MARK_START: "", MARK_END: ""})


class Hit(NamedTuple):
    """`summary` may hold marks; `place` says what it belongs to."""

    kind: str
    title: str
    url: str
    summary: str = ""
    place: str = ""

    @property
    def plain_summary(self) -> str:
        return self.summary.translate(_MARKS)


@dataclass(frozen=True)
class KindHits:
    """The best hits of one kind, and how many there are; `at_least`: counting stopped there.

    `rows`: of results the same hits as tables show them.
    """

    hits: Sequence[Hit]
    count: int
    at_least: bool = False
    rows: Sequence[Row] = ()


def count_all(hits: Sequence[Hit], most: int, matching: QuerySet[Any]) -> KindHits:
    """The first `most` hits, and how many rows match: fewer hits than `most` are all of them, else one query counts."""
    return KindHits(hits, len(hits) if len(hits) < most else matching.count())


def mark_words(text: str, words: Iterable[str]) -> SafeString:
    """A text as HTML in which what PostgreSQL marked, and words that begin with one of `words`, are marked."""
    unmarked = text.translate(_MARKS)
    starts = {match.start() - 2 * number for number, match in enumerate(re.finditer(MARK_START, text))}
    # A single letter, as the "s" of "stonewall_s", would mark half of a text.
    patterns = [word for word in words if len(word) > 1 or not word.isascii()]
    marked, end = [], 0
    for match in re.finditer(r"[^\W_]+", unmarked):
        if match.start() in starts or _begins_with(match.group(), patterns):
            marked += [escape(unmarked[end : match.start()]), "<mark>", escape(match.group()), "</mark>"]
            end = match.end()
    # Every part was escaped by itself.
    return mark_safe("".join([*marked, escape(unmarked[end:])]))  # noqa: S308


def _begins_with(word: str, beginnings: Sequence[str]) -> bool:
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))
    return plain.casefold().startswith(tuple(beginnings))
