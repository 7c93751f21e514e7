"""The Python client as a download."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.site_pages import wheels
from registry.web import client_address
from registry.web.caching import public_page

BUILDER = "launcher.client_file.wheel"


@public_page
def client_page(request: HttpRequest) -> HttpResponse:
    context = {"section": "docs", "site": client_address.site_address(request), "wheel": wheels.build_wheel(BUILDER)[0]}
    return render(request, "site_pages/client.html", context)


@public_page
def client_wheel(request: HttpRequest, name: str) -> HttpResponse:
    return wheels.wheel_response(BUILDER, name, "The client")
