"""What every page's frame needs: nothing that costs a query."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from registry.query.names.canonical_names import plain_text
from registry.query.questions.filters import VALUE_LIMIT
from registry.web.operator_contact import operator_contact
from registry.web.tray import is_closed_to

THEMES = ("light", "dark")
SEARCH_PAGE = "/search/"


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
        "searched_text": _searched_text(request),
    }


def _searched_text(request: HttpRequest) -> str:
    """What the field of the head keeps: the words of a search, also of one that was refused.

    A stranger's page of a closed registry is the same whatever the address says.
    """
    if request.path != SEARCH_PAGE or is_closed_to(request):
        return ""
    return plain_text(" ".join(request.GET.getlist("q")))[:VALUE_LIMIT]
