"""Badges: what one says in a few words, how wide that is, and how a page shows it. Plain arithmetic."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from html import escape

from registry.citation.formats import PUBLISHER, Work
from registry.query.names.canonical_names import plain_text
from registry.query.responses.trust_levels import BY_NAME, join_caveat

SIZE, HEIGHT = 12, 24
"""Of the letters and of the badge, px."""
WIDTHS = {
    letter: width
    for width, letters in {
        191: "'",
        222: "ijl",
        260: "|",
        278: " !,./:;I[\\]ft",
        333: "()-`r",
        334: "{}",
        355: '"',
        389: "*",
        469: "^",
        500: "Jcksvxyz",
        556: "#$0123456789?L_abdeghnopqu",
        584: "+<=>~",
        611: "FTZ",
        667: "&ABEKPSVXY",
        722: "CDHNRUw",
        778: "GOQ",
        833: "Mm",
        889: "%",
        944: "W",
        1015: "@",
    }.items()
    for letter in letters
}
"""Of Helvetica, Arial and Liberation Sans, in thousandths of the size. Source: Adobe Core 14 AFM, Helvetica."""
WIDE, OTHER = 1000, 667


@dataclass(frozen=True)
class Badge:
    """`words` say what holds today, `statement` is all that may be said, `caveat` is said beside the trust."""

    trust: str
    words: str
    statement: str
    caveat: str = ""

    @property
    def text(self) -> str:
        """Trust first: nothing is said without it."""
        return plain_text(f"{join_caveat(BY_NAME[self.trust].brief, self.caveat)}: {self.words}")

    @property
    def sentence(self) -> str:
        """What may be said, in one line."""
        return plain_text(self.statement)

    @property
    def filled(self) -> float:
        """How full the sign of trust is, 0 to 1."""
        return BY_NAME[self.trust].filled


def badge_of_work(work: Work) -> Badge:
    """The badge of what is cited."""
    return Badge(work.trust, work.brief, work.sentence, work.caveat)


def embed_snippets(work: Work) -> dict[str, str]:
    """The badge of a work as a link to it, in HTML and Markdown.

    What the picture says may change; the text instead of it is copied once, so it only names what the badge is about.
    """
    address, picture, name = work.address, work.badge_address, f"{PUBLISHER}: {work.id}"
    return {
        "HTML": f'<a href="{escape(address)}"><img src="{escape(picture)}" alt="{escape(name)}" height="{HEIGHT}"></a>',
        "Markdown": f"[![{name}]({picture})]({address})",
    }


def text_width(text: str) -> int:
    """Of one line, px, rounded up: known letters exactly, their accents for nothing, wide East Asian ones square."""
    return math.ceil(sum(map(_glyph_width, text)) * SIZE / 1000)


def _glyph_width(letter: str) -> int:
    base = unicodedata.normalize("NFD", letter)[0]
    if unicodedata.combining(base):
        return 0
    return WIDTHS.get(base, WIDE if unicodedata.east_asian_width(base) in "WF" else OTHER)
