"""What every page's frame needs: nothing that costs a query."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from registry.web.operator_contact import operator_contact

THEMES = ("light", "dark")


def frame(request: HttpRequest) -> dict[str, object]:
    """The theme from its cookie ('' follows the system), what this host takes and lets strangers read, who runs it."""
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "takes_submissions": not settings.PUBLIC_ONLY,
        "read_requires_login": settings.READ_REQUIRES_LOGIN,
        "operator": settings.OPERATOR,
        "contact": operator_contact(),
        "imprint_url": settings.IMPRINT_URL,
    }
