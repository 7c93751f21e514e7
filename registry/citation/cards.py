"""The picture that stands beside a link to a page in other places: a title, what it says, a number, and its trust."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.template.loader import render_to_string

from registry.citation import badges
from registry.citation.formats import PUBLISHER
from registry.query.names.canonical_names import plain_text
from registry.query.responses.trust_levels import BY_NAME, join_caveat
from registry.web.caching import cached_value

WIDTH, HEIGHT = 1200, 630
"""Of the picture, px: what Open Graph readers show whole. Source: ogp.me and the sharing guide of Meta."""
ROOM = 1080
TITLE_SIZE, TEXT_SIZE, DEPTH = 54, 32, 26
TITLE_LINES, TEXT_LINES = 3, 4
TITLE_FROM, TITLE_STEP, TEXT_STEP = 180, 64, 44
"""Heights in px: the first line of the title, and from line to line."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Card:
    """What a card says. `number` is formatted, `trust` the name of a level, `caveat` what is said beside it.

    Each of these may be empty.
    """

    title: str
    text: str
    trust: str = ""
    number: str = ""
    unit: str = ""
    caveat: str = ""


def draw_card(card: Card) -> str:
    """The card as SVG. Long texts are cut at a word, with an ellipsis."""
    title = _wrap_text(card.title, TITLE_SIZE, TITLE_LINES)
    text_from = TITLE_FROM + len(title) * TITLE_STEP
    text = _wrap_text(card.text, TEXT_SIZE, min(TEXT_LINES, 3 if card.number else TEXT_LINES) - (len(title) > 2))
    level = BY_NAME.get(card.trust)
    return render_to_string(
        "citation/card.svg",
        {
            "publisher": PUBLISHER,
            "title": _place_lines(title, TITLE_FROM, TITLE_STEP),
            "text": _place_lines(text, text_from, TEXT_STEP),
            "number": _printable_text(card.number),
            "unit": _printable_text(card.unit),
            "trust": join_caveat(level.brief, card.caveat) if level else "",
            "filled": round(DEPTH * level.filled) if level else 0,
        },
    )


def card_png(card: Card) -> bytes:
    """The card as PNG, kept under the digest of its drawing."""
    drawing = draw_card(card)
    digest = hashlib.sha256(drawing.encode()).hexdigest()
    return cached_value(f"card:{digest}", lambda: _render_png(drawing))


def _render_png(drawing: str) -> bytes:
    import vl_convert  # 80 MB with its engine, which only pictures need

    return bytes(vl_convert.svg_to_png(drawing))


def _place_lines(lines: Iterable[str], first: int, step: int) -> list[dict[str, object]]:
    return [{"y": first + index * step, "text": line} for index, line in enumerate(lines)]


def _printable_text(text: str) -> str:
    return plain_text(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _wrap_text(text: str, size: int, most: int) -> list[str]:
    """Lines of the width of the card, at most so many; a word that is too long is divided."""
    lines, line = [], ""
    for word in _printable_text(text).split():
        for piece in _split_word(word, size):
            longer = f"{line} {piece}".strip()
            if line and _text_width(longer, size) > ROOM:
                lines.append(line)
                line = piece
            else:
                line = longer
    lines.append(line)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} …"]
    return [line for line in lines if line]


def _split_word(word: str, size: int) -> list[str]:
    pieces, piece = [], ""
    for letter in word:
        if piece and _text_width(piece + letter, size) > ROOM - 2 * size:
            pieces.append(piece)
            piece = ""
        piece += letter
    return [*pieces, piece]


def _text_width(text: str, size: int) -> float:
    return badges.text_width(text) * size / badges.SIZE * 1.06
