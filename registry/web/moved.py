"""Where an address leads whose slug is a former name: the same page or answer of what it is now."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import reverse
from django.utils.cache import patch_cache_control

from registry.query.public_record import MovedOnRecord

KEPT_S = 60
"""A merging can be undone: nobody keeps the redirect for longer."""


def current_address(request: HttpRequest, moved: MovedOnRecord) -> str:
    """Path and query of the address with the slug of today."""
    match = request.resolver_match
    assert match is not None
    address = reverse(match.view_name, kwargs=match.kwargs | {"slug": moved.slug})
    query = request.META.get("QUERY_STRING", "")
    return f"{address}?{query}" if query else address


def redirect_moved(request: HttpRequest, moved: MovedOnRecord) -> HttpResponsePermanentRedirect:
    """301, kept for a minute."""
    response = HttpResponsePermanentRedirect(current_address(request, moved))
    patch_cache_control(response, public=True, max_age=KEPT_S)
    return response
