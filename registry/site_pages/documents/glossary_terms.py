"""Links the first use of each word of the glossary in a document, and lists the words that were linked.

A word counts where it is a noun: after an article or a like word, as "a run". Levels of trust count in emphasis, or
before a noun, as "verified results". So "Run the command" is no use of "run".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from django.conf import settings
from django.utils.text import slugify
from markdown_it.token import Token

FILE = settings.BASE_DIR / "docs" / "glossary.md"
ADDRESS = "/docs/glossary/#"
MOST_SHOWN = 5
"""Words that are shown beside a document with their meaning."""
_LEVELS = ("verified", "derived", "imported", "reported")
_BEFORE = r"a|an|the|each|every|one|this|your|any|its|another|no|of"
_AMBIGUOUS = ("entry", "state", "release", "target", "check", "rule", "repeat")
"""Words that also mean another thing in documents, as a release of Lustre or an entry of a table: never linked."""


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """One word with its anchor on the page of the glossary and the first sentence of its meaning."""

    word: str
    anchor: str
    meaning: str


@cache
def glossary_terms() -> dict[str, GlossaryTerm]:
    """The words of the glossary by lower case, in its order."""
    text = FILE.read_text(encoding="utf-8")
    rows = re.findall(r"^### ([^\n]+)\n(.+?)(?=\n\n|\n#|\Z)", text, flags=re.MULTILINE | re.DOTALL)
    terms = (GlossaryTerm(word, slugify(word), _first_sentence(meaning)) for word, meaning in rows)
    return {term.word.lower(): term for term in terms}


def link_terms(tokens: list[Token]) -> list[GlossaryTerm]:
    """Link the first use of each word in paragraphs and lists; the words in the order of their first use."""
    linked: dict[str, GlossaryTerm] = {}
    for before, token in pairwise(tokens):
        if token.type == "inline" and before.type == "paragraph_open":
            token.children = list(_linked_children(token.children or [], linked))
    return list(linked.values())


def _linked_children(children: list[Token], linked: dict[str, GlossaryTerm]) -> Iterator[Token]:
    links = 0
    for previous, child in zip([None, *children], children, strict=False):
        links += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        if child.type == "text" and not links:
            yield from _split_text(
                child.content, linked, emphasised=previous is not None and previous.type == "em_open"
            )
        else:
            yield child


def _split_text(text: str, linked: dict[str, GlossaryTerm], *, emphasised: bool) -> Iterator[Token]:
    """The text with the first use of each word that was not linked before as a link."""
    position = 0
    for match in _uses().finditer(text):
        word = match["level"] or match["noun"] or ""
        term = glossary_terms()[word.lower()]
        if term.anchor in linked:
            continue
        linked[term.anchor] = term
        start = match.start("level" if match["level"] else "noun")
        yield _text_token(text[position:start])
        yield from _link_tokens(text[start : match.end()], term)
        position = match.end()
    rest = text[position:]
    level = glossary_terms().get(rest.lower()) if emphasised and rest.lower() in _LEVELS else None
    if level and level.anchor not in linked:
        linked[level.anchor] = level
        yield from _link_tokens(rest, level)
    elif rest:
        yield _text_token(rest)


@cache
def _uses() -> re.Pattern[str]:
    """A noun behind a word such as "the", with its plural, or a level of trust before what has it."""
    words = [word for word in glossary_terms() if word not in (*_LEVELS, *_AMBIGUOUS)]
    nouns = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(
        rf"\b(?:{_BEFORE})\s+(?P<noun>{'|'.join(nouns)})(?![\w-])(?!\s+folder)"
        rf"|\b(?P<level>{'|'.join(_LEVELS)})(?=\s+(?:results?|runs?|numbers?)\b)",
        re.IGNORECASE,
    )


def _link_tokens(words: str, term: GlossaryTerm) -> tuple[Token, Token, Token]:
    opening = Token("link_open", "a", 1, attrs={"class": "term", "href": ADDRESS + term.anchor})
    return opening, _text_token(words), Token("link_close", "a", -1)


def _text_token(text: str) -> Token:
    return Token("text", "", 0, content=text)


def _first_sentence(text: str) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", " ".join(text.split()))
    return re.split(r"(?<=[.])\s+(?=[A-Z])", plain)[0]
