"""Words that pages no longer use, with those that they use now."""

from __future__ import annotations

from pathlib import Path

import pytest

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
REPLACED = {
    "Rankings of one\N{RIGHT SINGLE QUOTATION MARK}s own": "Custom rankings",
    "Make a token": "Create token",
    "A reviewer\N{RIGHT SINGLE QUOTATION MARK}s word": "Reviewer decision",
    "Edit what is said": "Edit run details",
    "What is said of this run": "Run details",
    "What the run\N{RIGHT SINGLE QUOTATION MARK}s files don\N{RIGHT SINGLE QUOTATION MARK}t say": "Details not in the files",
    "For trying out": "Test upload (never published)",
    "Begin without a file": "Start a draft",
    "Steps to look at": "Performance changes to review",
    "What became of it": "Outcome",
    "Does a file meet a slow target?": "How likely is a file to hit a slow OST?",
    "How many units a rate takes": "Sizing: how many enclosures do I need?",
    "Platforms in line": "Product generations",
    "What gains come from": "Where the gains come from",
    "For who has an account": "Accounts",
    "I don\N{RIGHT SINGLE QUOTATION MARK}t know my password": "Forgot password?",
    "Studies that others asked": "Saved studies",
    "Lists it stands on": "Ranked on",
    "What may be said": "How to quote this result",
    "No result that counts today.": "No current results.",
    "Nothing that waits has these filters.": "No submission matches these filters.",
    "Correct what is named.": "Check the highlighted fields.",
    "This account has no mail address, so nobody writes to it.": "Add an email address to receive notifications.",
    "names in free text stay": "Names inside free text are not removed.",
}
"""What a page said before, and what says the same plainly."""


def pages_with(text: str) -> list[str]:
    return [str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html") if text in path.read_text("utf-8")]


@pytest.mark.parametrize("text", REPLACED)
def test_no_page_uses_words_that_were_replaced(text: str) -> None:
    assert pages_with(text) == [], f"write: {REPLACED[text]}"


def test_words_on_a_page_are_found() -> None:
    assert "comparison/compare.html" in pages_with("Results to compare")
