"""What was typed, as what is looked for: words, filters, and the other names of what is known by several."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from django.db import connection
from django.http import QueryDict

from registry.query.names.canonical_names import plain_text
from registry.query.row_sources import PUBLIC, RowSource

SYNONYMS = Path(__file__).parent.parent / "data" / "synonyms.json"
MOST_WORDS = 10
MOST_READINGS = 4
FILTER_NAMES = {
    "fs": "filesystem_type",
    "filesystem": "filesystem_type",
    "release": "release",
    "list": "list",
    "trust": "trust",
    "tool": "tool",
    "benchmark": "tool",
    "site": "institution",
    "institution": "institution",
    "system": "system",
    "vendor": "vendor",
}
"""What may stand before a colon, and the filter of results/ that it is."""
BETWEEN_NAMES = frozenset(("versus", "vs"))
"""Words between two things that are compared; what has both things need not have the word."""
_PART = re.compile(r'(?:(?P<name>\w+):)(?:"(?P<quoted>[^"]*)"|(?P<bare>\S+))|\S+')
"""A filter, whose value may stand in quotes and then have spaces, or what stands between two spaces."""

Words = tuple[str, ...]
NameIds = Mapping[tuple[str, str], Sequence[int]]
"""By kind and word ids of those whose names have the word."""


@dataclass(frozen=True)
class Question:
    """`readings` are word by word what may be meant, as typed first; `filters` narrow results and exclude all else.

    `synonyms` are the names, as the table spells them, that were looked for beside the words; `unread` are the words
    after the first MOST_WORDS, for which nothing was looked for; `source` is where results are looked for; `name_ids`
    are those that are known.
    """

    text: str
    readings: Sequence[Words]
    synonyms: Sequence[str]
    filters: QueryDict
    unread: Words = ()
    source: RowSource = PUBLIC
    name_ids: NameIds = field(default_factory=dict)

    @property
    def words(self) -> Words:
        return self.readings[0] if self.readings else ()


def parse_text(text: str, *, literally: bool = False) -> Question:
    """`text` as typed, without signs that nobody sees. `literally`: no synonyms. One query."""
    text = plain_text(text)
    free: list[str] = []
    narrowed = QueryDict(mutable=True)
    for part in _PART.finditer(text):
        name, value = FILTER_NAMES.get((part["name"] or "").lower()), part["quoted"] or part["bare"]
        if name and value:
            narrowed.appendlist(name, value)
        else:
            free.append(part.group())
    all_words = fold_words(" ".join(free))
    all_words = tuple(word for word in all_words if word not in BETWEEN_NAMES) or all_words
    words = all_words[:MOST_WORDS]
    readings, names = [words] if words else [], list[str]()
    if not literally:
        for reading, name in _other_readings(words):
            if reading not in readings and len(readings) < MOST_READINGS:
                readings.append(reading)
                names.append(name)
    return Question(text, readings, names, narrowed, all_words[MOST_WORDS:])


def fold_words(text: str) -> Words:
    """The words of a text, as the database folds names. One query."""
    return fold_texts([text])[0]


def fold_texts(texts: Sequence[str]) -> list[Words]:
    """As `fold_words`, of several texts. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT highwater_fold(text) FROM unnest(%s::text[]) WITH ORDINALITY AS t(text, n) ORDER BY n",
            [list(texts)],
        )
        return [tuple(folded.split()) for (folded,) in cursor.fetchall()]


@cache
def load_synonyms() -> Sequence[Sequence[str]]:
    """Groups of names of one thing, each in the spelling to show first."""
    groups: list[list[str]] = json.loads(SYNONYMS.read_text(encoding="utf-8"))["groups"]
    return groups


@cache
def _folded_synonyms() -> Sequence[Sequence[tuple[str, Words]]]:
    names = [name for group in load_synonyms() for name in group]
    by_name = dict(zip(names, fold_texts(names), strict=True))
    return [[(name, by_name[name]) for name in group] for group in load_synonyms()]


def _other_readings(words: Words) -> Iterator[tuple[Words, str]]:
    """The words with one name in them replaced by another name of the same thing, and that name.

    The longest name first: "ten node challenge" is more than the "ten node" in it.
    """
    places = [
        (start, folded, group)
        for group in _folded_synonyms()
        for _, folded in group
        for start in _places_of(folded, words)
    ]
    for start, folded, group in sorted(places, key=lambda place: -len(place[1])):
        for name, other in group:
            if other != folded:
                yield (*words[:start], *other, *words[start + len(folded) :]), name


def _places_of(part: Words, words: Words) -> Iterable[int]:
    return (start for start in range(len(words) - len(part) + 1) if words[start : start + len(part)] == part)
