"""Certificates of awards: one drawing from a template, as SVG and as PDF of one page."""

from __future__ import annotations

import hashlib
import re
import textwrap
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from registry.errors import Problem
from registry.lists import awards
from registry.lists.awards import FEWEST_CLIENTS, Award
from registry.models import RankedList, Release
from registry.presentation import numbers
from registry.query import public_record
from registry.query.responses.trust_levels import join_caveat
from registry.web import client_address
from registry.web.caching import cached_value, public_page

TITLES = {"overall": "Highest score", "bandwidth": "Highest bandwidth", "metadata": "Highest metadata rate"}
TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}
LETTERS = 56
"""Of a name in one line."""
WINNERS_FROM, NAME_LINE, SMALL_LINE, GAP, FOOT = 238, 32, 22, 18, 176
"""Heights in units of the drawing."""
UNKNOWN = "\U0010fffd"
"""A letter that no font has: what else looks like it can't be drawn either."""
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class NoFont(Problem):
    status = 406
    code = "certificate.no-font"
    title = "The PDF can't be drawn with the fonts of this registry"

    def __init__(self, letters: str, svg: str) -> None:
        super().__init__(
            hint=f"None of them has {letters[:40]}. Take {svg}, which the browser draws with its own fonts."
        )


@public_page
def certificate_page(request: HttpRequest, release: str, name: str, award: str, form: str) -> HttpResponse:
    """The certificate of one award of one list. Raises NotOnRecord where there is no such award, or form, NoFont."""
    if form not in TYPES:
        raise public_record.NotOnRecord("certificate", form, list(TYPES))
    stored_release = public_record.find_release(release)
    ranked, won = awards.find_award(stored_release, name, award)
    site = client_address.site_address(request)
    drawing = render_to_string("lists/certificate.svg", _certificate_drawing(stored_release, ranked, won, site))
    if form == "pdf" and (missing := _without_font(drawing)):
        raise NoFont(missing, request.path.removesuffix("pdf") + "svg")
    response = HttpResponse(drawing if form == "svg" else _render_pdf(drawing), content_type=TYPES[form])
    response["Content-Disposition"] = f'inline; filename="{stored_release.slug}-{name}-{award}.{form}"'
    return response


def _render_pdf(drawing: str) -> bytes:
    """Kept under the digest of its drawing: making it takes longer than everything else."""
    import vl_convert  # 80 MB with its engine, which only pictures need

    digest = hashlib.sha256(drawing.encode()).hexdigest()
    return cached_value(f"certificate:{digest}", lambda: bytes(vl_convert.svg_to_pdf(drawing)))


def _without_font(drawing: str) -> str:
    """The letters of a drawing that a PDF made here would show as boxes."""
    letters = sorted({letter for letter in drawing if not letter.isascii() and letter.isalnum()})
    return "".join(letter for letter in letters if _letter_path(letter) == _letter_path(UNKNOWN))


@lru_cache(4096)
def _letter_path(letter: str) -> bytes:
    import vl_convert  # see _pdf

    drawn = render_to_string("lists/letter.svg", {"letter": letter})
    return hashlib.sha256(vl_convert.svg_to_png(drawn)).digest()


def _certificate_drawing(release: Release, ranked: RankedList, award: Award, site: str) -> dict[str, Any]:
    """Texts and their heights: each winner takes as many lines as its names need."""
    texts, y = [], WINNERS_FROM
    for winner in award.winners:
        for line in _wrap_lines(winner["system"] or winner["result"]):
            texts.append({"y": y, "text": line, "large": True})
            y += NAME_LINE
        nodes = numbers.pluralize(winner["client_nodes"], "client node")
        for line in [*_wrap_lines(winner["institution"]), nodes, f"{site}/results/{winner['result']}/"]:
            texts.append({"y": y, "text": line, "large": False})
            y += SMALL_LINE
        y += GAP
    return {
        "title": TITLES[award.award],
        "value": numbers.format_decimal(award.value),
        "unit": award.unit or "no unit",
        "list": f"{_strip_control(ranked.title)} list, {_strip_control(release.name)}",
        "shared": award.is_shared,
        "trust": ranked.trust,
        "label": join_caveat(ranked.trust, awards.award_caveat(ranked, award)),
        "date": _certificate_date(release, ranked),
        "fewest": FEWEST_CLIENTS,
        "texts": texts,
        "foot": y,
        "height": max(595, y + FOOT),
        "address": f"{site}/releases/{release.slug}/#awards",
    }


def _certificate_date(release: Release, ranked: RankedList) -> str:
    """The day of publication; of an imported release the month is known."""
    if release.imported:
        return f"{release.held_on:%Y-%m}"
    return f"{release.published_at or ranked.frozen_at:%Y-%m-%d} UTC"


def _wrap_lines(text: str) -> list[str]:
    return textwrap.wrap(_strip_control(text), LETTERS)


def _strip_control(text: str) -> str:
    """Without what no XML may hold."""
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
