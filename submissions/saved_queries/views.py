"""Saving a study or a ranking from its page, and removing one's own."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from registry.models import SavedStudy
from registry.studies import saved_queries
from submissions.saved_queries.forms import SaveForm
from submissions.web.page_base import private_page
from submissions.web.page_forms import form_page

PLACES: Mapping[str, str] = {SavedStudy.Kind.STUDY: "/studies/", SavedStudy.Kind.RANKING: "/rankings/"}
TITLES: Mapping[str, str] = {SavedStudy.Kind.STUDY: "Studies", SavedStudy.Kind.RANKING: "Rankings"}


@require_POST
@private_page
def save(request: HttpRequest, kind: str) -> HttpResponse:
    """Save the question and lead to it; what is refused is shown again, with all that was typed."""
    form = SaveForm(request.POST)
    saved: list[SavedStudy] = []

    def keep_question(title: str, keep: str, question: str) -> None:
        as_of = timezone.now() if keep == saved_queries.AS_OF else None
        saved.append(saved_queries.save(kind, title, question, request.user.username, as_of))

    if form.carry_out(keep_question):
        return redirect(f"{PLACES[kind]}{saved[0].slug}/")
    context = {"section": "studies", "kind": kind, "place": PLACES[kind], "place_title": TITLES[kind]}
    return form_page(request, "saved_queries/save.html", context, form)


@require_POST
@private_page
def remove_saved(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    saved_queries.remove_saved(kind, slug, request.user.username)
    return redirect(PLACES[kind])
