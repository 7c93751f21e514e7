"""Which addresses strangers ask for often enough that their answers are kept, and which queries these may have."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, ResolverMatch, resolve

from registry.serving.request_role import is_public

UNTIL_CHANGED_S = 3600
"""An answer that follows from the record alone; it is made anew after an hour all the same."""
BY_THE_CLOCK_S = 60
"""An answer that also says what is open now. No longer than anybody may keep it anyway (registry/web/caching.py)."""
QUERY_LIMIT = 100
"""Characters of a query; a longer one has no known values."""

Values = Mapping[str, frozenset[str]]
_OF_PAGES: Values = {}
_OF_API: Values = {"format": frozenset({"json", "csv"})}

_PAGE_NAMES = (
    *(
        "about",
        "lists",
        "list",
        "reconstructed-list",
        "analysis",
        "result",
        "results",
        "systems",
        "system",
        "system-history",
    ),
    *("platforms", "platform", "sites", "site", "study", "rankings", "ranking", "parameters", "parameter"),
    *("hardware", "lines", "line", "docs", "docs-page", "docs-rules"),
    *("list-badge", "award-badge", "result-badge", "list-card", "result-card", "study-card"),
)
_PAGES_BY_THE_CLOCK = ("home", "releases", "release", "lists-feed", "releases-feed")
_API_NAMES = (
    *("api-lists", "api-list", "api-list-reconstructed", "api-list-citation", "api-analysis", "api-release-awards"),
    *("api-results", "api-results-scoped", "api-result", "api-result-phases", "api-result-citation"),
    *("api-result-files", "api-result-distributions", "api-result-ceilings", "api-result-system"),
    *("api-systems", "api-system", "api-sites", "api-site", "api-platforms", "api-platform"),
    *("api-studies-write", "api-study-write", "api-rankings-write", "api-ranking-write"),
    *("api-studies", "api-study-curated", "api-rankings", "api-ranking-saved", "api-parameters", "api-parameter"),
)
_API_BY_THE_CLOCK = ("api-releases", "api-releases-write", "api-release", "api-release-write")
ROUTES: dict[str, tuple[int, Values]] = {
    **dict.fromkeys(_PAGE_NAMES, (UNTIL_CHANGED_S, _OF_PAGES)),
    **dict.fromkeys(_PAGES_BY_THE_CLOCK, (BY_THE_CLOCK_S, _OF_PAGES)),
    **dict.fromkeys(_API_NAMES, (UNTIL_CHANGED_S, _OF_API)),
    **dict.fromkeys(_API_BY_THE_CLOCK, (BY_THE_CLOCK_S, _OF_API)),
}
"""By name of an address: seconds that an answer is kept, and the values that each name of its query may have.

A view adds values of its own by `with_known_values`. The index of studies is not here: its cards are those that the
worker kept last, which may be of an earlier state of the record.
"""


def seconds_kept(request: HttpRequest) -> int:
    """Seconds that the answer to a stranger's request may be kept; 0 where it may not be."""
    match = _find_view(request.path_info)
    if match is None or match.url_name not in ROUTES or not is_public(request, match.func):
        return 0
    seconds, values = ROUTES[match.url_name]
    known_values = {**values, **getattr(match.func, "known_values", {})}
    return seconds if _is_known(request.META.get("QUERY_STRING", ""), known_values) else 0


def _find_view(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None


def _is_known(query: str, values: Values) -> bool:
    """Whether each name stands there once, with a value that is known: else anybody could have any number kept."""
    if len(query) > QUERY_LIMIT:
        return False
    return all(len(texts) == 1 and texts[0] in values.get(name, ()) for name, texts in QueryDict(query).lists())
