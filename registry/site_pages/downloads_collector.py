"""The collector as a download: built from the sources that run here and the address of this site, once per process."""

from __future__ import annotations

import hashlib
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string

from registry.presentation import numbers
from registry.site_pages import wheels
from registry.web import client_address
from registry.web.caching import public_page

BUILDER = "launcher.collector_file.build"
WHEEL_BUILDER = "launcher.collector_file.wheel"
"""Named by string: the record imports nothing of the launcher, and both serve the same bytes."""


def _collector_file() -> tuple[bytes, str]:
    """Bytes and sha256 of highwater.pyz.

    It knows the address of SITE_URL and never that of a request, whose Host anybody can write: whoever keeps an answer
    for others would hand out a file that sends tokens elsewhere.
    """
    return _build_collector(settings.SITE_URL)


@cache
def _build_collector(registry: str) -> tuple[bytes, str]:
    content = import_string(BUILDER)(registry=registry)
    return content, hashlib.sha256(content).hexdigest()


@public_page
def collector_page(request: HttpRequest) -> HttpResponse:
    content, sha256 = _collector_file()
    site = client_address.site_address(request)
    context = {
        "section": "docs",
        "sha256": sha256,
        "size": numbers.format_bytes(len(content)),
        "site": site,
        "registry": settings.SITE_URL,
        "wheel": wheels.build_wheel(WHEEL_BUILDER)[0],
    }
    return render(request, "site_pages/collector.html", context)


@public_page
def download_collector(request: HttpRequest) -> HttpResponse:
    content, _ = _collector_file()
    return HttpResponse(
        content,
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="highwater.pyz"'},
    )


@public_page
def collector_wheel(request: HttpRequest, name: str) -> HttpResponse:
    return wheels.wheel_response(WHEEL_BUILDER, name, "The collector")


@public_page
def collector_checksum(request: HttpRequest) -> HttpResponse:
    """As sha256sum writes and checks it."""
    return HttpResponse(f"{_collector_file()[1]}  highwater.pyz\n", content_type="text/plain; charset=utf-8")


@public_page
def robots(request: HttpRequest) -> HttpResponse:
    """The record may be read by machines; accounts, submissions and searches are nothing for them."""
    refused = ("/submissions/", "/review/", "/login/", "/account/", "/search/", "/api/")
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in refused)]
    lines.append(f"Sitemap: {client_address.site_address(request)}/sitemap.xml")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
