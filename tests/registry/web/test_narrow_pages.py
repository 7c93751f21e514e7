"""What only wide screens show is small: the mark of a row, a word of a link. A table is there on a phone, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"
_HIDDEN_BLOCK = re.compile(
    r'<(?:article|div|dl|fieldset|figure|form|ol|p|section|table|tbody|tr|ul)\b[^>]*class="(?:[^"]* )?wide[ "]'
)


def test_no_block_is_for_wide_screens_alone() -> None:
    """Below 62 rem `wide` is not displayed. The runs of a shelf, their numbers and ended ties were missing there."""
    hidden = [
        f"{path.relative_to(TEMPLATES)}: {match.group()}"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for match in _HIDDEN_BLOCK.finditer(path.read_text(encoding="utf-8"))
    ]
    assert hidden == []


@pytest.mark.parametrize(
    ("source", "is_hidden"),
    [
        ('<div class="wide"><table>', True),
        ('<table role="table" class="cards wide">', True),
        ('<div class="widest">', False),
        ('<th role="columnheader" class="wide">', False),
        ('<span class="wide"> a run</span>', False),
    ],
)
def test_a_hidden_block_is_recognised(source: str, is_hidden: bool) -> None:
    assert bool(_HIDDEN_BLOCK.search(source)) is is_hidden
