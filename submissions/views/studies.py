"""Saving a study from its page, and removing one's own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from registry import saved
from submissions.views.private import private_page


@require_POST
@private_page
def save(request: HttpRequest) -> HttpResponse:
    as_of = timezone.now() if request.POST.get("keep") == saved.AS_OF else None
    asked = request.POST.get("question", "")
    study = saved.save(request.POST.get("title", ""), asked, request.user.username, as_of)
    return redirect(f"/studies/{study.slug}/")


@require_POST
@private_page
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    saved.remove(slug, request.user.username)
    return redirect("/studies/")
