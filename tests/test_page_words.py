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
    r"(compare|keep) ticked",
    r"how far to trust a number",
    r"(stay|stays), whatever the order",
    r"(entry|result|system)( of this list)? has (these|this) filter",
    r"in the record\b",
    r"the record (holds|has|is empty)",
    r"whole record",
    r"no name given",
    r"over the releases",
    r"computed anew",
    r"against its ceilings",
    r"the ceilings rest on",
    r"with the one before\b",
    r"without a published name",
    r"value as printed<",
    r">by chance<",
    r"what they tell",
    r"(none|nothing) is clear",
    r"which stay private",
    r"how gains are made",
    r"takes it? for granted",
    r">(before|after) it<",
    r"slow members",
    r"a file meets a slow",
    r"also printed as",
    r"published result tells",
    r"saved by people",
    r"(not this one|nothing else|no other condition)</option>",
    r"rank by a formula",
    r"its revision</a>",
    r"edited any more",
    r"one more file",
    r"findings that are gone",
    r"points propose",
    r"who sees this",
    r"is told to its submitters",
    r"what would be published</h2>",
    r"known are\b",
)
"""Patterns of phrases that pages once had. None has an exception."""


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
