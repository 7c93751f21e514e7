"""The contents of the documentation: docs/contents.json puts each document into one of four kinds, in reading order."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from django.conf import settings

FILE = settings.BASE_DIR / "docs" / "contents.json"
DECISIONS = "decisions"
"""The index of decision records: a page of its own, which is in no kind."""


@dataclass(frozen=True)
class DocumentEntry:
    """One document in the navigation; `slug` ends in a slash where it stands for a folder.

    `group` is the heading that it is under within its kind.
    """

    slug: str
    title: str
    sentence: str
    group: str = ""


@dataclass(frozen=True)
class DocumentKind:
    """Tutorials, how-to guides, reference or explanation, with their documents in reading order."""

    slug: str
    title: str
    sentence: str
    documents: tuple[DocumentEntry, ...]

    def has(self, slug: str) -> bool:
        return any(entry.slug == slug for entry in self.documents)


@cache
def document_kinds() -> tuple[DocumentKind, ...]:
    """The four kinds as written in docs/contents.json; folders are not yet expanded."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))["kinds"]
    return tuple(
        DocumentKind(
            row["slug"], row["title"], row["sentence"], tuple(DocumentEntry(**entry) for entry in row["documents"])
        )
        for row in rows
    )


def expand_folders(titles: dict[str, str], sentences: dict[str, str]) -> tuple[DocumentKind, ...]:
    """The four kinds with a folder's own documents in its place.

    `titles` are the titles of all documents by slug, `sentences` what those of folders are about.
    """
    return tuple(
        DocumentKind(kind.slug, kind.title, kind.sentence, tuple(_expand_entries(kind.documents, titles, sentences)))
        for kind in document_kinds()
    )


def _expand_entries(
    entries: Iterable[DocumentEntry], titles: dict[str, str], sentences: dict[str, str]
) -> Iterable[DocumentEntry]:
    for entry in entries:
        if not entry.slug.endswith("/"):
            yield entry
            continue
        for slug, title in titles.items():
            if slug.startswith(entry.slug):
                yield DocumentEntry(slug, title, sentences.get(slug, ""), entry.group)


def reading_position(slug: str) -> int:
    """The place of a document in reading order, from 0; what is in no kind comes last."""
    names = [entry.slug for kind in document_kinds() for entry in kind.documents]
    places = [place for place, name in enumerate(names) if slug == name or (name[-1] == "/" and slug.startswith(name))]
    return min(places, default=len(names))
