"""Saving a study or a ranking from its page, and removing one's own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from registry import saved
from registry.models import SavedStudy
from submissions.web.page_base import private_page

PLACES = {SavedStudy.Kind.STUDY: "/studies/", SavedStudy.Kind.RANKING: "/rankings/"}


@require_POST
@private_page
def save(request: HttpRequest, kind: str) -> HttpResponse:
    as_of = timezone.now() if request.POST.get("keep") == saved.AS_OF else None
    asked = request.POST.get("question", "")
    study = saved.save(kind, request.POST.get("title", ""), asked, request.user.username, as_of)
    return redirect(f"{PLACES[kind]}{study.slug}/")


@require_POST
@private_page
def remove(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    saved.remove(kind, slug, request.user.username)
    return redirect(PLACES[kind])
