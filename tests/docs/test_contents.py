"""docs/contents.json puts every document into one kind, exactly once."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
KINDS = json.loads((DOCS / "contents.json").read_text(encoding="utf-8"))["kinds"]
ENTRIES = [entry for kind in KINDS for entry in kind["documents"]]

MOST_TOGETHER = 7
"""Entries of a list that is read at a glance; longer ones have groups."""


def test_there_are_four_kinds_in_the_order_of_a_first_visit() -> None:
    assert [kind["slug"] for kind in KINDS] == ["tutorial", "how-to", "reference", "explanation"]


def test_every_document_has_exactly_one_kind() -> None:
    listed = Counter(entry["slug"] for entry in ENTRIES)
    assert listed == Counter([*(path.stem for path in DOCS.glob("*.md")), "benchmarks/"])


def test_every_entry_has_a_title_and_one_short_sentence() -> None:
    assert [entry["slug"] for entry in ENTRIES if not entry["title"] or not entry["sentence"].endswith(".")] == []
    assert [entry["slug"] for entry in ENTRIES if len(entry["sentence"].split()) > 25] == []


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry["slug"][-1] != "/"], ids=itemgetter("slug"))
def test_the_heading_of_a_document_is_its_title_in_the_contents(entry: dict[str, str]) -> None:
    first_line = (DOCS / f"{entry['slug']}.md").read_text(encoding="utf-8").partition("\n")[0]
    assert first_line == f"# {entry['title']}"


@pytest.mark.parametrize("kind", KINDS, ids=itemgetter("slug"))
def test_groups_are_short_and_stand_together(kind: dict[str, Any]) -> None:
    groups = [
        (group, len(list(entries))) for group, entries in groupby(kind["documents"], lambda row: row.get("group"))
    ]
    assert len({group for group, _ in groups}) == len(groups)
    assert max(length for _, length in groups) <= MOST_TOGETHER
