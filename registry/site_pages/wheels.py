"""Wheels as downloads: built from the sources that run here, once per process."""

from __future__ import annotations

from functools import cache

from django.http import Http404, HttpResponse
from django.utils.module_loading import import_string


@cache
def built(builder: str) -> tuple[str, bytes]:
    """File name and bytes. Builders are named by string: the record imports nothing of the launcher."""
    name, content = import_string(builder)()
    return name, content


def served(builder: str, name: str, what: str) -> HttpResponse:
    """For `pip install ADDRESS`, which reads the version from the name: only the one that is built here is there."""
    known, content = built(builder)
    if f"{name}.whl" != known:
        raise Http404(f"{what} here is {known}.")
    return HttpResponse(content, content_type="application/zip")
