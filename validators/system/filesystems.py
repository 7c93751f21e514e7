"""Names of file systems: what a declared one means, and whether it is one that is known (filesystems.1.json)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from validators.findings import INFO, WARNING, Finding

CODE = "metadata.filesystem-type"
_ALIKE = 0.8
"""How alike two words are, of 1, that one may be a slip of the other: `lustr` and `lustre` are 0.91."""
_SHORT_CHARACTERS = 4
"""A word as short as `ime` or `nfs` counts only where it stands alone."""
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A file system by its usual name; `type` is the word of a system document for it, if there is candidate."""

    name: str
    type: str | None
    words: tuple[str, ...]

    def is_in(self, declared: str) -> bool:
        """Whether a declared name, in lower case, is one of it."""
        alone = set(re.findall(r"[a-z0-9]+", declared))
        return any(
            _begins_in(word, declared) if len(word) >= _SHORT_CHARACTERS else word in alone for word in self.words
        )


@cache
def filesystems() -> tuple[FileSystem, ...]:
    rows = json.loads(Path(__file__).with_name("filesystems.1.json").read_text(encoding="utf-8"))["filesystems"]
    return tuple(FileSystem(row["name"], row["type"], tuple(row["words"])) for row in rows)


def named_by(declared: str) -> FileSystem | None:
    """The file system that a declared name means; the first of those in it, None for a name that is not known."""
    folded = _folded(declared)
    return next((candidate for candidate in filesystems() if candidate.is_in(folded)), None)


def of_type(type_of_document: str) -> FileSystem | None:
    """The one file system of a type of the system document; None where the type has several."""
    matching = [candidate for candidate in filesystems() if candidate.type == type_of_document]
    return matching[0] if len(matching) == 1 else None


def nearest(declared: str) -> FileSystem | None:
    """The known file system whose name is nearly the declared candidate."""
    by_word = {word: candidate for candidate in filesystems() for word in candidate.words}
    close = get_close_matches(_folded(declared)[:_SHOWN_CHARACTERS], by_word, n=1, cutoff=_ALIKE)
    return by_word[close[0]] if close else None


def findings(metadata: Mapping[str, Any]) -> list[Finding]:
    """That the declared file system is not known by its name; a warning where it looks like a slip."""
    declared = metadata.get("filesystem_type")
    if not isinstance(declared, str) or not declared.strip() or named_by(declared):
        return []
    excerpt, like = declared[:_SHOWN_CHARACTERS], nearest(declared)
    if like:
        message, hint = f"No file system is known as {excerpt}.", f"Is it {like.name}? Correct filesystem_type."
        return [Finding(CODE, WARNING, message, hint, "metadata.filesystem_type", like.name, excerpt)]
    message = f"No file system is known as {excerpt}; results are listed under that name."
    hint = "Write the file system or the product that it is made of. Leave the name of one that is new."
    return [Finding(CODE, INFO, message, hint, "metadata.filesystem_type")]


def _begins_in(word: str, declared: str) -> bool:
    """Whether a word of a declared name begins with it: `chfs` is no part of `finchfs`."""
    return any(not before[-1:].isalpha() for before in declared.split(word)[:-1])


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
