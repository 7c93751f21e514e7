"""The Python client as a download: built from the sources that run here, once per process."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string

from registry.views.caching import public_page

BUILDER = "launcher.client_file.wheel"
"""Named by string: the record imports nothing of the launcher."""


@cache
def _wheel() -> tuple[str, bytes]:
    """File name and bytes."""
    name, content = import_string(BUILDER)()
    return name, content


@public_page
def page(request: HttpRequest) -> HttpResponse:
    site = settings.SITE_URL or f"{request.scheme}://{request.get_host()}"
    return render(request, "client.html", {"section": "docs", "site": site, "wheel": _wheel()[0]})


@public_page
def wheel(request: HttpRequest, name: str) -> HttpResponse:
    """For `pip install ADDRESS`, which reads the version from the name: only the one that is built here is there."""
    built, content = _wheel()
    if f"{name}.whl" != built:
        raise Http404(f"The client here is {built}.")
    return HttpResponse(content, content_type="application/zip")
