"""Documents are in plain English: few long sentences, and fewer idioms than before."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
CEILINGS: dict[str, list[int]] = json.loads(Path(__file__).with_name("style.json").read_text(encoding="utf-8"))
"""By document the most sentences of over 25 words, and the most idioms. What is not in it may have none of either."""
MOST_WORDS = 25
IDIOM = re.compile(
    r"\b(told|tells?|said|says so|whoever|one's own|held against|what is said|anew|thereof|wherein|meanwhile)\b", re.I
)


def sentences(text: str) -> list[str]:
    """The sentences of a Markdown text without headings, tables and code; a link counts as its words."""
    text = re.sub(r"(?ms)^```.*?^```", "", text)
    prose = "\n".join(line if not line.startswith(("    ", "|", "#")) else "" for line in text.splitlines())
    prose = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "CODE", prose))
    items = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.)\s", prose, flags=re.MULTILINE)
    return [part for item in items for part in re.split(r"(?<=[.!?:;])\s+", item) if part.strip()]


def faults(text: str) -> list[int]:
    """The number of sentences of more than 25 words, and the number of idioms."""
    return [sum(len(sentence.split()) > MOST_WORDS for sentence in sentences(text)), len(IDIOM.findall(text))]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.stem)
def test_long_sentences_and_idioms_become_fewer(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == CEILINGS.get(path.stem, [0, 0])


def test_every_ceiling_names_an_existing_document() -> None:
    assert set(CEILINGS) - {path.stem for path in DOCS} == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Short. " + "word " * 25, [0, 0]),
        ("word " * 26, [1, 0]),
        ("- " + "word " * 20 + "\n- " + "word " * 20, [0, 0]),
        ("| " + "word " * 40 + "|\n\n    " + "word " * 40, [0, 0]),
        ("It is told anew.", [0, 2]),
        ("It reports again.", [0, 0]),
    ],
)
def test_sentences_and_idioms_are_counted(text: str, expected: list[int]) -> None:
    assert faults(text) == expected
