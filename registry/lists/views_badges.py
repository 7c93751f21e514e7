"""Badges and cards of results, lists and awards: they say what holds today, at an address that stays."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from registry.citation import badges, cited_facts
from registry.citation.cards import Card, card_png
from registry.citation.formats import PUBLISHER
from registry.lists import awards
from registry.lists.views_certificates import TITLES
from registry.models import Result
from registry.query import public_record
from registry.query.responses.trust_levels import cite_level
from registry.web.caching import kept_value, public_page

LABEL_FROM, GAP, SIGN, EDGE, DEPTH = 23, 10, 14, 9, 9
"""Of the drawing, px: where the label begins, what lies between label and sign, sign to text, after it, full sign."""
_RATES = (("score", "score"), ("bandwidth_gib_per_s", "GiB/s"), ("rate_kiops", "kIOPS"))
"""What a card of a result leads with: the first field that the record has, and its unit."""


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
    ranked, won = awards.find_award(stored_release, name, award, kept_value)
    shared = ", shared" if won.is_shared else ""
    place = f"{ranked.title} list of {stored_release.name}"
    winners = ", ".join(f"result {winner['result']}" for winner in won.winners)
    names = "; ".join(f"{winner['system'] or winner['result']}, {winner['institution']}" for winner in won.winners)
    title, caveat = TITLES[award], awards.award_caveat(ranked, won)
    sentence = f"{title}{shared}, {place}: {names} ({cite_level(ranked.trust, caveat)}; {PUBLISHER})."
    words = f"{title.lower()}{shared}, {place}, {winners}"
    return _badge_response(badges.Badge(ranked.trust, words, sentence, caveat))


def _badge_response(badge: badges.Badge) -> HttpResponse:
    label, text = badges.text_width(PUBLISHER), badges.text_width(badge.text)
    sign = LABEL_FROM + label + GAP
    lengths = {"label": label, "sign": sign, "text": text, "width": sign + SIGN + text + EDGE}
    facts = {"badge": badge, "publisher": PUBLISHER, "height": badges.HEIGHT, "filled": DEPTH * badge.filled, **lengths}
    return HttpResponse(render_to_string("lists/badge.svg", facts), content_type="image/svg+xml")


@public_page
def result_card(request: HttpRequest, public_id: str) -> HttpResponse:
    """The card of a result: its system, its place and, unless it is withdrawn, its number. Raises NotOnRecord."""
    result = public_record.find_result(public_id)
    work = cited_facts.citable_result(public_id)
    number, unit = ("", "") if result.withdrawn_at else _leading_number(result)
    title = result.system_name or f"{result.tool} result {public_id}"
    card = Card(title, f"{result.institution}: {work.brief}", work.trust, number, unit, work.caveat)
    return HttpResponse(card_png(card), content_type="image/png")


@public_page
def list_card(request: HttpRequest, release: str, name: str) -> HttpResponse:
    """The card of a frozen list. Raises NotOnRecord, ListNotFrozen."""
    work = cited_facts.list_work(public_record.ranked_list(release, name))
    card = Card(work.title, work.statement, work.trust, caveat=work.caveat)
    return HttpResponse(card_png(card), content_type="image/png")


def _leading_number(result: Result) -> tuple[str, str]:
    """The first of score, bandwidth and rate that the record has, with its unit."""
    for field, unit in _RATES:
        if (value := getattr(result, field)) is not None:
            return f"{value:,.2f}", unit
    return "", ""
