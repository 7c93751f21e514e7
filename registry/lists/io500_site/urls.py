"""Addresses of io500.org, with and without a slash at the end. They come last, so that none hides one of ours."""

from __future__ import annotations

import json
from pathlib import Path

from django.urls import path

from registry.lists.io500_site.views import redirect_address

ROUTES: list[dict[str, str]] = json.loads((Path(__file__).parent / "data" / "routes.json").read_text(encoding="utf-8"))[
    "routes"
]

urlpatterns = [
    path(f"{route['path']}{end}", redirect_address, {"route": route}) for route in ROUTES for end in ("", "/")
]
