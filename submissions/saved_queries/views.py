"""Saving a study or a ranking from its page, and removing one's own."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from registry.models import SavedStudy
from registry.studies import saved_queries
from submissions.web.page_base import private_page

PLACES: Mapping[str, str] = {SavedStudy.Kind.STUDY: "/studies/", SavedStudy.Kind.RANKING: "/rankings/"}


@require_POST
@private_page
def save(request: HttpRequest, kind: str) -> HttpResponse:
    as_of = timezone.now() if request.POST.get("keep") == saved_queries.AS_OF else None
    question = request.POST.get("question", "")
    study = saved_queries.save(kind, request.POST.get("title", ""), question, request.user.username, as_of)
    return redirect(f"{PLACES[kind]}{study.slug}/")


@require_POST
@private_page
def remove_saved(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    saved_queries.remove_saved(kind, slug, request.user.username)
    return redirect(PLACES[kind])
