"""Wheels as downloads: built from the sources that run here, once per process."""

from __future__ import annotations

from functools import cache

from django.http import Http404, HttpResponse
from django.utils.module_loading import import_string


@cache
def build_wheel(builder: str) -> tuple[str, bytes]:
    """File name and bytes. Builders are named by string: the record imports nothing of the launcher."""
    name, content = import_string(builder)()
    return name, content


def wheel_response(builder: str, name: str, what: str) -> HttpResponse:
    """Serve a wheel for `pip install ADDRESS`, which reads the version from the name.

    Raises Http404 for any name but that of the wheel that is built here.
    """
    built_name, content = build_wheel(builder)
    if f"{name}.whl" != built_name:
        raise Http404(f"{what} here is {built_name}.")
    return HttpResponse(content, content_type="application/zip")
