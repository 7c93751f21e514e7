"""What every page's frame needs: nothing that costs a query."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

THEMES = ("light", "dark")


def frame(request: HttpRequest) -> dict[str, object]:
    """The theme from its cookie ('' follows the system), and whether this host takes submissions."""
    theme = request.COOKIES.get("theme", "")
    return {"theme": theme if theme in THEMES else "", "takes_submissions": not settings.PUBLIC_ONLY}
