"""Badges of results, lists and awards as SVG: they say what holds today, at an address that stays."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from registry.citation import badges, cited_facts
from registry.citation.formats import CITED_AS, PUBLISHER
from registry.lists import awards
from registry.lists.views_certificates import TITLES
from registry.query import public_record
from registry.web.caching import public_page

LABEL_FROM, GAP, SIGN, EDGE, DEPTH = 23, 10, 14, 9, 9
"""Of the drawing, px: where the label begins, what lies between label and sign, sign to text, after it, full sign."""


@public_page
def result_badge(request: HttpRequest, public_id: str) -> HttpResponse:
    """Withdrawn and revised results keep their badge, which says so."""
    return _badge_response(badges.badge_of_work(cited_facts.citable_result(public_id)))


@public_page
def ranked_list(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """Draw the badge of a frozen list. Raises ListNotFrozen for another."""
    return _badge_response(badges.badge_of_work(cited_facts.list_work(public_record.ranked_list(release, name))))


@public_page
def award_badge(request: HttpRequest, release: str, name: str, award: str) -> HttpResponse:
    """It names the results that have the award, so that it says nothing of another."""
    stored_release = public_record.find_release(release)
    ranked, won = awards.find_award(stored_release, name, award)
    shared = ", shared" if won.is_shared else ""
    place = f"{ranked.title} list of {stored_release.name}"
    winners = ", ".join(f"result {winner['result']}" for winner in won.winners)
    names = "; ".join(f"{winner['system'] or winner['result']}, {winner['institution']}" for winner in won.winners)
    title = TITLES[award]
    sentence = f"{title}{shared}, {place}: {names} ({CITED_AS[ranked.trust]}; {PUBLISHER})."
    return _badge_response(badges.Badge(ranked.trust, f"{title.lower()}{shared}, {place}, {winners}", sentence))


def _badge_response(badge: badges.Badge) -> HttpResponse:
    label, text = badges.text_width(PUBLISHER), badges.text_width(badge.text)
    sign = LABEL_FROM + label + GAP
    lengths = {"label": label, "sign": sign, "text": text, "width": sign + SIGN + text + EDGE}
    facts = {"badge": badge, "publisher": PUBLISHER, "height": badges.HEIGHT, "filled": DEPTH * badge.filled, **lengths}
    return HttpResponse(render_to_string("lists/badge.svg", facts), content_type="image/svg+xml")
