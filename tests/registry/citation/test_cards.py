"""Pictures beside links: what they say of results and lists, their size, and that nothing becomes markup."""

from __future__ import annotations

import struct
from xml.etree import ElementTree

import pytest

from registry.citation.cards import Card, draw_card
from registry.models import Result
from tests.registry.citation.test_citation import HOSTILE, record

__all__ = ["record"]
SVG = "{http://www.w3.org/2000/svg}"


def drawn_texts(card: Card) -> list[str]:
    root = ElementTree.fromstring(draw_card(card))
    return ["".join(element.itertext()).strip() for element in root.iter(f"{SVG}text")]


def test_a_card_has_title_text_number_and_trust() -> None:
    texts = drawn_texts(Card("Test system A", "Site One. Rank 1.", "verified", "50.00", "score"))
    assert texts == ["Highwater", "Test system A", "Site One. Rank 1.", "50.00score", "verified"]


def test_a_card_without_number_or_trust_leaves_them_out() -> None:
    assert drawn_texts(Card("Title", "Text")) == ["Highwater", "Title", "Text"]


@pytest.mark.parametrize(
    ("trust", "vessels"), [("verified", ["M60 586v-26h28v26z"]), ("imported", ["M60 586v-13h28v13z"]), ("reported", [])]
)
def test_the_symbol_of_trust_is_filled_by_level(trust: str, vessels: list[str]) -> None:
    root = ElementTree.fromstring(draw_card(Card("Title", "Text", trust)))
    drawn = [path.get("d") for path in root.iter(f"{SVG}path")]
    assert [path for path in drawn if path and path.startswith("M60 586")] == vessels


def test_hostile_texts_are_escaped() -> None:
    texts = drawn_texts(Card(HOSTILE, "<script>\x00\ufffe\u202eabc", "verified", "1\x07", "<b>"))
    assert texts[1] == 'A {B}\\ & 50% "C": #$_~^ - d: <i>\U0001f30a'
    assert texts[2].startswith("<script>") and not {"\x00", "\ufffe", "\u202e"} & set(texts[2])


def test_long_titles_and_words_are_cut_with_an_ellipsis() -> None:
    texts = drawn_texts(Card("word " * 100, "x" * 2000, number="1.00"))
    title, text = [line for line in texts if line.startswith("word")], [line for line in texts if line.startswith("x")]
    assert (len(title), len(text)) == (3, 2)
    assert title[-1].endswith("…") and text[-1].endswith("…")
    assert max(map(len, text)) < 90


@pytest.mark.parametrize("path", ["results/hw-1", "results/io500-1", "results/paper-1", "lists/SC99/full"])
def test_the_picture_is_a_png_of_1200_by_630(client, record, path: str) -> None:
    answer = client.get(f"/{path}/card.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert struct.unpack(">II", answer.content[16:24]) == (1200, 630)


def test_a_withdrawn_result_shows_no_number(client, record, monkeypatch) -> None:
    cards: list[Card] = []
    monkeypatch.setattr("registry.lists.views_badges.card_png", lambda card: cards.append(card) or b"")
    for name in ("hw-1", "io500-1"):
        client.get(f"/results/{name}/card.png")
    assert [(card.number, card.unit) for card in cards] == [("50.00", "score"), ("", "")]
    assert cards[1].text == "Site One: withdrawn on 2027-11-18, result io500-1"


@pytest.mark.parametrize(
    ("path", "status"), [("results/none-1", 404), ("lists/SC98/early", 409), ("lists/SC98/none", 404)]
)
def test_pages_that_cannot_be_cited_have_no_picture(client, record, path: str, status: int) -> None:
    assert client.get(f"/{path}/card.png").status_code == status


@pytest.mark.parametrize("path", ["results/hw-1", "lists/SC99/full"])
def test_the_page_names_its_picture_and_its_address(client, record, path: str) -> None:
    page = client.get(f"/{path}/").content.decode()
    address = f"https://registry.example.org/{path}/"
    assert f'<link rel="canonical" href="{address}">' in page
    assert f'<meta property="og:image" content="{address}card.png">' in page


def test_the_page_of_a_list_that_is_not_frozen_names_no_picture(client, record) -> None:
    page = client.get("/lists/SC98/early/").content.decode()
    assert "og:image" not in page and "canonical" not in page


def test_a_hostile_name_is_escaped_in_attributes(client, record) -> None:
    Result.objects.filter(public_id="hw-1").update(system_name='"><script>x</script>')
    page = client.get("/results/hw-1/").content.decode()
    assert "<script>x" not in page
