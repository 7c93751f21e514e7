"""The words of the pages: no template goes back to a phrase that readers did not understand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
OLD_WORDS = (
    r"make a token",
    r"begins with</th>",
    r"<th>it may",
    r"works (for|until)\b",
    r"<th>what for",
    r"<th>told of",
    r"what you are told",
    r"send a trial",
    r"add the (key|webhook)",
    r"ties to vendors",
    r"download it as",
    r"erase the account",
    r"\btake back",
    r"nobody is invited",
    r"has no mail address",
    r"you follow none",
    r"(don.t|do not) know my password",
    r"name or mail address",
    r"for trying out",
    r"begin (a revision|without a file)",
    r"what is said of",
    r"edit what is said",
    r"what the run.s files don.t say",
    r"some fields are not valid",
    r"choose which run counts",
    r"look inside",
    r"what others will see",
    r"a reviewer.s word",
    r"judge again",
    r"send the answer",
    r"nothing was said",
    r"what was sent and not kept",
    r"steps to look at",
    r"what became of it",
    r"nothing (that )?waits",
    r"not for you to decide",
    r">take it( up)?<",
    r">give it back<",
    r"run the rules again",
)
"""Patterns of phrases that the pages of submissions, accounts and review had. None has an exception."""


def places_of(pattern: str, folder: Path) -> list[str]:
    """File and phrase of every match in the templates of a folder, across line breaks of the layout."""
    return [
        f"{path.relative_to(folder)}: {match[0]}"
        for path in sorted(folder.rglob("*.html"))
        for match in re.finditer(pattern, re.sub(r"\s+", " ", path.read_text(encoding="utf-8")), re.IGNORECASE)
    ]


@pytest.mark.parametrize("pattern", OLD_WORDS)
def test_no_template_has_an_old_phrase(pattern: str) -> None:
    assert places_of(pattern, TEMPLATES) == []


def test_old_phrases_are_matched_across_lines(tmp_path) -> None:
    (tmp_path / "page.html").write_text("<h2>Steps to\n  look at</h2>", encoding="utf-8")
    assert places_of("steps to look at", tmp_path) == ["page.html: Steps to look at"]
    assert places_of("told of", tmp_path) == []
