"""The Python client as a download."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.site_pages import wheels
from registry.web import client_address
from registry.web.caching import public_page

BUILDER = "launcher.client_file.wheel"


@public_page
def page(request: HttpRequest) -> HttpResponse:
    context = {"section": "docs", "site": client_address.site(request), "wheel": wheels.built(BUILDER)[0]}
    return render(request, "client.html", context)


@public_page
def wheel(request: HttpRequest, name: str) -> HttpResponse:
    return wheels.served(BUILDER, name, "The client")
