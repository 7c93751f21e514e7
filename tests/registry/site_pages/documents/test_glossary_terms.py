"""Documents link the first use of each word of the glossary, and explain some beside the text."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from registry.site_pages import documentation
from registry.site_pages.documents import glossary_terms
from tests.html import page_source


def linked_words(text: str) -> list[tuple[str, str]]:
    """The anchors and texts of the links to the glossary in a Markdown text."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    glossary_terms.link_terms(tokens)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return re.findall(r'<a class="term" href="/docs/glossary/#([^"]+)">([^<]+)</a>', html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Upload the run. The run is checked.", [("run", "run")]),
        ("Run the command, and check the file.", []),
        ("A ranked list has a score.", [("ranked-list", "ranked list"), ("score", "score")]),
        ("The release of Lustre is an entry of the table.", []),
        ("Pack the result folder.", []),
        ("The `run` of the [run](x.md) and the runner.", []),
        ("Only *verified* results count.", [("verified", "verified")]),
        ("Only verified results count.", [("verified", "verified")]),
        ("The verified address.", []),
        ("- An embargo ends.\n- The embargo ended.", [("embargo", "embargo")]),
        ("# The run\n\n| the run |\n|---|\n| a run |\n", []),
        ("The <b>run</b> & the bundle.", [("bundle", "bundle")]),
    ],
)
def test_the_first_use_of_a_noun_is_linked(text: str, expected: list[tuple[str, str]]) -> None:
    assert linked_words(text) == expected


def test_every_word_of_the_glossary_has_a_meaning_of_one_sentence() -> None:
    terms = glossary_terms.glossary_terms()
    assert len(terms) > 30
    assert [term.word for term in terms.values() if not term.meaning.endswith(".") or "](" in term.meaning] == []


def test_a_document_explains_the_words_that_it_uses(client) -> None:
    page = documentation.render_pages()["first-upload"]
    assert 0 < len(page.terms) <= glossary_terms.MOST_SHOWN
    content = page_source(client.get("/docs/first-upload/"))
    assert "<h3>Words used here</h3>" in content
    assert all(f"<dd>{term.meaning}</dd>" in content for term in page.terms)


def test_the_glossary_does_not_link_its_own_words() -> None:
    assert documentation.render_pages()["glossary"].terms == []
