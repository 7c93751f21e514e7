"""GET /api/v1/search/: hits of every kind."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.query.questions import filters
from registry.site_pages import responses as site_pages_responses
from registry.site_pages.search import find
from registry.web.api_base import PublicRead

QUERY = [
    OpenApiParameter("q", str, description="Words, and filters as `fs:lustre`, `release:SC23`, `trust:derived`."),
    OpenApiParameter("kind", str, enum=list(find.FINDERS), description="Hits of this kind alone, more of them."),
    OpenApiParameter("literally", bool, description="`true`: without other names of what has several."),
]


class Search(PublicRead):
    """Sites, systems, platforms, results, lists, studies, parameters, rules and documents that have the words."""

    query_names = ("q", "kind", "literally")

    @extend_schema(operation_id="search", parameters=QUERY, responses=site_pages_responses.SearchAnswer)
    def get(self, request: Request) -> Response:
        """Hits of every kind, or of one. Raises InvalidValue where a kind, a filter or `literally` is not one."""
        query = self.question_query()
        text = " ".join(filters.values_of(query, "q"))
        kind, literally = find.parse_options(query)
        answer = find.find_everything(text, kind, literally=literally, source=self.asked_source())
        hits = [
            {
                "kind": hit.kind,
                "title": hit.title,
                "url": request.build_absolute_uri(hit.url),
                "summary": hit.plain_summary or hit.place,
            }
            for kind_hits in answer.kinds.values()
            for hit in kind_hits.hits
        ]
        return Response(
            {
                "next": None,
                "counts": {name: kind_hits.count for name, kind_hits in answer.kinds.items()},
                "counts_are_least": answer.at_least,
                "also_searched": list(answer.question.synonyms),
                "searched_instead": " ".join(answer.instead) or None,
                "not_searched": list(answer.question.unread),
                "unknown_values": answer.unknown,
                "results": hits,
            }
        )
