"""The pages of questions, asked of shelved runs: the pages of the record, each with its scope in its address."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from registry.comparison.views import show_comparison
from registry.platforms.views_generations import show_sizing
from registry.query.public_record import NotOnRecord
from registry.query.questions import filters
from registry.query.row_sources import RowSource
from registry.results.explore.views import show_exploration
from registry.studies.views import show_question
from registry.studies.views_rankings import show_ranking
from registry.timeseries.views_series import show_history
from registry.timeseries.views_sweeps import show_sweep
from submissions.shelf import links, overview, scope
from submissions.web.page_base import View, private_page
from submissions.web.request_account import account_of

WORDS = {scope.INSTITUTION: "your shelf", scope.ALL: "your shelf and the public record"}


def _scoped_page(show: View) -> View:
    """A page of the record that asks the scope of its address."""

    @wraps(show)
    def scoped_view(request: HttpRequest, asked_scope: str, **parts: Any) -> HttpResponseBase:
        """The page with its links in its scope; Http404 for another scope, and for what the scope lacks."""
        if asked_scope not in WORDS:
            raise Http404
        query = filters.without_names(request.GET, ["scope"])
        account = account_of(request)
        source: RowSource = scope.source_of(account, query, asked_scope)
        groups = scope.groups_of(query)
        request.GET = scope.without_scope(query)  # type: ignore[assignment]  # nobody changes it any more
        request.row_source = source  # type: ignore[attr-defined]  # read by registry/web/tray.py
        request.asked_of = ", ".join([WORDS[asked_scope], *scope.group_words(groups)])  # type: ignore[attr-defined]  # read by templates/base.html
        request.is_grouped = bool(groups)  # type: ignore[attr-defined]  # read by templates/shelf/asked_of.html
        try:
            response = show(request, source=source, **parts)
        except NotOnRecord as missing:
            raise Http404 from missing
        if isinstance(response, HttpResponse) and response.headers.get("Content-Type", "").startswith("text/html"):
            page = links.keep_scope(response.content.decode(), asked_scope, groups)
            names = overview.brief_names(account, links.ids_on(page))
            response.content = links.name_runs(page, names).encode()
        response["Cache-Control"] = "private, no-store"
        return response

    return require_safe(private_page(scoped_view))


comparison_page = _scoped_page(show_comparison)
study_page = _scoped_page(show_question)
ranking_page = _scoped_page(show_ranking)
explore_page = _scoped_page(show_exploration)
sizing_page = _scoped_page(show_sizing)
history_page = _scoped_page(show_history)
sweep_page = _scoped_page(show_sweep)
