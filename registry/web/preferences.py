"""What a reader may choose: the colours. Kept in a cookie of a year, no account needed."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from registry.web.context_processors import THEMES
from registry.web.error_pages import refused_form

YEAR_S = 365 * 86_400


@require_POST
@csrf_exempt
def set_preferences(request: HttpRequest) -> HttpResponse:
    """Set the theme and go back.

    No CSRF token, because a token would put a cookie on every public page and keep them from being cached; a form of
    another site is refused by its Origin instead, which every browser sends.
    """
    origin = request.headers.get("Origin", "")
    if origin not in ("", f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS):
        return refused_form(request)
    response = redirect(_previous_page(request))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            "theme", theme, max_age=YEAR_S, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax"
        )
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


def _previous_page(request: HttpRequest) -> str:
    """The page that the form stood on, if it is one of ours."""
    next_address = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(next_address, {request.get_host()}, require_https=request.is_secure())
    return next_address if safe and next_address.startswith("/") else "/"
